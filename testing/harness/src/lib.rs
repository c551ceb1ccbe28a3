//! What the tests and benchmarks of warploom share: benchmarks as data, their statistics and records, the table in the
//! documentation, the bundle for a GPU machine that has no Rust, and tests whose one body runs on every back end.
//!
//! Takes times and gives records and text; only [`device_test`] knows devices. Must not know: CUDA, the macros. Start at
//! [`benchmark`] or [`device_test`].

#![forbid(unsafe_code)]

pub mod algorithm_programs; // programs on the algorithms beside others: docs/generated/algorithm-programs.md
pub mod algorithms; // algorithms beside CUB: docs/generated/algorithms.md
pub mod benchmark; // what is measured, as data
pub mod bundle; // binaries, twins and scripts in one archive
pub mod coverage; // which test proves which row of the requirements
pub mod date; // the day of a record
pub mod device_test; // the emulator, and the GPU when there is one
pub mod embedded; // device code written by hand, in a program
pub mod emulator_speed; // how fast the emulator is: samples, rows, docs/generated/emulator-speed.md
pub mod futures; // waiting for one future
pub mod generated; // documents made from what is committed
pub mod host_coverage; // which test proves which of the host's rows
pub mod idioms; // idioms of Rust beside their plain forms: docs/generated/idioms.md
pub mod linalg; // products of matrices beside cuBLASLt: docs/generated/linalg.md
pub mod math_accuracy; // how exact the mathematical functions are: rows, docs/generated/math.md
mod opened_gpus; // which tests opened which GPU
pub mod ptx; // what a kernel's PTX must look like, in comments under the kernel
pub mod ptxas; // NVIDIA's assembler, where there is one
pub mod record; // one measured row
pub mod results; // files of results
pub mod sections; // which ids the documents have
pub mod static_comparison; // what kernels cost before they run, beside nvcc's: docs/generated/static-comparison.md
pub mod statistics; // many times become a median and a spread
pub mod table; // rows become docs/generated/benchmarks.md
pub mod toolchains; // which toolchains were tried: docs/generated/toolchains.md
pub mod unseen; // kernels on which the compiler was not tuned: docs/generated/unseen.md
