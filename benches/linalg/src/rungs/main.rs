//! A product of matrices from the first steps to full speed: each rung a whole kernel, checked, and timed in turn with cuBLASLt.
//!
//! ```text
//! rungs --device emulator              every rung at a small size on the emulator
//! rungs --cublaslt LIBRARY             every rung at 4096x4096x4096 on a GPU of compute capability 9.0, as a table
//! ```
//! `--runs N` is how often each side is timed (default: 12). Operands and results are of `bf16`; neighbours in memory are along K in both operands.
#![expect(clippy::print_stdout, reason = "a benchmark reports as it goes")]

#[path = "../data.rs"]
#[expect(dead_code, reason = "the other program has more elements")]
mod data; // operands
#[path = "../peers.rs"]
#[expect(dead_code, reason = "the other program has more elements")]
mod peers; // cuBLASLt

mod kernels; // the rungs, in their order
mod roles; // warps with roles, clusters
mod threads; // without tensor cores
mod tiles; // what the rungs with `wgmma` share
mod together; // `wgmma` by all warps
mod warps; // `mma.sync`

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use warploom::prelude::*;
use warploom_harness::benchmark::{Repetitions, interleave};
use warploom_harness::statistics::summarise;

use data::{Value, normal, operand};
use kernels::{Problem, RUNGS};
use peers::{Compute, CublasLt, DataType, Operand, WORKSPACE};

/// Rows, columns and length of the sums.
const SIZE: [usize; 3] = [4096; 3];
/// The same on the emulator: several tiles and steps, and a cluster.
const SMALL: [usize; 3] = [256, 512, 384];
/// Results that are compared with sums in `f64`.
const SAMPLES: usize = 256;
/// Bytes that are filled before a time is taken: more than a cache has.
const AHEAD_BYTES: usize = 256 << 20;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rungs: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What the command line asks for.
struct Wishes {
    emulator: bool,
    cublaslt: Option<PathBuf>,
    runs: usize,
}

fn wishes() -> Result<Wishes, Box<dyn Error>> {
    let mut wishes = Wishes {
        emulator: false,
        cublaslt: None,
        runs: 12,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments
            .next()
            .ok_or_else(|| format!("a value is missing behind `{name}`"))?;
        match &*name {
            "--device" => wishes.emulator = value == "emulator",
            "--cublaslt" => wishes.cublaslt = Some(PathBuf::from(value)),
            "--runs" => wishes.runs = value.parse()?,
            _ => {
                return Err(
                    format!("`{name}` is unknown; known are --device, --cublaslt, --runs").into(),
                );
            }
        }
    }
    Ok(wishes)
}

fn run() -> Result<(), Box<dyn Error>> {
    let wishes = wishes()?;
    let device = if wishes.emulator {
        Device::emulator()
    } else {
        Device::cuda(0)?
    };
    let [m, n, k] = if wishes.emulator { SMALL } else { SIZE };
    let stream = device.stream()?;
    let a = operand::<Bf16>(&stream, m * k, 1)?;
    let b = operand::<Bf16>(&stream, n * k, 2)?;
    let mut c = device.zeroed::<Bf16>(m * n)?;
    let problem = Problem {
        stream: &stream,
        a: &a,
        b: &b,
        m,
        n,
        k,
    };
    println!("{}, {m}x{n}x{k}, bf16", device.name());
    if wishes.emulator {
        for rung in RUNGS {
            c.fill(Bf16::ZERO, &stream)?;
            (rung.run)(&problem, &mut c)?;
            let error = sample(&problem, &c)?;
            println!("{}: right, error {error:.0e}", rung.name);
        }
        return Ok(());
    }
    table(&problem, &mut c, &wishes)
}

/// Times all rungs and cuBLASLt in turn.
fn table(
    problem: &Problem<'_>,
    c: &mut DeviceBuffer<Bf16>,
    wishes: &Wishes,
) -> Result<(), Box<dyn Error>> {
    let &Problem {
        stream,
        a,
        b,
        m,
        n,
        k,
    } = problem;
    let device = stream.device();
    let library = wishes.cublaslt.as_deref();
    let lt = CublasLt::open(library.ok_or("name cuBLASLt by `--cublaslt LIBRARY`")?)?;
    let workspace = device.zeroed::<u8>(WORKSPACE)?;
    let theirs = device.zeroed::<Bf16>(m * n)?;
    // Its matrices are column-major: it computes the transposed result.
    let of = |address, rows, columns, transposed| Operand {
        address,
        of: DataType::Bf16,
        rows,
        columns,
        transposed,
    };
    let operands = [
        of(b.raw_ptr(), k, n, true),
        of(a.raw_ptr(), k, m, false),
        of(theirs.raw_ptr(), n, m, false),
    ];
    // SAFETY: all are in memory of this device, and stay until the last time is taken.
    let peer = unsafe { lt.product(Compute::F32, operands, workspace.raw_ptr(), stream.raw()) }?;
    let (start, end) = (device.event()?, device.event()?);
    let mut ahead = device.zeroed::<u32>(AHEAD_BYTES / 4)?;
    let ahead = std::cell::RefCell::new(&mut ahead);
    let time = |work: &mut dyn FnMut() -> Result<(), Box<dyn Error>>| {
        ahead.borrow_mut().fill(0, stream)?;
        stream.record(&start)?;
        work()?;
        stream.record(&end)?;
        Ok::<f64, Box<dyn Error>>(start.elapsed_ms(&end)?)
    };
    println!("| rung | time | TFLOP/s | {}'s | ratio |", lt.version());
    println!("|---|---|---|---|---|");
    let rate = |ms: f64| 2.0 * (m * n * k) as f64 / ms / 1e9;
    for rung in RUNGS {
        c.fill(Bf16::ZERO, stream)?;
        (rung.run)(problem, &mut *c)?;
        sample(problem, c)?;
        let repetitions = Repetitions {
            warm_up: 2,
            measured: wishes.runs,
        };
        let times = interleave(
            repetitions,
            || time(&mut || (rung.run)(problem, &mut *c)),
            || time(&mut || Ok(peer.queue()?)),
        )?;
        let (ours, theirs) = summarise(&times.ours_ms)
            .zip(summarise(&times.peer_ms))
            .ok_or("`--runs` must be at least 1")?;
        println!(
            "| {} | {:.3} ms | {:.1} | {:.1} | {:.3} |",
            rung.name,
            ours.median,
            rate(ours.median),
            rate(theirs.median),
            theirs.median / ours.median
        );
    }
    Ok(())
}

/// The largest difference of some results from their sums in `f64`, relative to the standard deviation of a sum.
fn sample(problem: &Problem<'_>, c: &DeviceBuffer<Bf16>) -> Result<f64, Box<dyn Error>> {
    let &Problem {
        stream, m, n, k, ..
    } = problem;
    let (found, usual) = (c.to_vec(stream)?, (k as f64).sqrt());
    let element = |seed, at: usize| Bf16::of(normal(seed, at as u32)).to_f64();
    let mut largest = 0.0f64;
    for i in 0..SAMPLES {
        let (row, column) = (i * 7919 % m, (i * 104_729 + 17 * i * i) % n);
        let sum: f64 = (0..k)
            .map(|at| element(1, row * k + at) * element(2, column * k + at))
            .sum();
        let value = found[row * n + column].to_f64();
        let error = (value - sum).abs() / usual;
        // A rounded result is as exact as its last bit.
        if error.is_nan() || error > 0.01 * (1.0 + sum.abs() / usual) {
            return Err(format!("[{row}, {column}] is {value}, expected {sum}").into());
        }
        largest = largest.max(error);
    }
    Ok(largest)
}
