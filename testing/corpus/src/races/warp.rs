//! Within a warp: lanes do not run in step, so each exchange through memory needs a barrier of the warp.

use warploom::prelude::*;

use crate::case::{case, cases, count, launch, noise};

/// The sum of a warp that every lane gets: each step reads what the last one wrote.
#[kernel]
fn dissemination_sum<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 32);
    let lane = warp.lane() as usize;
    // SAFETY: barriers of the warp between the steps. The bug is the point.
    unsafe {
        tile.set(lane, x[i.get()]);
        warp.sync();
        let mut distance = 16;
        while distance > 0 {
            let other = tile.get((lane + distance) % 32); //~ WL0103 second
            if !BUG {
                warp.sync();
            }
            let own = tile.get(lane);
            tile.set(lane, own + other); //~ WL0103 first
            warp.sync();
            distance /= 2;
        }
        if let Some(y) = y.get_mut(i) {
            *y = tile.get(lane);
        }
    }
}

/// The last warp of a reduction, unrolled, as it was written for older GPUs.
#[kernel]
fn last_warp_unrolled<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let tile = shared_array!(u32, 64);
    let (t, p) = (block.thread(), tile.as_ptr());
    // SAFETY: barriers between the steps. The bug is the point.
    unsafe {
        tile.set(t, x[i.get()]);
        block.sync();
        if t < 32 {
            let mut half = 32;
            while half > 0 {
                let mut sum = *p.add(t);
                if t < half {
                    sum += *p.add(t + half); //~ WL0103 first
                }
                if !BUG {
                    warp.sync();
                }
                *p.add(t) = sum; //~ WL0103 second
                warp.sync();
                half /= 2;
            }
            if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
                *y = *p;
            }
        }
    }
}

/// All lanes write the slot of their warp.
#[kernel]
fn slot_of_the_warp<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    mut y: DisjointSlice<u32>,
) {
    let slots = shared_array!(u32, 3);
    // SAFETY: one lane of each warp writes, a barrier before others read. The bug is the point.
    unsafe {
        if BUG || warp.lane() == 0 {
            slots.set(warp.index() as usize, warp.lane() + 5); //~ WL0102
        }
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = slots.get(warp.index() as usize);
        }
    }
}

/// Groups of 16 lanes that share one slot, although each should have its own.
#[kernel]
fn slot_of_two_groups<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let slots = shared_array!(u32, 4);
    let tile = block.tile::<16>();
    let sum = tile.reduce_sum(x[i.get()]);
    let own = tile.index_in_block() as usize;
    let slot = if BUG { own & !1 } else { own };
    // SAFETY: one lane of each group writes, a barrier before others read. The bug is the point.
    unsafe {
        if tile.rank() == 0 {
            slots.set(slot, sum); //~ WL0102
        }
        warp.sync();
        if let Some(y) = y.get_mut(i) {
            *y = slots.get(slot);
        }
    }
}

/// Two barriers of 16 lanes, and an exchange between the halves.
#[kernel]
fn halves_wait_alone<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u64],
    mut y: DisjointSlice<u64>,
) {
    let tile = shared_array!(u64, 32);
    let lane = warp.lane();
    let half = if lane < 16 {
        0x0000_ffff_u32
    } else {
        0xffff_0000
    };
    // SAFETY: the lanes of each mask make this call together; a barrier between writing and reading. The bug is the point.
    unsafe {
        tile.set(lane as usize, 0);
        warp.sync();
        tile.set(lane as usize, x[i.get()]); //~ WL0103 second
        warp.sync_mask(if BUG { half } else { u32::MAX });
        let value = tile.get(lane as usize ^ 16); //~ WL0103 first
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// A tile of eight lanes waits, and reads from the next tile.
#[kernel]
fn reads_the_next_tile<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let shared = shared_array!(u32, 32);
    let lane = warp.lane() as usize;
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        shared.set(lane, 0);
        warp.sync();
        shared.set(lane, x[i.get()]); //~ WL0103 second
        if BUG {
            warp.tile::<8>().sync();
        } else {
            warp.sync();
        }
        let value = shared.get((lane + 8) % 32); //~ WL0103 first
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// Lane 0 tells the others.
#[kernel]
fn told_by_lane_0<const BUG: bool>(warp: Warp, i: Index1D, x: &[i32], mut y: DisjointSlice<i32>) {
    let word = shared_array!(i32, 1);
    let lane = warp.lane();
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        if lane == 0 {
            word.set(0, -1);
        }
        warp.sync();
        if lane == 0 {
            word.set(0, x[0]); //~ WL0103 second
        }
        if !BUG {
            warp.sync();
        }
        let value = word.get(0); //~ WL0103 first
        if let Some(y) = y.get_mut(i) {
            *y = value + lane as i32;
        }
    }
}

/// Two lanes for each bin of 16 bits.
#[kernel]
fn two_lanes_one_bin<const BUG: bool>(warp: Warp, i: Index1D, mut y: DisjointSlice<u32>) {
    let bins = shared_array!(u16, 32);
    let lane = warp.lane() as usize;
    // SAFETY: each lane has its own, a barrier before others read. The bug is the point.
    unsafe {
        bins.set(lane, 0);
        warp.sync();
        bins.set(if BUG { lane / 2 } else { lane }, lane as u16); //~ WL0102
        warp.sync();
        if let Some(y) = y.get_mut(i) {
            *y = u32::from(bins.get(31 - lane));
        }
    }
}

/// A vote stands where a barrier should: it brings the lanes together, and orders no memory.
#[kernel]
fn vote_for_a_barrier<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 32);
    let lane = warp.lane() as usize;
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        tile.set(lane, 0);
        warp.sync();
        tile.set(lane, x[i.get()]); //~ WL0103 second
        let any = warp.any(x[i.get()] > 50);
        if !BUG {
            warp.sync();
        }
        let value = tile.get(31 - lane); //~ WL0103 first
        if let Some(y) = y.get_mut(i) {
            *y = if any { value } else { 0 };
        }
    }
}

/// The first lane reserves a place and tells the others by a shuffle; what it wrote before that they do not see for sure.
#[kernel]
fn told_by_a_shuffle<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let table = shared_array!(u32, 8);
    let lane = warp.lane();
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        let mut place = 0;
        if lane == 0 {
            for entry in 0..8 {
                table.set(entry, 0);
            }
        }
        warp.sync();
        if lane == 0 {
            place = x[i.get()] as usize % 8;
            table.set(place, x[i.get()]); //~ WL0103 second
        }
        let place = warp.shuffle_idx(place as u32, 0) as usize;
        if !BUG {
            warp.sync();
        }
        let value = table.get(place); //~ WL0103 first
        if let Some(y) = y.get_mut(i) {
            *y = value + lane;
        }
    }
}

/// The last warp of a reduction by volatile accesses, as if its lanes ran in step.
#[kernel]
fn volatile_steps<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let tile = shared_array!(u32, 64);
    let own = tile.as_ptr().wrapping_add(warp.lane() as usize);
    // SAFETY: within the array; barriers between the steps. The bug is the point.
    unsafe {
        own.write_volatile(x[i.get()]);
        own.add(32).write_volatile(0);
        warp.sync();
        let mut half = 16;
        while half > 0 {
            let sum = own.read_volatile() + own.add(half).read_volatile(); //~ WL0104 second
            if !BUG {
                warp.sync();
            }
            own.write_volatile(sum); //~ WL0104 first
            if !BUG {
                warp.sync();
            }
            half /= 2;
        }
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = own.read_volatile();
        }
    }
}

cases!("warp.rs":
    case!(dissemination_sum, "P-16", |run| {
        let x = noise(96);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(96)?);
        launch!(run, dissemination_sum, (3, 32), &input, &mut y);
        run.expect(&y, |i| x[i / 32 * 32..][..32].iter().sum())
    }),
    case!(last_warp_unrolled, "P-16 reduce", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(2)?);
        launch!(run, last_warp_unrolled, (2, 64), &input, &mut y);
        run.expect(&y, |b| x[64 * b..][..64].iter().sum())
    }),
    case!(slot_of_the_warp, "", |run| {
        let mut y = run.zeroed::<u32>(192)?;
        launch!(run, slot_of_the_warp, (2, 96), &mut y);
        run.expect(&y, |_| 5)
    }),
    case!(slot_of_two_groups, "P-46", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, slot_of_two_groups, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[i / 16 * 16..][..16].iter().sum())
    }),
    case!(halves_wait_alone, "narrow one mask", |run| {
        let (x, mut y) = (run.upload(&count::<u64>(64))?, run.zeroed::<u64>(64)?);
        launch!(run, halves_wait_alone, (2, 32), &x, &mut y);
        run.expect(&y, |i| i as u64 ^ 16)
    }),
    case!(reads_the_next_tile, "narrow one mask", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(64))?, run.zeroed::<u32>(64)?);
        launch!(run, reads_the_next_tile, (2, 32), &x, &mut y);
        run.expect(&y, |i| (i / 32 * 32 + (i + 8) % 32) as u32)
    }),
    case!(told_by_lane_0, "P-16 P-03", |run| {
        let (x, mut y) = (run.upload(&[40])?, run.zeroed::<i32>(64)?);
        launch!(run, told_by_lane_0, (2, 32), &x, &mut y);
        run.expect(&y, |i| 40 + i as i32 % 32)
    }),
    case!(two_lanes_one_bin, "histogram", |run| {
        let mut y = run.zeroed::<u32>(64)?;
        launch!(run, two_lanes_one_bin, (2, 32), &mut y);
        run.expect(&y, |i| 31 - i as u32 % 32)
    }),
    case!(vote_for_a_barrier, "P-16", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, vote_for_a_barrier, (2, 32), &input, &mut y);
        run.expect(&y, |i| x[i ^ 31])
    }),
    case!(told_by_a_shuffle, "P-16", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, told_by_a_shuffle, (2, 32), &input, &mut y);
        run.expect(&y, |i| x[i / 32 * 32] + i as u32 % 32)
    }),
    case!(volatile_steps, "P-16 reduce", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(2)?);
        launch!(run, volatile_steps, (2, 32), &input, &mut y);
        run.expect(&y, |b| x[32 * b..][..32].iter().sum())
    }),
);
