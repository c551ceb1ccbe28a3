//! The host greets once, then every thread of the device does; then each thread prints its number.
//!
//! The study notes' sections 1.1.1 and 1.2 (E3-01, E3-02). 2 blocks of 4 threads. Note: the host's line comes first although the
//! kernel was not waited for, because what kernels print waits on the device until the stream is synchronised. The lines of threads have
//! no order: blocks run as they like.
//!
//! `cargo run --release -p warploom-gallery --example hi_from_gpu`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

const BLOCKS: u32 = 2;
const THREADS: u32 = 4;

#[kernel]
fn hi() {
    gpu_println!("Hi from GPU");
}

#[kernel]
fn hi_with_ids() {
    let (thread, block) = (thread_idx().x, block_idx().x);
    gpu_println!("Hi from GPU, thread {thread} of block {block}");
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let stream = program.device().stream()?;
    println!("Hi from CPU");
    let greetings = program.printed(|| Ok(hi::launch(&stream, (BLOCKS, THREADS))?))?;
    program.equal("greetings", &greetings, &vec!["Hi from GPU".to_owned(); 8]);

    let mut lines = program.printed(|| Ok(hi_with_ids::launch(&stream, (BLOCKS, THREADS))?))?;
    lines.sort();
    let of_thread = |b, t| format!("Hi from GPU, thread {t} of block {b}");
    let all = (0..BLOCKS).flat_map(|b| (0..THREADS).map(move |t| of_thread(b, t)));
    let mut expected: Vec<String> = all.collect();
    expected.sort();
    program.equal("one line for each thread", &lines, &expected);
    Ok(())
}
