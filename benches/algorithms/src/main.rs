//! The algorithms of `warploom-algorithms` beside those of CUB: results compared, then both timed in turn.
//!
//! ```text
//! algorithms --device emulator [--only NAME,…]            every row at small sizes on the emulator, against plain Rust; peers need only exist
//! algorithms --peers LIBRARY [--out FOLDER]               on a GPU: both sides compared, then timed; results to <gpu>.tsv
//! algorithms --tune FILE                                  on a GPU: candidates for the tunings of sorts timed; the fastest to FILE, a table as in
//!                                                         libraries/algorithms/src/tuning/sort.rs. Needs `--features tune`
//! ```
//! `--max N` leaves out sizes above 2^N (default: 28), `--runs N` is how often each side is timed (default: 20; at most 5 times if a run takes more than a millisecond). `--only` has
//! names of algorithms; rows of others, of the same day and machine, stay in the file. With `--missing` all rows that the file has stay, and only the others are measured. So a run
//! can be made in parts, or goes on after it was ended.
//! `build-peers.sh` compiles the peers.
#![expect(clippy::print_stdout, reason = "a benchmark reports as it goes")]

mod bench; // a device, both sides of a row
mod data; // inputs of a given entropy
#[path = "../../side_by_side/driver.rs"]
#[allow(dead_code, reason = "the other benchmarks use more of it")]
mod driver;
mod peers; // the functions of libpeers.so
mod results; // what is compared
mod rows; // what is measured, as data
#[path = "../../side_by_side/session.rs"]
#[allow(dead_code, reason = "the other benchmarks use more of it")]
mod session;
#[cfg(feature = "tune")]
mod tuner; // candidates for the tunings of sorts

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use warploom_harness::algorithms::{Machine, Results, file_name, summary, write};
use warploom_harness::benchmark::Repetitions;
use warploom_harness::date;

use bench::Bench;
use data::Entropy;
use peers::Peers;
use rows::{ROWS, Row, Size};
use session::Session;

/// Runs before the first time counts, for both sides.
const WARM_UP: usize = 3;
/// Powers of two: the sizes on a GPU.
const SIZES: [u32; 4] = [16, 20, 24, 28];
/// Sizes on the emulator.
const SMALL: [usize; 3] = [1, 1000, 20_011];

fn main() -> ExitCode {
    let done = wishes(std::env::args().skip(1)).and_then(|wishes| {
        if let Some(table) = &wishes.tune {
            tune(&wishes, table)
        } else if wishes.emulator {
            check(&wishes)
        } else {
            time(&wishes)
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("algorithms: {}", with_causes(&*error));
            ExitCode::FAILURE
        }
    }
}

/// What the command line asks for.
struct Wishes {
    emulator: bool,
    peers: PathBuf,
    out: PathBuf,
    runs: usize,
    max: u32,
    only: Vec<String>,
    missing: bool,
    tune: Option<PathBuf>,
}

/// Writes the table of the sorts' tunings.
#[cfg(feature = "tune")]
fn tune(wishes: &Wishes, table: &Path) -> Result<(), Box<dyn Error>> {
    let repetitions = Repetitions {
        warm_up: WARM_UP,
        measured: wishes.runs,
    };
    let session = if wishes.emulator {
        Session::emulated()?
    } else {
        Session::open(&wishes.peers, repetitions)?
    };
    tuner::tune(&session, table)
}

#[cfg(not(feature = "tune"))]
fn tune(_: &Wishes, _: &Path) -> Result<(), Box<dyn Error>> {
    Err("`--tune` needs the kernels of all candidates: build with `--features tune`".into())
}

/// Every chosen row on the emulator, at small sizes.
fn check(wishes: &Wishes) -> Result<(), Box<dyn Error>> {
    let chosen = chosen(wishes)?;
    let peers = if wishes.peers.exists() {
        Some(Peers::open(&wishes.peers)?)
    } else {
        println!(
            "whether rows name existing peers is not known: there is no {}",
            wishes.peers.display()
        );
        None
    };
    let mut bench = Bench::new(Session::emulated()?, peers)?;
    let mut wrong = Vec::new();
    for row in &chosen {
        for n in SMALL {
            run(row, n, |_| false, &mut bench, &mut wrong);
        }
    }
    println!(
        "{} results are right on the {}",
        bench.right,
        bench.session.device.name()
    );
    failures(&wrong)
}

/// Every chosen row on the GPU: one that fails does not end the run, but its exit code.
fn time(wishes: &Wishes) -> Result<(), Box<dyn Error>> {
    let repetitions = Repetitions {
        warm_up: WARM_UP,
        measured: wishes.runs,
    };
    let chosen = chosen(wishes)?;
    // The twins of the other benchmarks are not used.
    let session = Session::open(&wishes.peers, repetitions)?;
    if session.gpu.is_none() {
        return Err("no GPU: times need one; `--device emulator` compares results alone".into());
    }
    let peers = Peers::open(&wishes.peers)?;
    let machine = machine(&session, &peers)?;
    println!(
        "{}, {}, {}, a copy moves {:.0} GB/s",
        machine.gpu, machine.driver, machine.peers, machine.copy_gb_s
    );
    let file = wishes.out.join(file_name(&machine.gpu));
    let mut results = Results {
        machine,
        rows: Vec::new(),
    };
    let again: Vec<&str> = if wishes.missing {
        Vec::new()
    } else {
        chosen.iter().map(|row| row.algorithm).collect()
    };
    let others = results.others(&file, &again)?;
    let mut bench = Bench::new(session, Some(peers))?;
    let mut wrong = Vec::new();
    for row in &chosen {
        for power in SIZES.iter().filter(|power| **power <= wishes.max) {
            let is_known = |entropy: Entropy| {
                others.iter().any(|known| {
                    (known.algorithm.as_str(), known.of.as_str()) == (row.algorithm, row.of)
                        && (known.n, known.entropy.as_str()) == (1 << power, &entropy.to_string())
                })
            };
            run(row, 1 << power, is_known, &mut bench, &mut wrong);
            // After each size: a run that is ended before its end has the rows until then.
            results.rows.clone_from(&others);
            results.rows.extend_from_slice(&bench.rows);
            write(&file, &results)?;
        }
    }
    println!("{}", summary(&bench.rows));
    println!("wrote {} rows to {}", results.rows.len(), file.display());
    failures(&wrong)
}

/// A row at one size, with each of its entropies that is not known.
fn run(
    row: &Row,
    n: usize,
    is_known: impl Fn(Entropy) -> bool,
    bench: &mut Bench,
    wrong: &mut Vec<String>,
) {
    for entropy in row.entropies.iter().filter(|entropy| !is_known(**entropy)) {
        let size = Size {
            n,
            entropy: *entropy,
        };
        let known = bench.rows.len();
        let outcome = bench.row(row, size);
        for row in &bench.rows[known..] {
            println!("{row}");
        }
        if let Err(error) = outcome {
            let text = format!("{row}, {n} elements: {}", with_causes(&*error));
            println!("{text}");
            wrong.push(text);
        }
    }
}

fn failures(wrong: &[String]) -> Result<(), Box<dyn Error>> {
    match wrong {
        [] => Ok(()),
        _ => Err(format!("{} rows failed:\n{}", wrong.len(), wrong.join("\n")).into()),
    }
}

/// Those whose algorithm is named; all if there are no names.
fn chosen(wishes: &Wishes) -> Result<Vec<&'static Row>, Box<dyn Error>> {
    let all = || ROWS.iter().copied().flatten();
    for name in &wishes.only {
        if !all().any(|row| row.algorithm == name) {
            let mut known: Vec<&str> = all().map(|row| row.algorithm).collect();
            known.dedup();
            let known = known.join(", ");
            return Err(format!("no algorithm is called `{name}`; known are {known}").into());
        }
    }
    let wanted =
        |row: &&Row| wishes.only.is_empty() || wishes.only.iter().any(|n| row.algorithm == n);
    Ok(all().filter(wanted).collect())
}

fn machine(session: &Session, peers: &Peers) -> Result<Machine, Box<dyn Error>> {
    let (major, minor) = session.device.driver_version().unwrap_or_default();
    let driver = std::env::var("WARPLOOM_BENCH_DRIVER");
    Ok(Machine {
        gpu: session.device.name().to_owned(),
        driver: driver.unwrap_or_else(|_| format!("for CUDA {major}.{minor}")),
        peers: peers.made_by.clone(),
        date: date::today(),
        copy_gb_s: session.copy_gb_s()?,
    })
}

fn wishes(mut arguments: impl Iterator<Item = String>) -> Result<Wishes, Box<dyn Error>> {
    let mut wishes = Wishes {
        emulator: false,
        peers: "target/algorithms/libpeers.so".into(),
        out: "benches/results/algorithms".into(),
        runs: 20,
        max: SIZES[SIZES.len() - 1],
        only: Vec::new(),
        missing: false,
        tune: None,
    };
    while let Some(argument) = arguments.next() {
        let mut value = || {
            let value = arguments.next();
            value.ok_or_else(|| format!("`{argument}` needs a value"))
        };
        match argument.as_str() {
            "--device" => {
                wishes.emulator = match value()?.as_str() {
                    "emulator" => true,
                    "cuda" => false,
                    other => {
                        return Err(format!("`--device {other}`: it is emulator or cuda").into());
                    }
                };
            }
            "--peers" => wishes.peers = value()?.into(),
            "--out" => wishes.out = value()?.into(),
            "--runs" => wishes.runs = number("--runs", &value()?)?,
            "--max" => wishes.max = number("--max", &value()?)?,
            "--tune" => wishes.tune = Some(value()?.into()),
            "--missing" => wishes.missing = true,
            "--only" => wishes.only = value()?.split(',').map(str::to_owned).collect(),
            _ => {
                let known = "--device emulator|cuda, --peers LIBRARY, --out FOLDER, --runs N, --max N, --only NAME,…, --missing, --tune FILE";
                return Err(format!("unknown argument `{argument}`; known are {known}").into());
            }
        }
    }
    Ok(wishes)
}

fn number<T: std::str::FromStr>(argument: &str, value: &str) -> Result<T, String> {
    let number = value.parse();
    number.map_err(|_| format!("`{argument} {value}`: not a number"))
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
