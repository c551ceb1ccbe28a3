//! 256 numbers in constant memory, and a number in global memory, which the host writes by name before the launch.
//!
//! The study notes' section 1.4.2 (E3-10); the CUDA programming guide, section 3.2.1 (EX-7). Note: both are statics of the program
//! that only devices have; the host reaches them by `device.symbol`. What is written before a launch is seen by it. Constant memory is
//! fastest where all threads of a warp read one element.
//!
//! `cargo run --release -p warploom-gallery --example constant_table`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

constant_static! {
    static TABLE: [f32; 256] = [0.0; 256];
}

device_static! {
    /// What the table's numbers are multiplied by.
    static FACTOR: AtomicU32 = AtomicU32::new(1);
}

#[kernel]
fn read_table(i: Index1D, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = TABLE[i.get() % TABLE.len()] * FACTOR.load(Relaxed) as f32;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let mut y = device.zeroed::<f32>(512)?;
    let (table, factor) = (device.symbol(&TABLE)?, device.symbol(&FACTOR)?);
    println!("the table has {} bytes of constant memory", table.size());
    program.is("bytes of 256 floats", table.size(), 1024);

    for (step, by) in [(0.5, 1), (-3.0, 10)] {
        let values: [f32; 256] = std::array::from_fn(|k| k as f32 * step);
        table.write(&stream, &values)?;
        factor.write(&stream, &by)?;
        read_table::launch(&stream, Launch::covering(y.len()), &mut y)?;
        let expected: Vec<f32> = (0..512).map(|i| values[i % 256] * by as f32).collect();
        println!("element 255 times {by}: {}", expected[255]);
        program.equal("what the kernel saw", &y.to_vec(&stream)?, &expected);
        program.equal("what the host reads back", &table.read(&stream)?, &values);
    }
    Ok(())
}
