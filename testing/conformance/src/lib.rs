//! The requirements of the device language, row by row: see `tests/`.
//!
//! One folder per chapter. A line `//@ rows: SY-1, SY-2` above a `#[test]` says which rows it proves; a test that goes through
//! `warploom_harness::device_test` proves them on the emulator and on the GPU, one in a file `ptx*.rs` proves them in the PTX. Code here
//! is what several of them compare with.
//!
//! What does not compile, by rustc's own rules. A kernel called as a function, by itself or by another (EX-3):
//! ```compile_fail,E0061
//! use warploom::prelude::*;
//! #[kernel]
//! fn down(i: Index1D, n: u32) {
//!     down(i, n - 1);
//! }
//! ```
//! Two ways of inlining on one function (AN-4), a warning that rustc will make an error:
//! ```compile_fail
//! #![deny(unused_attributes)]
//! #[inline(never)]
//! #[inline(always)]
//! fn both() {}
//! ```

pub mod group_matmul; // a matrix product on warp groups
pub mod library; // statics that several crates' kernels use
pub mod reference; // arithmetic of about 100 bits
pub mod tensor_cores; // random products on tensor cores
pub mod tensor_memory_matmul; // a matrix product whose sums are in tensor memory
pub mod warp_groups; // random products of warp groups
