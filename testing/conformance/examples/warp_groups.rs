//! Calibrates the emulator's products of warp groups: hashes of random products on a GPU, compared with the emulator.
//!
//! ```text
//! warp_groups [--only TEXT] [--elements N] > warp_groups.tsv
//! ```
//! Writes a line for each case and distribution: the hash of the first products, which tests recompute on the emulator, and that of about `N` elements
//! (12.6 million). The first results that differ from the emulator's are written to standard error with their operands. Without a GPU the emulator is compared
//! with itself.
#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

use std::process::ExitCode;

use warploom::Device;
use warploom_conformance::each_warp_group_case;
use warploom_conformance::tensor_cores::Distribution;
use warploom_conformance::warp_groups::{self, GroupCase, hash_on, results_on, sample};

struct Options {
    only: String,
    elements: u64,
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
        elements: 12_582_912,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or("a value is missing")?;
        match &*name {
            "--only" => options.only = value,
            "--elements" => options.elements = value.parse()?,
            _ => return Err(format!("`{name}` is no option").into()),
        }
    }
    let gpu = Device::cuda(0).unwrap_or_else(|why| {
        eprintln!("no GPU, the emulator is compared with itself: {why}");
        Device::emulator()
    });
    eprintln!("{}", gpu.name());
    println!("# case\tdistribution\tproducts\thash of the first\thash of all");
    let mut differ = 0;
    macro_rules! case {
        ($name:ident) => {
            if warp_groups::$name::NAME.contains(&options.only) {
                differ += compare::<warp_groups::$name>(&gpu, &options)?;
            }
        };
    }
    each_warp_group_case!(case);
    eprintln!("{differ} lines differ");
    Ok(differ == 0)
}

/// Writes the lines of one case; gives the number of those in which the emulator differs.
fn compare<C: GroupCase>(gpu: &Device, options: &Options) -> warploom::Result<u32> {
    let stream = gpu.stream()?;
    let emulator = Device::emulator();
    let on_emulator = emulator.stream()?;
    let mut differ = 0;
    let sample = 0..sample::<C>();
    let products = (options.elements / (64 * C::COLUMNS as u64)).max(sample.end);
    for distribution in Distribution::ALL {
        let first = hash_on::<C>(&stream, sample.clone(), distribution)?;
        let all = hash_on::<C>(&stream, 0..products, distribution)?;
        println!(
            "{}\t{distribution:?}\t{products}\t{first:016x}\t{all:016x}",
            C::NAME
        );
        if hash_on::<C>(&on_emulator, sample.clone(), distribution)? == first {
            continue;
        }
        differ += 1;
        let theirs = results_on::<C>(&stream, sample.clone(), distribution)?.to_vec(&stream)?;
        let ours =
            results_on::<C>(&on_emulator, sample.clone(), distribution)?.to_vec(&on_emulator)?;
        let pairs = theirs.iter().zip(&ours).enumerate();
        let wrong: Vec<_> = pairs.filter(|(_, (a, b))| a != b).collect();
        let (name, count, all) = (C::NAME, wrong.len(), ours.len());
        eprintln!("{name} {distribution:?} differs in {count} of {all}");
        for (at, (theirs, ours)) in wrong.into_iter().take(6) {
            show::<C>(at, distribution, (*theirs, *ours));
        }
    }
    Ok(differ)
}

/// Writes the operands of one result.
fn show<C: GroupCase>(at: usize, distribution: Distribution, (theirs, ours): (u32, u32)) {
    let n = C::COLUMNS;
    let (product, row, column) = ((at / (64 * n)) as u64, at / n % 64, at % n);
    let operand = |role, row, column| C::operand(role, product, distribution, row, column);
    let list = |role: char| -> String {
        let of = |i| match role {
            'a' => operand(role, row, i),
            _ => operand(role, i, column),
        };
        (0..C::K).map(|i| format!(" {:x}", of(i))).collect()
    };
    eprintln!(
        "  product {product} [{row}, {column}]: GPU {theirs:x}, emulator {ours:x}, c {:x}",
        operand('c', row, column)
    );
    eprintln!("    a{}\n    b{}", list('a'), list('b'));
}
