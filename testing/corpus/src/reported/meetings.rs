//! Barriers and operations of warps to which threads do not come, or that they are not meant to come to.

use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// Luce-Org/lucebox#225: the guard of the last block's rows returns before a barrier.
#[kernel]
fn rows_behind_the_sequence_return<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let first = shared_array!(u32, 1);
    let (t, at) = (block.thread(), i.get());
    if BUG && at >= x.len() {
        return;
    }
    // SAFETY: one thread writes, a barrier before others read.
    unsafe {
        if t == 0 {
            first.set(0, x[at]);
        }
        block.sync(); //~ WL0201
        if at < x.len() {
            *y.raw().add(at) = x[at] + first.get(0);
        }
    }
}

/// acts-project/traccc#338: threads without a cell return, the others merge labels with a barrier in each round.
#[kernel]
fn threads_without_a_cell_return<const BUG: bool>(
    block: Block,
    cells: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let labels = shared_array!(u32, 64);
    let (t, cells) = (block.thread(), cells as usize);
    if BUG && t >= cells {
        return;
    }
    // SAFETY: each thread its own label; barriers between writing and reading.
    unsafe {
        labels.set(t, if t < cells { x[t] } else { u32::MAX });
        for _ in 0..2 {
            block.sync(); //~ WL0201
            let other = labels.get(t.min(cells - 1) / 2);
            block.sync(); //~? WL0201
            labels.set(t, labels.get(t).min(other));
        }
        if t < cells {
            *y.raw().add(t) = labels.get(t);
        }
    }
}

/// tile-ai/tilelang#1026: a barrier stands in the branch of every other lane.
#[kernel]
fn barrier_of_every_other_lane<const BUG: bool>(
    block: Block,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 64);
    let (t, y) = (block.thread(), y.raw());
    // SAFETY: barriers between writing and reading.
    unsafe {
        tile.set(t, x[t]);
        block.sync();
        let own = tile.get(t);
        if BUG {
            if t.is_multiple_of(2) {
                block.sync(); //~ WL0201
                *y.add(t ^ 1) = own;
            }
        } else {
            block.sync();
            if t.is_multiple_of(2) {
                *y.add(t ^ 1) = own;
            }
        }
    }
}

/// victorprad/InfiniTAM#75: barriers of the block within a function that only the first warp calls.
#[kernel]
fn barriers_in_the_sum_of_a_warp<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let sums = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: barriers between writing and reading. The bug is the point.
    unsafe {
        sums.set(t, x[i.get()]);
        block.sync();
        if t < 32 {
            for distance in [32, 16, 8, 4, 2, 1] {
                let other = if t < distance {
                    sums.get(t + distance)
                } else {
                    0
                };
                if BUG {
                    block.sync(); //~ WL0201
                } else {
                    warp.sync();
                }
                sums.set(t, sums.get(t) + other);
                if BUG {
                    block.sync(); //~? WL0201
                } else {
                    warp.sync();
                }
            }
        }
    }
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        // SAFETY: written by this thread.
        *y = unsafe { sums.get(0) };
    }
}

/// brucefan1983/CUDA-Programming#51: all lanes call an operation whose mask leaves out the first.
#[kernel]
fn caller_is_not_in_the_mask<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (mask, mut value) = (0xffff_fffe, 0);
    if BUG || warp.lane() > 0 {
        // SAFETY: all lanes of the mask make this call. The bug is the point.
        value = unsafe { warp.shuffle_idx_mask(mask, x[i.get()], 1) }; //~ WL0210 //~? WL0400|WL0211|WL0212|WL0214
    }
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

/// ComputationalRadiationPhysics/picongpu#2514: a vote of all lanes within a branch that some of them take.
#[kernel]
fn vote_of_all_in_a_branch<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let is_wanted = x[i.get()] < 50;
    let mut lanes = 0;
    if BUG {
        if is_wanted {
            lanes = warp.ballot(true).bits(); //~ WL0211 first
        }
    } else {
        let all = warp.ballot(is_wanted).bits();
        lanes = if is_wanted { all } else { 0 };
    }
    block.sync(); //~ WL0211 second
    if let Some(y) = y.get_mut(i) {
        *y = lanes.count_ones();
    }
}

/// NVIDIA/cub#154: groups of a warp leave a loop at different times, and shuffle with the mask of the whole warp.
#[kernel]
fn groups_leave_a_loop<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let group = warp.lane() / 8;
    let mask = if BUG { u32::MAX } else { 0xff << (8 * group) };
    let mut sum = 0;
    for _ in 0..=group {
        // SAFETY: all lanes of the mask make this call. The bug is the point.
        sum += unsafe { warp.shuffle_idx_mask(mask, x[i.get()], 8 * group) }; //~ WL0211 first
    }
    block.sync(); //~ WL0211 second
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// NVlabs/cuda-oxide#672: a butterfly over 32 lanes in a last warp of 16.
#[kernel]
fn butterfly_over_absent_lanes<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let mut sum = x[i.get()];
    let flips = if BUG { 5 } else { 4 };
    for bit in (0..flips).rev() {
        sum += warp.shuffle_xor(sum, 1 << bit); //~ WL0214
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

cases!("meetings.rs":
    case!(rows_behind_the_sequence_return, "Luce-Org/lucebox#225", |run| {
        let x = noise(100);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(100)?);
        launch!(run, rows_behind_the_sequence_return, (2, 64), &input, &mut y);
        run.expect(&y, |i| x[i] + x[i / 64 * 64])
    }),
    case!(threads_without_a_cell_return, "acts-project/traccc#338", |run| {
        let x = noise(50);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(50)?);
        launch!(run, threads_without_a_cell_return, (1, 64), 50, &input, &mut y);
        let round = |x: &[u32]| -> Vec<u32> { (0..50).map(|i| x[i].min(x[i / 2])).collect() };
        let labels = round(&round(&x));
        run.expect(&y, |i| labels[i])
    }),
    case!(barrier_of_every_other_lane, "tile-ai/tilelang#1026", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, barrier_of_every_other_lane, (1, 64), &input, &mut y);
        run.expect(&y, |i| if i % 2 == 1 { x[i - 1] } else { 0 })
    }),
    case!(barriers_in_the_sum_of_a_warp, "victorprad/InfiniTAM#75", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1)?);
        launch!(run, barriers_in_the_sum_of_a_warp, (1, 64), &input, &mut y);
        run.expect(&y, |_| x.iter().sum())
    }),
    case!(caller_is_not_in_the_mask, "brucefan1983/CUDA-Programming#51", |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        launch!(run, caller_is_not_in_the_mask, (1, 32), &input, &mut y);
        run.expect(&y, |i| if i == 0 { 0 } else { x[1] })
    }).hangs(),
    case!(vote_of_all_in_a_branch, "ComputationalRadiationPhysics/picongpu#2514", |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        launch!(run, vote_of_all_in_a_branch, (1, 32), &input, &mut y);
        let wanted = x.iter().filter(|v| **v < 50).count() as u32;
        run.expect(&y, |i| if x[i] < 50 { wanted } else { 0 })
    }).hangs(),
    case!(groups_leave_a_loop, "NVIDIA/cub#154", |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        launch!(run, groups_leave_a_loop, (1, 32), &input, &mut y);
        run.expect(&y, |i| (i as u32 / 8 + 1) * x[i / 8 * 8])
    }).hangs(),
    case!(butterfly_over_absent_lanes, "NVlabs/cuda-oxide#672", |run| {
        let x = noise(48);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(48)?);
        launch!(run, butterfly_over_absent_lanes, (1, 48), &input, &mut y);
        run.expect(&y, |i| x[i / 16 * 16..][..16].iter().sum())
    }),
);
