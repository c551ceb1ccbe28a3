//! What code can ask about where it runs, what it can tell the compiler, and how it ends when something is wrong.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail as the tests do"
)]

mod asserts;
mod assumptions;
mod loops;
mod ptx_arch;
mod ptx_assumptions;
mod ptx_loops;
mod ptx_release;
mod target;
mod trap;
