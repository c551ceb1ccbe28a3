//! Launches each case once, on the GPU or the emulator, and compares its results. `run-on-gpu.py` runs it under Nsight Compute.
//!
//! ```text
//! cargo run --release -p warploom-lint-counters
//! ```
#![expect(clippy::print_stdout, reason = "a program for a terminal")]

use std::process::ExitCode;

use warploom::{Device, Result};
use warploom_lint_counters::cases;

fn main() -> ExitCode {
    match run() {
        Ok(wrong) if wrong.is_empty() => ExitCode::SUCCESS,
        Ok(wrong) => {
            eprintln!("{}", wrong.join("\n"));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("lint-counters: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Says the device and each case; what failed is the result.
fn run() -> Result<Vec<String>> {
    let device = Device::open()?;
    let stream = device.stream()?;
    println!("device\t{}", device.name());
    let mut wrong = Vec::new();
    for case in cases() {
        match (case.run)(&device, &stream) {
            Ok(()) => println!("case\t{}", case.name),
            Err(why) => wrong.push(format!("{}: {why}", case.name)),
        }
    }
    Ok(wrong)
}
