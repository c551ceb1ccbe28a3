//! Every thread says which one it is.
//!
//! The textbook's sections 6.4 (E2-02, one block) and 6.6 (E2-03, many blocks). Note the order of the lines: the book shows
//! the threads of a block in their order, which nothing promises, and blocks come in any. And at two blocks of half of seven threads: one
//! is lost.
//!
//! `cargo run --release -p warploom-gallery --example hello [blocks] [threads per block]`
//@ rows: P-44
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

#[kernel]
fn hello() {
    gpu_println!("Hello from thread {}!", thread_idx().x);
}

#[kernel]
fn hello_from_block() {
    gpu_println!(
        "Hello from thread {} in block {}",
        thread_idx().x,
        block_idx().x
    );
}

fn main() -> std::process::ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (blocks, threads) = (program.argument(1, 2u32)?, program.argument(2, 5u32)?);
    let stream = program.device().stream()?;

    for threads in [1, 10] {
        println!("one block of {threads}:");
        let mut lines = program.printed(|| Ok(hello::launch(&stream, (1, threads))?))?;
        let all = (0..threads).map(|t| format!("Hello from thread {t}!"));
        let expected: Vec<String> = all.collect();
        lines.sort();
        program.equal("each thread prints once", &lines, &expected);
    }

    println!("{blocks} blocks of {threads}:");
    let mut lines =
        program.printed(|| Ok(hello_from_block::launch(&stream, (blocks, threads))?))?;
    let all = (0..blocks)
        .flat_map(|b| (0..threads).map(move |t| format!("Hello from thread {t} in block {b}")));
    let mut expected: Vec<String> = all.collect();
    lines.sort();
    expected.sort();
    program.equal("each thread prints once", &lines, &expected);

    let count = 7;
    println!("{count} threads in two blocks of {count} / 2:");
    let lines = program.printed(|| Ok(hello_from_block::launch(&stream, (2, count / 2))?))?;
    program.is("one thread is missing", lines.len(), 6);
    Ok(())
}
