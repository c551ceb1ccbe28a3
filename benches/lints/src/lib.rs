//! Kernels whose sectors and bank conflicts are counted twice: by the lints of the emulator, and by the hardware's counters under Nsight Compute.
//!
//! A kernel is a [`Case`], launched once. Start at [`case`]; the kernels are in [`global`] and [`shared`]. What was counted is committed: by the lints in
//! `benches/lints/emulator.tsv`, by GPUs in `benches/results/lints/`, as `run-on-gpu.py` writes it. [`document`] puts both side by side; where they differ,
//! `benches/lints/differences.tsv` must give the reason.

pub mod case; // a kernel, its inputs and what it must compute
pub mod counts; // what was counted of a case, and tables of it
pub mod document; // docs/generated/lint-counters.md
pub mod global; // patterns of accesses to global memory
pub mod shared; // patterns of accesses to shared memory

pub use case::Case;
pub use counts::{Counts, Table};

/// All cases, in the order in which they are launched.
pub fn cases() -> impl Iterator<Item = &'static Case> {
    global::CASES.iter().chain(shared::CASES)
}
