//! Runs every mode of `emulator/tests/texture_modes/table.rs` on a GPU, compares each fetch with the emulator's, and writes the table that the emulator's tests read.
//!
//! `texture-modes [--emulator] [--out FOLDER] [--fetches N] [--part K/N] [--only TEXT] [--differences N]`
//!
//! - `FOLDER/fetches.tsv` gets a line for each mode whose fetches are all equal: its name, how many were compared, and the hash of the first 16384.
//! - `FOLDER/differences.tsv` gets up to `--differences` fetches (default 1000) of each other mode: operands, what the emulator gives, what the GPU gave.
//! - `--emulator` needs no GPU: it prints how many fetches of each mode the emulator's functions do in a second, on one core, without the checks of a kernel.
//! - `--again FILE` needs no GPU: it compares the fetches of a `differences.tsv` once more.
//! - `--part 2/4` runs every fourth mode from the second on, so that several runs share the work; `--only` those whose name contains a text.
#![expect(clippy::print_stdout, reason = "a program reports as it goes")]

mod driver; // the driver's functions
mod image; // texels in the GPU's memory, and the texture object
#[path = "../../../emulator/tests/texture_modes/mode.rs"]
mod mode; // shared with the emulator's tests
mod ptx; // the kernel of a mode
#[path = "../../../emulator/tests/texture_modes/table.rs"]
mod table;

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use driver::Gpu;
use image::Bound;
use mode::{Mode, hash};
use warploom_emulator::texture::Request;

/// The fetches that the hash of a line is of, as in the emulator's tests.
const SAMPLE: usize = 1 << 14;
/// Fetches of one launch: their operands and results take some hundred megabytes.
const LAUNCH: usize = 10 << 20;

struct Options {
    out: PathBuf,
    fetches: usize,
    /// The part, from 0, and how many there are.
    part: (usize, usize),
    only: String,
    differences: usize,
    emulator: bool,
    again: Option<PathBuf>,
}

impl Options {
    fn of(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut options = Self {
            out: PathBuf::from("."),
            fetches: LAUNCH,
            part: (0, 1),
            only: String::new(),
            differences: 1000,
            emulator: false,
            again: None,
        };
        while let Some(name) = arguments.next() {
            if name == "--emulator" {
                options.emulator = true;
                continue;
            }
            let value = arguments.next().ok_or(format!("{name} needs a value"))?;
            match &*name {
                "--out" => options.out = value.into(),
                "--fetches" => options.fetches = value.parse()?,
                "--part" => {
                    let (part, of) = value.split_once('/').ok_or("--part is like 2/4")?;
                    let (part, of) = (part.parse::<usize>()?, of.parse()?);
                    if part == 0 || part > of {
                        return Err("--part counts from 1".into());
                    }
                    options.part = (part - 1, of);
                }
                "--again" => options.again = Some(value.into()),
                "--only" => options.only = value,
                "--differences" => options.differences = value.parse()?,
                _ => return Err(format!("no option is called {name}").into()),
            }
        }
        if options.fetches < SAMPLE {
            return Err(
                format!("--fetches must be {SAMPLE} at least: the hash is of so many").into(),
            );
        }
        Ok(options)
    }
}

/// A fetch whose results differ.
struct Difference {
    number: u64,
    operands: Vec<u32>,
    emulated: [u32; 4],
    found: [u32; 4],
}

/// What came of a mode.
struct Outcome {
    differing: usize,
    /// Of the first [`SAMPLE`] results of the emulator, which are the GPU's if none differ.
    hash: u64,
    first: Vec<Difference>,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let options = Options::of(std::env::args().skip(1))?;
    let (part, of) = options.part;
    let all = table::all().into_iter().enumerate();
    let chosen = all.filter(|(k, mode)| k % of == part && mode.name.contains(&options.only));
    if options.emulator {
        chosen.for_each(|(_, mode)| time(&mode));
        return Ok(());
    }
    if let Some(file) = &options.again {
        let recorded = std::fs::read_to_string(file)?;
        for (_, mode) in chosen {
            again(&mode, &recorded)?;
        }
        return Ok(());
    }
    let gpu = Gpu::open()?;
    println!("{}", gpu.name()?);
    let file = |name: &str| File::create(Path::new(&options.out).join(name)).map(BufWriter::new);
    let (mut equal, mut differences) = (file("fetches.tsv")?, file("differences.tsv")?);
    let (mut modes, mut with_differences, mut failed) = (0, 0, 0);
    for (_, mode) in chosen {
        modes += 1;
        let outcome = match compare(&gpu, &mode, &options) {
            Ok(outcome) => outcome,
            Err(error) => {
                println!("{}: {error}", mode.name);
                failed += 1;
                continue;
            }
        };
        if outcome.differing == 0 {
            let (name, fetches, hash) = (&mode.name, options.fetches, outcome.hash);
            writeln!(equal, "{name}\t{fetches}\t{hash:016x}")?;
            continue;
        }
        with_differences += 1;
        let (name, fetches) = (&mode.name, options.fetches);
        println!("{name}: {} of {fetches} differ", outcome.differing);
        for fetch in outcome.first {
            let hex = |words: &[u32]| {
                let words: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
                words.join(" ")
            };
            let (operands, number) = (hex(&fetch.operands), fetch.number);
            let (emulated, found) = (hex(&fetch.emulated), hex(&fetch.found));
            writeln!(
                differences,
                "{name}\t{number}\t{operands}\t{emulated}\t{found}"
            )?;
        }
    }
    println!("{modes} modes, {with_differences} of them with differing fetches, {failed} not run");
    equal.flush()?;
    differences.flush()?;
    if failed > 0 {
        return Err("some modes could not be run".into());
    }
    Ok(())
}

/// Prints how fast the emulator's functions are with a mode.
fn time(mode: &Mode) {
    let operands: Vec<Vec<u32>> = (0..SAMPLE as u64)
        .map(|number| {
            let mut words = vec![0; mode.words()];
            mode.operands(number, &mut words);
            words
        })
        .collect();
    let requests: Vec<Request> = operands.iter().map(|words| mode.request(words)).collect();
    let mut texels = mode.texels();
    let texture = mode.texture(&mut texels);
    let (started, mut fetches, mut all) = (Instant::now(), 0, 0);
    while started.elapsed() < Duration::from_millis(200) {
        for request in &requests {
            // SAFETY: the texels are there as long as the texture, and nothing writes them.
            let result = unsafe { texture.sample(request, &mut |_, _| {}) };
            all = hash(all, &result);
        }
        fetches += requests.len();
    }
    let millions = fetches as f64 / started.elapsed().as_secs_f64() / 1e6;
    println!("{millions:7.2} million/s  {}  {all:016x}", mode.name);
}

/// Compares what a GPU gave for the fetches of a mode that once differed.
fn again(mode: &Mode, recorded: &str) -> Result<(), Box<dyn Error>> {
    let lines = recorded.lines().map(|line| line.split('\t').collect());
    let lines: Vec<Vec<&str>> = lines
        .filter(|cells: &Vec<&str>| cells[0] == mode.name)
        .collect();
    let words = |cell: &str| {
        let words = cell.split(' ').map(|word| u32::from_str_radix(word, 16));
        words.collect::<Result<Vec<u32>, _>>()
    };
    let mut differing = 0;
    for cells in &lines {
        let operands = words(cells[2])?;
        let emulated = emulate(mode, &operands, 1);
        if emulated == words(cells[4])? {
            continue;
        }
        differing += 1;
        if differing <= 10 {
            let floats: Vec<f32> = operands.iter().copied().map(f32::from_bits).collect();
            println!(
                "  {operands:08x?} {floats:?} {emulated:08x?}, not {}",
                cells[4]
            );
        }
    }
    if !lines.is_empty() {
        println!("{}: {differing} of {}", mode.name, lines.len());
    }
    Ok(())
}

/// Runs the fetches of a mode on the GPU, and compares each with the emulator's.
fn compare(gpu: &Gpu, mode: &Mode, options: &Options) -> Result<Outcome, Box<dyn Error>> {
    let kernel = gpu.kernel(&ptx::kernel(mode))?;
    let bound = Bound::new(gpu, mode)?;
    let mut outcome = Outcome {
        differing: 0,
        hash: 0,
        first: Vec::new(),
    };
    for start in (0..options.fetches).step_by(LAUNCH) {
        let n = LAUNCH.min(options.fetches - start);
        let operands = in_parts(n, mode.words(), |i, into| {
            mode.operands((start + i) as u64, into)
        });
        let found = gpu.fetches(&kernel, bound.handle(), &operands, n)?;
        let emulated = emulate(mode, &operands, n);
        if start == 0 {
            let sample = emulated.chunks(4).take(SAMPLE);
            outcome.hash = sample.fold(0, hash);
        }
        for (i, (emulated, found)) in emulated
            .as_chunks()
            .0
            .iter()
            .zip(found.as_chunks().0)
            .enumerate()
        {
            if emulated == found {
                continue;
            }
            outcome.differing += 1;
            if outcome.first.len() < options.differences {
                outcome.first.push(Difference {
                    number: (start + i) as u64,
                    operands: operands[i * mode.words()..][..mode.words()].to_vec(),
                    emulated: *emulated,
                    found: *found,
                });
            }
        }
    }
    Ok(outcome)
}

/// What the emulator gives, four words for each fetch.
fn emulate(mode: &Mode, operands: &[u32], n: usize) -> Vec<u32> {
    let mut texels = mode.texels();
    let texture = mode.texture(&mut texels);
    in_parts(n, 4, |i, into| {
        let request = mode.request(&operands[i * mode.words()..][..mode.words()]);
        // SAFETY: the texels are there as long as the texture, and nothing writes them.
        let result = unsafe { texture.sample(&request, &mut |_, _| {}) };
        into.copy_from_slice(&result);
    })
}

/// `words` words for each of `n` numbers, made by all processors.
fn in_parts(n: usize, words: usize, make: impl Fn(usize, &mut [u32]) + Sync) -> Vec<u32> {
    let mut all = vec![0; n * words];
    let workers = thread::available_parallelism().map_or(1, |n| n.get());
    let part = n.div_ceil(workers);
    thread::scope(|scope| {
        for (k, numbers) in all.chunks_mut(part * words).enumerate() {
            let make = &make;
            scope.spawn(move || {
                for (i, into) in numbers.chunks_mut(words).enumerate() {
                    make(k * part + i, into);
                }
            });
        }
    });
    all
}
