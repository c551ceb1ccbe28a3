//! Cache and shared memory are one memory: a kernel says which of the two it would rather have more of.
//!
//! The CUDA programming guide, section G.4.1 (EX-46). Note: it is a wish of the kernel, by name, and no result depends on it. On a GPU
//! the number of blocks that a multiprocessor has room for is printed as well; on the emulator there is no cache to choose.
//!
//! `cargo run --release -p warploom-gallery --example cache_preference`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::module::CachePreference;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// The sum of each block by shared memory.
#[kernel(block(256))]
fn sums(i: Index1D, block: Block, x: &[u32], mut y: DisjointSlice<u32, PerBlock>) {
    let tile = shared_array!(u32, 256);
    // SAFETY: each thread writes its own element, and all read after the barrier.
    unsafe { tile.set(block.thread(), x[i.get()]) };
    block.sync();
    // SAFETY: no thread writes after the barrier.
    let get = |k| unsafe { tile.get(k) };
    let sum = match block.is_first() {
        true => (0..256).map(get).sum(),
        false => 0,
    };
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = sum;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let (stream, blocks) = (device.stream()?, program.sized(10, 10_000));
    let x: Vec<u32> = (0..256 * blocks).map(|i| (i % 101) as u32).collect();
    let expected: Vec<u32> = x.chunks(256).map(|block| block.iter().sum()).collect();
    let (input, mut y) = (device.upload(&x)?, device.zeroed::<u32>(blocks)?);
    let kernel = sums::function(device)?;
    for preference in [
        CachePreference::Shared,
        CachePreference::L1,
        CachePreference::Equal,
        CachePreference::None,
    ] {
        kernel.prefer_cache(preference)?;
        let ms = program.shortest_ms(&stream, || {
            Ok(sums::launch(
                &stream,
                Launch::covering(x.len()),
                &input,
                &mut y,
            )?)
        })?;
        program.equal("sums", &y.to_vec(&stream)?, &expected);
        println!("{preference:?}: {ms:.4} ms");
        y.fill(0, &stream)?;
    }
    println!(
        "at a time on a multiprocessor: {} blocks",
        kernel.occupancy(256, 0)?.blocks
    );
    Ok(())
}
