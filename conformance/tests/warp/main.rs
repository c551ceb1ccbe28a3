//! What the lanes of a warp do together: votes, matches, reductions, shuffles, scans; all of them against a model in plain Rust.

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
