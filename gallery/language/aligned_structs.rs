//! Structures whose alignment is their size: one load for all fields, instead of one for each.
//!
//! The CUDA programming guide, section 5.3.2.1.1 (EX-27). `repr(align(8))` is C's `__align__(8)`. Note: how many loads each kernel's PTX
//! has. Three floats that are aligned to 16 bytes take 16 bytes; the fourth float is named, for whatever goes to the device has no padding.
//!
//! `cargo run --release -p warploom-gallery --example aligned_structs`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result, ptx};

/// Two floats, aligned to 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C, align(8))]
struct Pair {
    a: f32,
    b: f32,
}

/// Three floats, aligned to 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C, align(16))]
struct Three {
    a: f32,
    b: f32,
    c: f32,
    unused: f32,
}

/// Three floats, aligned as a float is.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
struct Loose {
    a: f32,
    b: f32,
    c: f32,
}

#[kernel]
fn pairs(i: Index1D, x: &[Pair], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = x.a - 2.0 * x.b;
    }
}

#[kernel]
fn threes(i: Index1D, x: &[Three], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = x.a - 2.0 * x.b + x.c + x.unused;
    }
}

#[kernel]
fn looses(i: Index1D, x: &[Loose], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = x.a - 2.0 * x.b + x.c;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let sizes = [size_of::<Pair>(), size_of::<Three>(), size_of::<Loose>()];
    let alignments = [align_of::<Pair>(), align_of::<Three>(), align_of::<Loose>()];
    println!("bytes {sizes:?}, aligned to {alignments:?}");
    program.equal("bytes", &sizes, &[8, 16, 12]);
    program.equal("alignments", &alignments, &[8, 16, 4]);

    let (device, n) = (program.device(), 1000);
    let stream = device.stream()?;
    let (shape, mut y) = (Launch::covering(n), device.zeroed::<f32>(n)?);
    let numbers = || (0..n).map(|i| (i as f32, (i % 7) as f32, (i % 5) as f32));
    let two: Vec<Pair> = numbers().map(|(a, b, _)| Pair { a, b }).collect();
    pairs::launch(&stream, shape, &device.upload(&two)?, &mut y)?;
    let expected: Vec<f32> = numbers().map(|(a, b, _)| a - 2.0 * b).collect();
    program.equal("pairs", &y.to_vec(&stream)?, &expected);

    let expected: Vec<f32> = numbers().map(|(a, b, c)| a - 2.0 * b + c).collect();
    let unused = 0.0;
    let three: Vec<Three> = numbers()
        .map(|(a, b, c)| Three { a, b, c, unused })
        .collect();
    threes::launch(&stream, shape, &device.upload(&three)?, &mut y)?;
    program.equal("three", &y.to_vec(&stream)?, &expected);
    let loose: Vec<Loose> = numbers().map(|(a, b, c)| Loose { a, b, c }).collect();
    looses::launch(&stream, shape, &device.upload(&loose)?, &mut y)?;
    program.equal("loose", &y.to_vec(&stream)?, &expected);

    for (kernel, loads) in [("pairs", 1), ("threes", 1), ("looses", 3)] {
        let Some(ptx) = ptx(kernel)? else { break };
        let found = ptx.instructions("ld.global");
        println!("{kernel}: {found:?}");
        program.is(kernel, found.len(), loads);
    }
    Ok(())
}
