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
            if warploom_conformance::tensor_cores::$name::NAME.contains(&options.only) {
                differ += compare::<warploom_conformance::tensor_cores::$name>(&gpu, &options)?;
            }
        };
    }
    each_tensor_core_case!(case);
    each_sparse_case!(case);
    macro_rules! fragments {
        ($name:ident [$($a:ident $b:ident),*]) => {
            if stringify!($name).contains(&options.only) {
                let layouts: &[(&str, Hash)] = &[$((
                    concat!(stringify!($a), " ", stringify!($b)),
                    hash_of_fragments::<tensor_cores::$name<$a, $b>>,
                )),*];
                type One = tensor_cores::$name<RowMajor, ColMajor>;
                let elements = <One as FragmentCase>::Shape::M * <One as FragmentCase>::Shape::N;
                differ += compare_layouts(&gpu, &options, (One::NAME, elements), layouts)?;
            }
        };
    }
    each_fragment_case!(fragments);
    each_fragment_case_of_few_bits!(fragments);
    eprintln!("{differ} lines differ");
    Ok(differ == 0)
}

/// Writes the lines of one instruction; gives the number of those in which the emulator differs.
fn compare<C: Case>(gpu: &Device, options: &Options) -> warploom::Result<u32> {
    let stream = gpu.stream()?;
    let emulator = Device::emulator();
    let on_emulator = emulator.stream()?;
    let mut differ = 0;
    let [m, n, _] = C::SHAPE;
    let products = options.products * (128 / (m * n)) as u64;
    for distribution in Distribution::ALL {
        let sample = hash_on::<C>(&stream, 0..SAMPLE, distribution, 8)?;
        let all = hash_on::<C>(&stream, 0..products, distribution, 528)?;
        println!(
            "{}\t{distribution:?}\t{products}\t{sample:016x}\t{all:016x}",
            C::NAME
        );
        let compared = 0..options.compare;
        let theirs = match options.compare {
            SAMPLE => sample,
            _ => hash_on::<C>(&stream, compared.clone(), distribution, 528)?,
        };
        if hash_on::<C>(&on_emulator, compared.clone(), distribution, 64)? == theirs {
            continue;
        }
        differ += 1;
        eprintln!("{} {distribution:?} differs", C::NAME);
        let mut shown = 0;
        for first in compared.step_by(8).take(64) {
            let theirs = results_on::<C>(&stream, first, distribution)?;
            let ours = results_on::<C>(&on_emulator, first, distribution)?;
            for (at, (theirs, ours)) in theirs.into_iter().zip(ours).enumerate() {
                if theirs != ours && shown < 4 {
                    shown += 1;
                    show::<C>(first, at, distribution, (theirs, ours));
                }
            }
        }
    }
    Ok(differ)
}

/// What [`hash_of_fragments`] gives for one layout of A and B.
type Hash = fn(&Stream, Range<u64>, Distribution, u32) -> warploom::Result<u64>;

/// As [`compare`], for a product of fragments with `elements` results, in each layout of A and B.
fn compare_layouts(
    gpu: &Device,
    options: &Options,
    (name, elements): (&str, usize),
    layouts: &[(&str, Hash)],
) -> warploom::Result<u32> {
    let stream = gpu.stream()?;
    let emulator = Device::emulator();
    let on_emulator = emulator.stream()?;
    let products = options.products * 128 / elements as u64;
    let mut differ = 0;
    for distribution in Distribution::ALL {
        let mut line = None;
        for (layout, hash) in layouts {
            let sample = hash(&stream, 0..SAMPLE, distribution, 64)?;
            let all = hash(&stream, 0..products, distribution, 4224)?;
            if *line.get_or_insert((sample, all)) != (sample, all) {
                differ += 1;
                eprintln!("{name} {distribution:?}: {layout} is not as the first layout");
            }
            let theirs = match options.compare {
                SAMPLE => sample,
                compared => hash(&stream, 0..compared, distribution, 4224)?,
            };
            if hash(&on_emulator, 0..options.compare, distribution, 64)? != theirs {
                differ += 1;
                eprintln!("{name} {distribution:?}: {layout} differs on the emulator");
            }
        }
        if let Some((sample, all)) = line {
            println!("{name}\t{distribution:?}\t{products}\t{sample:016x}\t{all:016x}");
        }
    }
    Ok(differ)
}

/// Writes the operands of one result.
fn show<C: Case>(first: u64, at: usize, distribution: Distribution, (theirs, ours): (u64, u64)) {
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
