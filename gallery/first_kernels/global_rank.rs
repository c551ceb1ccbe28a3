//! The rank of a thread in the whole grid.
//!
//! The textbook's section 6.8.1 (E2-05). Note the table: a row is a block. `Index1D` is that rank, computed in 64 bits, and the key to
//! the thread's own element.
//!
//! `cargo run --release -p warploom-gallery --example global_rank [blocks] [threads per block]`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

#[kernel]
fn ranks(i: Index1D, mut y: DisjointSlice<u32>) {
    let rank = block_dim().x * block_idx().x + thread_idx().x;
    assert_eq!(i.get(), rank as usize);
    if let Some(y) = y.get_mut(i) {
        *y = rank;
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (blocks, threads) = (program.argument(1, 4u32)?, program.argument(2, 5u32)?);
    let stream = program.device().stream()?;
    let mut y = program
        .device()
        .zeroed::<u32>(blocks as usize * threads as usize)?;
    ranks::launch(&stream, (blocks, threads), &mut y)?;
    let found = y.to_vec(&stream)?;
    println!("block |  threads 0 to {}", threads - 1);
    for (block, row) in found.chunks(threads as usize).enumerate() {
        println!(
            "{block:5} | {}",
            row.iter()
                .map(|rank| format!("{rank:4}"))
                .collect::<String>()
        );
    }
    program.equal("ranks", &found, &Vec::from_iter(0..blocks * threads));
    Ok(())
}
