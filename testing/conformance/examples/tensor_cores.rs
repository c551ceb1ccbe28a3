//! Calibrates the emulator's tensor cores: hashes of random products on a GPU, compared with the emulator.
//!
//! ```text
//! tensor_cores [--only TEXT] [--products N] [--compare N] > tensor_cores.tsv
//! ```
//! Writes a line for each instruction and distribution: the hash of the first 64 products, which tests recompute on the emulator, and that of `N`
//! (98304: 12.6 million elements). The emulator recomputes the first `--compare` products (64); the first results that differ are written to
//! standard error with their operands. Without a GPU the emulator is compared with itself.
//!
//! A line of a product of fragments (WMMA) is that of every layout of A and B: one whose hash is another is written to standard error.
#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

use std::ops::Range;
use std::process::ExitCode;

use warploom::device_std::wmma::{ColMajor, RowMajor, Shape};
use warploom::{Device, Stream};
use warploom_conformance::tensor_cores::{
    self, Case, Distribution, FragmentCase, hash_of_fragments, hash_on, results_on,
};
use warploom_conformance::{
    each_fragment_case, each_fragment_case_of_few_bits, each_sparse_case, each_tensor_core_case,
};

/// Products whose hash is kept beside that of all.
const SAMPLE: u64 = 64;

struct Options {
    only: String,
    products: u64,
    compare: u64,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, Box<dyn std::error::Error>> {
    let mut options = Options {
        only: String::new(),
        products: 98304,
        compare: SAMPLE,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or("a value is missing")?;
        match &*name {
            "--only" => options.only = value,
            "--products" => options.products = value.parse()?,
            "--compare" => options.compare = value.parse()?,
            _ => return Err(format!("`{name}` is no option").into()),
        }
    }
    let gpu = Device::cuda(0).unwrap_or_else(|why| {
        eprintln!("no GPU, the emulator is compared with itself: {why}");
        Device::emulator()
    });
    eprintln!("{}", gpu.name());
    println!("# instruction\tdistribution\tproducts\thash of {SAMPLE}\thash of all");
    let mut differ = 0;
    macro_rules! case {
        ($name:ident) => {
            if stringify!($name).contains(&options.only) {
                type C = tensor_cores::$name;
                let elements = C::SHAPE[0] * C::SHAPE[1];
                let hashes: &[(&str, Hash)] = &[("", hash_on::<C>)];
                differ += compare(&gpu, &options, (C::NAME, elements), hashes, Some(show::<C>))?;
            }
        };
        ($name:ident [$($a:ident $b:ident),*]) => {
            if stringify!($name).contains(&options.only) {
                type F = tensor_cores::$name<RowMajor, ColMajor>;
                let elements = <F as FragmentCase>::Shape::M * <F as FragmentCase>::Shape::N;
                let hashes: &[(&str, Hash)] = &[$((
                    concat!(stringify!($a), " ", stringify!($b)),
                    hash_of_fragments::<tensor_cores::$name<$a, $b>>,
                )),*];
                differ += compare(&gpu, &options, (F::NAME, elements), hashes, None)?;
            }
        };
    }
    each_tensor_core_case!(case);
    each_sparse_case!(case);
    each_fragment_case!(case);
    each_fragment_case_of_few_bits!(case);
    eprintln!("{differ} lines differ");
    Ok(differ == 0)
}

/// The hash of products: [`hash_on`] of an instruction, or [`hash_of_fragments`] of one layout of A and B.
type Hash = fn(&Stream, Range<u64>, Distribution, u32) -> warploom::Result<u64>;
/// Writes results that differ: [`show`].
type Show = fn([&Stream; 2], Range<u64>, Distribution) -> warploom::Result<()>;

/// Warps for the sample, for all, and on the emulator.
const WARPS: [u32; 3] = [64, 4224, 512];

/// Writes the lines of one instruction with `elements` results; gives how often another of its layouts, or the emulator, differs.
fn compare(
    gpu: &Device,
    options: &Options,
    (name, elements): (&str, usize),
    hashes: &[(&str, Hash)],
    show: Option<Show>,
) -> warploom::Result<u32> {
    let stream = gpu.stream()?;
    let emulator = Device::emulator();
    let on_emulator = emulator.stream()?;
    let products = options.products * 128 / elements as u64;
    let compared = 0..options.compare;
    let mut differ = 0;
    for distribution in Distribution::ALL {
        let mut line = None;
        for (layout, hash) in hashes {
            let sample = hash(&stream, 0..SAMPLE, distribution, WARPS[0])?;
            let all = hash(&stream, 0..products, distribution, WARPS[1])?;
            if *line.get_or_insert((sample, all)) != (sample, all) {
                differ += 1;
                eprintln!("{name} {distribution:?}: {layout} is not as the first layout");
            }
            let theirs = match options.compare {
                SAMPLE => sample,
                _ => hash(&stream, compared.clone(), distribution, WARPS[1])?,
            };
            if hash(&on_emulator, compared.clone(), distribution, WARPS[2])? != theirs {
                differ += 1;
                eprintln!("{name} {distribution:?} {layout} differs on the emulator");
                if let Some(show) = show {
                    show([&stream, &on_emulator], compared.clone(), distribution)?;
                }
            }
        }
        if let Some((sample, all)) = line {
            println!("{name}\t{distribution:?}\t{products}\t{sample:016x}\t{all:016x}");
        }
    }
    Ok(differ)
}

/// Writes the first results that differ, with their operands.
fn show<C: Case>(
    [stream, on_emulator]: [&Stream; 2],
    compared: Range<u64>,
    distribution: Distribution,
) -> warploom::Result<()> {
    let mut shown = 0;
    for first in compared.step_by(8).take(64) {
        let theirs = results_on::<C>(stream, first, distribution)?;
        let ours = results_on::<C>(on_emulator, first, distribution)?;
        for (at, (theirs, ours)) in theirs.into_iter().zip(ours).enumerate() {
            if theirs != ours && shown < 4 {
                shown += 1;
                show_one::<C>(first, at, distribution, (theirs, ours));
            }
        }
    }
    Ok(())
}

/// Writes the operands of one result.
fn show_one<C: Case>(
    first: u64,
    at: usize,
    distribution: Distribution,
    (theirs, ours): (u64, u64),
) {
    let [m, n, k] = C::SHAPE;
    let product = first + (at / (m * n)) as u64;
    let (row, column) = (at % (m * n) / n, at % n);
    let operand = |role, row, column| C::operand(role, product, distribution, row, column);
    let list = |role: char| -> String {
        let of = |i| match role {
            'a' => operand(role, row, i),
            _ => operand(role, i, column),
        };
        (0..k.min(64)).map(|i| format!(" {:x}", of(i))).collect()
    };
    eprintln!(
        "  product {product} [{row}, {column}]: GPU {theirs:x}, emulator {ours:x}, c {:x}",
        operand('c', row, column)
    );
    eprintln!("    a{}\n    b{}", list('a'), list('b'));
}
