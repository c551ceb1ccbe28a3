//! Products of matrices on tensor cores: the places of elements, loads and stores, and the bits of results against those of a GPU.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests stand outside of #[test] functions"
)]

mod fragments;
mod group_matmul;
mod missing_lanes;
mod moves;
mod products;
mod ptx;
mod ptx_groups;
mod ptx_sparse;
mod rows;
mod sparse;
mod warp_groups;
