//! Which accesses to shared memory clash: floats at a distance, bytes, doubles, structures of two and of three floats.
//!
//! The CUDA programming guide, section G.4.3 (EX-45). Shared memory has 32 banks; word i of 4 bytes lies in bank i mod 32, and a bank gives
//! one word at a time. Note: floats s words apart clash if s is even, in gcd(32, s) ways; bytes of one word and structures of three
//! floats never do. Structures of two floats that are read float by float are floats 2 apart; with an alignment of 8 one read takes both,
//! and none clash.
//!
//! `cargo run --release -p warploom-gallery --example shared_patterns`
//@ rows: GPFM-9, GPFM-10
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
struct Three([f32; 3]);

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C, align(8))]
struct Two([f32; 2]);

/// All elements are written side by side; then each thread reads one, `STRIDE` elements from its neighbour's.
#[kernel(block(32))]
fn read_at<T: Plain, const STRIDE: usize>(
    i: Index1D,
    block: Block,
    memory: DynamicShared<T>,
    x: &[T],
    mut y: DisjointSlice<T>,
) {
    let t = block.thread();
    for k in (t..32 * STRIDE).step_by(32) {
        // SAFETY: each thread writes its own elements, and all read after the barrier.
        unsafe { memory.set(k, x[k]) };
    }
    block.sync();
    // The emulator warns once per line, so each conflicting pattern has its own line.
    let value = match STRIDE {
        // SAFETY: no thread writes after the barrier.
        2 => unsafe { memory.get(2 * t) },
        // SAFETY: as above.
        32 => unsafe { memory.get(32 * t) },
        // SAFETY: as above.
        _ => unsafe { memory.get(STRIDE * t) },
    };
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

fn main() -> ExitCode {
    warploom_gallery::costs(run)
}

/// Runs the kernel and checks what it read, and whether it is warned of.
fn pattern<T: Plain + PartialEq + std::fmt::Debug, const STRIDE: usize>(
    program: &Program,
    name: &str,
    conflict: bool,
    element: impl Fn(usize) -> T,
) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let blocks = 32; // one access would be no evidence
    let x: Vec<T> = (0..32 * STRIDE).map(element).collect();
    let mut y = device.zeroed::<T>(32 * blocks)?;
    let bytes = size_of_val(&*x) as u32;
    let shape = Launch::new(blocks as u32, 32).dynamic_shared(bytes);
    read_at::<T, STRIDE>::launch(&stream, shape, &device.upload(&x)?, &mut y)?;
    let expected: Vec<T> = (0..32 * blocks).map(|i| x[i % 32 * STRIDE]).collect();
    program.equal(name, &y.to_vec(&stream)?, &expected);
    println!("{name}: {}", if conflict { "conflicts" } else { "none" });
    match conflict {
        true => program.warns("WL0501"),
        false => program.is_silent("WL0501"),
    }
    Ok(())
}

fn run(program: &Program) -> Result {
    let float = |i: usize| i as f32;
    pattern::<f32, 1>(program, "floats, 1 apart", false, float)?;
    pattern::<f32, 3>(program, "floats, 3 apart", false, float)?;
    pattern::<f32, 33>(program, "floats, 33 apart", false, float)?;
    pattern::<u8, 1>(program, "bytes, side by side", false, |i| i as u8)?;
    pattern::<u8, 4>(program, "bytes, 4 apart", false, |i| i as u8)?;
    pattern::<f64, 1>(program, "doubles, side by side", false, |i| i as f64)?;
    let three = |i: usize| Three([i as f32, 0.5, -1.0]);
    pattern::<Three, 1>(program, "structures of three floats", false, three)?;
    let two = |i: usize| Two([i as f32, 0.5]);
    pattern::<Two, 1>(program, "two floats at once", false, two)?;

    pattern::<f32, 2>(program, "floats, 2 apart", true, float)?;
    pattern::<f32, 32>(program, "floats, 32 apart", true, float)
}
