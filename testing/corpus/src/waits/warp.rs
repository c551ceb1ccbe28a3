//! Operations of a warp whose mask is not that of the lanes that come.

use warploom::prelude::*;

use crate::case::{case, cases, count, launch, noise};

/// All lanes ask, with a mask of the lower half.
#[kernel]
fn not_in_its_own_mask<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let large = x[i.get()] >= 50;
    let mask = if BUG { 0x0000_ffff_u32 } else { u32::MAX };
    // SAFETY: each lane is in the mask. The bug is the point.
    let votes = unsafe { warp.ballot_mask(mask, large) }; //~ WL0210 //~? WL0400
    if let Some(y) = y.get_mut(i) {
        *y = votes.bits();
    }
}

/// A barrier of the warp whose mask leaves out the caller.
#[kernel]
fn mask_without_lane_0<const BUG: bool>(warp: Warp, i: Index1D, mut y: DisjointSlice<u32>) {
    let mask = if BUG { 0xffff_fffe_u32 } else { u32::MAX };
    // SAFETY: each lane is in the mask. The bug is the point.
    unsafe { warp.sync_mask(mask) }; //~ WL0210 //~? WL0400
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}

/// A sum over the whole warp, in a branch that half of it takes; the others wait for the block.
#[kernel]
fn half_does_not_come<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let mut sum = 0;
    if !BUG || warp.lane() < 16 {
        sum = warp.shuffle_xor(x[i.get()], 1); //~ WL0211 first
    }
    block.sync(); //~ WL0211 second
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// One lane is kept by a loop that waits for the block.
#[kernel]
fn lane_0_waits_elsewhere<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    mut y: DisjointSlice<u32>,
) {
    if BUG && warp.lane() == 0 {
        block.sync(); //~ WL0211|WL0200 second
    }
    let votes = warp.ballot(warp.lane() < 8); //~ WL0211|WL0200 first
    if !BUG || warp.lane() != 0 {
        block.sync();
    }
    if let Some(y) = y.get_mut(i) {
        *y = votes.bits();
    }
}

/// The lower half names all lanes, the upper half itself.
#[kernel]
fn masks_of_two_minds<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let lower = warp.lane() < 16;
    let mask = match (BUG, lower) {
        (true, false) => 0xffff_0000_u32,
        _ => u32::MAX,
    };
    // SAFETY: all lanes of the mask make this call with it. The bug is the point.
    let any = unsafe { warp.any_mask(mask, x[i.get()] >= 50) }; //~ WL0212|WL0211
    if let Some(y) = y.get_mut(i) {
        *y = u32::from(any);
    }
}

/// Two masks that overlap in one lane.
#[kernel]
fn masks_overlap<const BUG: bool>(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let lower = warp.lane() < 16;
    let mut value = 0;
    // SAFETY: all lanes of the mask make this call with it. The bug is the point.
    unsafe {
        if lower {
            let mask = if BUG { 0x0001_ffff_u32 } else { 0x0000_ffff };
            value = warp.shuffle_idx_mask(mask, x[i.get()], 3); //~ WL0212|WL0211 first
        } else {
            value += warp.shuffle_idx_mask(0xffff_0000_u32, x[i.get()], 19); //~ WL0212|WL0211 second
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

/// Half of the lanes vote, the others shuffle.
#[kernel]
fn vote_meets_shuffle<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let value = x[i.get()];
    let result = if BUG && warp.lane() < 16 {
        u32::from(warp.any(value >= 50)) //~ WL0213 first
    } else {
        warp.shuffle_idx(value, 5) //~ WL0213 second
    };
    if let Some(y) = y.get_mut(i) {
        *y = result;
    }
}

/// A barrier of the warp meets a sum.
#[kernel]
fn barrier_meets_sum<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (mut sum, value) = (0, x[i.get()]);
    if BUG && value >= 50 {
        warp.sync(); //~ WL0213 first
    } else {
        sum = warp.reduce_sum(value); //~ WL0213 second
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// The last warp has eight lanes; the sum reads from the lanes behind them.
#[kernel]
fn lanes_that_are_not_there<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let mut sum = x[i.get()];
    let mut distance = 4;
    let whole = block.threads().is_multiple_of(8);
    while distance > 0 && whole {
        sum += if BUG {
            warp.shuffle_down(sum, 2 * distance) //~ WL0214
        } else {
            warp.shuffle_down_in(sum, distance, Width::W8)
        };
        distance /= 2;
    }
    if let Some(y) = y.get_mut(i) {
        *y = if warp.lane().is_multiple_of(8) {
            sum
        } else {
            0
        };
    }
}

/// A lane outside of the mask is asked.
#[kernel]
fn source_outside_of_the_mask<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u64],
    mut y: DisjointSlice<u64>,
) {
    let half = if warp.lane() < 16 {
        0x0000_ffff_u32
    } else {
        0xffff_0000
    };
    let source = if BUG { 20 } else { 4 + (warp.lane() & 16) };
    // SAFETY: all lanes of the mask make this call with it, and the source is one of them. The bug is the point.
    let value = unsafe { warp.shuffle_idx_mask(half, x[i.get()], source) }; //~ WL0214
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

/// A lane is asked that has returned.
#[kernel]
fn source_has_returned<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    if warp.lane() >= 24 {
        return;
    }
    let value = if BUG {
        warp.shuffle_idx(x[i.get()], 31) //~ WL0214
    } else {
        // SAFETY: all lanes of the mask make this call with it.
        unsafe { warp.shuffle_idx_mask(0x00ff_ffff, x[i.get()], 23) }
    };
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

/// Each branch adds up its own lanes, with the mask of all.
#[kernel]
fn sums_of_two_branches<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (value, all) = (x[i.get()], u32::MAX);
    // SAFETY: the lanes of each mask make this call together. The bug is the point.
    let sum = unsafe {
        if warp.lane() < 12 {
            warp.reduce_sum_mask(if BUG { all } else { 0xfff }, value) //~ WL0215 first
        } else {
            warp.reduce_sum_mask(if BUG { all } else { all << 12 }, 2 * value) //~ WL0215 second
        }
    };
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

cases!("warp.rs":
    case!(not_in_its_own_mask, "narrow one mask", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, not_in_its_own_mask, (1, 64), &input, &mut y);
        run.expect(&y, |i| (0..32).map(|k| u32::from(x[i / 32 * 32 + k] >= 50) << k).sum())
    }).hangs(),
    case!(mask_without_lane_0, "narrow one mask", |run| {
        let mut y = run.zeroed::<u32>(32)?;
        launch!(run, mask_without_lane_0, (1, 32), &mut y);
        run.expect(&y, |_| 1)
    }).hangs(),
    case!(half_does_not_come, "P-18", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(64))?, run.zeroed::<u32>(64)?);
        launch!(run, half_does_not_come, (2, 32), &x, &mut y);
        run.expect(&y, |i| i as u32 ^ 1)
    }).hangs(),
    case!(lane_0_waits_elsewhere, "P-18", |run| {
        let mut y = run.zeroed::<u32>(32)?;
        launch!(run, lane_0_waits_elsewhere, (1, 32), &mut y);
        run.expect(&y, |_| 0xff)
    }).hangs(),
    case!(masks_of_two_minds, "narrow one mask", |run| {
        let (x, mut y) = (run.upload(&noise(64))?, run.zeroed::<u32>(64)?);
        launch!(run, masks_of_two_minds, (2, 32), &x, &mut y);
        run.expect(&y, |_| 1)
    }).hangs(),
    case!(masks_overlap, "widen one mask", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(32))?, run.zeroed::<u32>(32)?);
        launch!(run, masks_overlap, (1, 32), &x, &mut y);
        run.expect(&y, |i| if i < 16 { 3 } else { 19 })
    }).hangs(),
    case!(vote_meets_shuffle, "", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(32))?, run.zeroed::<u32>(32)?);
        launch!(run, vote_meets_shuffle, (1, 32), &x, &mut y);
        run.expect(&y, |_| 5)
    }).hangs(),
    case!(barrier_meets_sum, "", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, barrier_meets_sum, (2, 32), &input, &mut y);
        run.expect(&y, |i| x[i / 32 * 32..][..32].iter().sum())
    }).hangs(),
    case!(lanes_that_are_not_there, "P-18", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(40))?, run.zeroed::<u32>(40)?);
        launch!(run, lanes_that_are_not_there, (1, 40), &x, &mut y);
        run.expect(&y, |i| if i % 8 == 0 { 8 * i as u32 + 28 } else { 0 })
    }),
    case!(source_outside_of_the_mask, "narrow one mask", |run| {
        let (x, mut y) = (run.upload(&count::<u64>(64))?, run.zeroed::<u64>(64)?);
        launch!(run, source_outside_of_the_mask, (1, 64), &x, &mut y);
        run.expect(&y, |i| i as u64 / 16 * 16 + 4)
    }),
    case!(source_has_returned, "P-18", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(32))?, run.zeroed::<u32>(32)?);
        launch!(run, source_has_returned, (1, 32), &x, &mut y);
        run.expect(&y, |i| if i < 24 { 23 } else { 0 })
    }),
    case!(sums_of_two_branches, "", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, sums_of_two_branches, (2, 32), &input, &mut y);
        run.expect(&y, |i| {
            let (first, second) = x[i / 32 * 32..][..32].split_at(12);
            if i % 32 < 12 { first.iter().sum() } else { 2 * second.iter().sum::<u32>() }
        })
    }),
);
