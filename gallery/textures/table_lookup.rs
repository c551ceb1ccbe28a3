//! A table that is looked up between its entries.
//!
//! The CUDA programming guide's section F.3 (EX-44): `tex((N - 1) / R * x + 0.5)` is the first entry at 0 and the last at R. Note: the
//! texture unit mixes two entries by a weight of eight bits, so that there are 256 values from one entry to the next, and not more.
//!
//! `cargo run --release -p warploom-gallery --example table_lookup`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom::texture::{Filter, Sampler};
use warploom_gallery::{Program, Result};

/// Entries that are 256 times a whole number: mixtures of two are exact.
const TABLE: [f32; 4] = [256.0, 1024.0, 512.0, 2048.0];

#[kernel]
fn look_up(i: Index1D, table: Texture1d<f32>, range: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        let steps = (table.size()[0] - 1) as f32;
        *y = table.sample(steps / range * x[i.get()] + 0.5);
    }
}

/// The same by plain Rust: the nearest of 256 weights, halves up.
fn expected(range: f32, x: f32) -> f32 {
    let at =
        ((TABLE.len() - 1) as f32 / range * x + 0.5).clamp(0.5, TABLE.len() as f32 - 0.5) - 0.5;
    let in_256ths = (at * 256.0 + 0.5).floor() as usize;
    let (entry, weight) = (in_256ths / 256, (in_256ths % 256) as f32);
    let next = TABLE.get(entry + 1).copied().unwrap_or_default();
    (TABLE[entry] * (256.0 - weight) + next * weight) / 256.0
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let table = device.array_from(TABLE.len(), &TABLE)?;
    let between = table.texture(Sampler::new().filter(Filter::Linear))?;
    for range in [4.0, 1.0] {
        // From before the table to behind it.
        let x: Vec<f32> = (-100..=1124).map(|k| k as f32 / 1024.0 * range).collect();
        let (input, mut output) = (device.upload(&x)?, device.zeroed::<f32>(x.len())?);
        look_up::launch(
            &stream,
            Launch::covering(x.len()),
            &between,
            range,
            &input,
            &mut output,
        )?;
        let y = output.to_vec(&stream)?;
        let (first, middle, last) = (y[100], y[612], y[1124]);
        println!(
            "range {range}: TL(0) = {first}, TL({}) = {middle}, TL({range}) = {last}",
            range / 2.0
        );
        program.is("the first entry", first, TABLE[0]);
        program.is("the last entry", last, TABLE[3]);
        program.is("between the middle ones", middle, 768.0);
        let plain: Vec<f32> = x.iter().map(|&x| expected(range, x)).collect();
        program.equal("all lookups", &y, &plain);
    }
    Ok(())
}
