//! A kernel returns nothing; three ways to get a number out of it.
//!
//! The textbook's section 6.9: managed memory (E2-08b), an explicit copy (E2-08c), a managed static (E2-08d). Note the second kernel: a
//! static is not among its parameters, which is short, and couples all code that uses it. `host_address` shows the way that does not work.
//!
//! `cargo run --release -p warploom-gallery --example returned_value`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use core::sync::atomic::AtomicI32;
use core::sync::atomic::Ordering::Relaxed;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

#[kernel]
fn add(i: Index1D, x: i32, y: i32, mut sum: DisjointSlice<i32>) {
    if let Some(sum) = sum.get_mut(i) {
        *sum = x + y;
    }
}

managed_static! {
    static SUM: AtomicI32 = AtomicI32::new(0);
}

#[kernel]
fn add_to_static(x: i32, y: i32) {
    SUM.store(x + y, Relaxed);
}

fn main() -> std::process::ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;

    let mut sum = device.managed_from(&[-5])?;
    add::launch(&stream, (1, 1), 2, 3, &mut sum)?;
    println!("The sum is {}", sum.as_slice()?[0]); // waits for the kernel
    program.is("managed memory", sum.as_slice()?[0], 5);

    let mut sum = device.upload(&[-5])?;
    add::launch(&stream, (1, 1), 2, 3, &mut sum)?;
    let copy = sum.to_vec(&stream)?; // comes after the kernel, and waits for it
    println!("The sum is {}", copy[0]);
    program.equal("explicit copy", &copy, &[5]);

    let sum = device.managed(&SUM)?;
    sum.store(-5, Relaxed);
    add_to_static::launch(&stream, (1, 1), 2, 3)?;
    stream.synchronize()?; // the host may look afterwards only
    println!("After kernel: The sum is {}", sum.load(Relaxed));
    program.is("managed static", sum.load(Relaxed), 5);
    Ok(())
}
