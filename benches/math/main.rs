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

use warploom::device_std::Plain;
use warploom::{DeviceBuffer, Launch, LaunchError, Stream};
use warploom_harness::benchmark::{Benchmark, Bound, Repetitions, Traffic, Twin};
use warploom_harness::date;
use warploom_harness::record::{Machine, Measured, Record};
use warploom_harness::results::{file_name, write};

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
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../target/twins")),
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/results")),
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
    let mut wrong = 0;
    for (file, functions) in [("math_single", SINGLE), ("math_double", DOUBLE)] {
        let chosen = functions
            .iter()
            .filter(|f| only.as_ref().is_none_or(|name| name == f.name));
        let mut logarithms = Vec::new();
        for function in chosen {
            let measured = match measure(&session, file, function) {
                Ok(Some(measured)) => measured,
                Ok(None) => continue,
                Err(error) => {
                    println!("{:14} {error}", function.name);
                    wrong += 1;
                    continue;
                }
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
    if wrong > 0 {
        return Err(BenchError::Several(wrong));
    }
    Ok(())
}

fn benchmark(file: &'static str, function: &Function) -> Benchmark<()> {
    Benchmark {
        name: function.name,
        group: "math",
        twin: Twin {
            file,
            function: function.twin,
            peer: "nvcc -O3",
        },
        unit: "evaluations",
        sizes: &[],
        small: 0,
        traffic: |_| Traffic::None,
        bound: Bound::Compute("a function and hardly any memory"),
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
    let plan = Plan {
        file,
        function,
        count,
        blocks,
        rounds,
    };
    match function.launch {
        Apply::Single(launch) => {
            let (from, step) = (from as f32, step as f32);
            let numbers = [Argument::Float(from), Argument::Float(step)];
            plan.compare(session, numbers, |stream, sums| {
                launch(stream, shape, from, step, rounds, sums)
            })
        }
        Apply::Double(launch) => {
            let numbers = [Argument::Double(from), Argument::Double(step)];
            plan.compare(session, numbers, |stream, sums| {
                launch(stream, shape, from, step, rounds, sums)
            })
        }
    }
}

/// One function, and how much of it.
struct Plan<'a> {
    file: &'static str,
    function: &'a Function,
    count: usize,
    blocks: u32,
    rounds: u32,
}

impl Plan<'_> {
    /// Runs `launch` and the twin. Without a GPU, `launch` alone, once.
    fn compare<T: Plain + Into<f64>>(
        &self,
        session: &Session,
        [from, step]: [Argument; 2],
        launch: impl Fn(&Stream, &mut DeviceBuffer<T>) -> Result<(), LaunchError>,
    ) -> Result<Option<Measured>, BenchError> {
        let mut sums = session.device.zeroed::<T>(self.count)?;
        launch(&session.stream, &mut sums)?;
        let ours = sums.to_vec(&session.stream)?;
        let Some(gpu) = &session.gpu else {
            return Ok(None);
        };
        let arguments = vec![
            from,
            step,
            Argument::Unsigned(self.rounds),
            Argument::Pointer(sums.raw_ptr()),
            Argument::Length(self.count as u64),
        ];
        let twin = gpu.load(benchmark(self.file, self.function).twin)?;
        let shape = Shape::new(self.blocks, THREADS);
        // SAFETY: the twin takes two numbers, the rounds, a pointer to `count` numbers and the count. Buffer and stream outlive the call.
        let mut peer = unsafe { twin.prepare(session.raw_stream(), shape, arguments) };
        peer.launch()?;
        let theirs = sums.to_vec(&session.stream)?;
        let max_error = differ(self.function.name, &ours, &theirs)?;
        let times = session.interleave(|| launch(&session.stream, &mut sums), || peer.launch())?;
        Ok(Some(Measured { times, max_error }))
    }
}

/// The largest difference of two sums, by the size of the sum or the number of what was added.
fn differ<T: Copy + Into<f64>>(
    kernel: &'static str,
    ours: &[T],
    theirs: &[T],
) -> Result<f64, BenchError> {
    const LIMIT: f64 = 0.01;
    let mut largest = 0.0;
    for (at, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let (ours, theirs): (f64, f64) = ((*ours).into(), (*theirs).into());
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
