//! What the programs of the gallery share: opening a device, arguments, checks, findings of the emulator, pictures.
//!
//! # How a program looks
//!
//! One file of 60 to 150 lines in the folder of its group (for what needs more, a folder of the program's name with `main.rs`), an
//! `[[example]]` in `Cargo.toml`, a line per row of the documents in `programs.tsv`. Its head says what it computes, what to note and
//! how it is run; then come the kernels, then the host's side, then plain Rust that computes the same.
//!
//! ```
//! //! `y = 2 x`: a thread for each element.
//! //!
//! //! The textbook's section 6.8 (E2-06). Note the guard: `get_mut` is `None` in threads beyond the end.
//! //!
//! //! `cargo run --release -p warploom-gallery --example double [n]`
//! #![expect(clippy::print_stdout, reason = "a program talks to its user")]
//!
//! use warploom::prelude::*;
//! use warploom_gallery::{Program, Result};
//!
//! /// Each thread doubles one element.
//! #[kernel]
//! fn double(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
//!     if let Some(y) = y.get_mut(i) {
//!         *y = 2.0 * x[i.get()];
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     warploom_gallery::main(run)
//! }
//!
//! fn run(program: &Program) -> Result {
//!     let n = program.argument(1, program.sized(1000, 1 << 20))?; // the emulator gets less to do
//!     let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
//!     let stream = program.device().stream()?;
//!     let (input, mut output) = (program.device().upload(&x)?, program.device().zeroed(n)?);
//!     double::launch(&stream, Launch::covering(n), &input, &mut output)?;
//!     let y = output.to_vec(&stream)?;
//!     println!("y[{}] = {}", n - 1, y[n - 1]); // what the document prints
//!     let expected: Vec<f32> = x.iter().map(|x| 2.0 * x).collect();
//!     program.equal("elements", &y, &expected);
//!     Ok(())
//! }
//! ```
//!
//! The last line that it prints is `1 checks passed on emulator`; a check that fails is printed, and the exit code is 1. CI runs every
//! program without arguments and goes by both.
//!
//! - **Programs** open a device with [`main`]: a GPU if there is one, else the emulator. Sizes are the document's own on a GPU, and on the
//!   emulator such that a debug build with all checks takes a second ([`Program::sized`]).
//! - **Negative examples**, in `mistakes/`, start with [`mistake`]: the checked emulator on every machine. [`Program::finds`] prints the
//!   report and checks its code. The repaired kernel stands beside the wrong one and is run as well.
//! - **Costs** (divergence, bank conflicts, coalescing) start with [`costs`]: the checked emulator with performance lints;
//!   [`Program::warns`] and [`Program::is_silent`] check what was found.
//! - **Times** are measured by events: [`Program::shortest_ms`].
//! - **What kernels print** comes back from [`Program::printed`], to be checked.
//! - **PTX** of a kernel, to count its instructions: [`ptx`].
//! - **Pictures** and other files go to `target/gallery/`: [`Program::write`], [`Program::picture`].
//! - **Lists of arguments, results, errors**: `Result` takes every error with `?`. Code that only the host needs goes below the kernels.
//! - Nothing but this crate, `warploom` and `std`: each program costs every `cargo test` a link.

#![forbid(unsafe_code)]

mod clock; // how long work takes
mod files; // what programs leave in target/gallery
mod findings; // what the emulator says of kernels
mod program; // device, arguments, sizes
mod ptx; // what the program's own device code looks like
mod score; // checks
pub mod trapezoid; // the figures of `trapezoid_study`: file, page, plot, claims

pub use program::{Program, Result, costs, main, mistake};
pub use ptx::{Ptx, ptx};
