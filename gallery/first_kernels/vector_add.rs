//! `z = x + y` in managed memory: host and kernel use the same arrays, in turns.
//!
//! The textbook's section 6.8 (E2-06). Note the guard, `get_mut` is `None` in the 27 threads beyond the end; and at the host's
//! `as_slice`, which waits for the kernel, so there is no synchronisation to forget.
//!
//! `cargo run --release -p warploom-gallery --example vector_add [n] [blocks] [threads per block] [i | g]` with `i` for numbers from the standard input (first
//! all of x, then all of y) and `g` for generated ones.
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::io::Read as _;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// A thread for each element; threads beyond the end do nothing.
#[kernel]
fn vector_add(i: Index1D, x: &[f32], y: &[f32], mut z: DisjointSlice<f32>) {
    if let Some(z) = z.get_mut(i) {
        *z = x[i.get()] + y[i.get()];
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let n = program.argument(1, 997usize)?; // a prime: no launch fits exactly
    let blocks = program.argument(2, 4u32)?;
    let threads = program.argument(3, 256u32)?;
    let source = program.argument(4, 'g')?;
    let total = blocks as usize * threads as usize;
    if n > total {
        return Err(
            format!("{n} elements need as many threads, {blocks} x {threads} are {total}").into(),
        );
    }
    let (first, second) = match source {
        'g' => (generated(n, 1), generated(n, 2)),
        'i' => read(n)?,
        other => {
            return Err(format!(
                "argument 4 is `{other}`; use `i` to read numbers, `g` to make them"
            )
            .into());
        }
    };

    let device = program.device();
    let stream = device.stream()?;
    let x = device.managed_from(&first)?;
    let y = device.managed_from(&second)?;
    let mut z = device.managed_zeroed::<f32>(n)?;
    vector_add::launch(&stream, Launch::new(blocks, threads), &x, &y, &mut z)?;

    let expected: Vec<f32> = first.iter().zip(&second).map(|(x, y)| x + y).collect();
    let sums = z.as_slice()?; // waits for the kernel
    let squares = sums
        .iter()
        .zip(&expected)
        .map(|(a, b)| f64::from(a - b).powi(2));
    let norm = squares.sum::<f64>().sqrt();
    println!(
        "{n} elements, {total} threads, {} without an element",
        total - n
    );
    println!("Two-norm of difference between host and device = {norm:e}");
    program.is("two-norm", norm, 0.0); // one addition per element, rounded alike
    program.equal("sums", sums, &expected);
    Ok(())
}

/// Numbers between -1 and 1 that look like noise.
fn generated(n: usize, seed: u32) -> Vec<f32> {
    let numbers =
        (0..n as u32).map(|i| (i + 1).wrapping_mul(seed.wrapping_mul(2_654_435_761)) >> 8);
    numbers
        .map(|bits| bits as f32 / (1 << 23) as f32 - 1.0)
        .collect()
}

fn read(n: usize) -> Result<(Vec<f32>, Vec<f32>)> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let numbers: Vec<f32> = text
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    if numbers.len() != 2 * n {
        return Err(format!(
            "the standard input has {} numbers instead of {}",
            numbers.len(),
            2 * n
        )
        .into());
    }
    let (x, y) = numbers.split_at(n);
    Ok((x.to_vec(), y.to_vec()))
}
