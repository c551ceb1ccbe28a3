//! Mathematical functions of Rust kernels beside CUDA's: the throughput of each, in one run on one GPU.
//!
//! `math [--twins FOLDER] [--out FOLDER] [--runs N] [--only NAME]`; `benches/run-on-gpu.sh` compiles the twins and calls it. The
//! results go to `math/<gpu>.json` in the folder. Without a GPU each kernel runs once on the emulator and nothing is timed.
#![expect(clippy::print_stdout, reason = "a benchmark reports as it goes")]

#[path = "../side_by_side/driver.rs"]
#[allow(dead_code, reason = "the other benchmark uses more of it")]
mod driver;
mod kernels;
#[path = "../side_by_side/session.rs"]
#[allow(dead_code, reason = "the other benchmark uses more of it")]
mod session;

use std::path::PathBuf;
use std::process::ExitCode;

use warploom::Launch;
use warploom_harness::benchmark::{Benchmark, Repetitions, Traffic, Twin};
use warploom_harness::date;
use warploom_harness::record::{Machine, Measured, Record, file_name, write};

use driver::{Argument, Shape};
use kernels::{AT_ONCE, Apply, DOUBLE, Function, SINGLE};
use session::{BenchError, Session};

/// Threads of a block.
const THREADS: u32 = 256;
/// Blocks on a GPU: enough for all of its multiprocessors to be full several times.
const BLOCKS: u32 = 4096;
/// Rounds of each thread on a GPU.
const ROUNDS: u32 = 64;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("math: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), BenchError> {
    let (mut twins, mut out, mut runs, mut only) = (
        PathBuf::from("target/twins"),
        PathBuf::from("benches/results"),
        20,
        None,
    );
    let mut arguments = std::env::args().skip(1).filter(|a| a != "--bench");
    while let Some(argument) = arguments.next() {
        let value = arguments
            .next()
            .ok_or_else(|| BenchError::Argument(argument.clone()))?;
        match argument.as_str() {
            "--twins" => twins = value.into(),
            "--out" => out = value.into(),
            "--runs" => runs = value.parse().map_err(|_| BenchError::Argument(argument))?,
            "--only" => only = Some(value),
            _ => return Err(BenchError::Argument(argument)),
        }
    }
    let session = Session::open(
        &twins,
        Repetitions {
            warm_up: 3,
            measured: runs,
        },
    )?;
    let gpu = session.device.name().to_owned();
    let from_shell = |name: &str| std::env::var(name).unwrap_or_default();
    let machine = Machine {
        gpu: gpu.clone(),
        driver: from_shell("WARPLOOM_BENCH_DRIVER"),
        compiler: from_shell("WARPLOOM_BENCH_COMPILER"),
        copy_gb_s: 0.0, // memory does not matter here
        date: date::today(),
    };
    let mut records = Vec::new();
    for (file, functions) in [("math_single", SINGLE), ("math_double", DOUBLE)] {
        let chosen = functions
            .iter()
            .filter(|f| only.as_ref().is_none_or(|name| name == f.name));
        let mut logarithms = Vec::new();
        for function in chosen {
            let Some(measured) = measure(&session, file, function)? else {
                continue;
            };
            let size = u64::from(BLOCKS * THREADS) * u64::from(ROUNDS * AT_ONCE);
            let record = Record::new(&benchmark(file, function), size, &measured, &machine)?;
            println!(
                "{:14} ours {:8.4} ms   peer {:8.4} ms   ratio {:.3}",
                record.kernel, record.ours_ms, record.peer_ms, record.ratio
            );
            logarithms.push(record.ratio.ln());
            records.push(record);
        }
        if !logarithms.is_empty() {
            let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
            println!(
                "{file}: geometric mean of {} ratios {mean:.3}",
                logarithms.len()
            );
        }
    }
    if records.is_empty() {
        println!("no GPU: ran on the {gpu}, timed nothing");
        return Ok(());
    }
    let folder = out.join("math");
    // A folder that cannot be made shows when the file is written.
    drop(std::fs::create_dir_all(&folder));
    write(&folder.join(file_name(&gpu)), &records)?;
    Ok(())
}

fn benchmark(file: &'static str, function: &Function) -> Benchmark<()> {
    Benchmark {
        name: function.name,
        twin: Twin {
            file,
            function: function.twin,
            peer: "nvcc -O3",
        },
        unit: "evaluations",
        sizes: &[],
        small: 0,
        traffic: |_| Traffic::None,
        prediction: "1 or more: the same approximations of the hardware, and shorter polynomials",
        run: (),
    }
}

/// Runs both sides; times them if there is a GPU. Their sums must be alike: no function may be optimised away, or be another one.
fn measure(
    session: &Session,
    file: &'static str,
    function: &Function,
) -> Result<Option<Measured>, BenchError> {
    let (blocks, rounds) = if session.gpu.is_some() {
        (BLOCKS, ROUNDS)
    } else {
        (1, 1)
    };
    let count = (blocks * THREADS) as usize;
    let shape = Launch::covering(count);
    let (from, to) = function.range;
    let step = (to - from) / f64::from(1024 + rounds);
    match function.launch {
        Apply::Single(launch) => {
            let (from, step) = (from as f32, step as f32);
            let mut sums = session.device.zeroed::<f32>(count)?;
            let arguments = vec![
                Argument::Float(from),
                Argument::Float(step),
                Argument::Unsigned(rounds),
                Argument::Pointer(sums.raw_ptr()),
                Argument::Length(count as u64),
            ];
            launch(&session.stream, shape, from, step, rounds, &mut sums)?;
            let ours = sums.to_vec(&session.stream)?;
            let Some(gpu) = &session.gpu else {
                return Ok(None);
            };
            let twin = gpu.load(benchmark(file, function).twin)?;
            let shape_of_twin = Shape {
                grid: (blocks, 1),
                block: (THREADS, 1),
            };
            // SAFETY: the twin takes two floats, the rounds, a pointer to `count` floats and the count. Buffer and stream live on.
            let mut peer = unsafe { twin.prepare(session.raw_stream(), shape_of_twin, arguments) };
            peer.launch()?;
            let theirs = sums.to_vec(&session.stream)?;
            let max_error = differ(function.name, &ours, &theirs)?;
            let times = session.interleave(
                || launch(&session.stream, shape, from, step, rounds, &mut sums),
                || peer.launch(),
            )?;
            Ok(Some(Measured { times, max_error }))
        }
    }
}

/// The largest difference of two sums, by the size of the sum or the number of what was added.
fn differ(kernel: &'static str, ours: &[f32], theirs: &[f32]) -> Result<f64, BenchError> {
    const LIMIT: f64 = 0.01;
    let mut largest = 0.0;
    for (at, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let (ours, theirs) = (f64::from(*ours), f64::from(*theirs));
        let error = (ours - theirs).abs() / theirs.abs().max(f64::from(ROUNDS * AT_ONCE) * 0.1);
        // Not `error > LIMIT`: that holds for no NaN.
        if error.is_nan() || error > LIMIT {
            return Err(BenchError::Wrong {
                kernel,
                size: u64::from(ROUNDS),
                side: "ours against the peer",
                error,
                at,
                limit: LIMIT,
            });
        }
        largest = f64::max(largest, error);
    }
    Ok(largest)
}
