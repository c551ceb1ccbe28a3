//! Ports of public kernels on which the compiler was not tuned, beside their twins in CUDA C++: `benches/unseen/RULES.md` has the rules.
//!
//! ```text
//! unseen --check                                          every kernel at a small size on the emulator, against plain Rust
//! unseen --twins FOLDER [--out FOLDER] [--half HALF]      on a GPU: both sides checked, then timed in turn; results to <gpu>.json
//! unseen --static                                         registers and instructions of the worked half, without a GPU
//! ```
//! `HALF` is `worked`, `held-out` or `all`; `--runs N` and `--only NAME,…` (programs or suites) choose further.
#![expect(clippy::print_stdout, reason = "a benchmark reports as it goes")]
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "where no output type fits, ports read and write places in one expression as their originals do"
)]
#![allow(
    clippy::needless_range_loop,
    clippy::too_many_arguments,
    reason = "ports have the loops and the parameters of their originals"
)]

// The frame.
#[path = "../../side_by_side/call.rs"]
mod call; // launches of the twins
mod cases; // all programs of the corpus
mod data; // numbers for inputs
#[path = "../../side_by_side/driver.rs"]
#[allow(dead_code, reason = "the other benchmark uses more of it")]
mod driver;
mod kernel_case; // a program, its kernels, both sides of each
#[path = "../../side_by_side/session.rs"]
#[allow(dead_code, reason = "the other benchmark uses more of it")]
mod session;
mod split; // which program is in which half
mod static_figures; // registers and instructions: without a GPU

// The suites.
mod cuda_samples;
mod cudf;
mod faiss;
mod hecbench;
mod llama_cpp;
mod llm_c;
mod parboil;
mod polybench;
mod rodinia;
mod shoc;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use warploom_harness::benchmark::Repetitions;
use warploom_harness::date;
use warploom_harness::results::{file_name, write};
use warploom_harness::unseen::{Half, Machine, Results, Row, half, summary};

use cases::CASES;
use kernel_case::{Case, Side};
use session::Session;

/// Runs before the first time counts, for both sides.
const WARM_UP: usize = 3;

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let done = wishes(std::env::args().skip(1)).and_then(|wishes| match wishes.mode {
        Mode::Check => check(&wishes),
        Mode::Static => static_figures::compare(),
        Mode::Time => time(&wishes),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("unseen: {}", with_causes(&*error));
            ExitCode::FAILURE
        }
    }
}

/// What the command line asks for.
struct Wishes {
    mode: Mode,
    twins: PathBuf,
    out: PathBuf,
    runs: usize,
    half: Option<Half>,
    only: Vec<String>,
}

#[derive(Clone, Copy)]
enum Mode {
    Check,
    Static,
    Time,
}

/// Every chosen program on the emulator, at the small size.
fn check(wishes: &Wishes) -> Outcome {
    let chosen = chosen(wishes)?;
    let session = Session::emulated()?;
    let (mut ran, mut wrong) = (Vec::new(), Vec::new());
    for case in &chosen {
        let mut side = Side::new(&session, case, 0);
        match (case.run)(&mut side, 0) {
            Ok(()) => ran.push((*case, side.rows)),
            Err(error) => wrong.push(format!("{case}: {}", with_causes(&*error))),
        }
    }
    if !wrong.is_empty() {
        return Err(failures(&wrong, chosen.len()));
    }
    wrong = split::wrong_lines(&ran);
    wrong.extend(split::stale_lines(CASES));
    if wrong.is_empty() {
        let kernels: usize = ran.iter().map(|(_, rows)| rows.len()).sum();
        println!(
            "{kernels} kernels of {} programs are right on the {}",
            chosen.len(),
            session.device.name()
        );
        return Ok(());
    }
    Err(wrong.join("\n").into())
}

/// Every chosen program on the GPU: one that fails does not end the run, but its exit code.
fn time(wishes: &Wishes) -> Outcome {
    let repetitions = Repetitions {
        warm_up: WARM_UP,
        measured: wishes.runs,
    };
    let chosen = chosen(wishes)?;
    let session = Session::open(&wishes.twins, repetitions)?;
    if session.gpu.is_none() {
        return Err("no GPU: times need one; `--check` runs the kernels on the emulator".into());
    }
    let machine = machine(&session);
    println!("{}, {}, {}", machine.gpu, machine.driver, machine.compiler);
    let (mut rows, mut wrong): (Vec<Row>, _) = (Vec::new(), Vec::new());
    for case in &chosen {
        let mut side = Side::new(&session, case, 1);
        if let Err(error) = (case.run)(&mut side, 1) {
            wrong.push(format!("{case}: {}", with_causes(&*error)));
            println!("{case}: {error}");
        }
        for row in &side.rows {
            println!("{row}");
        }
        rows.append(&mut side.rows);
    }
    let file = wishes.out.join(file_name(&machine.gpu));
    let results = Results { machine, rows };
    write(&file, &results)?;
    println!("{}", summary(&results.rows));
    println!("wrote {} rows to {}", results.rows.len(), file.display());
    if wrong.is_empty() {
        return Ok(());
    }
    Err(failures(&wrong, chosen.len()))
}

fn failures(wrong: &[String], all: usize) -> Box<dyn Error> {
    let (failed, list) = (wrong.len(), wrong.join("\n"));
    format!("{failed} of {all} programs failed:\n{list}").into()
}

/// Those of the half that are named, or in suites that are; all of the half if there are no names.
fn chosen(wishes: &Wishes) -> Result<Vec<&'static Case>, Box<dyn Error>> {
    let called = |case: &Case, name: &str| case.name == name || case.suite == name;
    for name in &wishes.only {
        if !CASES.iter().any(|case| called(case, name)) {
            let known: BTreeSet<&str> = CASES.iter().flat_map(|c| [c.suite, c.name]).collect();
            let known: Vec<&str> = known.into_iter().collect();
            let known = known.join(", ");
            return Err(
                format!("no program and no suite is called `{name}`; known are {known}").into(),
            );
        }
    }
    let wanted = |case: &&Case| {
        wishes.half.is_none_or(|h| h == half(case.suite, case.name))
            && (wishes.only.is_empty() || wishes.only.iter().any(|name| called(case, name)))
    };
    Ok(CASES.iter().copied().filter(wanted).collect())
}

fn machine(session: &Session) -> Machine {
    let from_shell =
        |name: &str, otherwise: &str| std::env::var(name).unwrap_or_else(|_| otherwise.to_owned());
    let (major, minor) = session.device.driver_version().unwrap_or_default();
    Machine {
        gpu: session.device.name().to_owned(),
        driver: from_shell(
            "WARPLOOM_BENCH_DRIVER",
            &format!("for CUDA {major}.{minor}"),
        ),
        compiler: from_shell("WARPLOOM_BENCH_COMPILER", "nvcc of unknown version"),
        date: date::today(),
    }
}

fn wishes(mut arguments: impl Iterator<Item = String>) -> Result<Wishes, Box<dyn Error>> {
    let mut wishes = Wishes {
        mode: Mode::Time,
        twins: "target/twins".into(),
        out: Path::new("benches/results/unseen").to_owned(),
        runs: 20,
        half: None,
        only: Vec::new(),
    };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--check" => wishes.mode = Mode::Check,
            "--static" => wishes.mode = Mode::Static,
            "--twins" | "--out" | "--runs" | "--half" | "--only" => {
                let value = arguments.next();
                let value = value.ok_or_else(|| format!("`{argument}` needs a value"))?;
                match argument.as_str() {
                    "--twins" => wishes.twins = value.into(),
                    "--out" => wishes.out = value.into(),
                    "--runs" => {
                        let runs = value.parse();
                        wishes.runs =
                            runs.map_err(|_| format!("`--runs {value}`: not a number"))?;
                    }
                    "--half" => wishes.half = half_named(&value)?,
                    _ => wishes.only = value.split(',').map(str::to_owned).collect(),
                }
            }
            _ => {
                let known = "--check, --static, --twins FOLDER, --out FOLDER, --runs N, --half worked|held-out|all, --only NAME,…";
                return Err(format!("unknown argument `{argument}`; known are {known}").into());
            }
        }
    }
    Ok(wishes)
}

fn half_named(name: &str) -> Result<Option<Half>, Box<dyn Error>> {
    match name {
        "worked" => Ok(Some(Half::Worked)),
        "held-out" => Ok(Some(Half::HeldOut)),
        "all" => Ok(None),
        _ => Err(format!("`--half {name}`: it is worked, held-out or all").into()),
    }
}

/// An error with what led to it.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text += &format!(": {cause}");
        source = cause.source();
    }
    text
}
