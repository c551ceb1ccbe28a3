//! Programs on `warploom-algorithms`: results compared with plain Rust, then timed in turn with what they are compared with.
//!
//! ```text
//! algorithm-programs --device emulator [--only NAME,…]     every program at small sizes on the emulator
//! algorithm-programs --originals FOLDER [--out FOLDER]     on a GPU: compared and timed; results to <gpu>.json
//! algorithm-programs --count CHECKOUT                      the lines of HeCBench's programs, to benches/algorithm-programs/originals.tsv
//! ```
//! `--runs N` is how often each case is timed in a round (default: 50), `--rounds N` how often both sides are run (default: 3), `--only` has names of programs. On the
//! emulator `--n N` is another number of elements, and the seconds that each case takes are printed. A run of some programs leaves the results of the others of the same day. `build-originals.sh` makes the originals.
#![expect(clippy::print_stdout, reason = "a benchmark reports as it goes")]

mod bench; // a device, a clock, comparisons
mod noise; // input
mod originals; // what the programs are compared with
mod programs; // all programs

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use warploom::Device;
use warploom::model::{Emulator, Mode};
use warploom_harness::algorithm_programs::{Machine, Results, Row, Side, count};
use warploom_harness::date;
use warploom_harness::results::{file_name, write};

use bench::{Bench, Done, Time};
use originals::{Figure, Original};
use programs::{PROGRAMS, Program};

/// Sizes on the emulator.
const SMALL: [usize; 3] = [1, 1000, 20_011];

fn main() -> ExitCode {
    let done = wishes(std::env::args().skip(1)).and_then(|wishes| match &wishes.task {
        Task::Check => check(&wishes),
        Task::Time => time(&wishes),
        Task::Count(checkout) => Ok(count(checkout, Path::new("."))?),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let cause = error.source().map(|cause| format!(": {cause}"));
            eprintln!("algorithm-programs: {error}{}", cause.unwrap_or_default());
            ExitCode::FAILURE
        }
    }
}

enum Task {
    Check,
    Time,
    Count(PathBuf),
}

/// What the command line asks for.
struct Wishes {
    task: Task,
    originals: PathBuf,
    out: PathBuf,
    runs: usize,
    rounds: usize,
    n: Option<usize>,
    only: Vec<String>,
}

/// Every chosen program on the emulator, which checks all accesses, in release builds too.
fn check(wishes: &Wishes) -> Done {
    let emulator = Emulator::from_env()?.mode(Mode::Checked);
    let bench = Bench::new(emulator.device(), 0)?;
    let chosen = chosen(wishes)?;
    for program in &chosen {
        for n in wishes.n.map_or(SMALL.to_vec(), |n| vec![n]) {
            let wrong = |error| format!("{}, {n} elements: {error}", program.name);
            (program.run)(&bench, n).map_err(wrong)?;
            let times = bench.take_times();
            for time in times.iter().filter(|_| wishes.n.is_some()) {
                let seconds = time.host_ms / 1e3;
                println!("{}, {}: {seconds:.2} s", program.name, time.case);
            }
        }
    }
    println!("{} programs are right on the emulator", chosen.len());
    Ok(())
}

/// Every chosen program on the GPU, in turn with its originals. One that fails does not end the run, but its exit code.
fn time(wishes: &Wishes) -> Done {
    let chosen = chosen(wishes)?;
    let bench = Bench::new(Device::cuda(0)?, wishes.runs)?;
    let machine = machine(&bench, &wishes.originals)?;
    println!("{}, {}, {}", machine.gpu, machine.driver, machine.originals);
    let file = wishes.out.join(file_name(&machine.gpu));
    let mut results = Results {
        machine,
        rows: Vec::new(),
    };
    let names: Vec<&str> = chosen.iter().map(|program| program.name).collect();
    results.keep_others(&file, &names)?;
    let mut wrong = Vec::new();
    for program in &chosen {
        for &n in program.sizes {
            match rounds(&bench, program, n, wishes) {
                Ok(rows) => {
                    rows.iter().for_each(|row| println!("{row}"));
                    results.rows.extend(rows);
                }
                Err(error) => {
                    let text = format!("{}, {n} elements: {error}", program.name);
                    println!("{text}");
                    wrong.push(text);
                }
            }
        }
        let place = |row: &Row| PROGRAMS.iter().position(|p| p.name == row.program);
        results.rows.sort_by_key(place); // keeps the order of a program's rows
        // After each program: a run that is ended before its end has the rows until then.
        write(&file, &results)?;
    }
    println!("wrote {} rows to {}", results.rows.len(), file.display());
    match wrong.as_slice() {
        [] => Ok(()),
        _ => Err(format!("{} failed:\n{}", wrong.len(), wrong.join("\n")).into()),
    }
}

/// Both sides of a program in turn.
fn rounds(
    bench: &Bench,
    program: &Program,
    n: usize,
    wishes: &Wishes,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut figures: Vec<Figure> = Vec::new();
    let mut times: Vec<Time> = Vec::new();
    for _ in 0..wishes.rounds {
        for original in Original::of(program.name, n) {
            figures.extend(original.run(&wishes.originals)?);
        }
        (program.run)(bench, n)?;
        times.extend(bench.take_times());
        // The memory of this side is not that of the other.
        bench.device.pool()?.trim_to(0)?;
    }
    let mut rows = Vec::new();
    for case in each_once(times.iter().map(|time| time.case.as_str())) {
        let ours = || times.iter().filter(|time| time.case == case);
        let originals = || figures.iter().filter(|figure| figure.case == case);
        let sides = each_once(originals().map(|figure| figure.by.as_str()));
        if sides.is_empty() {
            return Err(format!("no original has a time of `{case}`").into());
        }
        for by in sides {
            let original = originals().filter(|figure| figure.by == by);
            let side = |times| Side::of(times).ok_or("a time is not a number");
            let host: Vec<f64> = ours().map(|time| time.host_ms).collect();
            let device: Vec<f64> = ours().filter_map(|time| time.device_ms).collect();
            let original: Vec<f64> = original.map(|figure| figure.ms).collect();
            rows.push(Row {
                program: program.name.to_owned(),
                case: case.to_owned(),
                n: n as u64,
                by: by.to_owned(),
                ours: side(host.into_iter())?,
                device_ms: side(device.into_iter())?.median,
                original: side(original.into_iter())?,
                runs: wishes.runs,
                rounds: wishes.rounds,
            });
        }
    }
    Ok(rows)
}

/// The names in their order, each once.
fn each_once<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut once = Vec::new();
    for name in names {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once
}

/// Those that are named; all if there are no names.
fn chosen(wishes: &Wishes) -> Result<Vec<&'static Program>, String> {
    for name in &wishes.only {
        if !PROGRAMS.iter().any(|program| program.name == name) {
            let known: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
            let known = known.join(", ");
            return Err(format!("no program is called `{name}`; known are {known}"));
        }
    }
    let wanted = |program: &&Program| {
        wishes.only.is_empty() || wishes.only.iter().any(|name| name == program.name)
    };
    Ok(PROGRAMS.iter().filter(wanted).collect())
}

fn machine(bench: &Bench, originals: &Path) -> Result<Machine, Box<dyn Error>> {
    let made_by = originals.join("originals.txt");
    let originals = std::fs::read_to_string(&made_by)
        .map_err(|error| format!("cannot read {}: {error}", made_by.display()))?;
    let (major, minor) = bench.device.driver_version().unwrap_or_default();
    let driver = std::env::var("WARPLOOM_BENCH_DRIVER");
    Ok(Machine {
        gpu: bench.device.name().to_owned(),
        driver: driver.unwrap_or_else(|_| format!("for CUDA {major}.{minor}")),
        originals: originals.trim().to_owned(),
        date: date::today(),
    })
}

fn wishes(mut arguments: impl Iterator<Item = String>) -> Result<Wishes, Box<dyn Error>> {
    let mut wishes = Wishes {
        task: Task::Time,
        originals: "target/algorithm-programs/originals".into(),
        out: "benches/results/algorithm-programs".into(),
        runs: 50,
        rounds: 3,
        n: None,
        only: Vec::new(),
    };
    while let Some(argument) = arguments.next() {
        let value = arguments.next();
        let value = value.ok_or_else(|| format!("`{argument}` needs a value"))?;
        match argument.as_str() {
            "--device" => {
                wishes.task = match value.as_str() {
                    "emulator" => Task::Check,
                    "cuda" => Task::Time,
                    other => {
                        return Err(format!("`--device {other}`: it is emulator or cuda").into());
                    }
                };
            }
            "--count" => wishes.task = Task::Count(value.into()),
            "--originals" => wishes.originals = value.into(),
            "--out" => wishes.out = value.into(),
            "--runs" => wishes.runs = number(&argument, &value)?,
            "--rounds" => wishes.rounds = number(&argument, &value)?,
            "--n" => wishes.n = Some(number(&argument, &value)?),
            "--only" => wishes.only = value.split(',').map(str::to_owned).collect(),
            _ => {
                let known = "--device emulator|cuda, --originals FOLDER, --out FOLDER, --count CHECKOUT, --runs N, --rounds N, --n N, --only NAME,…";
                return Err(format!("unknown argument `{argument}`; known are {known}").into());
            }
        }
    }
    Ok(wishes)
}

/// At least 1: a side that was not run has no time.
fn number(argument: &str, value: &str) -> Result<usize, String> {
    let number = value.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("`{argument} {value}`: it is a number from 1 on"))
}
