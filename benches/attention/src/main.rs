//! Times attention of `Bf16` with heads of 128, 16 384 tokens in all, and compares sampled rows with `f64`.
//!
//! ```text
//! attention [--device emulator|cuda] [--runs N] [--only TEXT] [--block-rows 64|128]
//! ```
//! A line for each row: name, median and fastest milliseconds, 10^12 operations per second (`4 · batches · heads · tokens² · 128`, half of it if causal) of both, and the largest
//! difference of a sampled row, and of all rows from those of the kernel with 64 queries of a block. On the emulator sizes are small and nothing is timed. `sdpa.py` beside this writes the same lines for PyTorch.
#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

use std::error::Error;
use std::process::ExitCode;

use warploom::prelude::*;
use warploom_harness::statistics::summarise;
use warploom_linalg::prelude::*;
use warploom_linalg::{HeadExtents, Heads, HeadsMut};

/// Elements of a row.
const DIMENSION: usize = 128;
/// Heads of a batch.
const HEADS: usize = 16;
/// Bytes that are filled before a time is taken, so that the launch is queued when the GPU comes to it.
const AHEAD_BYTES: usize = 256 << 20;
/// The largest difference of a result that is right, beside a part of its size: sums of 8192 values have a deviation of 0.02.
const TOLERANCE: f64 = 0.001;
/// The part: results have 8 bits, as probabilities have.
const RELATIVE: f64 = 0.008;

/// The largest difference of a row from that of another kernel, relative to its length.
const ROWS_TOLERANCE: f64 = 0.01;

struct Options {
    emulator: bool,
    runs: usize,
    only: String,
    block_rows: Option<usize>,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("attention: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let device = if options.emulator {
        Device::emulator()
    } else {
        Device::cuda(0)?
    };
    println!("# {}", device.name());
    let stream = device.stream()?;
    let sizes: &[(usize, usize)] = if options.emulator {
        &[(1, 200)]
    } else {
        &[(2, 8192), (1, 16384)]
    };
    for &(batches, tokens) in sizes {
        for causal in [false, true] {
            let name = format!("{tokens}{}", if causal { " causal" } else { "" });
            if name.contains(&options.only) {
                row(&stream, &options, &name, (batches, tokens), causal)?;
            }
        }
    }
    Ok(())
}

fn row(
    stream: &Stream,
    options: &Options,
    name: &str,
    (batches, tokens): (usize, usize),
    causal: bool,
) -> Result<(), Box<dyn Error>> {
    let device = stream.device();
    let heads = if options.emulator { 2 } else { HEADS };
    let extents = HeadExtents {
        batches,
        heads,
        tokens,
        dimension: DIMENSION,
    };
    let len = batches * heads * tokens * DIMENSION;
    let hosts: [Vec<Bf16>; 3] = [1, 2, 3].map(|seed| {
        (0..len)
            .map(|i| Bf16::from_f32(normal(seed, i as u32)))
            .collect()
    });
    let [q, k, v] = [
        device.upload(&hosts[0])?,
        device.upload(&hosts[1])?,
        device.upload(&hosts[2])?,
    ];
    let mut o = device.zeroed::<Bf16>(len)?;
    let queue = |o: &mut DeviceBuffer<Bf16>,
                 block_rows: Option<usize>|
     -> Result<(), warploom_linalg::Error> {
        let [q, k, v] = [&q, &k, &v].map(|x| Heads::head_major(x, extents));
        let attention = stream.attention(q, k, v);
        let attention = if causal {
            attention.causal()
        } else {
            attention
        };
        let attention = match block_rows {
            Some(rows) => attention.block_rows(rows),
            None => attention,
        };
        attention.into(HeadsMut::head_major(o, extents))
    };
    queue(&mut o, options.block_rows)?;
    let mut times = Vec::new();
    if device.is_gpu() {
        let mut ahead = device.zeroed::<u32>(AHEAD_BYTES / 4)?;
        let (start, end) = (device.event()?, device.event()?);
        for _ in 0..options.runs + 3 {
            ahead.fill(0, stream)?;
            stream.record(&start)?;
            queue(&mut o, options.block_rows)?;
            stream.record(&end)?;
            times.push(start.elapsed_ms(&end)?);
        }
        times.drain(..3);
    }
    let found = o.to_vec(stream)?;
    let mut other = device.zeroed::<Bf16>(len)?;
    queue(&mut other, Some(64))?;
    let rows = compare_rows(name, &found, &other.to_vec(stream)?)?;
    let largest = compare(name, &hosts, &found, extents, causal)?;
    let half = if causal { 0.5 } else { 1.0 };
    let operations = half * 4.0 * (batches * heads * DIMENSION) as f64 * (tokens as f64).powi(2);
    let fastest = times.iter().copied().fold(f64::INFINITY, f64::min);
    match summarise(&times) {
        Some(times) => {
            println!(
                "{name}\twarploom\t{:.4} ms\t{fastest:.4} ms\t{:.1} TFLOP/s\t{:.1} TFLOP/s\tdifference {largest:.1e}, rows {rows:.1e}",
                times.median,
                operations / times.median / 1e9,
                operations / fastest / 1e9,
            );
        }
        None => println!("{name}\tright, difference {largest:.1e}, rows {rows:.1e}"),
    }
    Ok(())
}

/// Compares all rows with those of another kernel; the largest difference, relative to the length of its row.
///
/// Probabilities are rounded to 8 bits, relative to other maxima in each kernel, so single elements of a short row may differ by more than their size. The elements of a row
/// together differ by much less of its length; a key of 1000 that is missing makes 2 %.
fn compare_rows(name: &str, found: &[Bf16], others: &[Bf16]) -> Result<f64, Box<dyn Error>> {
    let mut largest = 0.0f64;
    let rows = found
        .chunks_exact(DIMENSION)
        .zip(others.chunks_exact(DIMENSION));
    for (i, (found, other)) in rows.enumerate() {
        let (mut difference, mut length) = (0.0, 0.0);
        for (found, other) in found.iter().zip(other) {
            let (found, other) = (f64::from(found.to_f32()), f64::from(other.to_f32()));
            difference += (found - other).powi(2);
            length += other.powi(2);
        }
        let relative = (difference / length).sqrt();
        if relative.is_nan() || relative > ROWS_TOLERANCE {
            return Err(format!("{name}: row {i} differs by {relative:.1e} of its length from that by 64 queries of a block, and at most {ROWS_TOLERANCE:.0e} is right").into());
        }
        largest = largest.max(relative);
    }
    Ok(largest)
}

/// Compares sampled rows with `f64`; the largest difference.
fn compare(
    name: &str,
    hosts: &[Vec<Bf16>; 3],
    found: &[Bf16],
    extents: HeadExtents,
    causal: bool,
) -> Result<f64, Box<dyn Error>> {
    let (pairs, tokens) = (extents.batches * extents.heads, extents.tokens);
    let mut largest = 0.0f64;
    for sample in 0..12 {
        let (pair, query) = (
            sample * 7 % pairs,
            (sample * 104_729 + 63 * sample) % tokens,
        );
        let expected = expected(
            hosts,
            pair * tokens * DIMENSION,
            query,
            if causal { query + 1 } else { tokens },
        );
        let at = (pair * tokens + query) * DIMENSION;
        for (expected, found) in expected.iter().zip(&found[at..]) {
            let difference = (expected - f64::from(found.to_f32())).abs();
            if difference.is_nan() || difference > TOLERANCE + RELATIVE * expected.abs() {
                return Err(format!(
                    "{name}: query {query} of head {pair} is {}, not {expected}",
                    found.to_f32()
                )
                .into());
            }
            largest = largest.max(difference);
        }
    }
    Ok(largest)
}

/// The result of a query that sees the first `keys` keys of a head, which begins at `head`.
fn expected([q, k, v]: &[Vec<Bf16>; 3], head: usize, query: usize, keys: usize) -> Vec<f64> {
    let row = |x: &[Bf16], token: usize| -> [f64; DIMENSION] {
        std::array::from_fn(|i| f64::from(x[head + token * DIMENSION + i].to_f32()))
    };
    let q = row(q, query);
    let scores: Vec<f64> = (0..keys)
        .map(|key| {
            q.iter().zip(row(k, key)).map(|(q, k)| q * k).sum::<f64>() / (DIMENSION as f64).sqrt()
        })
        .collect();
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let (mut sum, mut result) = (0.0, vec![0.0; DIMENSION]);
    for (key, score) in scores.into_iter().enumerate() {
        let p = (score - most).exp();
        sum += p;
        for (to, v) in result.iter_mut().zip(row(v, key)) {
            *to += p * v;
        }
    }
    result.iter().map(|x| x / sum).collect()
}

/// The number `i` of a sequence: the sum of twelve uniform numbers, whose variance is 1.
fn normal(seed: u32, i: u32) -> f32 {
    let mut state = i.wrapping_mul(0x9e37_79b9) ^ seed.wrapping_mul(0x85eb_ca6b);
    let mut sum = 0;
    for _ in 0..6 {
        state = (state ^ (state >> 16)).wrapping_mul(0x7feb_352d);
        state = (state ^ (state >> 15)).wrapping_mul(0x846c_a68b);
        state ^= state >> 16;
        sum += (state & 0xffff) + (state >> 16);
    }
    (sum as f32 - 6.0 * 65535.0) / 65536.0
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        emulator: false,
        runs: 10,
        only: String::new(),
        block_rows: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments
            .next()
            .ok_or_else(|| format!("a value is missing behind `{name}`"))?;
        match &*name {
            "--device" => options.emulator = value == "emulator",
            "--runs" => options.runs = value.parse()?,
            "--block-rows" => options.block_rows = Some(value.parse()?),
            "--only" => options.only = value,
            _ => {
                return Err(format!(
                    "`{name}` is unknown; known are --device, --runs, --only, --block-rows"
                )
                .into());
            }
        }
    }
    Ok(options)
}
