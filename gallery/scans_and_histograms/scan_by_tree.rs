//! Prefix sums of rows, one block for each, by a tree that is climbed up and down (Blelloch).
//!
//! The study notes' section 2.2 (E3-19). On the way up sums of pairs, of fours, of eights are made in place; on the way down each element
//! becomes the sum of what lies *before* it. That is about 2 n additions in 2 log n steps, where doubling distances takes n log n in log
//! n. Note: the sums after the way up; the distances are powers of two, so more and more threads meet in one bank of shared memory:
//! the kernel counts how many, from the addresses that it uses. On a GPU also note the times of both.
//!
//! `cargo run --release -p warploom-gallery --example scan_by_tree`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::device_std::address::SharedPtr;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// Elements of a row.
const ROW: usize = 512;
/// Steps of the way up.
const STEPS: usize = ROW.trailing_zeros() as usize;

/// A thread for two elements; `N` is a power of two. If `SHOW`, the sums after the way up go to `up`, and to `met`, for each step of the way
/// up, how many lanes of the thread's warp add to a word in the same bank; 0 if the thread adds nothing.
#[kernel]
fn tree<const N: usize, const SHOW: bool>(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[u32],
    mut met: DisjointSlice<[u32; STEPS]>,
    mut up: DisjointSlice<u32, Chunks<2>>,
    mut y: DisjointSlice<u32, Chunks<2>>,
) {
    let sums = shared_array!(u32, N);
    let thread = block.thread();
    let (left, right) = (2 * thread, 2 * thread + 1);
    // SAFETY: in each step a thread uses two elements that no other uses, and a barrier is between the steps.
    let get = |at| unsafe { sums.get(at) };
    // SAFETY: as above.
    let set = |at, value| unsafe { sums.set(at, value) };
    set(left, x[2 * i.get()]);
    set(right, x[2 * i.get() + 1]);
    let mut distance = 1;
    let mut lanes = [0; STEPS];
    while distance < N {
        block.sync();
        let adds = right * distance < N;
        let (low, high) = (right * distance - 1, (right + 1) * distance - 1);
        if SHOW {
            let word = SharedPtr::from_generic(sums.as_ptr().wrapping_add(high));
            // Numbers from 32 on are no banks: a lane that adds nothing meets none.
            let bank = if adds {
                word.as_u32() / 4 % 32
            } else {
                32 + warp.lane()
            };
            let together = warp.match_any(bank);
            if adds {
                lanes[distance.trailing_zeros() as usize] = together.count();
            }
        }
        if adds {
            set(high, get(high) + get(low));
        }
        distance *= 2;
    }
    block.sync();
    if SHOW {
        if let Some(met) = met.get_mut(i) {
            *met = lanes;
        }
        if let Some(up) = up.get_mut(i) {
            *up = [get(left), get(right)];
        }
        block.sync();
    }
    if thread == 0 {
        set(N - 1, 0);
    }
    while distance > 1 {
        distance /= 2;
        block.sync();
        if right * distance < N {
            let (low, high) = (right * distance - 1, (right + 1) * distance - 1);
            let sum = get(high);
            set(high, sum + get(low));
            set(low, sum);
        }
    }
    block.sync();
    if let Some(y) = y.get_mut(i) {
        *y = [get(left), get(right)];
    }
}

/// For comparison: a thread for each element, inclusive sums.
#[kernel]
fn doubling(
    i: Index1D,
    block: Block,
    x: &[u32],
    mut tile: SharedTile<u32, 1024>,
    mut y: DisjointSlice<u32>,
) {
    let mut sum = x[i.get()];
    tile.set_own(0, sum);
    let mut distance = 1;
    while distance < block.threads() {
        let sums = tile.publish(&block);
        if block.thread() >= distance {
            sum += sums[block.thread() - distance];
        }
        tile = sums.reclaim(&block);
        tile.set_own(0, sum);
        distance *= 2;
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let eight: Vec<u32> = (0..8).collect();
    let Tree { up, sums, .. } = by_tree::<8, true>(program, &eight)?;
    println!("{eight:?}\n  on the way up: {up:?}\n  before each:   {sums:?}");
    program.equal("the way up", &up, &[0, 1, 2, 6, 4, 9, 6, 28]);
    program.equal("the worked example", &sums, &[0, 0, 1, 3, 6, 10, 15, 21]);
    let one_row: Vec<u32> = (0..ROW as u32).collect();
    let Tree { met, .. } = by_tree::<ROW, true>(program, &one_row)?;
    let of_first_warp = |step| {
        met[..32]
            .iter()
            .map(|lanes: &[u32; STEPS]| lanes[step])
            .max()
    };
    let ways: Vec<u32> = (0..STEPS).filter_map(of_first_warp).collect();
    println!("words of one bank in the steps of {ROW} elements: {ways:?}");
    program.equal("bank conflicts", &ways, &[2, 4, 8, 16, 16, 8, 4, 2, 1]);

    let rows = program.sized(3, 1 << 16);
    let x: Vec<u32> = (0..rows * ROW).map(|i| (i * 31 % 17) as u32).collect();
    let Tree { sums, .. } = by_tree::<ROW, false>(program, &x)?;
    let (stream, n) = (program.device().stream()?, x.len());
    let (input, mut y) = (
        program.device().upload(&x)?,
        program.device().zeroed::<u32>(n)?,
    );
    let shape = Launch::new(rows as u32, ROW as u32);
    let ms = program.shortest_ms(&stream, || {
        Ok(doubling::launch(&stream, shape, &input, &mut y)?)
    })?;
    println!("{rows} rows of {ROW} by doubling: {ms:.4} ms");
    let with_own: Vec<u32> = sums.iter().zip(&x).map(|(sum, own)| sum + own).collect();
    program.equal("tree and doubling", &y.to_vec(&stream)?, &with_own);
    let mut expected = x.clone();
    for row in expected.chunks_mut(ROW) {
        let mut sum = 0;
        row.iter_mut()
            .for_each(|v| sum += std::mem::replace(v, sum));
    }
    program.equal("the sums before each", &sums, &expected);
    Ok(())
}

/// What the kernel `tree` gives.
struct Tree {
    up: Vec<u32>,
    met: Vec<[u32; STEPS]>,
    sums: Vec<u32>,
}

fn by_tree<const N: usize, const SHOW: bool>(program: &Program, x: &[u32]) -> Result<Tree> {
    let (device, stream, n) = (program.device(), program.device().stream()?, x.len());
    let (x, mut y) = (device.upload(x)?, device.zeroed::<u32>(n)?);
    let mut up = device.zeroed::<u32>(if SHOW { n } else { 0 })?;
    let mut met = device.zeroed::<[u32; STEPS]>(if SHOW { n / 2 } else { 0 })?;
    let shape = Launch::new((n / N) as u32, (N / 2) as u32);
    let ms = program.shortest_ms(&stream, || {
        Ok(tree::<N, SHOW>::launch(
            &stream, shape, &x, &mut met, &mut up, &mut y,
        )?)
    })?;
    println!("{} rows of {N} by the tree: {ms:.4} ms", n / N);
    Ok(Tree {
        up: up.to_vec(&stream)?,
        met: met.to_vec(&stream)?,
        sums: y.to_vec(&stream)?,
    })
}
