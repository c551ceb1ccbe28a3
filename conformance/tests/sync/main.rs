//! Barriers of a block, of a warp, of some warps, in memory; copies that go on beside the threads.

mod asking;
mod async_copy;
mod block;
mod mbarrier;
mod misuse;
mod named;
mod ptx;
mod warp;
