//! Prefix sums, segmented sums, and recurrences along a row.

use core::sync::atomic::Ordering;

use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// modular/mojo-gpu-puzzles#26: each step adds the element to the left while its thread may already have written it.
#[kernel]
fn scan_over_its_neighbours<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let sums = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: barriers between reading and writing. The bug is the point.
    unsafe {
        sums.set(t, x[i.get()]);
        block.sync();
        let mut distance = 1;
        while distance < 64 {
            let mut left = 0;
            if t >= distance {
                left = sums.get(t - distance); //~ WL0101 second //~? WL0103
            }
            if !BUG {
                block.sync();
            }
            sums.set(t, sums.get(t) + left); //~ WL0101 first //~? WL0103
            block.sync();
            distance *= 2;
        }
        if let Some(y) = y.get_mut(i) {
            *y = sums.get(t);
        }
    }
}

/// ORNL/HeCBench#256: a filter of several sections, in which each thread reads the value of its left neighbour that the neighbour replaces.
#[kernel]
fn sections_of_a_filter<const BUG: bool>(
    block: Block,
    rounds: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let values = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: barriers between reading and writing; the last thread writes the results. The bug is the point.
    unsafe {
        values.set(t, 0);
        block.sync();
        for &next in &x[..rounds as usize] {
            let input = if t == 0 { next } else { values.get(t - 1) }; //~ WL0101 second //~? WL0103
            if !BUG {
                block.sync();
            }
            values.set(t, input + 1); //~ WL0101 first //~? WL0103
            block.sync();
        }
        *y.raw().add(t) = values.get(t);
    }
}

/// uw-ipd/tmol#91: the flags of segments' heads are written by one warp and read by another without a barrier.
#[kernel]
fn heads_of_segments<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (values, heads) = (shared_array!(u32, 64), shared_array!(u32, 64));
    let t = block.thread();
    // SAFETY: barriers between writing and reading. The bug is the point.
    unsafe {
        values.set(t, x[i.get()]);
        heads.set(t, 0);
        block.sync();
        heads.set(t, u32::from(x[i.get()] >= 50)); //~ WL0101 second //~? WL0103
        if !BUG {
            block.sync();
        }
        let (mut sum, mut at) = (0, t);
        loop {
            sum += values.get(at);
            if heads.get(at) == 1 || at == 0 {
                //~^ WL0101 first //~?^ WL0103
                break;
            }
            at -= 1;
        }
        if let Some(y) = y.get_mut(i) {
            *y = sum;
        }
    }
}

/// sgl-project/sglang#37663: the prefix sums are searched before all threads have stored theirs.
#[kernel]
fn search_in_prefix_sums<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let prefix = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        prefix.set(t, 0);
        block.sync();
        prefix.set(t, 2 * t as u32 + 1); //~ WL0101 second //~? WL0103
        if !BUG {
            block.sync();
        }
        let (mut low, mut high) = (0, 64);
        while low < high {
            let middle = (low + high) / 2;
            if prefix.get(middle) <= x[i.get()] {
                //~^ WL0101 first //~?^ WL0103
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if let Some(y) = y.get_mut(i) {
            *y = low as u32;
        }
    }
}

/// NVIDIA/cccl#4556: thread 0 replaces the tile's aggregate in global memory by the prefix, while later warps still read the aggregate.
#[kernel]
fn aggregate_replaced_by_prefix<const BUG: bool>(
    block: Block,
    i: Index1D,
    mut tiles: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let own = tiles.raw().wrapping_add(block.index());
    // SAFETY: within the buffer; a barrier between reading and writing. The bug is the point.
    unsafe {
        let aggregate = *own; //~ WL0111 second
        if !BUG {
            block.sync();
        }
        if block.thread() == 0 {
            *own = aggregate + 100; //~ WL0111 first
        }
        if let Some(y) = y.get_mut(i) {
            *y = aggregate;
        }
    }
}

/// boostorg/compute#772: the scan reads its element by the global index without asking whether there is one.
#[kernel]
unsafe fn scan_behind_the_end<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    n: u32,
    x: *const u32,
    mut y: DisjointSlice<u32>,
) {
    let sums = shared_array!(u32, 2);
    let at = i.get();
    // SAFETY: elements below `n`; a barrier between writing and reading. The bug is the point.
    unsafe {
        let mut value = 0;
        if BUG || at < n as usize {
            value = *x.add(at); //~ WL0001
        }
        let sum = warp.inclusive_scan(value, |a, b| a + b);
        if warp.lane() == 31 {
            sums.set(warp.index() as usize, sum);
        }
        block.sync();
        let before = if warp.index() == 1 { sums.get(0) } else { 0 };
        if let Some(y) = y.get_mut(i) {
            *y = sum + before;
        }
    }
}

/// NVIDIA/cub#665: the raking threads copy a whole row of partial sums, also elements that no thread has set.
#[kernel]
fn raking_over_unset_elements<const BUG: bool>(
    block: Block,
    items: u32,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let grid = shared_array!(u32, 64);
    let (t, items) = (block.thread(), items as usize);
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        if t < items {
            grid.set(t, x[t]);
        }
        block.sync();
        if t == 0 {
            let mut sum = 0;
            for k in 0..64 {
                if BUG || k < items {
                    let part = grid.get(k); //~ WL0020
                    sum += if k < items { part } else { 0 };
                }
            }
            if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
                *y = sum;
            }
        }
    }
}

/// ROCm/rocPRIM#89: the sort's shared memory is used again for the histogram, while some threads still fetch their sorted keys from it.
#[kernel]
fn histogram_over_sorted_keys<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let storage = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: barriers between the two uses. The bug is the point.
    unsafe {
        storage.set(63 - t, x[i.get()] % 64);
        block.sync();
        let key = storage.get(t); //~ WL0101 second //~? WL0103
        if !BUG {
            block.sync();
        }
        storage.set(t ^ 32, 0); //~ WL0101 first
        block.sync();
        storage.atomic(key as usize).fetch_add(1, Ordering::Relaxed);
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = storage.get(t);
        }
    }
}

cases!("scans.rs":
    case!(scan_over_its_neighbours, "modular/mojo-gpu-puzzles#26", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, scan_over_its_neighbours, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[..=i].iter().sum())
    }),
    case!(sections_of_a_filter, "ORNL/HeCBench#256", |run| {
        let x = noise(3);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, sections_of_a_filter, (1, 64), 3, &input, &mut y);
        run.expect(&y, |i| if i < 3 { x[2 - i] + i as u32 + 1 } else { 3 })
    }),
    case!(heads_of_segments, "uw-ipd/tmol#91", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, heads_of_segments, (1, 64), &input, &mut y);
        run.expect(&y, |i| {
            let head = (0..=i).rev().find(|&k| x[k] >= 50).unwrap_or(0);
            x[head..=i].iter().sum()
        })
    }),
    case!(search_in_prefix_sums, "sgl-project/sglang#37663", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, search_in_prefix_sums, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[i].div_ceil(2).min(64))
    }),
    case!(aggregate_replaced_by_prefix, "NVIDIA/cccl#4556", |run| {
        let (mut tiles, mut y) = (run.upload(&[5_u32, 6])?, run.zeroed::<u32>(128)?);
        launch!(run, aggregate_replaced_by_prefix, (2, 64), &mut tiles, &mut y);
        run.expect(&y, |i| 5 + i as u32 / 64)
    }),
    case!(scan_behind_the_end, "boostorg/compute#772", |run| {
        let x = noise(50);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(50)?);
        let from = std::ptr::with_exposed_provenance(input.raw_ptr() as usize);
        // SAFETY: a buffer that stays allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, scan_behind_the_end, (1, 64), 50, from, &mut y) };
        run.expect(&y, |i| x[..=i].iter().sum())
    }),
    case!(raking_over_unset_elements, "NVIDIA/cub#665", |run| {
        let x = noise(40);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1)?);
        launch!(run, raking_over_unset_elements, (1, 64), 40, &input, &mut y);
        run.expect(&y, |_| x.iter().sum())
    }),
    case!(histogram_over_sorted_keys, "ROCm/rocPRIM#89", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, histogram_over_sorted_keys, (1, 64), &input, &mut y);
        run.expect(&y, |bin| x.iter().filter(|&&v| v as usize % 64 == bin).count() as u32)
    }),
);
