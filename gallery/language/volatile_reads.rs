//! An element is read, its neighbour written, and the element read again: once or twice from memory?
//!
//! The CUDA programming guide, section B.2.4 (EX-31). Note the PTX: the compiler knows that no other thread may write an element that this
//! thread uses without synchronisation, so the plain kernel reads once; volatile reads are all there. Volatile is no synchronisation: with
//! several threads both kernels race (`lockstep`). One thread runs them here.
//!
//! `cargo run --release -p warploom-gallery --example volatile_reads`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result, ptx};

#[kernel]
fn plain(i: Index1D, mut a: DisjointSlice<i32>, mut y: DisjointSlice<i32>) {
    let own = a.raw().wrapping_add(i.get());
    // SAFETY: one thread; `a` has two elements.
    let first = unsafe { own.read() };
    // SAFETY: as above.
    unsafe { own.wrapping_add(1).write(2) };
    // SAFETY: as above.
    let product = first * unsafe { own.read() };
    if let Some(y) = y.get_mut(i) {
        *y = product;
    }
}

#[kernel]
fn volatile(i: Index1D, mut a: DisjointSlice<i32>, mut y: DisjointSlice<i32>) {
    let own = a.raw().wrapping_add(i.get());
    // SAFETY: as above.
    let first = unsafe { own.read_volatile() };
    // SAFETY: as above.
    unsafe { own.wrapping_add(1).write_volatile(2) };
    // SAFETY: as above.
    let product = first * unsafe { own.read_volatile() };
    if let Some(y) = y.get_mut(i) {
        *y = product;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    for is_volatile in [false, true] {
        let (mut a, mut y) = (device.upload(&[7, 9])?, device.zeroed::<i32>(1)?);
        if is_volatile {
            volatile::launch(&stream, (1, 1), &mut a, &mut y)?;
        } else {
            plain::launch(&stream, (1, 1), &mut a, &mut y)?;
        }
        program.equal("the product", &y.to_vec(&stream)?, &[49]);
        program.equal("the array", &a.to_vec(&stream)?, &[7, 2]);
    }
    for (kernel, loads) in [("plain", 1), ("volatile", 2)] {
        let Some(ptx) = ptx(kernel)? else { break };
        let found = ptx.instructions("ld.").into_iter();
        let found: Vec<&str> = found.filter(|name| name.contains("global")).collect();
        println!("{kernel}: {found:?}");
        program.is(kernel, found.len(), loads);
    }
    Ok(())
}
