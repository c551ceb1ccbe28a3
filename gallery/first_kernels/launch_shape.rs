//! Grids and blocks with three extents, and what threads read of them.
//!
//! The textbook's section 6.6 (E2-04). Note the shape as tuples or arrays: what is not said is 1, and there is no comma operator that
//! could swallow an extent.
//!
//! `cargo run --release -p warploom-gallery --example launch_shape`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// Every thread counts itself at its place in the grid, blocks and threads numbered with x fastest; one of all writes the extents down.
#[kernel]
fn describe(extents: &[AtomicU32], seen: &[AtomicU32]) {
    let (grid, block) = (grid_dim(), block_dim());
    let (b, t) = (block_idx(), thread_idx());
    let block_number = b.x + grid.x * (b.y + grid.y * b.z);
    let thread_number = t.x + block.x * (t.y + block.y * t.z);
    let number = block_number * block.count() as u32 + thread_number;
    seen[number as usize].fetch_add(1, Relaxed);
    if number == 0 {
        for (place, extent) in extents
            .iter()
            .zip([grid.x, grid.y, grid.z, block.x, block.y, block.z])
        {
            place.store(extent, Relaxed);
        }
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    show(
        program,
        Launch::new((2, 3, 1), (4, 4, 4)),
        [2, 3, 1, 4, 4, 4],
    )?;
    show(program, Launch::new(5, 33), [5, 1, 1, 33, 1, 1]) // y and z are 1
}

fn show(program: &Program, shape: Launch, expected: [u32; 6]) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let threads: u32 = expected.iter().product();
    let mut extents = device.zeroed::<u32>(6)?;
    let mut seen = device.zeroed::<u32>(threads as usize)?;
    describe::launch(&stream, shape, extents.as_atomic(), seen.as_atomic())?;
    let extents = extents.to_vec(&stream)?;
    let blocks: u32 = extents[..3].iter().product();
    println!(
        "gridDim = {:?}, blockDim = {:?}: {blocks} blocks, {threads} threads",
        &extents[..3],
        &extents[3..]
    );
    program.equal("extents", &extents, &expected);
    program.equal(
        "threads",
        &seen.to_vec(&stream)?,
        &vec![1; threads as usize],
    );
    Ok(())
}
