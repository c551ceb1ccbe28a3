//! The listings of the book, a module for each chapter: `docs/book/src/` includes them by their anchors.
//!
//! `tests/repo_checks/book.rs` checks the book itself: its structure, its links, and that all code that it shows is compiled here.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail as the tests do"
)]

mod transcript; // texts that the book shows

mod atomics;
mod bugs;
mod deployment;
mod errors;
mod first_kernel;
mod from_cuda;
mod from_cudarc;
mod from_rust_cuda;
mod how_it_works;
mod libraries;
mod memory;
mod performance;
mod schedules;
mod shared_memory;
mod streams;
mod tensor_cores;
mod testing;
mod textures;
mod warps;
