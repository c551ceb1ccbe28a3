//! The number of a thread in blocks of one, two and three dimensions: `x + y * width + z * width * height`.
//!
//! The study notes' section 1.2 (E3-04). Note: x runs fastest, and this order decides which threads share a warp: threads 32 w to 32 w + 31 are
//! warp w. `Block::thread` is that number. Each thread leaves a mark at its number; as each mark is there once, the numbers are 0, 1, 2 …
//! without gaps.
//!
//! `cargo run --release -p warploom-gallery --example thread_order`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// `marks[n]` counts the threads with the number n; `disagree` those of which the library says something else.
#[kernel]
fn mark(block: Block, warp: Warp, marks: &[AtomicU32], disagree: &[AtomicU32]) {
    let (thread, size) = (thread_idx(), block_dim());
    let number = thread.x + thread.y * size.x + thread.z * size.x * size.y;
    marks[number as usize].fetch_add(1, Relaxed);
    let same = block.thread() as u32 == number
        && (warp.index(), warp.lane()) == (number / 32, number % 32);
    if !same {
        disagree[0].fetch_add(1, Relaxed);
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let shapes = [
        (96, 1, 1),
        (16, 4, 1),
        (7, 5, 1),
        (4, 4, 4),
        (8, 6, 20),
        (1, 1, 64),
    ];
    for shape in shapes {
        let threads = (shape.0 * shape.1 * shape.2) as usize;
        let mut marks = device.zeroed::<u32>(threads)?;
        let mut disagree = device.zeroed::<u32>(1)?;
        mark::launch(
            &stream,
            Launch::new(1, shape),
            marks.as_atomic(),
            disagree.as_atomic(),
        )?;
        println!(
            "block of {shape:?}: threads 0 to {}, {} warps",
            threads - 1,
            threads.div_ceil(32)
        );
        program.equal(
            "one thread for each number",
            &marks.to_vec(&stream)?,
            &vec![1; threads],
        );
        program.equal("warp and lane", &disagree.to_vec(&stream)?, &[0]);
    }
    Ok(())
}
