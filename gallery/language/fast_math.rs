//! A damped wave, by two kernels that call one function: with exact arithmetic and with nvcc's `-use_fast_math`.
//!
//! In no document as a program (more); the CUDA programming guide has the option in section B.7, for a whole file. Here it is one kernel's.
//! Note the largest errors, and how many instructions of `f32` each kernel has. The emulator computes both alike: the difference is a GPU's.
//!
//! `cargo run --release -p warploom-gallery --example fast_math`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result, ptx};

/// Each kernel has code of its own for it.
#[inline]
fn wave(x: f32) -> f32 {
    (-x).exp() * (4.0 * x).sin() / (1.0 + x * x).sqrt()
}

#[kernel]
fn exact(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = wave(*x);
    }
}

#[kernel(fast_math)]
fn fast(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = wave(*x);
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (device, n) = (program.device(), 4096);
    let stream = device.stream()?;
    // Up to π/4: the approximate sine is good for angles of at most π.
    let x: Vec<f32> = (0..n)
        .map(|i| i as f32 / n as f32 * std::f32::consts::FRAC_PI_4)
        .collect();
    let (input, mut y) = (device.upload(&x)?, device.zeroed::<f32>(n)?);

    let error = |y: Vec<f32>| {
        let errors = x.iter().zip(y).map(|(&x, y)| {
            let x = f64::from(x);
            let exact = (-x).exp() * (4.0 * x).sin() / (1.0 + x * x).sqrt();
            (f64::from(y) - exact).abs()
        });
        errors.fold(0.0, f64::max)
    };
    exact::launch(&stream, Launch::covering(n), &input, &mut y)?;
    let exactly = error(y.to_vec(&stream)?);
    fast::launch(&stream, Launch::covering(n), &input, &mut y)?;
    let fast = error(y.to_vec(&stream)?);
    println!("largest errors: {exactly:.1e}, with fast_math {fast:.1e}");
    program.holds("the exact kernel is within 3e-7", exactly < 3e-7);
    program.holds("the fast kernel is within 3e-6", fast < 3e-6);

    for (kernel, root, quotient) in [
        ("exact", "sqrt.rn.f32", "div.rn.f32"),
        ("fast", "sqrt.approx.ftz.f32", "div.approx.ftz.f32"),
    ] {
        let Some(ptx) = ptx(kernel)? else { break };
        let floats = ptx.instructions("").into_iter();
        let floats = floats.filter(|name| name.ends_with(".f32")).count();
        println!("{kernel}: {floats} instructions of f32");
        program.is(root, ptx.instructions(root).len(), 1);
        program.is(quotient, ptx.instructions(quotient).len(), 1);
    }
    Ok(())
}
