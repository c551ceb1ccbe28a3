//! Shuffles and votes.

use warploom::prelude::*;
use warploom_harness::device_test::check;

use crate::noise;

/// Three blocks of three whole warps.
const SHAPE: (u32, u32) = (3, 96);
const THREADS: usize = 3 * 96;

#[kernel]
fn shuffles(i: Index1D, warp: Warp, x: &[u32], mut y: DisjointSlice<[u32; 6]>) {
    let v = x[i.get()];
    let all = [
        warp.shuffle_down(v, 3),
        warp.shuffle_up(v, 5),
        warp.shuffle_xor(v, 9),
        warp.shuffle_idx(v, warp.lane() * 7 + 2),
        warp.shuffle_idx(v, 31),
        warp.lane() + 100 * warp.index(),
    ];
    if let Some(y) = y.get_mut(i) {
        *y = all;
    }
}

#[test]
fn shuffles_of_words() {
    let x = noise(THREADS);
    let expected: Vec<[u32; 6]> = (0..THREADS)
        .map(|i| {
            let (start, lane) = (i / 32 * 32, i % 32);
            let of = |lane: usize| x[start + lane];
            [
                of(if lane + 3 < 32 { lane + 3 } else { lane }),
                of(lane.checked_sub(5).unwrap_or(lane)),
                of(lane ^ 9),
                of((lane * 7 + 2) % 32),
                of(31),
                (lane + 100 * (i % 96 / 32)) as u32,
            ]
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(THREADS)?;
        shuffles::launch(stream, SHAPE, &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn shuffles_of_types(i: Index1D, warp: Warp, x: &[u64], mut y: DisjointSlice<[u64; 6]>) {
    let v = x[i.get()];
    let all = [
        warp.shuffle_xor(v, 1),
        warp.shuffle_xor(v as i64 >> 9, 2) as u64,
        warp.shuffle_down(v as u8, 4).into(),
        warp.shuffle_up(v as i16, 1) as u64,
        warp.shuffle_xor(v as f32, 31).to_bits().into(),
        warp.shuffle_idx(v as f64, 6).to_bits(),
    ];
    if let Some(y) = y.get_mut(i) {
        *y = all;
    }
}

#[test]
fn shuffles_of_every_type() {
    let x: Vec<u64> = noise(THREADS)
        .into_iter()
        .map(|v| u64::from(v).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    let expected: Vec<[u64; 6]> = (0..THREADS)
        .map(|i| {
            let (start, lane) = (i / 32 * 32, i % 32);
            let of = |lane: usize| x[start + lane];
            [
                of(lane ^ 1),
                (of(lane ^ 2) as i64 >> 9) as u64,
                u64::from(of(if lane + 4 < 32 { lane + 4 } else { lane }) as u8),
                of(lane.saturating_sub(1)) as i16 as u64,
                u64::from((of(lane ^ 31) as f32).to_bits()),
                (of(6) as f64).to_bits(),
            ]
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(THREADS)?;
        shuffles_of_types::launch(stream, SHAPE, &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn votes(i: Index1D, warp: Warp, x: &[u32], modulus: u32, mut y: DisjointSlice<[u32; 4]>) {
    let v = x[i.get() % x.len()];
    let all = [
        warp.ballot(v % modulus == 1).bits(),
        warp.any(v % modulus == 1).into(),
        warp.all(v % modulus != 1).into(),
        warp.reduce_sum(v) ^ warp.reduce_min(v) ^ warp.reduce_max(v >> 1),
    ];
    if let Some(y) = y.get_mut(i) {
        *y = all;
    }
}

/// What [`votes`] gives in blocks of `block` threads.
fn expected_votes(x: &[u32], block: usize, modulus: u32, threads: usize) -> Vec<[u32; 4]> {
    let warp_of = |i: usize| {
        let start = i / block * block + i % block / 32 * 32;
        start..(start + 32).min(i / block * block + block)
    };
    let row = |i: usize| {
        let values: Vec<u32> = warp_of(i).map(|k| x[k % x.len()]).collect();
        let ballot = values
            .iter()
            .rev()
            .fold(0, |bits, v| bits << 1 | u32::from(v % modulus == 1));
        let sum = values.iter().copied().fold(0, u32::wrapping_add);
        let least = values.iter().min().unwrap_or(&0);
        let most = values.iter().map(|v| v >> 1).max().unwrap_or(0);
        [
            ballot,
            u32::from(ballot != 0),
            u32::from(ballot == 0),
            sum ^ least ^ most,
        ]
    };
    (0..threads).map(row).collect()
}

#[test]
fn votes_and_reductions() {
    let x = noise(511);
    // Whole warps; a ragged last warp; a block that is less than a warp.
    for (grid, block) in [(3, 96), (5, 77), (4, 13), (2, 33)] {
        for modulus in [2, 40] {
            let threads = (grid * block) as usize;
            check(
                &expected_votes(&x, block as usize, modulus, threads),
                |device, stream| {
                    let mut y = device.zeroed(threads)?;
                    votes::launch(
                        stream,
                        Launch::new(grid, block),
                        &device.upload(&x)?,
                        modulus,
                        &mut y,
                    )?;
                    Ok(y.to_vec(stream)?)
                },
            );
        }
    }
}

#[kernel]
fn halves(i: Index1D, warp: Warp, x: &[u32], mut y: DisjointSlice<[u32; 3]>) {
    let (low, v) = (warp.lane() < 16, x[i.get()]);
    let mask = if low { 0xffff } else { 0xffff_0000 };
    // SAFETY: all lanes of a half come here with the mask of that half, and each is in its own.
    let ballot = unsafe { warp.ballot_mask(mask, v.is_multiple_of(3)) };
    // SAFETY: as above.
    let other = unsafe { warp.shuffle_xor_mask(mask, v, 7) };
    // SAFETY: as above.
    let any = unsafe { warp.any_mask(mask, v.is_multiple_of(29)) };
    // SAFETY: as above.
    let every = unsafe { warp.all_mask(mask, v > 1 << 27) };
    let all = [ballot.bits(), other, u32::from(any) + 2 * u32::from(every)];
    if let Some(y) = y.get_mut(i) {
        *y = all;
    }
}

#[test]
fn halves_of_a_warp() {
    let x = noise(THREADS);
    let expected: Vec<[u32; 3]> = (0..THREADS)
        .map(|i| {
            let start = i / 16 * 16;
            let half = &x[start..start + 16];
            let ballot = half
                .iter()
                .rev()
                .fold(0, |bits, v| bits << 1 | u32::from(v % 3 == 0));
            let any = half.iter().any(|v| v % 29 == 0);
            let all = half.iter().all(|v| *v > 1 << 27);
            [
                ballot << (start % 32),
                x[i ^ 7],
                u32::from(any) + 2 * u32::from(all),
            ]
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(THREADS)?;
        halves::launch(stream, SHAPE, &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// An inclusive prefix sum over each block, from shuffles and a little shared memory.
#[kernel]
fn prefix_sums(
    i: Index1D,
    block: Block,
    warp: Warp,
    mut tile: SharedTile<u32, 1024>,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let mut sum = x.get(i.get()).copied().unwrap_or(0);
    let mut delta = 1;
    while delta < 32 {
        let below = warp.shuffle_up(sum, delta);
        if warp.lane() >= delta {
            sum = sum.wrapping_add(below);
        }
        delta *= 2;
    }
    tile.set_own(0, sum);
    let tile = tile.publish(&block);
    let before = (1..=warp.index() as usize)
        .map(|w| tile[w * 32 - 1])
        .fold(0, u32::wrapping_add);
    if let Some(y) = y.get_mut(i) {
        *y = sum.wrapping_add(before);
    }
}

#[test]
fn prefix_sums_over_blocks() {
    let x = noise(1003);
    for block in [32, 224, 1024] {
        let expected: Vec<u32> = (0..x.len())
            .map(|i| {
                x[i / block * block..=i]
                    .iter()
                    .copied()
                    .fold(0, u32::wrapping_add)
            })
            .collect();
        check(&expected, |device, stream| {
            let mut y = device.zeroed(x.len())?;
            let shape = Launch::new(x.len().div_ceil(block) as u32, block as u32);
            prefix_sums::launch(stream, shape, &device.upload(&x)?, &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}
