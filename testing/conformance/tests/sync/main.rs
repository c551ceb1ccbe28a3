//! Barriers of a block, of a warp, of some warps, in memory; copies that go on beside the threads.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests stand outside of #[test] functions"
)]

mod asking;
mod async_copy;
mod block;
mod mbarrier;
mod misuse;
mod named;
mod ptx;
mod warp;
