//! One kernel for any operation on two vectors: the operation is an argument, and its type a parameter.
//!
//! The CUDA programming guide, section D.6.2 (EX-41). Note: a launch with an operation of another type is another kernel, compiled for
//! it, without a call. An operation may be a type with a method, as in the document, or a closure, whose captured values travel with the
//! launch.
//!
//! `cargo run --release -p warploom-gallery --example functors`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// What the kernel may be given.
trait Operation {
    fn apply(&self, x: f32, y: f32) -> f32;
}

#[derive(Clone, Copy, KernelArg)]
struct Add;

impl Operation for Add {
    fn apply(&self, x: f32, y: f32) -> f32 {
        x + y
    }
}

#[derive(Clone, Copy, KernelArg)]
struct Sub;

impl Operation for Sub {
    fn apply(&self, x: f32, y: f32) -> f32 {
        x - y
    }
}

#[kernel]
fn vector_operation<O: Operation + KernelArg>(
    i: Index1D,
    x: &[f32],
    y: &[f32],
    mut z: DisjointSlice<f32>,
    op: O,
) {
    if let Some(z) = z.get_mut(i) {
        *z = op.apply(x[i.get()], y[i.get()]);
    }
}

/// The same with a closure.
#[kernel]
fn vector_closure<F: Fn(f32, f32) -> f32 + Copy + Send + Sync + 'static>(
    i: Index1D,
    x: &[f32],
    y: &[f32],
    mut z: DisjointSlice<f32>,
    op: F,
) {
    if let Some(z) = z.get_mut(i) {
        *z = op(x[i.get()], y[i.get()]);
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (device, n) = (program.device(), program.sized(1000, 1 << 20));
    let stream = device.stream()?;
    let x: Vec<f32> = (0..n).map(|i| (i % 1000) as f32).collect();
    let y: Vec<f32> = (0..n).map(|i| (i % 77) as f32 * 0.5).collect();
    let (a, b, mut c) = (device.upload(&x)?, device.upload(&y)?, device.zeroed(n)?);
    let shape = Launch::covering(n);
    let expected = |op: &dyn Fn(f32, f32) -> f32| -> Vec<f32> {
        x.iter().zip(&y).map(|(x, y)| op(*x, *y)).collect()
    };

    vector_operation::launch(&stream, shape, &a, &b, &mut c, Add)?;
    let found = c.to_vec(&stream)?;
    println!("{} + {} = {}", x[99], y[99], found[99]);
    program.equal("sums", &found, &expected(&|x, y| x + y));
    vector_operation::launch(&stream, shape, &a, &b, &mut c, Sub)?;
    let found = c.to_vec(&stream)?;
    println!("{} - {} = {}", x[99], y[99], found[99]);
    program.equal("differences", &found, &expected(&|x, y| x - y));

    let scale = program.argument(1, 4.0f32)?;
    let op = move |x: f32, y: f32| x * scale + y;
    vector_closure::launch(&stream, shape, &a, &b, &mut c, op)?;
    let found = c.to_vec(&stream)?;
    println!("{} * {scale} + {} = {}", x[99], y[99], found[99]);
    program.equal("by a closure", &found, &expected(&op));
    Ok(())
}
