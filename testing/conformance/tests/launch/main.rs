//! Launches: shapes and their limits, clusters, cooperative grids, parameters, launch bounds.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests stand outside of #[test] functions"
)]

mod bounds;
mod clusters;
mod cooperative;
mod dependent;
mod distributed;
mod functions;
mod graphs;
mod models;
mod parameters;
mod ptx_launch;
mod refusals;
mod shape;
mod streams;
