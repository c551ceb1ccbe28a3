//! Kernels with one bug each, and the same kernels without it: what the checked emulator must find, and must not.
//!
//! A case is a kernel with a parameter `BUG`: `kernel::<true>` has the bug, `kernel::<false>` is its twin. The report that the bug has to
//! bring about is written at the end of the lines that it names, `//~ WL0101 first` ([`expect`]); the twin gives no report, and the right
//! result. `tests/corpus.rs` runs all of them on the emulator; `corpus-case` runs one on any device, for `compute-sanitizer.sh`.
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "kernels with one bug each: one comment says which promise the whole kernel breaks"
)]
#![allow(
    clippy::ptr_as_ptr,
    reason = "kernels with bugs in what they do with pointers"
)]

pub mod case; // what a case is
pub mod expect; // what the marks in its source say
pub mod findings; // what a run reports
pub mod record; // results/reported.tsv
pub mod table; // docs/generated/checker.md

mod correct; // right, and close to what is wrong
mod memory; // out of bounds, misaligned, freed
mod order; // atomics: mixed with plain accesses, too narrow, too weak
mod other; // panics, overflow, performance
mod races; // shared and global memory without barriers
mod reported; // bugs from public reports (RULES.md)
mod uninitialised; // reads of memory that was never written
mod waits; // barriers and warp operations that not all come to

use case::{Case, File};

/// All files with cases.
pub const FILES: &[&[File]] = &[
    memory::FILES,
    uninitialised::FILES,
    races::FILES,
    order::FILES,
    waits::FILES,
    other::FILES,
    reported::FILES,
];

/// The files of correct kernels.
pub const CORRECT: &[&[File]] = &[correct::FILES];

/// All cases, each with its file.
pub fn cases() -> impl Iterator<Item = (&'static File, &'static Case)> {
    all(FILES)
}

/// All correct kernels, each with its file. Their `bug` is not there: they run as twins do.
pub fn correct() -> impl Iterator<Item = (&'static File, &'static Case)> {
    all(CORRECT)
}

fn all(
    folders: &'static [&'static [File]],
) -> impl Iterator<Item = (&'static File, &'static Case)> {
    let files = folders.iter().flat_map(|files| files.iter());
    files.flat_map(|file| file.cases.iter().map(move |case| (file, case)))
}
