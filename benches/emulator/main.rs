//! How fast the emulator is: its kernels beside the same algorithms as plain loops, in one run on one machine.
//!
//! `benches/emulator/run.sh` runs all of it, and the peers in `peers/`. This program measures one engine in one process:
//! `emulator --engine fast|checked|lints|hand [--out FILE] [--seconds S] [--only KERNEL] [--skip KERNEL,KERNEL] [--blocks N]`, on as many cores as it may use,
//! and appends a line per kernel to the file. `emulator --merge FOLDER --out FOLDER` makes one result of all lines. Without arguments it
//! verifies all kernels at a small size, and times nothing.
#![expect(clippy::print_stdout, reason = "a benchmark reports as it goes")]

mod by_hand;
mod cases;
mod kernels;
mod merge;

use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use warploom::model::{Emulator, Mode};
use warploom::{Device, LaunchError, MemoryError, StreamError, TextureError};
use warploom_harness::emulator_speed::{Line, Missing, Sample, append, check_sum};
use warploom_harness::results::ResultsError;

use cases::{CASES, Case, Work};

/// Cargo starts benchmarks in this package's folder.
const RESULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/results/emulator");
/// Most times of one kernel in one process.
const MOST_RUNS: usize = 200;
/// A launch that takes so long needs no second one to warm up.
const LONG: Duration = Duration::from_millis(500);
/// Blocks of each kernel where nothing is timed.
const FEW_BLOCKS: usize = 16;

/// Why the benchmark ends early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error(transparent)]
    Warploom(#[from] warploom::Error),
    #[error(transparent)]
    Results(#[from] ResultsError),
    #[error(
        "`{kernel}` of {engine} with {blocks} blocks: check sum {found}, the plain loop has {expected}"
    )]
    Wrong {
        kernel: String,
        engine: String,
        blocks: usize,
        found: u32,
        expected: u32,
    },
    #[error(
        "a kernel with a race runs without a report, so checks are off: this is not the engine that was asked for"
    )]
    NotChecked,
    #[error("a kernel with a race is reported, so checks are on: this is not the `fast` engine")]
    Checked,
    #[error("unknown argument `{0}`; the head of benches/emulator/main.rs has all")]
    Argument(String),
}

macro_rules! from_room {
    ($($error:ty),*) => {$(
        impl From<$error> for BenchError {
            fn from(error: $error) -> Self {
                Self::Warploom(error.into())
            }
        }
    )*};
}
from_room!(LaunchError, MemoryError, StreamError, TextureError);

fn main() -> ExitCode {
    match wishes(std::env::args().skip(1)).and_then(|wishes| run(&wishes)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("emulator: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The engine that runs the kernels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Engine {
    Fast,
    Checked,
    Lints,
    Hand,
}

impl Engine {
    fn name(self) -> &'static str {
        match self {
            Self::Fast => "warploom fast",
            Self::Checked => "warploom checked",
            Self::Lints => "warploom lints",
            Self::Hand => "by hand",
        }
    }
}

/// What the command line asks for.
#[derive(Default)]
struct Wishes {
    engine: Option<Engine>,
    out: Option<PathBuf>,
    merge: Option<PathBuf>,
    seconds: f64,
    only: Option<String>,
    skip: Option<String>,
    blocks: Option<usize>,
}

fn wishes(arguments: impl Iterator<Item = String>) -> Result<Wishes, BenchError> {
    let mut wishes = Wishes {
        seconds: 0.3,
        ..Wishes::default()
    };
    // What `cargo bench` adds by itself.
    let mut arguments = arguments.filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        let value = arguments
            .next()
            .ok_or_else(|| BenchError::Argument(argument.clone()))?;
        let wrong = || BenchError::Argument(format!("{argument} {value}"));
        match argument.as_str() {
            "--engine" => {
                let engines = [
                    ("fast", Engine::Fast),
                    ("checked", Engine::Checked),
                    ("lints", Engine::Lints),
                    ("hand", Engine::Hand),
                ];
                let found = engines.iter().find(|(name, _)| *name == value);
                wishes.engine = Some(found.ok_or_else(wrong)?.1);
            }
            "--seconds" => wishes.seconds = value.parse().map_err(|_| wrong())?,
            "--blocks" => wishes.blocks = Some(value.parse().map_err(|_| wrong())?),
            "--out" => wishes.out = Some(value.into()),
            "--merge" => wishes.merge = Some(value.into()),
            "--only" => wishes.only = Some(value),
            "--skip" => wishes.skip = Some(value),
            _ => return Err(BenchError::Argument(argument)),
        }
    }
    Ok(wishes)
}

fn run(wishes: &Wishes) -> Result<(), BenchError> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    if let Some(folder) = &wishes.merge {
        let out = wishes.out.clone();
        return merge::merge(folder, &out.unwrap_or_else(|| RESULTS.into()));
    }
    let device = match wishes.engine {
        Some(Engine::Lints) => Emulator::new().mode(Mode::Checked).lints(true).device(),
        _ => Device::emulator(),
    };
    let Some(engine) = wishes.engine else {
        return verify(&device, cores);
    };
    if engine != Engine::Hand {
        let checks = cases::finds_a_race(&device)?;
        if checks && engine == Engine::Fast {
            return Err(BenchError::Checked);
        }
        if !checks && engine != Engine::Fast {
            if let Some(out) = &wishes.out {
                let why = BenchError::NotChecked.to_string();
                let engine = engine.name().to_owned();
                append(out, &Line::Missing(Missing { engine, why }))?;
            }
            return Err(BenchError::NotChecked);
        }
    }
    for case in CASES {
        let is = |names: &Option<String>| {
            let names = names.as_deref()?;
            Some(names.split(',').any(|name| name == case.name))
        };
        if is(&wishes.only) == Some(false) || is(&wishes.skip) == Some(true) {
            continue;
        }
        let blocks = wishes.blocks.unwrap_or(case.blocks).min(case.blocks);
        let Some(mut work) = prepare(case, engine, &device, cores, blocks)? else {
            continue;
        };
        let sample = measure(case, engine, cores, blocks, &mut *work, wishes.seconds)?;
        report(&sample);
        if let Some(out) = &wishes.out {
            append(out, &Line::Sample(sample))?;
        }
    }
    Ok(())
}

fn prepare(
    case: &Case,
    engine: Engine,
    device: &Device,
    cores: usize,
    blocks: usize,
) -> Result<Option<Box<dyn Work>>, BenchError> {
    match engine {
        Engine::Fast | Engine::Checked | Engine::Lints => (case.emulated)(device, blocks).map(Some),
        Engine::Hand => Ok(case.by_hand.map(|prepare| prepare(cores, blocks))),
    }
}

/// The check sum of the plain loop on one core.
fn expected(case: &Case, blocks: usize) -> Result<u32, BenchError> {
    let Some(prepare) = case.by_hand else {
        return Ok(0);
    };
    let mut work = prepare(1, blocks);
    work.run()?;
    Ok(check_sum(&work.result()?))
}

/// Whether the kernel gives what the plain loop gives.
fn verified(case: &Case, engine: &str, blocks: usize, found: u32) -> Result<(), BenchError> {
    let expected = expected(case, blocks)?;
    if found == expected {
        return Ok(());
    }
    Err(BenchError::Wrong {
        kernel: case.name.to_owned(),
        engine: engine.to_owned(),
        blocks,
        found,
        expected,
    })
}

/// One run whose result is verified, one more to warm up, then as many as fit into the time.
fn measure(
    case: &Case,
    engine: Engine,
    cores: usize,
    blocks: usize,
    work: &mut dyn Work,
    seconds: f64,
) -> Result<Sample, BenchError> {
    forget_peak();
    let before_kib = memory_kib("VmRSS:");
    let started = Instant::now();
    work.run()?;
    let is_long = started.elapsed() > LONG;
    let peak_kib = memory_kib("VmHWM:");
    let check = check_sum(&work.result()?);
    verified(case, engine.name(), blocks, check)?;
    if !is_long {
        work.run()?;
    }
    let (started, limit) = (Instant::now(), Duration::from_secs_f64(seconds));
    let mut ns = Vec::new();
    while ns.len() < MOST_RUNS && (ns.len() < 3 || started.elapsed() < limit) {
        let started = Instant::now();
        work.run()?;
        ns.push(started.elapsed().as_nanos() as f64);
    }
    Ok(Sample {
        kernel: case.name.to_owned(),
        engine: engine.name().to_owned(),
        version: String::new(),
        cores,
        blocks,
        threads: blocks * case.threads_per_block,
        events: case.events,
        check,
        ns,
        before_kib,
        peak_kib,
    })
}

/// All kernels at a small size.
fn verify(device: &Device, cores: usize) -> Result<(), BenchError> {
    for case in CASES {
        let blocks = case.blocks.min(FEW_BLOCKS);
        let mut works = vec![(case.emulated)(device, blocks)?];
        works.extend(case.by_hand.map(|prepare| prepare(cores, blocks)));
        for mut work in works {
            work.run()?;
            verified(case, "this machine", blocks, check_sum(&work.result()?))?;
        }
        println!("{}: right with {blocks} blocks", case.name);
    }
    println!("verified, timed nothing: benches/emulator/run.sh measures");
    Ok(())
}

fn report(sample: &Sample) {
    let Some((median, best)) = sample.median_and_best() else {
        return;
    };
    let threads = sample.threads as f64;
    println!(
        "{:17} {} cores {:13} {:10.3} ms  {:9.2} ns/thread (best {:.2})  {:8.2} ns/thread and event  {} runs  peak {} KiB",
        sample.engine,
        sample.cores,
        sample.kernel,
        median / 1e6,
        median / threads,
        best / threads,
        median / threads / sample.events.max(1) as f64,
        sample.ns.len(),
        sample.peak_kib,
    );
}

/// Memory of this process in KiB, 0 where the system does not tell. `VmRSS:`: what it has; `VmHWM:`: the most since [`forget_peak`].
fn memory_kib(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The most memory is what there is now. Where the system knows no such thing, the peak is that of the whole process.
fn forget_peak() {
    drop(std::fs::write("/proc/self/clear_refs", "5"));
}
