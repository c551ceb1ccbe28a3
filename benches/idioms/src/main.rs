//! Idioms of Rust in kernels, beside the same written with counters and indices: do both become the same machine code?
//!
//! ```text
//! cargo run --release -p warploom-idioms
//! ```
//! runs both kernels of each pair on the emulator, where their results must be equal. With ptxas and nvdisasm (`WARPLOOM_PTXAS`) it then counts the
//! instructions of both for sm_90: an idiom may have 1.10 times as many as its plain form, or stands in `benches/idioms/exceptions.tsv` with the reason.
//! With `WARPLOOM_BLESS=1` the figures go to `benches/results/idioms.tsv`, of which `docs/generated/idioms.md` is made.
//!
//! A pair is written with `pairs!` (`pair.rs`), in the file of its kind. The plain form has bounds checks, too, and no tricks that the idiom could not have.
#![expect(clippy::print_stdout, reason = "a benchmark reports as it goes")]

// The frame.
mod figures; // registers and instructions of both forms, against the limit
mod pair; // two kernels with equal results

// The pairs.
mod array_iterators;
mod arrays;
mod inclusive_ranges;
mod integers;
mod ranges;
mod reductions;
mod searches;
mod slices;
mod strides;

use std::error::Error;
use std::process::ExitCode;

use warploom::prelude::*;

use pair::Pair;

/// The pairs by the names of their files, in the order of the page.
const FILES: [(&str, &[Pair]); 9] = [
    ("ranges", ranges::PAIRS),
    ("inclusive_ranges", inclusive_ranges::PAIRS),
    ("slices", slices::PAIRS),
    ("strides", strides::PAIRS),
    ("reductions", reductions::PAIRS),
    ("searches", searches::PAIRS),
    ("integers", integers::PAIRS),
    ("arrays", arrays::PAIRS),
    ("array_iterators", array_iterators::PAIRS),
];

fn main() -> ExitCode {
    match emulate().and_then(|()| figures::compare()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("idioms: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs all pairs on the emulator.
fn emulate() -> Result<(), Box<dyn Error>> {
    let stream = Device::emulator().stream()?;
    let (mut pairs, mut wrong) = (0, Vec::new());
    for (file, of_file) in FILES {
        for pair in of_file {
            pairs += 1;
            if let Err(error) = (pair.run)(&stream) {
                wrong.push(format!("{file}::{}: {error}", pair.module));
            }
        }
    }
    if wrong.is_empty() {
        println!("{pairs} pairs have equal results on the emulator");
        return Ok(());
    }
    let (failed, list) = (wrong.len(), wrong.join("\n"));
    Err(format!("{failed} of {pairs} pairs failed:\n{list}").into())
}
