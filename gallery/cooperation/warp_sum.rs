//! The sum over a warp: as a tree by shuffles, and as a dissemination through memory.
//!
//! The textbook's sections 6.11.4 (E2-11) and 6.11.5 (E2-12). Note which lanes have the sum: after the shuffles lane 0 alone, after the
//! dissemination every lane. And at `warp.sync()`: the book counts on lanes in lock-step, which GPUs since compute capability 7.0 do not
//! promise.
//!
//! `cargo run --release -p warploom-gallery --example warp_sum`
//@ rows: P-19
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// Halves the distance each time. A lane whose partner is outside of its part of the warp gets its own value back.
fn tree_sum(warp: Warp, width: Width, lanes: u32, own: f32) -> f32 {
    let mut sum = own;
    let mut distance = lanes / 2;
    while distance > 0 {
        sum += warp.shuffle_down_in(sum, distance, width);
        distance /= 2;
    }
    sum
}

/// Each lane adds what the lane `distance` further on has, around the end of the warp.
///
/// # Safety
/// `values` are 32 elements that this warp alone uses meanwhile; all its lanes call this.
unsafe fn dissemination_sum(warp: Warp, values: *mut f32) -> f32 {
    let lane = warp.lane() as usize;
    // SAFETY: within the 32 elements.
    let own = unsafe { values.add(lane) };
    let mut distance = 16;
    while distance > 0 {
        warp.sync();
        // SAFETY: within the 32 elements.
        let neighbour = unsafe { values.add((lane + distance) % 32) };
        // SAFETY: the warp's barriers separate reads and writes of the lanes.
        let other = unsafe { neighbour.read() };
        warp.sync();
        // SAFETY: as above; the element is the lane's own.
        unsafe { *own += other };
        distance /= 2;
    }
    // SAFETY: as above.
    unsafe { own.read() }
}

#[kernel(block(32))]
fn tree(i: Index1D, warp: Warp, x: &[f32], mut y: DisjointSlice<f32>) {
    let own = x.get(i.get()).copied().unwrap_or(0.0);
    let sum = match x.len() {
        8 => tree_sum(warp, Width::W8, 8, own),
        _ => tree_sum(warp, Width::W32, 32, own),
    };
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

#[kernel(block(32))]
fn dissemination(
    i: Index1D,
    warp: Warp,
    x: &[f32],
    mut global: DisjointSlice<f32>,
    mut y: DisjointSlice<[f32; 2]>,
) {
    let shared = shared_array!(f32, 32);
    let lane = warp.lane() as usize;
    let memory = global.raw();
    // SAFETY: one block of one warp; each lane writes its own element of both arrays.
    unsafe { shared.set(lane, x[lane]) };
    // SAFETY: as above; the output has 32 elements.
    unsafe { memory.wrapping_add(lane).write(x[lane]) };
    let sums = [
        // SAFETY: all lanes of the block's only warp call this.
        unsafe { dissemination_sum(warp, shared.as_ptr()) },
        // SAFETY: as above.
        unsafe { dissemination_sum(warp, memory) },
    ];
    if let Some(y) = y.get_mut(i) {
        *y = sums;
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;

    let odd: Vec<f32> = (0..8).map(|lane| (2 * lane + 1) as f32).collect();
    let (x, mut y) = (device.upload(&odd)?, device.zeroed::<f32>(8)?);
    tree::launch(&stream, (1, 32), &x, &mut y)?;
    let sums = y.to_vec(&stream)?;
    println!("eight lanes with {odd:?}:\n  by shuffles {sums:?}, and only lane 0 is right");
    // Lanes 4 to 7 double in the first step, 6 and 7 in the second, 7 in the third.
    program.equal(
        "eight lanes",
        &sums,
        &[64.0, 72.0, 80.0, 88.0, 96.0, 104.0, 112.0, 120.0],
    );

    let numbers: Vec<f32> = (0..32).map(|lane| (lane * lane % 19) as f32).collect();
    let total: f32 = numbers.iter().sum();
    let (x, mut y) = (device.upload(&numbers)?, device.zeroed::<f32>(32)?);
    tree::launch(&stream, (1, 32), &x, &mut y)?;
    let first = y.to_vec(&stream)?[0];
    println!("32 lanes: lane 0 has {first} by shuffles");
    program.is("lane 0", first, total);

    let (mut global, mut y) = (device.zeroed::<f32>(32)?, device.zeroed::<[f32; 2]>(32)?);
    dissemination::launch(&stream, (1, 32), &x, &mut global, &mut y)?;
    let sums = y.to_vec(&stream)?;
    println!(
        "32 lanes: every lane has {} through shared memory, {} through global memory",
        sums[0][0], sums[0][1]
    );
    program.equal("every lane", &sums, &[[total; 2]; 32]);
    Ok(())
}
