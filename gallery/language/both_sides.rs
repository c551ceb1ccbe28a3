//! One function for host and device, which asks where it runs.
//!
//! The CUDA programming guide, section B.1.3 (EX-47). A function needs no mark for either side. `is_device()` says whether a kernel runs;
//! `arch()` says for which architecture the code was compiled, as `__CUDA_ARCH__` does (75 instead of 750), and is 0 on host and
//! emulator. Note: in device code both are constants, so what a branch leaves out is not there.
//!
//! `cargo run --release -p warploom-gallery --example both_sides`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result, ptx};

/// On the host.
const HOST: u32 = 1;
/// On the emulator.
const EMULATOR: u32 = 2;
/// On a GPU, in code for Turing and later.
const SINCE_TURING: u32 = 3;
/// On a GPU, in code for Hopper and later.
const SINCE_HOPPER: u32 = 4;

fn place() -> u32 {
    match (is_device(), arch()) {
        (false, _) => HOST,
        (true, 0) => EMULATOR,
        (true, 90..) => SINCE_HOPPER,
        (true, _) => SINCE_TURING,
    }
}

/// What both sides compute in the same way.
fn cube(x: f32) -> f32 {
    x * x * x
}

#[kernel]
fn ask(i: Index1D, mut y: DisjointSlice<[f32; 2]>) {
    if let Some(y) = y.get_mut(i) {
        *y = [place() as f32, cube(i.get() as f32)];
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let stream = program.device().stream()?;
    let mut y = program.device().zeroed::<[f32; 2]>(64)?;
    ask::launch(&stream, Launch::covering(64), &mut y)?;
    let y = y.to_vec(&stream)?;
    println!("the host is {}, the kernel ran at {}", place(), y[0][0]);
    program.is("the host", place(), HOST);
    // A kernel that branches on `arch()` is compiled for each architecture where the branches differ; the GPU gets the newest that it can
    // run.
    let on_gpu = if program.device().compute_capability() >= (9, 0) {
        SINCE_HOPPER
    } else {
        SINCE_TURING
    };
    let expected = program.sized(EMULATOR, on_gpu) as f32;
    let expected: Vec<[f32; 2]> = (0..64).map(|i| [expected, cube(i as f32)]).collect();
    program.equal("the device", &y, &expected);
    if let Some(ptx) = ptx("ask")? {
        let branches = ptx.instructions("setp").len();
        println!("comparisons in the PTX: {branches}, that of the bounds");
        program.is("comparisons", branches, 1);
    }
    Ok(())
}
