//! Reductions and scans over a block, and the barrier handed to device functions.

use warploom::device_std::groups::{Group, synchronize};
use warploom::device_std::{block_idx, thread_idx};
use warploom::prelude::*;
use warploom_harness::device_test::check;

use crate::model::noise;

/// Associative and not commutative: the maps `v -> a * v + b`, first `p`, then `q`.
fn then(p: [u64; 2], q: [u64; 2]) -> [u64; 2] {
    [
        p[0].wrapping_mul(q[0]),
        p[1].wrapping_mul(q[0]).wrapping_add(q[1]),
    ]
}

#[derive(Clone, Copy, Plain, PartialEq, Debug)]
#[repr(C)]
struct Seen {
    inclusive: [u64; 2],
    exclusive: [u64; 2],
    sum: i64,
    least: u32,
    most: u32,
    small: u32,
    size: u32,
}

/// Call after call without a barrier between: no call may disturb another.
#[kernel]
fn combine(block: Block, i: Index1D, leave: u32, x: &[u64], mut y: DisjointSlice<Seen>) {
    let v = x[i.get() % x.len()];
    if v % 9 < u64::from(leave) || (leave == 4 && block.thread() / 32 == 1) {
        return;
    }
    let seen = Seen {
        inclusive: block.inclusive_scan([v, v >> 7], then),
        exclusive: block.exclusive_scan([v, v >> 7], [1, 0], then),
        sum: block.reduce_sum(v as i64),
        least: block.reduce_min(v as u32),
        most: block.reduce_max((v >> 32) as u32),
        small: u32::from(block.reduce(v as u16, |a, b| a ^ b)),
        size: block.size(),
    };
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: CG-block, E3-22, P-28
#[test]
fn over_all_threads_that_are_there() {
    // From 256 on whole warps meet by shuffles; 320 is no power of two, 300 no whole number of warps.
    for block in [128usize, 96, 70, 32, 5, 256, 300, 320, 1024] {
        // With 4 the whole second warp has returned as well.
        for leave in [0, 2, 4] {
            let x: Vec<u64> = (0..3 * block as u32)
                .map(|i| u64::from(noise(i)) << 32 | u64::from(noise(!i)))
                .collect();
            let stays =
                |i: usize| x[i] % 9 >= u64::from(leave) && !(leave == 4 && i % block / 32 == 1);
            let zero = Seen {
                inclusive: [0; 2],
                exclusive: [0; 2],
                sum: 0,
                least: 0,
                most: 0,
                small: 0,
                size: 0,
            };
            let mut expected = vec![zero; x.len()];
            for b in 0..3 {
                let there: Vec<usize> =
                    (b * block..(b + 1) * block).filter(|i| stays(*i)).collect();
                let mut before = None;
                for i in &there {
                    let own = [x[*i], x[*i] >> 7];
                    let inclusive = before.map_or(own, |b| then(b, own));
                    expected[*i] = Seen {
                        inclusive,
                        exclusive: before.unwrap_or([1, 0]),
                        sum: there
                            .iter()
                            .fold(0, |sum, k| sum.wrapping_add(x[*k] as i64)),
                        least: there.iter().map(|k| x[*k] as u32).min().unwrap(),
                        most: there.iter().map(|k| (x[*k] >> 32) as u32).max().unwrap(),
                        small: there.iter().fold(0, |all, k| all ^ u32::from(x[*k] as u16)),
                        size: block as u32,
                    };
                    before = Some(inclusive);
                }
            }
            check(&expected, |device, stream| {
                let mut y = device.upload(&vec![zero; x.len()])?;
                combine::launch(
                    stream,
                    (3, block as u32),
                    leave,
                    &device.upload(&x)?,
                    &mut y,
                )?;
                Ok(y.to_vec(stream)?)
            });
        }
    }
}

/// Sums of floats are the same bits everywhere.
#[kernel]
fn float_sum(block: Block, i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    let sum = block.reduce_sum(x[i.get() % x.len()]);
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// The sum of each whole warp of a block: pairs at distances 16 … 1.
fn sums_of_warps(x: &[f32]) -> Vec<f32> {
    let sum = |lanes: &[f32]| in_pairs(lanes.to_vec());
    x.chunks(32).map(sum).collect()
}

fn in_pairs(mut values: Vec<f32>) -> f32 {
    let mut flip = values.len() / 2;
    while flip > 0 {
        values = (0..values.len())
            .map(|i| values[i] + values[i ^ flip])
            .collect();
        flip /= 2;
    }
    values[0]
}

fn check_float_sums(block: usize, of_block: impl Fn(Vec<f32>) -> f32) {
    let x: Vec<f32> = (0..2 * block as u32)
        .map(|i| noise(i) as f32 * 1e-3 - 1e6)
        .collect();
    let expected: Vec<f32> = x
        .chunks(block)
        .flat_map(|x| vec![of_block(sums_of_warps(x)); block])
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(x.len())?;
        float_sum::launch(stream, (2, block as u32), &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

//@ rows: CG-block, P-35
#[test]
fn float_sums_of_few_warps_go_warp_after_warp() {
    check_float_sums(96, |warps| warps.into_iter().reduce(|a, b| a + b).unwrap());
}

//@ rows: CG-block, P-35
#[test]
fn float_sums_of_many_warps_go_in_pairs() {
    check_float_sums(512, in_pairs);
}

/// All spellings of the block's barrier and of the thread's rank.
#[kernel]
fn spellings(block: Block, i: Index2D, seen: &[std::sync::atomic::AtomicU32]) {
    use std::sync::atomic::Ordering::Relaxed;
    let slots = shared_array!(u32, 64);
    let _ = i;
    let t = block.rank() as usize;
    let mut sum = 0;
    for round in 0..3u32 {
        slots.atomic(t).store(round + t as u32, Relaxed);
        match round {
            0 => block.sync(),
            1 => synchronize(&block),
            _ => Group::sync(&block),
        }
        sum += slots.atomic(63 - t).load(Relaxed);
        sync_threads();
    }
    let parts = block.tile::<16>();
    let place = thread_idx().x + 8 * thread_idx().y + 64 * block_idx().x;
    if let Some(slot) = seen.get(block.index() * 64 + t) {
        slot.store(sum | parts.rank() << 16 | place << 20, Relaxed);
    }
}

//@ rows: E3-23, CG-block
#[test]
fn all_spellings_mean_the_same() {
    let expected: Vec<u32> = (0..2 * 64u32)
        .map(|i| (3 * (63 - i % 64) + 3) | (i % 16) << 16 | i << 20)
        .collect();
    check(&expected, |device, stream| {
        let mut seen = device.zeroed::<u32>(expected.len())?;
        spellings::launch(stream, (2, (8, 8)), seen.as_atomic())?;
        Ok(seen.to_vec(stream)?)
    });
}
