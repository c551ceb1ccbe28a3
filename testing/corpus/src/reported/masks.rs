//! Operations of a warp whose mask or source lane is wrong.

use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// kokkos/kokkos#1958: the mask of a group of lanes is shifted by the remainder of the lane, not by the number of the group.
#[kernel]
fn mask_shifted_by_the_remainder<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (lane, width) = (warp.lane(), 8);
    let group = if BUG {
        lane % (32 / width)
    } else {
        lane / width
    };
    let mask = 0xff_u32 << (group * width);
    // SAFETY: each lane is in its mask, with which its group makes this call. The bug is the point.
    let value = unsafe { warp.shuffle_idx_mask(mask, x[i.get()], lane / width * width) }; //~ WL0210 //~? WL0400|WL0212|WL0211|WL0214
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

/// uzh-rpg/vilib#5: the shuffle stands in a branch that part of the warp does not take, and that part waits for the block.
#[kernel]
fn shuffle_in_a_branch<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    n: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let mut most = x[i.get()];
    if BUG {
        if warp.lane() < n {
            for distance in [16, 8, 4, 2, 1] {
                most = most.max(warp.shuffle_down(most, distance)); //~ WL0211 first
            }
        }
    } else {
        for distance in [16, 8, 4, 2, 1] {
            most = most.max(warp.shuffle_down(most, distance));
        }
    }
    block.sync(); //~ WL0211 second
    if let Some(y) = y.get_mut(i) {
        *y = if warp.lane() == 0 { most } else { 0 };
    }
}

/// m0at/rvllm#1: the maximum of a row of 24 by shuffles over 32 lanes.
#[kernel]
fn row_shorter_than_a_warp<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let mut most = x[i.get()];
    let tile = shared_array!(u32, 24);
    if BUG {
        for distance in [16, 8, 4, 2, 1] {
            most = most.max(warp.shuffle_down(most, distance)); //~ WL0214
        }
    } else {
        // SAFETY: a barrier between writing and reading.
        unsafe {
            tile.set(block.thread(), most);
            block.sync();
            most = (0..24).map(|k| tile.get(k)).max().unwrap_or(0);
        }
    }
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = most;
    }
}

/// flashinfer-ai/flashinfer#3880: a butterfly over all lanes in the trailing warp, which has 20.
#[kernel]
fn butterfly_in_a_partial_warp<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let lanes = (block.threads() - 32 * warp.index() as usize).min(32) as u32;
    let mask = if lanes == 32 {
        u32::MAX
    } else {
        (1 << lanes) - 1
    };
    let own = x[i.get()];
    let mut seen = own;
    // SAFETY: the lanes of the mask make this call together. The bug is the point.
    unsafe {
        for flip in [16, 8, 4, 2, 1] {
            let partner = warp.lane() ^ flip;
            let from = if BUG || partner < lanes {
                partner
            } else {
                warp.lane()
            };
            let other = warp.shuffle_idx_mask(mask, own, from); //~ WL0214
            if partner < lanes {
                seen = seen.max(other);
            }
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

/// NVlabs/cuda-oxide#1310: the scratch memory has a slot for each full warp, and the block has a partial one besides.
#[kernel]
fn slot_of_the_partial_warp<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let slots = shared_array!(u32, 1);
    let more = shared_array!(u32, 2);
    let start = if BUG { slots.as_ptr() } else { more.as_ptr() };
    // SAFETY: one lane of each warp writes its own slot, a barrier before others read. The bug is the point.
    unsafe {
        if warp.lane() == 0 {
            *start.add(warp.index() as usize) = x[i.get()]; //~ WL0002
        }
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = *start ^ *start.add(1); //~? WL0002
        }
    }
}

/// desul/desul#132: lanes that are in one loop with different masks of active lanes vote with each other.
#[kernel]
fn masks_of_active_lanes<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let second = warp.lane() == 1;
    let mask = if BUG && second { 0x2_u32 } else { u32::MAX };
    // SAFETY: all lanes of the mask make this call with it. The bug is the point.
    let done = unsafe { warp.ballot_mask(mask, x[i.get()] >= 50) }; //~ WL0212|WL0211
    if let Some(y) = y.get_mut(i) {
        *y = done.count();
    }
}

/// ROCm/legacy-rocm-build#4479: both branches ask all lanes, each from its own line.
#[kernel]
fn vote_of_both_branches<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let set = x[i.get()] < 100;
    let mut all = false;
    if BUG && warp.lane() < 16 {
        all |= warp.all(set); //~ WL0215 first
    } else {
        all = warp.all(set); //~ WL0215 second
    }
    if let Some(y) = y.get_mut(i) {
        *y = u32::from(all);
    }
}

/// AMReX-Codes/amrex#640: the reduction of a block takes 32 lanes for granted, and the block has 12 threads.
#[kernel]
fn block_of_twelve<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let mut sum = x[i.get()];
    let n = block.threads() as u32;
    // SAFETY: the lanes that there are make this call together. The bug is the point.
    unsafe {
        for distance in [16, 8, 4, 2, 1] {
            let inside = warp.lane() + distance < n;
            let from = if BUG || inside {
                warp.lane() + distance
            } else {
                warp.lane()
            };
            let other = warp.shuffle_idx_mask((1_u32 << n) - 1, sum, from); //~ WL0214
            if inside {
                sum += other;
            }
        }
    }
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = sum;
    }
}

/// ROCm/rocm-systems#7588: the mask of a tile is computed from the thread's x alone, in a block of two rows.
#[kernel(block(16, 2))]
fn mask_from_x_alone<const BUG: bool>(x: &[u32], warp: Warp, mut y: DisjointSlice<u32>) {
    let rank = (16 * thread_idx().y + thread_idx().x) % 32;
    let first = if BUG { thread_idx().x } else { rank } / 16 * 16;
    let mask = 0xffff_u32 << first;
    // SAFETY: the lanes of each mask make this call together. The bug is the point.
    let sum = unsafe { warp.reduce_sum_mask(mask, x[rank as usize]) }; //~ WL0210 //~? WL0400|WL0211|WL0212
    // SAFETY: each thread has its own element.
    unsafe { *y.raw().add(rank as usize) = sum };
}

cases!("masks.rs":
    case!(mask_shifted_by_the_remainder, "kokkos/kokkos#1958", |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        launch!(run, mask_shifted_by_the_remainder, (1, 32), &input, &mut y);
        run.expect(&y, |i| x[i / 8 * 8])
    }).hangs(),
    case!(shuffle_in_a_branch, "uzh-rpg/vilib#5", |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        launch!(run, shuffle_in_a_branch, (1, 32), 20, &input, &mut y);
        run.expect(&y, |i| if i == 0 { x.iter().max().copied().unwrap_or(0) } else { 0 })
    }).hangs(),
    case!(row_shorter_than_a_warp, "m0at/rvllm#1", |run| {
        let x = noise(48);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(2)?);
        launch!(run, row_shorter_than_a_warp, (2, 24), &input, &mut y);
        run.expect(&y, |b| x[24 * b..][..24].iter().max().copied().unwrap_or(0))
    }),
    case!(butterfly_in_a_partial_warp, "flashinfer-ai/flashinfer#3880", |run| {
        let x = noise(52);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(52)?);
        launch!(run, butterfly_in_a_partial_warp, (1, 52), &input, &mut y);
        run.expect(&y, |i| {
            let (first, lanes) = (i / 32 * 32, if i < 32 { 32 } else { 20 });
            [0, 16, 8, 4, 2, 1].map(|flip| (i % 32) ^ flip).iter().filter(|&&k| k < lanes).map(|&k| x[first + k]).max().unwrap_or(0)
        })
    }),
    case!(slot_of_the_partial_warp, "NVlabs/cuda-oxide#1310", |run| {
        let x = noise(48);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(48)?);
        launch!(run, slot_of_the_partial_warp, (1, 48), &input, &mut y);
        run.expect(&y, |_| x[0] ^ x[32])
    }),
    case!(masks_of_active_lanes, "desul/desul#132", |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        launch!(run, masks_of_active_lanes, (1, 32), &input, &mut y);
        run.expect(&y, |_| x.iter().filter(|&&v| v >= 50).count() as u32)
    }).hangs(),
    case!(vote_of_both_branches, "ROCm/legacy-rocm-build#4479", |run| {
        let (x, mut y) = (run.upload(&noise(32))?, run.zeroed::<u32>(32)?);
        launch!(run, vote_of_both_branches, (1, 32), &x, &mut y);
        run.expect(&y, |_| 1)
    }),
    case!(block_of_twelve, "AMReX-Codes/amrex#640", |run| {
        let x = noise(24);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(2)?);
        launch!(run, block_of_twelve, (2, 12), &input, &mut y);
        run.expect(&y, |b| x[12 * b..][..12].iter().sum())
    }),
    case!(mask_from_x_alone, "ROCm/rocm-systems#7588", |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        launch!(run, mask_from_x_alone, Launch::new(1, (16, 2)), &input, &mut y);
        run.expect(&y, |i| x[i / 16 * 16..][..16].iter().sum())
    }).hangs(),
);
