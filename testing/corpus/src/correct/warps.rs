//! Within a warp: parts of it, barriers of its parts, lanes that have returned.

use warploom::prelude::*;

use crate::case::{cases, correct, noise, start};

/// The last warp of a reduction, with a barrier of the warp between all steps.
#[kernel]
fn last_warp_with_barriers(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let sums = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: barriers between reading and writing.
    unsafe {
        sums.set(t, x[i.get()]);
        block.sync();
        if t < 32 {
            for distance in [32, 16, 8, 4, 2, 1] {
                let other = sums.get(t + distance);
                warp.sync();
                sums.set(t, sums.get(t) + other);
                warp.sync();
            }
        }
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = sums.get(0);
        }
    }
}

/// Each half of the warp exchanges with itself, behind a barrier of its own.
#[kernel]
fn halves_on_their_own(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 32);
    let lane = warp.lane() as usize;
    let half = 0xffff_u32 << (lane / 16 * 16);
    // SAFETY: the lanes of each mask make this call together; no lane reads of the other half.
    unsafe {
        tile.set(lane, x[i.get()]);
        warp.sync_mask(half);
        let other = tile.get(lane / 16 * 16 + 15 - lane % 16);
        if let Some(y) = y.get_mut(i) {
            *y = other;
        }
    }
}

/// The two branches meet at one barrier of 24 lanes, from two places.
#[kernel]
fn branches_that_meet(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 32);
    let lane = warp.lane() as usize;
    let lower = lane < 12;
    // SAFETY: the lower lanes write, the upper ones read behind a barrier of those two parts.
    unsafe {
        if lower {
            tile.set(lane, x[i.get()]);
            warp.sync_mask(0x00ff_ffff);
        } else if lane < 24 {
            warp.sync_mask(0x00ff_ffff);
            if let Some(y) = y.get_mut(i) {
                *y = tile.get(23 - lane);
            }
        }
    }
}

/// Lanes behind the end have returned; the others name each other.
#[kernel]
fn returned_lanes_left_out(warp: Warp, i: Index1D, n: u32, x: &[u32], mut y: DisjointSlice<u32>) {
    let lane = warp.lane();
    if lane >= n {
        return;
    }
    let tile = shared_array!(u32, 32);
    let there = (1_u32 << n) - 1;
    // SAFETY: the lanes below `n` make these calls together.
    unsafe {
        tile.set(lane as usize, x[i.get()]);
        warp.sync_mask(there);
        let other = tile.get((n - 1 - lane) as usize);
        let sum = warp.reduce_sum_mask(there, other);
        if let Some(y) = y.get_mut(i) {
            *y = sum + other;
        }
    }
}

/// Tiles of eight lanes, each with a barrier of its own, in a loop whose length differs from tile to tile.
#[kernel]
fn tiles_of_other_lengths(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let slots = shared_array!(u32, 32);
    let tile = block.tile::<8>();
    let (t, rank) = (block.thread(), tile.rank() as usize);
    let first = t - rank;
    let mut value = x[i.get()];
    // SAFETY: lanes of a tile exchange among themselves, with its barrier on both sides.
    unsafe {
        for _ in 0..1 + first / 8 {
            slots.set(t, value);
            tile.sync();
            value = slots.get(first + (rank + 1) % 8);
            tile.sync();
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

/// Lanes with the same key elect one of them, which adds for all.
#[kernel]
fn groups_of_equal_keys(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let sums = shared_array!(u32, 8);
    let lane = warp.lane();
    let key = x[i.get()] % 8;
    let group = warp.match_any(key);
    // SAFETY: the lowest lane of each group has the group's slot to itself; a barrier of the warp before others read.
    unsafe {
        if lane < 8 {
            sums.set(lane as usize, 0);
        }
        warp.sync();
        if group.lowest() == Some(lane) {
            sums.set(key as usize, group.count());
        }
        warp.sync();
        if let Some(y) = y.get_mut(i) {
            *y = sums.get(key as usize);
        }
    }
}

/// A sum within each group of equal keys, by the group's own mask.
#[kernel]
fn sum_of_a_matched_group(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let key = x[i.get()] % 4;
    let group = warp.match_any(key);
    // SAFETY: the lanes of a group make this call together, with its mask.
    let sum = unsafe { warp.reduce_sum_mask(group, x[i.get()]) };
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// A loop that lanes leave one by one, and a vote of those that are left.
#[kernel]
fn vote_of_those_left(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let mut left = x[i.get()] % 5;
    let mut votes = 0;
    loop {
        let active = warp.ballot(left > 0);
        if active.is_empty() {
            break;
        }
        votes += u32::from(active.contains(warp.lane()));
        left = left.saturating_sub(1);
    }
    if let Some(y) = y.get_mut(i) {
        *y = votes;
    }
}

/// Shuffles go on in a branch that whole warps take or leave.
#[kernel]
fn branch_of_whole_warps(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let sums = shared_array!(u32, 4);
    // SAFETY: each warp has its own slot; a barrier before others read.
    unsafe {
        if warp.lane() == 0 {
            sums.set(warp.index() as usize, 0);
        }
        block.sync();
        if warp.index().is_multiple_of(2) {
            let sum = warp.reduce_sum(x[i.get()]);
            if warp.lane() == 0 {
                sums.set(warp.index() as usize, sum);
            }
        }
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = sums.get(0) + sums.get(1) + sums.get(2) + sums.get(3);
        }
    }
}

/// One lane writes what all lanes of its warp read, over and over, with a barrier on each side.
#[kernel]
fn one_word_for_a_warp(warp: Warp, block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let words = shared_array!(u32, 2);
    let w = warp.index() as usize;
    let mut sum = 0;
    // SAFETY: a barrier of the warp before and after others read.
    unsafe {
        for round in 0..4 {
            if warp.lane() == round {
                words.set(w, round + 1);
            }
            warp.sync();
            sum += words.get(w);
            warp.sync();
        }
    }
    let _ = block;
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// The lanes that take a branch find each other, and add up among themselves.
#[kernel]
fn coalesced_lanes(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let mut sum = 0;
    if x[i.get()] >= 50 {
        let group = warp.coalesced();
        sum = group.reduce_sum(1_u32);
        sum = u32::from(sum >= 1);
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// Bitonic exchange by shuffles, in which every lane takes part in every step.
#[kernel]
fn sorted_by_shuffles(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let lane = warp.lane();
    let mut own = x[i.get()];
    let mut size = 2;
    while size <= 32 {
        let mut distance = size / 2;
        while distance > 0 {
            let other = warp.shuffle_xor(own, distance);
            let up = lane & size == 0;
            let lower = lane & distance == 0;
            own = if up == lower {
                own.min(other)
            } else {
                own.max(other)
            };
            distance /= 2;
        }
        size *= 2;
    }
    if let Some(y) = y.get_mut(i) {
        *y = own;
    }
}

cases!("warps.rs":
    correct!(last_warp_with_barriers, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(2)?);
        start!(run, last_warp_with_barriers, (2, 64), &input, &mut y);
        run.expect(&y, |b| x[64 * b..][..64].iter().sum())
    }),
    correct!(halves_on_their_own, |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, halves_on_their_own, (1, 32), &input, &mut y);
        run.expect(&y, |i| x[i / 16 * 16 + 15 - i % 16])
    }),
    correct!(branches_that_meet, |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, branches_that_meet, (1, 32), &input, &mut y);
        run.expect(&y, |i| if (12..24).contains(&i) { x[23 - i] } else { 0 })
    }),
    correct!(returned_lanes_left_out, |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, returned_lanes_left_out, (1, 32), 20, &input, &mut y);
        run.expect(&y, |i| if i < 20 { x[..20].iter().sum::<u32>() + x[19 - i] } else { 0 })
    }),
    correct!(tiles_of_other_lengths, |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, tiles_of_other_lengths, (1, 32), &input, &mut y);
        run.expect(&y, |i| x[i / 8 * 8 + (i + i / 8 + 1) % 8])
    }),
    correct!(groups_of_equal_keys, |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, groups_of_equal_keys, (1, 32), &input, &mut y);
        run.expect(&y, |i| x.iter().filter(|&&v| v % 8 == x[i] % 8).count() as u32)
    }),
    correct!(sum_of_a_matched_group, |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, sum_of_a_matched_group, (1, 32), &input, &mut y);
        run.expect(&y, |i| x.iter().filter(|&&v| v % 4 == x[i] % 4).sum())
    }),
    correct!(vote_of_those_left, |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, vote_of_those_left, (1, 32), &input, &mut y);
        run.expect(&y, |i| x[i] % 5)
    }),
    correct!(branch_of_whole_warps, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        start!(run, branch_of_whole_warps, (1, 128), &input, &mut y);
        run.expect(&y, |_| (0..128).filter(|k| k / 32 % 2 == 0).map(|k| x[k]).sum())
    }),
    correct!(one_word_for_a_warp, |run| {
        let mut y = run.zeroed::<u32>(64)?;
        start!(run, one_word_for_a_warp, (1, 64), &mut y);
        run.expect(&y, |_| 10)
    }),
    correct!(coalesced_lanes, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, coalesced_lanes, (2, 32), &input, &mut y);
        run.expect(&y, |i| u32::from(x[i] >= 50))
    }),
    correct!(sorted_by_shuffles, |run| {
        let mut x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, sorted_by_shuffles, (1, 32), &input, &mut y);
        x.sort_unstable();
        run.expect(&y, |i| x[i])
    }),
);
