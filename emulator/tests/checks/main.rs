//! What the checks find in kernels that are wrong, and that they find nothing in those that are right.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the body of a kernel is one sequence of intrinsics with one reason"
)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_types,
    reason = "helpers of tests stand outside of #[test] functions"
)]

mod atomics; // what atomics and fences order
mod controlled; // runs in which each atomic access is chosen
mod cost; // what a checked access costs
mod exits; // lanes that return before a barrier
mod first; // what was not accessed before
mod freed; // memory that is freed while others use it
mod global; // races on global memory
mod lints; // performance
mod often; // what many have accessed before
mod pairs; // two reads that one hook is asked for
mod parts; // barriers of parts of a block and in memory, copies
mod past; // shared memory of which a barrier has made all that was remembered past
mod rows; // many reads that one hook is asked for
mod shared; // races on shared memory, and reads of what has no value
mod support;
mod together; // clusters and cooperative grids
mod warp; // lanes of one warp
