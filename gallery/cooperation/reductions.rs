//! The sum of an array, four ways: in global memory, and in shared memory with three ways to choose the adding threads.
//!
//! The study notes' section 2.1 and appendix (E3-14, E3-15, E3-16, E3-17). In each step the distance between the two numbers that a
//! thread adds doubles (or halves). Note: kernels read one buffer and write another, so that no block overwrites what another still
//! has to read; in the last way the threads that add lie together, so that whole warps rest (`parting_warps` counts them). On a GPU
//! also at the times.
//!
//! `cargo run --release -p warploom-gallery --example reductions`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut};
use warploom_gallery::{Program, Result};

/// One step in global memory: threads at multiples of `2 * stride` add, the others hand on.
#[kernel]
fn step_in_global(i: Index1D, stride: u32, x: &[f32], mut y: DisjointSlice<f32>) {
    let (at, stride) = (i.get(), stride as usize);
    if let Some(y) = y.get_mut(i) {
        let adds = at % (2 * stride) == 0 && at + stride < x.len();
        *y = if adds { x[at] + x[at + stride] } else { x[at] };
    }
}

/// Threads at multiples of `2 * stride` add; by division.
const MODULO: u32 = 0;
/// The same by the bits that such a multiple does not have: `x % (2 * s) == 0` is `x & (2 * s - 1) == 0` for powers of two.
const BIT_AND: u32 = 1;
/// The first threads add, and the distance halves.
const SEQUENTIAL: u32 = 2;

/// Whether this thread adds the element at `distance` in the step of that distance.
fn adds<const WAY: u32>(thread: usize, distance: usize) -> bool {
    match WAY {
        MODULO => thread.is_multiple_of(2 * distance),
        BIT_AND => thread & (2 * distance - 1) == 0,
        _ => thread < distance,
    }
}

/// The distance in a step, the first is 0.
fn distance<const WAY: u32>(step: u32, threads: usize) -> usize {
    if WAY == SEQUENTIAL {
        threads >> (step + 1)
    } else {
        1 << step
    }
}

/// A sum for each block, of as many elements as it has threads, which is a power of two; zeros behind the end.
#[kernel]
fn reduce<const WAY: u32>(
    i: Index1D,
    block: Block,
    x: &[f32],
    shared: DynamicShared<f32>,
    mut sums: DisjointSlice<f32, PerBlock>,
) {
    let (thread, threads) = (block.thread(), block.threads());
    // SAFETY: each thread writes its own element; in each step it reads one whose owner does not write in that step, and a barrier is
    // between the steps.
    let get = |at| unsafe { shared.get(at) };
    // SAFETY: as above.
    let set = |value| unsafe { shared.set(thread, value) };
    set(x.get(i.get()).copied().unwrap_or(0.0));
    block.sync();
    for step in 0..threads.trailing_zeros() {
        let distance = distance::<WAY>(step, threads);
        if adds::<WAY>(thread, distance) {
            set(get(thread) + get(thread + distance));
        }
        block.sync();
    }
    if let Some(sum) = block.leader().and_then(|leader| sums.get_mut(leader)) {
        *sum = get(0);
    }
}

/// The same by the library: shuffles within warps, one shared number for each warp.
#[kernel]
fn reduce_by_library(i: Index1D, block: Block, x: &[f32], mut sums: DisjointSlice<f32, PerBlock>) {
    let sum = block.reduce_sum(x.get(i.get()).copied().unwrap_or(0.0));
    if let Some(place) = block.leader().and_then(|leader| sums.get_mut(leader)) {
        *place = sum;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let stream = program.device().stream()?;
    // The worked example: 32 ones, blocks of 4.
    sums(program, &stream, 32, 4)?;
    sums(program, &stream, 1000, 64)?; // not a multiple of the block
    for block in [256, 1024] {
        sums(program, &stream, program.sized(10_000, 1 << 24), block)?;
    }
    Ok(())
}

/// Sums `n` zeros and ones in all ways.
fn sums(program: &Program, stream: &Stream, n: usize, block: u32) -> Result {
    let host: Vec<f32> = (0..n).map(|i| f32::from(n < 100 || i % 3 == 0)).collect();
    let expected = host.iter().filter(|v| **v == 1.0).count() as f32; // exact up to 2^24
    println!("{n} elements, blocks of {block}:");
    let input = program.device().upload(&host)?;
    let mut x = program.device().zeroed::<f32>(n)?;
    let mut y = program.device().zeroed::<f32>(n)?;
    let ways: [(&str, Reduce); 4] = [
        ("modulo", |stream, shape, x, y| {
            Ok(reduce::<MODULO>::launch(stream, shape, x, y)?)
        }),
        ("bit-and", |stream, shape, x, y| {
            Ok(reduce::<BIT_AND>::launch(stream, shape, x, y)?)
        }),
        ("sequential", |stream, shape, x, y| {
            Ok(reduce::<SEQUENTIAL>::launch(stream, shape, x, y)?)
        }),
        ("library", |stream, shape, x, y| {
            Ok(reduce_by_library::launch(stream, shape, x, y)?)
        }),
    ];
    let ms = program.shortest_ms(stream, || {
        x.copy_from_device(0, &input, stream)?;
        let mut stride = 1;
        while stride < n {
            let shape = Launch::new((n as u32).div_ceil(block), block);
            step_in_global::launch(stream, shape, stride as u32, &x, &mut y)?;
            std::mem::swap(&mut x, &mut y);
            stride *= 2;
        }
        Ok(())
    })?;
    println!(
        "  global memory, {} launches: {ms:.4} ms",
        n.next_power_of_two().trailing_zeros()
    );
    program.is(
        "in global memory",
        x.slice(..1)?.to_vec(stream)?[0],
        expected,
    );
    for (name, way) in ways {
        let mut blocks = Vec::new();
        let ms = program.shortest_ms(stream, || {
            x.copy_from_device(0, &input, stream)?;
            blocks.clear();
            let mut left = n;
            while left > 1 {
                let grid = left.div_ceil(block as usize);
                let shape = Launch::new(grid as u32, block).dynamic_shared(4 * block);
                way(stream, shape, x.slice(..left)?, y.slice_mut(..grid)?)?;
                std::mem::swap(&mut x, &mut y);
                blocks.push(grid);
                left = grid;
            }
            Ok(())
        })?;
        println!("  {name}, {blocks:?} blocks: {ms:.4} ms");
        program.is(name, x.slice(..1)?.to_vec(stream)?[0], expected);
    }
    Ok(())
}

/// One launch.
type Reduce =
    fn(&Stream, Launch, DeviceSlice<'_, f32>, DeviceSliceMut<'_, f32>) -> warploom::Result<()>;
