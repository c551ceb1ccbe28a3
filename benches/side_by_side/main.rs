//! Rust kernels and their CUDA C++ twins side by side, in one run on one GPU; results go to a JSON file.
//!
//! `side_by_side [--twins FOLDER] [--out FILE] [--runs N] [--only NAME,…]`; `benches/run-on-gpu.sh` compiles the twins and calls
//! it. `--static` compares what the kernels cost before they run with the committed figures. `--only` takes names of benchmarks and groups. Without a GPU it verifies the Rust kernels at small sizes on the emulator and times nothing.
#![expect(clippy::print_stdout, reason = "a benchmark reports as it goes")]

// The frame.
mod call; // launches of the twins
mod data; // numbers on the device
mod driver; // the peer's side
mod session; // device, clock, twins
mod sides; // what benchmarks of kernels share
mod static_figures; // registers, instructions, accesses: without a GPU

// The benchmarks, one file for each or for a few of a kind; each has its twin in `benches/cuda`.
mod argmax;
mod array_copy;
mod bitonic;
mod black_scholes;
mod convolution;
mod copies;
mod daxpy;
mod dot;
mod graph_replay;
mod histogram;
mod mandelbrot;
mod matmul;
mod matmul_batched;
mod monte_carlo;
mod nbody;
mod pinned_copy;
mod pool_allocation;
mod rows;
mod saxpy;
mod scan;
mod search;
mod spmv;
mod stencil;
mod streams;
mod sum;
mod textures;
mod touch;
mod transpose;
mod typed_launch;
mod upper_case;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use warploom_harness::benchmark::{Benchmark, Repetitions, Twin};
use warploom_harness::date;
use warploom_harness::record::{Machine, Measured, Record};
use warploom_harness::results::{file_name, write};

use session::{BenchError, Session};
use sides::Sides;

/// Verifies and times one size of a benchmark.
pub(crate) type Run = fn(&Session, u64) -> Result<Measured, BenchError>;

const BENCHMARKS: &[Benchmark<Run>] = &[
    copies::Contiguous::BENCHMARK,
    copies::Vectorised::BENCHMARK,
    copies::Strided::BENCHMARK,
    streams::Streams::<streams::Scale>::BENCHMARK,
    streams::Streams::<streams::Add>::BENCHMARK,
    streams::Streams::<streams::Triad>::BENCHMARK,
    saxpy::Saxpy::BENCHMARK,
    daxpy::Daxpy::BENCHMARK,
    sum::Sum::BENCHMARK,
    dot::SumFloat4::BENCHMARK,
    dot::Dot::BENCHMARK,
    argmax::Argmax::BENCHMARK,
    scan::Inclusive::BENCHMARK,
    scan::Exclusive::BENCHMARK,
    histogram::Global::BENCHMARK,
    histogram::Shared::BENCHMARK,
    transpose::Transpose::<transpose::Naive>::BENCHMARK,
    transpose::Transpose::<transpose::Tiled>::BENCHMARK,
    transpose::Transpose::<transpose::Padded>::BENCHMARK,
    transpose::Transpose::<transpose::Swizzled>::BENCHMARK,
    matmul::Matmul::<matmul::Naive>::BENCHMARK,
    matmul::Matmul::<matmul::Tiled>::BENCHMARK,
    matmul::Matmul::<matmul::Register1D>::BENCHMARK,
    matmul::Matmul::<matmul::Register2D>::BENCHMARK,
    matmul::Matmul::<matmul::Vectorised>::BENCHMARK,
    matmul_batched::Batched::BENCHMARK,
    nbody::Nbody::BENCHMARK,
    stencil::Stencil2D::BENCHMARK,
    stencil::Stencil3D::BENCHMARK,
    convolution::Convolution1D::BENCHMARK,
    convolution::Convolution2D::BENCHMARK,
    spmv::SpmvRows::BENCHMARK,
    spmv::SpmvWarps::BENCHMARK,
    search::BfsStep::BENCHMARK,
    search::HashInsert::BENCHMARK,
    rows::Softmax::BENCHMARK,
    rows::LayerNorm::BENCHMARK,
    bitonic::BitonicBlock::BENCHMARK,
    bitonic::BitonicStep::BENCHMARK,
    upper_case::UpperCase::BENCHMARK,
    black_scholes::BlackScholes::BENCHMARK,
    mandelbrot::Mandelbrot::BENCHMARK,
    monte_carlo::MonteCarlo::BENCHMARK,
    textures::Plane::<textures::Bilinear>::BENCHMARK,
    textures::Colours::BENCHMARK,
    textures::Plane::<textures::Bicubic>::BENCHMARK,
    textures::Rays::BENCHMARK,
    typed_launch::TYPED_LAUNCH,
    graph_replay::GRAPH_REPLAY,
    pool_allocation::POOL_ALLOCATION,
    pinned_copy::PINNED_COPY,
    array_copy::TO_ARRAY,
];

// The groups of the table, in its order.
const MEMORY: &str = "memory";
const REDUCTIONS: &str = "reductions";
const SCANS: &str = "scans";
const HISTOGRAMS: &str = "histograms";
const TRANSPOSES: &str = "transposes";
const MATRICES: &str = "matrix products";
const STENCILS: &str = "stencils and convolutions";
const IRREGULAR: &str = "sparse and irregular";
const ROWS: &str = "rows and sorting";
const BYTES: &str = "bytes";
const ARITHMETIC: &str = "arithmetic";
const PARTICLES: &str = "particles";
const TEXTURES: &str = "textures";
const HOST: &str = "host";

// Cargo starts benchmarks in this package's folder; in a bundle for a GPU machine it does not exist, and the command line names others.
const RESULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/results");
const TWINS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/cuda");
const COMPILED_TWINS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/twins");

/// Runs before the first time counts, for both sides.
const WARM_UP: usize = 5;

fn main() -> ExitCode {
    let without_gpu = std::env::args().any(|argument| argument == "--static");
    let done = if without_gpu {
        static_figures::compare()
    } else {
        run().map_err(Box::<dyn Error>::from)
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("side_by_side: {error}");
            let mut source = error.source();
            while let Some(cause) = source {
                eprintln!("  {cause}");
                source = cause.source();
            }
            ExitCode::FAILURE
        }
    }
}

/// What the command line asks for.
struct Wishes {
    twins: PathBuf,
    out: Option<PathBuf>,
    runs: usize,
    only: Vec<String>,
}

fn run() -> Result<(), BenchError> {
    let wishes = wishes(std::env::args().skip(1))?;
    let session = Session::open(
        &wishes.twins,
        Repetitions {
            warm_up: WARM_UP,
            measured: wishes.runs,
        },
    )?;
    let chosen = chosen(&wishes.only)?;
    if session.gpu.is_none() {
        return verify(&session, &chosen);
    }
    let machine = machine(&session)?;
    println!(
        "{}, driver {}, {}, copy {:.0} GB/s",
        machine.gpu, machine.driver, machine.compiler, machine.copy_gb_s
    );
    let mut records = Vec::new();
    for benchmark in &chosen {
        for &size in benchmark.sizes {
            let measured = (benchmark.run)(&session, size)?;
            let record = Record::new(benchmark, size, &measured, &machine)?;
            println!(
                "{:22} {size:>10} {:18} ours {:9.4} ms ± {:4.1} %   peer {:9.4} ms ± {:4.1} %   ratio {:.3}{}",
                record.kernel,
                record.unit,
                record.ours_ms,
                record.ours_spread * 100.0,
                record.peer_ms,
                record.peer_spread * 100.0,
                record.ratio,
                record
                    .safe_ratio()
                    .map_or_else(String::new, |ratio| format!("   by unchecked {ratio:.3}")),
            );
            records.push(record);
        }
    }
    let out = wishes
        .out
        .unwrap_or_else(|| Path::new(RESULTS).join(file_name(&machine.gpu)));
    record_results(&out, &records)
}

/// Those of these names, or in groups of these names; all if there are none.
fn chosen(only: &[String]) -> Result<Vec<&'static Benchmark<Run>>, BenchError> {
    let called = |b: &Benchmark<Run>, name: &str| b.name == name || b.group == name;
    if let Some(name) = only
        .iter()
        .find(|name| !BENCHMARKS.iter().any(|b| called(b, name)))
    {
        let known: Vec<&str> = BENCHMARKS.iter().map(|b| b.name).collect();
        return Err(BenchError::Unknown(name.clone(), known.join(", ")));
    }
    let chosen = BENCHMARKS
        .iter()
        .filter(|b| only.is_empty() || only.iter().any(|name| called(b, name)));
    Ok(chosen.collect())
}

/// What is to be seen without a GPU: that the Rust kernels are right, and that each has a twin.
fn verify(session: &Session, chosen: &[&Benchmark<Run>]) -> Result<(), BenchError> {
    let twins = Path::new(TWINS);
    for benchmark in chosen {
        let Benchmark {
            name, small, unit, ..
        } = benchmark;
        let Twin { file, function, .. } = benchmark.twin;
        let twin = twins.join(file).with_extension("cu");
        let text = std::fs::read_to_string(&twin).unwrap_or_default();
        // In a bundle the twins lie elsewhere.
        if twins.is_dir() && !text.contains(&format!(" {function}(")) {
            return Err(BenchError::NoTwin {
                kernel: name,
                function,
                twin,
            });
        }
        let measured = (benchmark.run)(session, *small)?;
        println!(
            "{name}: right at {small} {unit}, largest relative error {:.0e}",
            measured.max_error
        );
    }
    println!(
        "no GPU: verified on the {}, timed nothing",
        session.device.name()
    );
    Ok(())
}

fn record_results(out: &Path, records: &[Record]) -> Result<(), BenchError> {
    // A folder gets the file that is named after the GPU.
    let file = match records.first() {
        Some(first) if out.is_dir() => out.join(file_name(&first.gpu)),
        _ => out.to_owned(),
    };
    write(&file, records)?;
    println!("wrote {} records to {}", records.len(), file.display());
    Ok(())
}

fn machine(session: &Session) -> Result<Machine, BenchError> {
    let from_shell =
        |name: &str, otherwise: &str| std::env::var(name).unwrap_or_else(|_| otherwise.to_owned());
    let (major, minor) = session.device.driver_version().unwrap_or_default();
    Ok(Machine {
        gpu: session.device.name().to_owned(),
        driver: from_shell(
            "WARPLOOM_BENCH_DRIVER",
            &format!("for CUDA {major}.{minor}"),
        ),
        compiler: from_shell("WARPLOOM_BENCH_COMPILER", "nvcc of unknown version"),
        copy_gb_s: session.copy_gb_s()?,
        date: date::today(),
    })
}

fn wishes(mut arguments: impl Iterator<Item = String>) -> Result<Wishes, BenchError> {
    let mut wishes = Wishes {
        twins: COMPILED_TWINS.into(),
        out: None,
        runs: 50,
        only: Vec::new(),
    };
    while let Some(argument) = arguments.next() {
        // What `cargo bench` adds by itself.
        if argument == "--bench" {
            continue;
        }
        let value = arguments
            .next()
            .ok_or_else(|| BenchError::Argument(argument.clone()))?;
        match argument.as_str() {
            "--twins" => wishes.twins = value.into(),
            "--out" => wishes.out = Some(value.into()),
            "--runs" => {
                wishes.runs = value
                    .parse()
                    .map_err(|_| BenchError::Argument(format!("{argument} {value}")))?
            }
            "--only" => wishes.only = value.split(',').map(str::to_owned).collect(),
            _ => return Err(BenchError::Argument(argument)),
        }
    }
    Ok(wishes)
}
