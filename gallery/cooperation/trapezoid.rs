//! The area under `f(x) = x^2 + 1` between -3 and 3, by the trapezoidal rule: a plain loop, and a thread for each step of it.
//!
//! The textbook's sections 6.10.1 (E2-09) and 6.10.2 (E2-10). Note the digits: a million additions to one `f32` lose the fourth, on the
//! host as on the device, where the order of the additions changes from run to run. The exact area is 24.
//!
//! `cargo run --release -p warploom-gallery --example trapezoid [n] [threads per block]`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// For host and device.
fn f(x: f32) -> f32 {
    x * x + 1.0
}

/// Thread `i` adds `f` at the left end of trapezoid `i`; both ends of the interval are the host's.
#[kernel]
fn trapezoid(i: Index1D, a: f32, h: f32, n: u32, area: &[AtomicF32]) {
    let i = i.get() as u32;
    if 0 < i && i < n {
        area[0].fetch_add(f(a + i as f32 * h));
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let n = program.argument(1, 1u32 << 20)?;
    let threads = program.argument(2, 1024u32)?;
    let (a, b) = (-3.0, 3.0);
    println!("{n} trapezoids, exact area 24");
    let serial = serially(a, b, n);
    println!("serial:                {serial}");
    let area = on_device(program, a, b, n, threads)?;
    println!("one atomic per thread: {area}");
    program.close("serial", serial, 24.0, 1e-3);
    program.close("one atomic per thread", area, 24.0, 1e-3);
    if n == 1 << 20 {
        program.is("serial, which has one order", serial, 23.990257);
    }
    Ok(())
}

fn serially(a: f32, b: f32, n: u32) -> f32 {
    let h = (b - a) / n as f32;
    let mut area = 0.5 * (f(a) + f(b));
    for i in 1..n {
        area += f(a + i as f32 * h);
    }
    area * h
}

/// The same with the loop on the device; the accumulator is in managed memory.
fn on_device(program: &Program, a: f32, b: f32, n: u32, threads: u32) -> Result<f32> {
    let device = program.device();
    let stream = device.stream()?;
    let h = (b - a) / n as f32;
    let mut area = device.managed_from(&[0.5 * (f(a) + f(b))])?;
    let (_, atomics) = area.as_shared_atomics()?;
    trapezoid::launch(
        &stream,
        Launch::new(n.div_ceil(threads), threads),
        a,
        h,
        n,
        atomics,
    )?;
    Ok(area.as_slice()?[0] * h)
}
