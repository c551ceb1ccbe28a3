//! More threads than elements, and no guard.
//!
//! The textbook's section 6.8.1 (E2-06). Note the two ways to index: a slice checks, and the thread's panic becomes an error with index
//! and length; a raw pointer writes behind the end, where other allocations are on a GPU, without an error.
//!
//! `cargo run --release -p warploom-gallery --example missing_guard`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the kernels have bugs on purpose"
)]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

#[kernel]
fn by_slices(i: Index1D, x: &[f32], y: &[f32], mut z: DisjointSlice<f32>) {
    let sum = x[i.get()] + y[i.get()]; // before the guard
    if let Some(z) = z.get_mut(i) {
        *z = sum;
    }
}

#[kernel]
fn by_pointers(i: Index1D, x: &[f32], y: &[f32], mut z: DisjointSlice<f32>) {
    let at = i.get();
    // SAFETY: there is none; the guard is missing.
    unsafe { *z.raw().add(at) = *x.as_ptr().add(at) + *y.as_ptr().add(at) };
}

#[kernel]
fn with_guard(i: Index1D, x: &[f32], y: &[f32], mut z: DisjointSlice<f32>) {
    if let Some(z) = z.get_mut(i) {
        *z = x[i.get()] + y[i.get()];
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::mistake(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let n = 997u16;
    let shape = Launch::new(4, 256); // 27 threads too many
    let x = device.upload(&Vec::from_iter((0..n).map(f32::from)))?;
    let mut z = device.zeroed::<f32>(usize::from(n))?;

    println!("slices:\n");
    by_slices::launch(&stream, shape, &x, &x, &mut z)?;
    program.finds("WL0400", stream.synchronize());
    println!("pointers:\n");
    by_pointers::launch(&stream, shape, &x, &x, &mut z)?;
    program.finds("WL0001", stream.synchronize());

    with_guard::launch(&stream, shape, &x, &x, &mut z)?;
    let sums = z.to_vec(&stream)?;
    println!(
        "with the guard: z[{}] = {}",
        n - 1,
        sums[usize::from(n - 1)]
    );
    program.equal(
        "sums",
        &sums,
        &Vec::from_iter((0..n).map(|i| 2.0 * f32::from(i))),
    );
    Ok(())
}
