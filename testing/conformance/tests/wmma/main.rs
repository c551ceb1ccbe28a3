//! Matrices of a warp (WMMA): every shape, type and layout against plain arithmetic and, bit for bit, against the emulator's model of tensor cores.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests stand outside of #[test] functions"
)]

mod elements;
mod memory;
mod misuse;
mod model;
mod products;
mod ptx;
mod shared;
