//! Six products of three numbers: how often each is read depends on whether the results may lie in the inputs.
//!
//! The CUDA programming guide, section E.3 (EX-43). C++ has `__restrict__` for the promise that pointers do not overlap. Note the PTX: a
//! slice and an output of a kernel never overlap, because of Rust's borrow rules, so three loads are enough; through raw pointers each
//! product reads its factors anew. Handed one array for all three, those give other results, and have to.
//!
//! `cargo run --release -p warploom-gallery --example no_alias`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result, ptx};

#[kernel]
fn by_slices(i: Index1D, a: &[f32], b: &[f32], mut c: DisjointSlice<f32, Chunks<6>>) {
    if let Some(c) = c.get_mut(i) {
        c[0] = a[0] * b[0];
        c[1] = a[0] * b[0];
        c[2] = a[0] * b[0] * a[1];
        c[3] = a[0] * a[1];
        c[4] = a[0] * b[0];
        c[5] = b[0];
    }
}

/// # Safety
/// Two, one and six elements, which no other thread uses meanwhile. They may overlap.
#[kernel]
unsafe fn by_pointers(a: *const f32, b: *const f32, c: *mut f32) {
    #[expect(
        clippy::multiple_unsafe_ops_per_block,
        reason = "the guide's function, line by line"
    )]
    // SAFETY: the caller's.
    unsafe {
        *c = *a * *b;
        *c.add(1) = *a * *b;
        *c.add(2) = *a * *b * *a.add(1);
        *c.add(3) = *a * *a.add(1);
        *c.add(4) = *a * *b;
        *c.add(5) = *b;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let (a, b) = (device.upload(&[1.5f32, -2.0])?, device.upload(&[3.0f32])?);
    let mut c = device.zeroed::<f32>(6)?;
    let expected = [4.5, 4.5, -9.0, -3.0, 4.5, 3.0];
    by_slices::launch(&stream, (1, 1), &a, &b, &mut c)?;
    program.equal("by slices", &c.to_vec(&stream)?, &expected);

    let at = |buffer: &DeviceBuffer<f32>| {
        std::ptr::with_exposed_provenance_mut::<f32>(buffer.raw_ptr() as usize)
    };
    c.fill(0.0, &stream)?;
    // SAFETY: buffers of two, one and six elements, which stay valid until the copy below is done; one thread.
    unsafe { by_pointers::launch(&stream, (1, 1), at(&a), at(&b), at(&c))? };
    program.equal("by pointers", &c.to_vec(&stream)?, &expected);

    let one = device.upload(&[2.0f32, 3.0, 5.0, 7.0, 11.0, 13.0])?;
    // SAFETY: six elements, in all three roles; one thread.
    unsafe { by_pointers::launch(&stream, (1, 1), at(&one), at(&one), at(&one))? };
    let found = one.to_vec(&stream)?;
    println!("one array for all three: {found:?}");
    // Each product reads what the last one left: 2 * 2, 4 * 4, 4 * 4 * 16, 4 * 16, 4 * 4, 4.
    program.equal("one array", &found, &[4.0, 16.0, 256.0, 64.0, 16.0, 4.0]);

    for (kernel, loads) in [("by_slices", 3), ("by_pointers", 12)] {
        let Some(ptx) = ptx(kernel)? else { break };
        let found = ptx.instructions("ld.global").len();
        println!("{kernel}: {found} loads");
        program.is(kernel, found, loads);
    }
    Ok(())
}
