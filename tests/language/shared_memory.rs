//! Tiles, raw shared arrays, dynamic shared memory.

use std::ops::Add;
use std::sync::atomic::Ordering::Relaxed;

use warploom::prelude::*;
use warploom_harness::device_test::check;

use crate::{N, floats, noise};

/// A moving sum over `2 * R + 1` elements, with a halo on both sides of the block's own.
#[kernel(block(100))]
fn moving_sum<const R: usize>(
    i: Index1D,
    block: Block,
    mut tile: SharedTile<f32, 128>,
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    let start = (block.index() * block.threads()) as isize - R as isize;
    let at = |k: isize| {
        usize::try_from(k)
            .ok()
            .and_then(|k| x.get(k))
            .copied()
            .unwrap_or(0.0)
    };
    tile.fill(|slot| at(start + slot as isize));
    let tile = tile.publish(&block);
    if let Some(y) = y.get_mut(i) {
        *y = tile[block.thread()..=block.thread() + 2 * R].iter().sum();
    }
}

#[test]
fn a_tile_with_a_halo() {
    let x = floats(N);
    let around = |r: usize| -> Vec<f32> {
        let at = |i: usize| {
            i.checked_sub(r)
                .and_then(|k| x.get(k))
                .copied()
                .unwrap_or(0.0)
        };
        (0..N).map(|i| (i..=i + 2 * r).map(at).sum()).collect()
    };
    for (r, expected) in [(3, around(3)), (11, around(11))] {
        check(&expected, |device, stream| {
            let (x, mut y) = (device.upload(&x)?, device.zeroed(N)?);
            match r {
                3 => moving_sum::<3>::launch(stream, Launch::covering(N), &x, &mut y)?,
                _ => moving_sum::<11>::launch(stream, Launch::covering(N), &x, &mut y)?,
            }
            Ok(y.to_vec(stream)?)
        });
    }
}

/// Two tiles that are published and reclaimed in every round: an odd-even sort within each block.
#[kernel]
fn sort_blocks<T: Plain + PartialOrd>(
    i: Index1D,
    block: Block,
    left: SharedTile<T, 512>,
    right: SharedTile<u8, 512>,
    x: &[T],
    mut y: DisjointSlice<T>,
) {
    let (n, t) = (block.threads(), block.thread());
    let mut mine = x[i.get() % x.len()];
    let (mut values, mut marks) = (left, right);
    for round in 0..n {
        values.set_own(0, mine);
        marks.set_own(0, round as u8);
        let (shown, marked) = (values.publish(&block), marks.publish(&block));
        let partner = if (t + round) % 2 == 0 {
            t + 1
        } else {
            t.wrapping_sub(1)
        };
        if partner < n && marked[partner] == round as u8 {
            let other = shown[partner];
            let wants_less = t < partner;
            if (other < mine) == wants_less && other != mine {
                mine = other;
            }
        }
        (values, marks) = (shown.reclaim(&block), marked.reclaim(&block));
    }
    if let Some(y) = y.get_mut(i) {
        *y = mine;
    }
}

#[test]
fn two_tiles_in_many_phases() {
    let x = noise(4 * 45);
    let mut expected = x.clone();
    expected.chunks_mut(45).for_each(<[u32]>::sort_unstable);
    check(&expected, |device, stream| {
        let mut y = device.zeroed(x.len())?;
        sort_blocks::launch(stream, (4, 45), &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
    let x: Vec<f64> = floats(3 * 64).into_iter().map(f64::from).collect();
    let mut expected = x.clone();
    expected
        .chunks_mut(64)
        .for_each(|c| c.sort_unstable_by(f64::total_cmp));
    check(&expected, |device, stream| {
        let mut y = device.zeroed(x.len())?;
        sort_blocks::launch(stream, (3, 64), &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// The same sort with one barrier in each round: the buffers of a double tile take turns, and both tiles change at one barrier.
#[kernel]
fn sort_blocks_doubled<T: Plain + PartialOrd>(
    i: Index1D,
    block: Block,
    mut left: DoubleTile<T, 512>,
    mut right: DoubleTile<u8, 512>,
    x: &[T],
    mut y: DisjointSlice<T>,
) {
    let (n, t) = (block.threads(), block.thread());
    left.set_own(0, x[i.get() % x.len()]);
    right.set_own(0, 0);
    let (mut values, mut marks) = (left, right).publish(&block);
    for round in 0..n {
        let mut mine = values[t];
        let partner = if (t + round) % 2 == 0 {
            t + 1
        } else {
            t.wrapping_sub(1)
        };
        if partner < n && marks[partner] == round as u8 {
            let other = values[partner];
            let wants_less = t < partner;
            if (other < mine) == wants_less && other != mine {
                mine = other;
            }
        }
        values.set_own(0, mine);
        marks.set_own(0, (round + 1) as u8);
        (&mut values, &mut marks).publish(&block);
    }
    if let Some(y) = y.get_mut(i) {
        *y = values[t];
    }
}

#[test]
fn two_double_tiles_in_many_steps() {
    for (blocks, threads) in [(4, 45), (3, 64), (1, 300)] {
        let x = noise(blocks * threads);
        let mut expected = x.clone();
        expected
            .chunks_mut(threads)
            .for_each(<[u32]>::sort_unstable);
        check(&expected, |device, stream| {
            let mut y = device.zeroed(x.len())?;
            let shape = (blocks as u32, threads as u32);
            sort_blocks_doubled::launch(stream, shape, &device.upload(&x)?, &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

/// Heat that spreads along a rod of 200 cells, eight steps in shared memory, with more cells than threads.
#[kernel(block(96))]
fn heat(block: Block, rod: DoubleTile<f32, 200>, x: &[f32], mut y: DisjointSlice<f32>, i: Index1D) {
    let mut rod = rod;
    let start = 200 * block.index();
    rod.fill(|cell| x[start + cell]);
    let mut rod = rod.publish(&block);
    for _ in 0..8 {
        rod.fill(|shown, cell| match cell {
            0 | 199 => shown[cell],
            _ => shown[cell - 1] * 0.25 + shown[cell] * 0.5 + shown[cell + 1] * 0.25,
        });
        rod.publish(&block);
    }
    if let Some(y) = y.get_mut(i) {
        *y = rod[2 * block.thread() + 3];
    }
}

#[test]
fn a_double_tile_with_more_slots_than_threads() {
    let x: Vec<f32> = noise(3 * 200)
        .iter()
        .map(|v| (v % 256 * 256) as f32)
        .collect();
    let mut expected = Vec::new();
    for rod in x.chunks(200) {
        let mut rod = rod.to_vec();
        for _ in 0..8 {
            let of = |part: &[f32]| part[0] * 0.25 + part[1] * 0.5 + part[2] * 0.25;
            let inner: Vec<f32> = rod.windows(3).map(of).collect();
            rod[1..199].copy_from_slice(&inner);
        }
        expected.extend((0..96).map(|thread| rod[2 * thread + 3]));
    }
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        heat::launch(stream, Launch::new(3, 96), &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// Four tiles of three types that are shown and taken back together: a barrier for all.
#[kernel]
fn four_tiles(
    i: Index1D,
    block: Block,
    mut a: SharedTile<u32, 128>,
    mut b: SharedTile<u64, 128>,
    mut c: SharedTile<[u8; 2], 128>,
    mut d: SharedTile<u32, 256>,
    x: &[u32],
    mut y: DisjointSlice<u64>,
) {
    let (t, n) = (block.thread(), block.threads());
    let mut own = u64::from(x[i.get() % x.len()]) % 1000;
    for round in 1..6 {
        a.set_own(0, own as u32);
        b.set_own(0, own * 3);
        c.set_own(0, [own as u8, round as u8]);
        d.set_own(1, own as u32 + d_of(round));
        let (va, vb, vc, vd) = (a, b, c, d).publish(&block);
        let (left, right) = ((t + n - round) % n, (t + round) % n);
        own = u64::from(va[left]) + vb[right] + u64::from(vc[left][0]) + u64::from(vc[right][1]);
        own = (own + u64::from(vd[n + right])) % 1000;
        (a, b, c, d) = (va, vb, vc, vd).reclaim(&block);
    }
    if let Some(y) = y.get_mut(i) {
        *y = own;
    }
}

fn d_of(round: usize) -> u32 {
    7 * round as u32
}

#[test]
fn four_tiles_at_one_barrier() {
    let (blocks, n) = (3, 77);
    let x = noise(blocks * n);
    let mut expected = Vec::new();
    for part in x.chunks(n) {
        let mut own: Vec<u64> = part.iter().map(|v| u64::from(*v) % 1000).collect();
        for round in 1..6 {
            let next = |t: usize| {
                let (left, right) = (own[(t + n - round) % n], own[(t + round) % n]);
                let sum = left + right * 3 + u64::from(left as u8) + round as u64;
                (sum + right + u64::from(d_of(round))) % 1000
            };
            own = (0..n).map(next).collect();
        }
        expected.extend(own);
    }
    check(&expected, |device, stream| {
        let mut y = device.zeroed(x.len())?;
        let shape = (blocks as u32, n as u32);
        four_tiles::launch(stream, shape, &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn histogram(i: Index1D, block: Block, x: &[u32], counts: &[std::sync::atomic::AtomicU32]) {
    let bins = shared_array!(u32, 61);
    for bin in (block.thread()..bins.len()).step_by(block.threads()) {
        bins.atomic(bin).store(0, Relaxed);
    }
    block.sync();
    if let Some(v) = x.get(i.get()) {
        bins.atomic(*v as usize % bins.len()).fetch_add(1, Relaxed);
    }
    block.sync();
    for bin in (block.thread()..bins.len()).step_by(block.threads()) {
        counts[bin].fetch_add(bins.atomic(bin).load(Relaxed), Relaxed);
    }
}

#[test]
fn a_histogram_of_shared_atomics() {
    let x = noise(N);
    let mut expected = vec![0; 61];
    x.iter().for_each(|v| expected[*v as usize % 61] += 1);
    check(&expected, |device, stream| {
        let mut counts = device.zeroed::<u32>(61)?;
        histogram::launch(
            stream,
            Launch::new(23, 45),
            &device.upload(&x)?,
            counts.as_atomic(),
        )?;
        Ok(counts.to_vec(stream)?)
    });
}

/// The sum of the block's values in all threads, through an array of each type's own.
fn block_sum<T: Plain + Add<Output = T>>(block: Block<'_>, value: T) -> T {
    let cells = shared_array!(T, 1024);
    // SAFETY: each thread writes its own cell.
    unsafe { cells.set(block.thread(), value) };
    let mut n = block.threads();
    while n > 1 {
        block.sync();
        let upper = n.div_ceil(2);
        if block.thread() + upper < n {
            // SAFETY: in this step the thread alone accesses its cell.
            let own = unsafe { cells.get(block.thread()) };
            // SAFETY: no thread writes the upper half in this step.
            let other = unsafe { cells.get(block.thread() + upper) };
            // SAFETY: as for the read.
            unsafe { cells.set(block.thread(), own + other) };
        }
        n = upper;
    }
    block.sync();
    // SAFETY: written before the barrier; the next call writes the same cells, after the barrier below.
    let sum = unsafe { cells.get(0) };
    block.sync();
    sum
}

#[kernel]
fn sums(i: Index1D, block: Block, x: &[f32], mut y: DisjointSlice<[f64; 3], PerBlock>) {
    let v = x.get(i.get()).copied().unwrap_or(0.0);
    let single = block_sum(block, (v * 16.0).round());
    let double = block_sum(block, f64::from(v) - f64::from(single));
    let count = block_sum(block, 1u64);
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = [single.into(), double, count as f64];
    }
}

#[test]
fn a_generic_function_with_shared_memory() {
    let x: Vec<f32> = floats(N)
        .into_iter()
        .map(|v| (v * 16.0).round() / 16.0)
        .collect();
    let expected: Vec<[f64; 3]> = x
        .chunks(61)
        .map(|part| {
            let single: f32 = part.iter().map(|v| v * 16.0).sum();
            let double: f64 = part.iter().map(|v| f64::from(*v)).sum();
            [single.into(), double - 61.0 * f64::from(single), 61.0]
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        sums::launch(
            stream,
            Launch::new(expected.len() as u32, 61),
            &device.upload(&x)?,
            &mut y,
        )?;
        Ok(y.to_vec(stream)?)
    });
}

/// Two kinds of elements in one dynamic memory: first the words, then the bytes behind them.
#[kernel]
fn rotate_in_dynamic(
    i: Index1D,
    block: Block,
    words: DynamicShared<u64>,
    x: &[u32],
    mut y: DisjointSlice<[u32; 3]>,
) {
    let bytes = dynamic_shared!(u8);
    let (t, n) = (block.thread(), block.threads());
    let v = x[i.get() % x.len()];
    // SAFETY: each thread writes its own word.
    unsafe { words.set(t, u64::from(v) << 9) };
    // SAFETY: each thread writes its own byte, behind the words.
    unsafe { bytes.set(8 * n + t, v as u8) };
    block.sync();
    // SAFETY: no thread writes after the barrier.
    let word = unsafe { words.get((t + 1) % n) };
    // SAFETY: as above.
    let byte = unsafe { bytes.get(8 * n + (t + 2) % n) };
    if let Some(y) = y.get_mut(i) {
        *y = [
            (word >> 9) as u32,
            byte.into(),
            (words.len() + bytes.len()) as u32,
        ];
    }
}

#[test]
fn dynamic_shared_memory() {
    let x = noise(3 * 37);
    for n in [37, 111] {
        let expected: Vec<[u32; 3]> = (0..3 * 37)
            .map(|i| {
                let of = |k: usize| x[i / n * n + (i % n + k) % n];
                let bytes = 9 * n + 5;
                [of(1), of(2) & 0xff, (bytes / 8 + bytes) as u32]
            })
            .collect();
        check(&expected, |device, stream| {
            let mut y = device.zeroed(x.len())?;
            let shape =
                Launch::new((x.len() / n) as u32, n as u32).dynamic_shared(9 * n as u32 + 5);
            rotate_in_dynamic::launch(stream, shape, &device.upload(&x)?, &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

/// Blocks do not see each other's memory, and one array is not another.
#[kernel]
fn own_arrays(i: Index1D, block: Block, mut y: DisjointSlice<[u32; 2]>) {
    let (first, second) = (shared_array!(u32, 3), shared_array!(u32, 3));
    if block.thread() < 3 {
        first
            .atomic(block.thread())
            .store(block.index() as u32, Relaxed);
        second.atomic(block.thread()).store(7, Relaxed);
    }
    block.sync();
    first.atomic(i.get() % 3).fetch_add(1, Relaxed);
    block.sync();
    let sum = |cells: SharedArray<u32, 3>| (0..3).map(|k| cells.atomic(k).load(Relaxed)).sum();
    if let Some(y) = y.get_mut(i) {
        *y = [sum(first), sum(second)];
    }
}

#[test]
fn arrays_are_the_blocks_own() {
    let expected: Vec<[u32; 2]> = (0..8 * 50).map(|i| [3 * (i / 50) + 50, 21]).collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(400)?;
        own_arrays::launch(stream, (8, 50), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
