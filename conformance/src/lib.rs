//! The requirements of the device language, row by row: see `tests/`.
//!
//! One folder per chapter. A line `//@ rows: SY-1, SY-2` above a `#[test]` says which rows it proves; a test that goes through
//! `warploom_harness::device_test` proves them on the emulator and on the GPU, one in a file `ptx*.rs` proves them in the PTX. Code here
//! is what several of them compare with.

pub mod reference; // arithmetic of about 100 bits
