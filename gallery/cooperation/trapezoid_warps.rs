//! The trapezoidal rule with one atomic per warp: blocks of 32 threads add up among themselves first.
//!
//! The textbook's sections 6.12.2 (E2-13, by shuffles), 6.12.3 (E2-14, through shared memory) and 6.11.5 (E2-14d, shared memory whose size
//! the launch gives in bytes). Note the guard: threads beyond the end contribute 0.0, and still take part in the sum.
//!
//! `cargo run --release -p warploom-gallery --example trapezoid_warps [n]`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

fn f(x: f32) -> f32 {
    x * x + 1.0
}

/// What thread `i` contributes.
fn part(i: Index1D, a: f32, h: f32, n: u32) -> f32 {
    let i = i.get() as u32;
    if 0 < i && i < n {
        f(a + i as f32 * h)
    } else {
        0.0
    }
}

#[kernel(block(32))]
fn by_shuffles(i: Index1D, warp: Warp, a: f32, h: f32, n: u32, area: &[AtomicF32]) {
    let mut sum = part(i, a, h, n);
    for distance in [16, 8, 4, 2, 1] {
        sum += warp.shuffle_down(sum, distance);
    }
    if warp.lane() == 0 {
        area[0].fetch_add(sum);
    }
}

/// A shared tile changes between writing and reading; with one warp in the block, its barrier is the warp's.
#[kernel(block(32))]
fn by_a_tile(
    i: Index1D,
    block: Block,
    a: f32,
    h: f32,
    n: u32,
    mut tile: SharedTile<f32, 32>,
    area: &[AtomicF32],
) {
    let lane = block.thread();
    let mut sum = part(i, a, h, n);
    for distance in [16, 8, 4, 2, 1] {
        tile.set_own(0, sum);
        let shown = tile.publish(&block);
        sum += shown[(lane + distance) % 32];
        tile = shown.reclaim(&block);
    }
    if lane == 0 {
        area[0].fetch_add(sum);
    }
}

/// The same in memory whose size comes with the launch.
#[kernel(block(32))]
fn by_dynamic_memory(
    i: Index1D,
    warp: Warp,
    a: f32,
    h: f32,
    n: u32,
    values: DynamicShared<f32>,
    area: &[AtomicF32],
) {
    let lane = warp.lane() as usize;
    let mut sum = part(i, a, h, n);
    for distance in [16, 8, 4, 2, 1] {
        // SAFETY: each lane writes its own element; barriers of the block's only warp separate writes and reads.
        unsafe { values.set(lane, sum) };
        warp.sync();
        // SAFETY: as above.
        sum += unsafe { values.get((lane + distance) % 32) };
        warp.sync();
    }
    if lane == 0 {
        area[0].fetch_add(sum);
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let n = program.argument(1, program.sized(1u32 << 15, 1 << 20))?;
    let device = program.device();
    let stream = device.stream()?;
    let (a, b) = (-3.0, 3.0);
    let h = (b - a) / n as f32;
    let shape = Launch::new(n.div_ceil(32), 32);
    println!(
        "{n} trapezoids, {} atomics instead of {}, exact area 24",
        n.div_ceil(32),
        n - 1
    );
    for (number, what) in ["shuffles", "shared tile", "dynamic shared memory"]
        .iter()
        .enumerate()
    {
        let mut area = device.upload(&[0.5 * (f(a) + f(b))])?;
        match number {
            0 => by_shuffles::launch(&stream, shape, a, h, n, area.as_atomic())?,
            1 => by_a_tile::launch(&stream, shape, a, h, n, area.as_atomic())?,
            _ => by_dynamic_memory::launch(
                &stream,
                shape.dynamic_shared(4 * 32),
                a,
                h,
                n,
                area.as_atomic(),
            )?,
        }
        let area = area.to_vec(&stream)?[0] * h;
        println!("{what:22} {area}");
        program.close(what, area, 24.0, 1e-5);
    }
    Ok(())
}
