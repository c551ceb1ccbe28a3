//! Code that counts on the lanes of a warp running in step.

use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// tpruvot/ccminer#75: levels of a tree in shared memory, computed by fewer lanes each, without a barrier of the warp between them.
#[kernel]
fn levels_of_a_hash_tree<const BUG: bool>(
    warp: Warp,
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let levels = shared_array!(u32, 32);
    let lane = warp.lane() as usize;
    // SAFETY: barriers of the warp between the levels. The bug is the point.
    unsafe {
        levels.set(lane, x[i.get()]);
        warp.sync();
        let mut half = 16;
        while half > 0 {
            if lane < half {
                let pair = levels.get(lane) ^ levels.get(lane + half); //~ WL0103 first
                levels.set(lane, pair); //~ WL0103 second
            }
            if !BUG {
                warp.sync();
            }
            half /= 2;
        }
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = levels.get(0);
        }
    }
}

/// kaldi-asr/kaldi#3211: groups of rows are reduced by the threads of one warp each, in shared memory, without synchronisation.
#[kernel(block(8, 8))]
fn groups_within_warps<const BUG: bool>(x: &[u32], warp: Warp, mut y: DisjointSlice<u32>) {
    let sums = shared_array!(u32, 64);
    let (column, row) = (thread_idx().x as usize, thread_idx().y as usize);
    let own = 8 * row + column;
    // SAFETY: barriers of the warp between the steps; a group is part of one warp. The bug is the point.
    unsafe {
        sums.set(own, x[own]);
        warp.sync();
        for distance in [4, 2, 1] {
            let mut sum = sums.get(own);
            if column < distance {
                sum = sum.max(sums.get(own + distance)); //~ WL0103 first
            }
            if !BUG {
                warp.sync();
            }
            sums.set(own, sum); //~ WL0103 second
            if !BUG {
                warp.sync();
            }
        }
        if column == 0 {
            *y.raw().add(row) = sums.get(own);
        }
    }
}

/// Mantevo/miniFE#13: the last steps of a dot product by volatile accesses, with no barrier because one warp does them.
#[kernel]
fn last_steps_of_a_dot_product<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let sums = shared_array!(u32, 64);
    let t = block.thread();
    let own = sums.as_ptr().wrapping_add(t);
    // SAFETY: within the array; barriers between the steps. The bug is the point.
    unsafe {
        own.write_volatile(x[i.get()]);
        block.sync();
        if t < 32 {
            let mut sum = own.read_volatile() + own.add(32).read_volatile();
            own.write_volatile(sum); //~? WL0104
            for distance in [16, 8, 4, 2, 1] {
                if !BUG {
                    warp.sync();
                }
                if t < distance {
                    sum += own.add(distance).read_volatile(); //~ WL0104 first
                }
                if !BUG {
                    warp.sync();
                }
                own.write_volatile(sum); //~ WL0104 second
            }
            if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
                *y = sum;
            }
        }
    }
}

/// mark-poscablo/gpu-sum-reduction#1: the unrolled last warp with ordinary accesses.
#[kernel]
fn unrolled_without_volatile<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let sums = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: within the array; barriers between the steps. The bug is the point.
    unsafe {
        sums.set(t, x[i.get()]);
        block.sync();
        if t < 32 {
            for distance in [32, 16, 8, 4, 2, 1] {
                let other = sums.get(t + distance); //~ WL0103 first
                if !BUG {
                    warp.sync();
                }
                sums.set(t, sums.get(t) + other); //~ WL0103 second
                if !BUG {
                    warp.sync();
                }
            }
            if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
                *y = sums.get(0);
            }
        }
    }
}

/// kokkos/kokkos#1520: what the lanes of a vector loop wrote is used by one of them, without a barrier behind the loop.
#[kernel]
fn vector_loop_without_end<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let row = shared_array!(u32, 64);
    // SAFETY: a barrier of the warp behind the loop. The bug is the point.
    unsafe {
        row.set(block.thread(), 0);
        row.set(32 + block.thread(), 0);
        warp.sync();
        for k in [0, 32] {
            row.set(k + block.thread(), x[i.get()] + k as u32); //~ WL0103 second
        }
        if !BUG {
            warp.sync();
        }
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = (0..64).map(|k| row.get(k)).max().unwrap_or(0); //~ WL0103 first
        }
    }
}

/// microsoft/onnxruntime#14475: the first lanes replace elements of the first warp by the sums of the others, before lane 0 has read them.
#[kernel]
fn sums_over_the_first_warp<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let data = shared_array!(u32, 128);
    let t = block.thread();
    // SAFETY: barriers between reading and writing. The bug is the point.
    unsafe {
        data.set(t, x[i.get()]);
        block.sync();
        if t < 32 {
            let mut sum = 0;
            if t < 4 {
                for k in 0..32 {
                    sum += data.get(32 * t + k); //~ WL0103 second
                }
            }
            if !BUG {
                warp.sync();
            }
            if t < 4 {
                data.set(t, sum); //~ WL0103 first
            }
            warp.sync();
        }
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = (0..4).map(|k| data.get(k)).sum();
        }
    }
}

/// NVIDIA/cuCollections#337: lane 0 resets the counter of the group, and the vote behind it is taken for a barrier.
#[kernel]
fn counter_of_the_group<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    rounds: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let counter = shared_array!(u32, 1);
    let mut seen = 0;
    // SAFETY: barriers of the warp around each use. The bug is the point.
    unsafe {
        for round in 0..rounds {
            if warp.lane() == 0 {
                counter.set(0, 10 * round); //~ WL0103 first
            }
            let any = warp.any(x[i.get()] > round);
            warp.sync();
            seen += counter.get(0) + u32::from(any); //~ WL0103 second
            if !BUG {
                warp.sync();
            }
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

/// NVIDIA/cub#380: a logical warp of seven lanes lies in two warps, and their barrier is that of each warp.
#[kernel]
fn logical_warp_of_seven<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let values = shared_array!(u32, 35);
    let t = block.thread();
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        if t < 35 {
            values.set(t, 0);
        }
        block.sync();
        if t < 35 {
            values.set(t, x[i.get()]); //~ WL0101 second
        }
        if BUG {
            warp.sync();
        } else {
            block.sync();
        }
        if t < 35 {
            let first = t / 7 * 7;
            let sum = (0..7).map(|k| values.get(first + k)).sum(); //~ WL0101 first
            if let Some(y) = y.get_mut(i) {
                *y = sum;
            }
        }
    }
}

cases!("lockstep.rs":
    case!(levels_of_a_hash_tree, "tpruvot/ccminer#75", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(2)?);
        launch!(run, levels_of_a_hash_tree, (2, 32), &input, &mut y);
        run.expect(&y, |b| x[32 * b..][..32].iter().fold(0, |a, v| a ^ v))
    }),
    case!(groups_within_warps, "kaldi-asr/kaldi#3211", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(8)?);
        launch!(run, groups_within_warps, Launch::new(1, (8, 8)), &input, &mut y);
        run.expect(&y, |row| x[8 * row..][..8].iter().max().copied().unwrap_or(0))
    }),
    case!(last_steps_of_a_dot_product, "Mantevo/miniFE#13", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1)?);
        launch!(run, last_steps_of_a_dot_product, (1, 64), &input, &mut y);
        run.expect(&y, |_| x.iter().sum())
    }),
    case!(unrolled_without_volatile, "mark-poscablo/gpu-sum-reduction#1", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1)?);
        launch!(run, unrolled_without_volatile, (1, 64), &input, &mut y);
        run.expect(&y, |_| x.iter().sum())
    }),
    case!(vector_loop_without_end, "kokkos/kokkos#1520", |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1)?);
        launch!(run, vector_loop_without_end, (1, 32), &input, &mut y);
        run.expect(&y, |_| x.iter().max().map_or(0, |most| most + 32))
    }),
    case!(sums_over_the_first_warp, "microsoft/onnxruntime#14475", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1)?);
        launch!(run, sums_over_the_first_warp, (1, 128), &input, &mut y);
        run.expect(&y, |_| x.iter().sum())
    }),
    case!(counter_of_the_group, "NVIDIA/cuCollections#337", |run| {
        let (x, mut y) = (run.upload(&noise(32))?, run.zeroed::<u32>(32)?);
        launch!(run, counter_of_the_group, (1, 32), 3, &x, &mut y);
        run.expect(&y, |_| 33)
    }),
    case!(logical_warp_of_seven, "NVIDIA/cub#380", |run| {
        let x = noise(35);
        let (input, mut y) = (run.upload(&[x.clone(), vec![0; 29]].concat())?, run.zeroed::<u32>(64)?);
        launch!(run, logical_warp_of_seven, (1, 64), &input, &mut y);
        run.expect(&y, |i| if i < 35 { x[i / 7 * 7..][..7].iter().sum() } else { 0 })
    }),
);
