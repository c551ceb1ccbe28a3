//! Five threads print a number each; then only the first does.
//!
//! The CUDA programming guide, section B.14.4 of its later edition (EX-48, EX-49). Note: the kernel decides which threads print; each thread
//! that comes by does, with its own values. The format is Rust's, which prints 1.2345 as it is; C's `%f` would give 1.234500.
//!
//! `cargo run --release -p warploom-gallery --example hello_float`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

#[kernel]
fn hello(f: f32) {
    gpu_println!("Hello thread {}, f={}", thread_idx().x, f);
}

#[kernel]
fn hello_from_first(f: f32) {
    if thread_idx().x == 0 {
        gpu_println!("Hello thread {}, f={}", thread_idx().x, f);
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let stream = program.device().stream()?;
    println!("five threads:");
    let mut lines = program.printed(|| Ok(hello::launch(&stream, (1, 5), 1.2345)?))?;
    lines.sort(); // they come in no order that means anything
    let expected: Vec<String> = (0..5)
        .map(|t| format!("Hello thread {t}, f=1.2345"))
        .collect();
    program.equal("a line for each", &lines, &expected);

    println!("the first thread only:");
    let lines = program.printed(|| Ok(hello_from_first::launch(&stream, (1, 5), 1.2345)?))?;
    program.equal("one line", &lines, &expected[..1]);
    Ok(())
}
