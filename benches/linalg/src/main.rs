//! Products of `warploom-linalg` beside those of cuBLASLt: results compared, then both timed in turn.
//!
//! ```text
//! linalg --device emulator [--only TEXT]             every row at a small size on the emulator, against the host
//! linalg --cublaslt LIBRARY [--out FOLDER]           on a GPU: both sides compared and timed; results to <gpu>.tsv
//! ```
//! `--only` has a part of the name of a row, as `bf16 tn 4096x4096x4096`; `--runs N` is how often each side is timed (default: 20). `--candidates N` times `N` kernels of each row, and
//! prints each of them. The library is `libcublasLt.so.12` or `.13` of NVIDIA's wheels for Python (`nvidia/cublas/lib`).
#![expect(clippy::print_stdout, reason = "a benchmark reports as it goes")]

mod bench; // both sides of a row
mod data; // operands
mod nvml; // clocks and power
mod peers; // cuBLASLt
mod rows; // what is measured

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use bench::Bench;
use rows::rows;

/// What the command line asks for.
struct Wishes {
    emulator: bool,
    cublaslt: Option<PathBuf>,
    out: Option<PathBuf>,
    only: String,
    runs: usize,
    candidates: usize,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("linalg: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let wishes = wishes()?;
    let mut bench = Bench::new(
        wishes.emulator,
        wishes.cublaslt.as_deref(),
        wishes.runs,
        wishes.candidates,
    )?;
    let mut failed = 0;
    for row in rows() {
        let size = if wishes.emulator {
            row.small()
        } else {
            row.size
        };
        let name = format!("{} {}x{}x{}", row.kind, size.m, size.n, size.k);
        if !name.contains(&wishes.only) {
            continue;
        }
        if let Err(error) = (row.run)(&mut bench, &row, size) {
            println!("{name}: {error}");
            failed += 1;
        }
    }
    if let Some(out) = &wishes.out {
        bench.write(out)?;
    }
    match failed {
        0 => Ok(()),
        failed => Err(format!("{failed} rows failed, see above").into()),
    }
}

fn wishes() -> Result<Wishes, Box<dyn Error>> {
    let mut wishes = Wishes {
        emulator: false,
        cublaslt: None,
        out: None,
        only: String::new(),
        runs: 20,
        candidates: 0,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments
            .next()
            .ok_or_else(|| format!("a value is missing behind `{name}`"))?;
        match &*name {
            "--device" => wishes.emulator = value == "emulator",
            "--cublaslt" => wishes.cublaslt = Some(value.into()),
            "--out" => wishes.out = Some(value.into()),
            "--only" => wishes.only = value,
            "--runs" => wishes.runs = value.parse()?,
            "--candidates" => wishes.candidates = value.parse()?,
            _ => {
                return Err(format!("`{name}` is unknown; known are --device, --cublaslt, --out, --only, --runs, --candidates").into());
            }
        }
    }
    Ok(wishes)
}
