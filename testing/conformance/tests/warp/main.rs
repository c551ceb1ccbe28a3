//! What the lanes of a warp do together: votes, matches, reductions, shuffles, scans; all of them against a model in plain Rust.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests stand outside of #[test] functions"
)]

mod active;
mod masks;
mod matches;
mod model;
mod ptx;
mod reductions;
mod scans;
mod shuffle_types;
mod shuffles;
mod votes;
