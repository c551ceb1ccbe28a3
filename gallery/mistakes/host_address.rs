//! A kernel that is to write its result through an address of the host.
//!
//! The textbook's section 6.9 (E2-08a). Note the signature: `sum: &mut i32` does not compile, and a raw pointer makes the kernel unsafe.
//! Then the emulator says whose memory it is; a GPU would lose its context, or leave the sum at -5.
//!
//! `cargo run --release -p warploom-gallery --example host_address`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// # Safety
/// `sum` points to device memory that is not used otherwise.
#[kernel]
unsafe fn add(x: i32, y: i32, sum: *mut i32) {
    // SAFETY: the caller promises it.
    unsafe { *sum = x + y };
}

fn main() -> std::process::ExitCode {
    warploom_gallery::mistake(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;

    let mut sum = Box::new(-5);
    println!("with the address of a variable of the host:\n");
    // SAFETY: there is none to be had; the emulator checks the address before it is used.
    unsafe { add::launch(&stream, (1, 1), 2, 3, &raw mut *sum)? };
    program.finds("WL0005", stream.synchronize());

    let buffer = device.upload(&[-5])?;
    // SAFETY: one element, and the kernel is the only one to use it.
    unsafe { add::launch(&stream, (1, 1), 2, 3, buffer.raw_ptr() as *mut i32)? };
    let copy = buffer.to_vec(&stream)?;
    println!("with the address of a buffer: The sum is {}", copy[0]);
    program.equal("sum", &copy, &[5]);
    Ok(())
}
