//! `Box`, `Vec` and `String` in kernels.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail as the tests do"
)]

mod boxes;
mod limit;
mod strings;
mod vectors;
