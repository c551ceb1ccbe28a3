//! Eight threads add to one sum: in which order?
//!
//! The textbook's section 6.11.1 (E2-10t). Note the last line of the table: the book's own table ends at 73, because thread 0 adds there
//! f(0), which the kernel's guard leaves to the host. With the guard it is 72, which is the area under `f(x) = 2x + 1` from 0 to 8.
//!
//! `cargo run --release -p warploom-gallery --example atomic_order`
//@ rows: P-06
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

fn f(x: f32) -> f32 {
    2.0 * x + 1.0
}

/// Each thread keeps what the sum was before its addition: an atomic returns the old value.
#[kernel]
fn add(i: Index1D, guard: bool, sum: &[AtomicF32], mut before: DisjointSlice<f32>) {
    let rank = i.get();
    if (rank > 0 || !guard)
        && let Some(before) = before.get_mut(i)
    {
        *before = sum[0].fetch_add(f(rank as f32));
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let total = table(program, true)?;
    program.is("with the guard", total, 72.0);
    let total = table(program, false)?;
    program.is("without", total, 73.0);
    Ok(())
}

/// Prints in which order threads added; returns the sum.
fn table(program: &Program, guard: bool) -> Result<f32> {
    let device = program.device();
    let stream = device.stream()?;
    let start = 0.5 * (f(0.0) + f(8.0));
    let mut sum = device.upload(&[start])?;
    let mut before = device.filled(8, -1.0f32)?;
    add::launch(&stream, (1, 8), guard, sum.as_atomic(), &mut before)?;

    println!("time  thread  f(x)  sum\nstart      -     -  {start:3}");
    let before = before.to_vec(&stream)?;
    let mut order: Vec<usize> = (0..8).filter(|&rank| before[rank] >= 0.0).collect();
    order.sort_by(|&a, &b| before[a].total_cmp(&before[b])); // the sum only grows
    let mut now = start;
    for (time, &rank) in order.iter().enumerate() {
        let own = f(rank as f32);
        program.is("the old value", before[rank], now);
        now += own;
        println!("t{time}    {rank:6}  {own:4}  {now:3}");
    }
    program.equal("the sum in memory", &sum.to_vec(&stream)?, &[now]);
    Ok(now)
}
