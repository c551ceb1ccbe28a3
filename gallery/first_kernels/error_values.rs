//! Errors are values: of an allocation that is too large, of a launch that no device can run, of a kernel that fails.
//!
//! The study notes' section 5.1 (E3-31). Note: each text has what was asked for, the limit and a remedy; `Result` cannot be ignored
//! without a warning; and after each error the device works as before. There is no "last error" that a later call would have to fetch and
//! reset.
//!
//! `cargo run --release -p warploom-gallery --example error_values`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom::{LaunchError, MemoryError, StreamError};
use warploom_gallery::{Program, Result};

#[kernel]
fn double(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 2 * x[i.get()];
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let works = || -> Result {
        let (x, mut y) = (device.upload(&[1, 2, 3])?, device.zeroed(3)?);
        double::launch(&stream, Launch::covering(3), &x, &mut y)?;
        program.equal("the device works", &y.to_vec(&stream)?, &[2, 4, 6]);
        Ok(())
    };

    let too_large = device.zeroed::<f64>(1 << 45);
    if let Err(error) = &too_large {
        println!("error: {error}");
    }
    program.holds(
        "no room",
        matches!(too_large, Err(MemoryError::OutOfMemory { elements, .. }) if elements == 1 << 45),
    );
    works()?;

    let (x, mut y) = (device.upload(&[7; 5])?, device.zeroed(8)?);
    let refused = double::launch(&stream, Launch::new(1, 4096), &x, &mut y);
    if let Err(error) = &refused {
        println!("error: {error}");
    }
    program.holds(
        "a block that is too large",
        matches!(refused, Err(LaunchError::BlockTooLarge { given: 4096, .. })),
    );
    works()?;

    // Three threads read behind the end of x. The launch itself is good: what a kernel does is known when it is waited for.
    double::launch(&stream, Launch::covering(8), &x, &mut y)?;
    let failed = stream.synchronize();
    if let Err(error) = &failed {
        println!("error: {error}");
    }
    program.holds(
        "a panic in a kernel",
        matches!(failed, Err(StreamError::Panic(_))),
    );
    program.holds("is reported once", stream.synchronize().is_ok());
    works()
}
