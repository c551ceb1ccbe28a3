//! Copies of boxes of tensors, and of many bytes, between global and shared memory.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests stand outside of #[test] functions"
)]

mod bulk;
mod cluster;
mod expected;
mod loads;
mod misuse;
mod ptx;
mod reductions;
mod stores;
