//! A matrix whose rows start at fast addresses: between two rows lie more elements than a row has.
//!
//! The study notes' section 1.3.1 (E3-06). Note: the pitch, which the device chooses; a copy in two dimensions skips the gaps. The
//! kernel goes from row to row by `row_elements`. With the width instead, which is wrong, every row but the first is another.
//!
//! `cargo run --release -p warploom-gallery --example pitched_rows`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

const WIDTH: usize = 75;
const HEIGHT: usize = 33;

/// The sum of each row: a thread walks along its own.
#[kernel]
fn row_sums(i: Index1D, rows: &[f32], width: u32, row_elements: u32, mut sums: DisjointSlice<f32>) {
    if let Some(sum) = sums.get_mut(i) {
        let start = i.get() * row_elements as usize;
        *sum = rows[start..start + width as usize].iter().sum();
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let host: Vec<f32> = (0..WIDTH * HEIGHT).map(|i| (i * i % 100) as f32).collect();
    let expected: Vec<f32> = host.chunks(WIDTH).map(|row| row.iter().sum()).collect();

    let mut matrix = device.pitched_zeroed::<f32>((WIDTH, HEIGHT))?;
    matrix.copy_from(&host, &stream)?;
    let (pitch, row_elements) = (matrix.pitch(), matrix.row_elements());
    println!(
        "{HEIGHT} rows of {} bytes, {pitch} bytes from one to the next",
        4 * WIDTH
    );
    program.holds(
        "the pitch is at least a row",
        pitch >= 4 * WIDTH && pitch == 4 * row_elements,
    );
    program.equal("there and back", &matrix.to_vec(&stream)?, &host);

    let mut sums = device.zeroed::<f32>(HEIGHT)?;
    let mut by = |step: usize| -> warploom::Result<Vec<f32>> {
        let shape = Launch::covering(HEIGHT);
        row_sums::launch(
            &stream,
            shape,
            matrix.padded(),
            WIDTH as u32,
            step as u32,
            &mut sums,
        )?;
        Ok(sums.to_vec(&stream)?)
    };
    program.equal("sums by the pitch", &by(row_elements)?, &expected);
    let wrong = by(WIDTH)?;
    println!(
        "row 1 by the pitch: {}, by the width: {}",
        expected[1], wrong[1]
    );
    program.holds(
        "by the width the first row alone is right",
        wrong[0] == expected[0] && wrong[1..] != expected[1..],
    );
    Ok(())
}
