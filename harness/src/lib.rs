//! What the tests and benchmarks of warploom share: benchmarks as data, their statistics and records, the table in the
//! documentation, and the bundle for a GPU machine that has no Rust.
//!
//! Takes times and gives records and text. Must not know: kernels, devices, CUDA. Start at [`benchmark`].

#![forbid(unsafe_code)]

pub mod benchmark; // what is measured, as data
pub mod bundle; // binaries, twins and scripts in one archive
pub mod date; // the day of a record
pub mod record; // one measured row, and the files of rows
pub mod statistics; // many times become a median and a spread
pub mod table; // rows become docs/benchmarks.md
