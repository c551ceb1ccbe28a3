//! The trapezoidal rule with one atomic per block: warps add up, then the first warp adds the sums of all.
//!
//! The textbook's sections 6.13.2 (E2-15, by shuffles) and 6.13.5 (E2-16, through shared memory). Note the zeros: with fewer than 32
//! warps the last slots have no sum, and the first warp still adds 32 of them. `block.reduce_sum` is all of this in one call.
//!
//! `cargo run --release -p warploom-gallery --example trapezoid_blocks [n]`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use warploom::device_std::SharedArray;
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

fn shuffled_sum(warp: Warp, own: f32) -> f32 {
    let mut sum = own;
    for distance in [16, 8, 4, 2, 1] {
        sum += warp.shuffle_down(sum, distance);
    }
    sum
}

/// The sum of `values[start..start + 32]`, in every lane.
///
/// # Safety
/// This warp alone uses these elements meanwhile, and all its lanes call this.
unsafe fn shared_sum<const N: usize>(warp: Warp, values: SharedArray<f32, N>, start: usize) -> f32 {
    let lane = warp.lane() as usize;
    for distance in [16, 8, 4, 2, 1] {
        warp.sync();
        // SAFETY: the barriers of the warp separate reads and writes of its lanes.
        let other = unsafe { values.get(start + (lane + distance) % 32) };
        warp.sync();
        // SAFETY: the lane's own element.
        let own = unsafe { values.get(start + lane) };
        // SAFETY: as above.
        unsafe { values.set(start + lane, own + other) };
    }
    // SAFETY: the lane's own element.
    unsafe { values.get(start + lane) }
}

#[kernel]
fn by_shuffles(i: Index1D, block: Block, warp: Warp, a: f32, h: f32, n: u32, area: &[AtomicF32]) {
    let sums = shared_array!(f32, 32);
    let lane = warp.lane() as usize;
    let sum = shuffled_sum(warp, part(i, a, h, n));
    if lane == 0 {
        // SAFETY: one lane of each warp, each a slot of its own.
        unsafe { sums.set(warp.index() as usize, sum) };
    }
    block.sync();
    if warp.index() == 0 {
        let mut sum = 0.0;
        if lane < block.threads() / 32 {
            // SAFETY: the barrier lies between the writes and this.
            sum = unsafe { sums.get(lane) };
        }
        let total = shuffled_sum(warp, sum);
        if lane == 0 {
            area[0].fetch_add(total);
        }
    }
}

#[kernel]
fn through_shared_memory(
    i: Index1D,
    block: Block,
    warp: Warp,
    a: f32,
    h: f32,
    n: u32,
    area: &[AtomicF32],
) {
    let parts = shared_array!(f32, 1024);
    let sums = shared_array!(f32, 32);
    let (lane, start) = (warp.lane() as usize, 32 * warp.index() as usize);
    // SAFETY: the lane's own element of its warp's part.
    unsafe { parts.set(start + lane, part(i, a, h, n)) };
    // SAFETY: each warp has its own part of the array; all of its lanes call this.
    let sum = unsafe { shared_sum(warp, parts, start) };
    if lane == 0 {
        // SAFETY: each warp has its own slot until the barrier.
        unsafe { sums.set(warp.index() as usize, sum) };
    }
    block.sync();
    if warp.index() == 0 {
        if lane >= block.threads() / 32 {
            // SAFETY: after the barrier only the first warp uses the slots.
            unsafe { sums.set(lane, 0.0) };
        }
        // SAFETY: as above; all lanes of the warp call this.
        let total = unsafe { shared_sum(warp, sums, 0) };
        if lane == 0 {
            area[0].fetch_add(total);
        }
    }
}

/// All of it in one call, without `unsafe`.
#[kernel]
fn in_one_call(i: Index1D, block: Block, a: f32, h: f32, n: u32, area: &[AtomicF32]) {
    let total = block.reduce_sum(part(i, a, h, n));
    if block.thread() == 0 {
        area[0].fetch_add(total);
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
    println!(
        "{n} trapezoids, exact area 24\nthreads  atomics  by shuffles  through shared memory  in one call"
    );
    for threads in [32, 64, 256, 1024] {
        let shape = Launch::new(n.div_ceil(threads), threads);
        let mut first = device.upload(&[0.5 * (f(a) + f(b))])?;
        let mut second = device.upload(&[0.5 * (f(a) + f(b))])?;
        by_shuffles::launch(&stream, shape, a, h, n, first.as_atomic())?;
        through_shared_memory::launch(&stream, shape, a, h, n, second.as_atomic())?;
        let mut third = device.upload(&[0.5 * (f(a) + f(b))])?;
        in_one_call::launch(&stream, shape, a, h, n, third.as_atomic())?;
        let areas = [
            first.to_vec(&stream)?[0] * h,
            second.to_vec(&stream)?[0] * h,
            third.to_vec(&stream)?[0] * h,
        ];
        println!(
            "{threads:7}  {:7}  {:11}  {:21}  {}",
            n.div_ceil(threads),
            areas[0],
            areas[1],
            areas[2]
        );
        program.close("by shuffles", areas[0], 24.0, 1e-5);
        program.close("through shared memory", areas[1], 24.0, 1e-5);
        program.close("in one call", areas[2], 24.0, 1e-5);
    }
    Ok(())
}
