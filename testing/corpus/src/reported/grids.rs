//! Between blocks: memory that several of them write, or write while others read.

use core::sync::atomic::Ordering;

use warploom::device_std::atomic::{AcqRel, Acquire, Atomic, Relaxed, Release};
use warploom::prelude::*;

use crate::case::{case, cases, count, launch, noise};

/// jax-ml/jax#37183: all blocks store their result to one cell, though the first alone initialises it.
#[kernel]
fn one_cell_for_all_blocks<const BUG: bool>(block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let b = block.index();
    if block.leader().is_none() || (!BUG && b > 0) {
        return;
    }
    let mut sum = x[b];
    while sum < 100 {
        sum += x[b] + 1;
    }
    // SAFETY: one block writes. The bug is the point.
    unsafe { *y.raw() = sum }; //~ WL0112
}

/// hpcgarage/spatter#178: a scatter without atomics, whose indices meet.
#[kernel]
fn scatter_of_meeting_indices<const BUG: bool>(
    i: Index1D,
    index: &[u32],
    x: &[u32],
    totals: &[Atomic<u32>],
) {
    let to = &totals[index[i.get()] as usize];
    if BUG {
        let to = to.as_ptr();
        // SAFETY: no other thread has this index. The bug is the point.
        unsafe { *to += x[i.get()] }; //~ WL0113|WL0112 //~? WL0111|WL0110|WL0114
    } else {
        to.fetch_add(x[i.get()], Relaxed);
    }
}

/// madsuite-org/MadNLP.jl#356: the transposed product of a sparse matrix adds to the columns' sums without atomics.
#[kernel]
fn columns_of_a_sparse_matrix<const BUG: bool>(
    i: Index1D,
    rows: &[u32],
    columns: &[u32],
    values: &[u32],
    sums: &[Atomic<u32>],
) {
    let row = i.get();
    if row + 1 >= rows.len() {
        return;
    }
    for k in rows[row] as usize..rows[row + 1] as usize {
        let to = &sums[columns[k] as usize];
        if BUG {
            let to = to.as_ptr();
            // SAFETY: no other row has this column. The bug is the point.
            unsafe { *to += values[k] }; //~ WL0111|WL0110 //~? WL0113|WL0112|WL0114
        } else {
            to.fetch_add(values[k], Relaxed);
        }
    }
}

/// vllm-project/vllm-xpu-kernels#586: a group of the persistent kernel zeroes the work counter that all groups take their tiles from.
#[kernel]
fn work_counter_zeroed_inside<const BUG: bool>(
    block: Block,
    tiles: u32,
    counter: &[Atomic<u32>],
    done: &[Atomic<u32>],
) {
    if block.leader().is_none() {
        return;
    }
    if BUG && block.index() == 0 {
        // SAFETY: no other group uses the counter yet. The bug is the point.
        unsafe { *counter[0].as_ptr() = 0 }; //~ WL0120 second
    }
    loop {
        let tile = counter[0].fetch_add(1, Relaxed); //~ WL0120 first
        if tile >= tiles {
            break;
        }
        done[tile as usize].store(1, Relaxed);
    }
}

/// ptycho/ptypy#301: each block scales by a coefficient that another block has written back by then.
#[kernel]
fn coefficient_written_back<const BUG: bool>(
    block: Block,
    i: Index1D,
    mut factors: DisjointSlice<u32>,
    mut results: DisjointSlice<u32>,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let group = block.index() / 2;
    let factor = factors.raw().wrapping_add(group);
    // SAFETY: within the buffers; results are written by one thread of each group. The bug is the point.
    unsafe {
        let value = *factor; //~ WL0113 second //~? WL0111
        if block.thread() == 0 && block.index().is_multiple_of(2) {
            if BUG {
                *factor = value + 1; //~ WL0113 first //~? WL0111
            } else {
                *results.raw().add(group) = value + 1;
            }
        }
        if let Some(y) = y.get_mut(i) {
            *y = value * x[i.get()];
        }
    }
}

/// intel/intel-xpu-backend-for-triton#7494: a buffer is written in one layout and read in another, with no barrier between.
#[kernel(block(8, 8))]
fn read_back_in_another_layout<const BUG: bool>(
    x: &[u32],
    mut scratch: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let (column, row) = (thread_idx().x as usize, thread_idx().y as usize);
    let scratch = scratch.raw();
    // SAFETY: within the buffers; a barrier between writing and reading. The bug is the point.
    unsafe {
        *scratch.add(8 * row + column) = 3 * x[8 * row + column]; //~ WL0111 second
        if !BUG {
            sync_threads();
        }
        *y.raw().add(8 * row + column) = *scratch.add(8 * column + row); //~ WL0111 first
    }
}

/// NVIDIA/cuml#4024: each node of the tree takes itself off the frontier and puts its children on it, in one array.
#[kernel]
fn one_frontier_for_two_levels<const BUG: bool>(
    i: Index1D,
    mut frontier: DisjointSlice<u32>,
    mut next: DisjointSlice<u32>,
) {
    let (node, n) = (i.get(), frontier.len());
    let (frontier, next) = (frontier.raw(), next.raw());
    let to = if BUG { frontier } else { next };
    // SAFETY: within the arrays; each node has one parent. The bug is the point.
    unsafe {
        if node < n && *frontier.add(node) == 1 {
            //~?^ WL0113|WL0111
            *frontier.add(node) = 0; //~ WL0113|WL0112 //~? WL0111|WL0110|WL0114
            for child in [2 * node + 1, 2 * node + 2] {
                if child < n {
                    *to.add(child) = 1; //~? WL0113|WL0112|WL0111|WL0110
                }
            }
        }
    }
}

/// newton-physics/newton#2554: every thread reads the round's number, and thread 0 counts it up in the same launch.
#[kernel]
fn round_counted_up_meanwhile<const BUG: bool>(
    i: Index1D,
    mut round: DisjointSlice<u32>,
    mut next: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let round = round.raw();
    // SAFETY: one thread writes. The bug is the point.
    unsafe {
        let now = *round; //~ WL0113 second //~? WL0111
        if i.get() == 0 {
            if BUG {
                *round = now + 1; //~ WL0113 first //~? WL0111
            } else {
                *next.raw() = now + 1;
            }
        }
        if let Some(y) = y.get_mut(i) {
            *y = now;
        }
    }
}

/// openvinotoolkit/openvino#29154: elements of the update that share an index write its element as they come.
#[kernel]
fn updates_of_one_index<const BUG: bool>(
    i: Index1D,
    index: &[u32],
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let to = index[i.get()];
    let is_last = (i.get() + 1..index.len()).all(|k| index[k] != to);
    if BUG || is_last {
        // SAFETY: the last update of an index alone. The bug is the point.
        unsafe { *y.raw().add(to as usize) = x[i.get()] }; //~ WL0112 //~? WL0110|WL0114
    }
}

/// ComputationalRadiationPhysics/picongpu#1044: several threads store the same value to one shared variable.
#[kernel]
fn must_shift_by_all<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let must_shift = shared_array!(u32, 1);
    let t = block.thread();
    // SAFETY: barriers around the stores. The bug is the point.
    unsafe {
        if t == 0 {
            must_shift.set(0, 0);
        }
        block.sync();
        if x[i.get()] >= 50 {
            if BUG {
                must_shift.set(0, 1); //~ WL0114
            } else {
                must_shift.atomic(0).store(1, Ordering::Relaxed);
            }
        }
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = must_shift.get(0);
        }
    }
}

/// owensgroup/SlabHash#23: a bucket is read by an ordinary load and changed by compare and swap.
#[kernel]
fn bucket_read_weakly<const BUG: bool>(block: Block, keys: &[u32], buckets: &[Atomic<u32>]) {
    if block.leader().is_none() {
        return;
    }
    let key = keys[block.index()];
    for bucket in buckets {
        let now = if BUG {
            // SAFETY: the bug is intended.
            unsafe { *bucket.as_ptr() } //~ WL0120 first
        } else {
            bucket.load(Relaxed)
        };
        if now == 0 && bucket.compare_exchange(0, key, AcqRel, Relaxed).is_ok() {
            //~^ WL0120 second
            break;
        }
    }
}

/// NVIDIA/cudf#9317: the key is claimed by compare and swap, its value stored after; a thread that finds the key reads the value.
#[kernel]
fn value_behind_its_key<const BUG: bool>(
    block: Block,
    keys: &[Atomic<u32>],
    ready: &[Atomic<u32>],
    mut values: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let values = values.raw();
    // SAFETY: the thread that claimed the key writes, others read what is ready. The bug is the point.
    unsafe {
        let mut seen = 9;
        if keys[0].compare_exchange(0, 77, AcqRel, Acquire).is_ok() {
            *values = 9; //~ WL0113|WL0122 second
            ready[0].store(1, Release);
        } else if BUG || ready[0].load(Acquire) == 1 {
            seen = *values; //~ WL0113|WL0122 first
        }
        if let Some(y) = y.get_mut(leader) {
            *y = seen;
        }
    }
}

cases!("grids.rs":
    case!(one_cell_for_all_blocks, "jax-ml/jax#37183", |run| {
        let (x, mut y) = (run.upload(&[0_u32, 1, 3, 4])?, run.zeroed::<u32>(1)?);
        launch!(run, one_cell_for_all_blocks, (4, 32), &x, &mut y);
        run.expect(&y, |_| 100)
    }),
    case!(scatter_of_meeting_indices, "hpcgarage/spatter#178", |run| {
        let (x, index) = (noise(128), noise(128).into_iter().map(|v| v % 16).collect::<Vec<_>>());
        let (input, places, mut totals) = (run.upload(&x)?, run.upload(&index)?, run.zeroed::<u32>(16)?);
        launch!(run, scatter_of_meeting_indices, (4, 32), &places, &input, totals.as_atomics());
        run.expect(&totals, |k| (0..128).filter(|&i| index[i] as usize == k).map(|i| x[i]).sum())
    }),
    case!(columns_of_a_sparse_matrix, "madsuite-org/MadNLP.jl#356", |run| {
        let rows: Vec<u32> = (0..=32).map(|row| 3 * row).collect();
        let columns: Vec<u32> = (0..96).map(|k| (k + k / 3) % 8).collect();
        let values = noise(96);
        let mut sums = run.zeroed::<u32>(8)?;
        let (rows, at, v) = (run.upload(&rows)?, run.upload(&columns)?, run.upload(&values)?);
        launch!(run, columns_of_a_sparse_matrix, (1, 32), &rows, &at, &v, sums.as_atomics());
        run.expect(&sums, |c| (0..96).filter(|&k| columns[k] as usize == c).map(|k| values[k]).sum())
    }),
    case!(work_counter_zeroed_inside, "vllm-project/vllm-xpu-kernels#586", |run| {
        let (mut counter, mut done) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(10)?);
        launch!(run, work_counter_zeroed_inside, (4, 32), 10, counter.as_atomics(), done.as_atomics());
        run.expect(&done, |_| 1)
    }),
    case!(coefficient_written_back, "ptycho/ptypy#301", |run| {
        let x = noise(128);
        let (mut factors, mut results) = (run.upload(&[3_u32, 4])?, run.zeroed::<u32>(2)?);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, coefficient_written_back, (4, 32), &mut factors, &mut results, &input, &mut y);
        run.expect(&y, |i| x[i] * (3 + i as u32 / 64))
    }),
    case!(read_back_in_another_layout, "intel/intel-xpu-backend-for-triton#7494", |run| {
        let x = noise(64);
        let (input, mut scratch, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?, run.zeroed::<u32>(64)?);
        launch!(run, read_back_in_another_layout, Launch::new(1, (8, 8)), &input, &mut scratch, &mut y);
        run.expect(&y, |i| 3 * x[i % 8 * 8 + i / 8])
    }),
    case!(one_frontier_for_two_levels, "NVIDIA/cuml#4024", |run| {
        let start: Vec<u32> = (0..128).map(|node| u32::from(node < 40)).collect();
        let (mut frontier, mut next) = (run.upload(&start)?, run.zeroed::<u32>(128)?);
        launch!(run, one_frontier_for_two_levels, (4, 32), &mut frontier, &mut next);
        run.expect(&next, |node| u32::from((1..=80).contains(&node)))
    }),
    case!(round_counted_up_meanwhile, "newton-physics/newton#2554", |run| {
        let (mut round, mut next) = (run.upload(&[6_u32])?, run.zeroed::<u32>(1)?);
        let mut y = run.zeroed::<u32>(96)?;
        launch!(run, round_counted_up_meanwhile, (3, 32), &mut round, &mut next, &mut y);
        run.expect(&y, |_| 6)
    }),
    case!(updates_of_one_index, "openvinotoolkit/openvino#29154", |run| {
        let (x, index) = (count::<u32>(64), (0..64).map(|i| i % 24).collect::<Vec<u32>>());
        let (input, places, mut y) = (run.upload(&x)?, run.upload(&index)?, run.zeroed::<u32>(24)?);
        launch!(run, updates_of_one_index, (2, 32), &places, &input, &mut y);
        run.expect(&y, |k| (0..64).rev().find(|i| i % 24 == k as u32).unwrap_or(0))
    }),
    case!(must_shift_by_all, "ComputationalRadiationPhysics/picongpu#1044", |run| {
        let (x, mut y) = (run.upload(&noise(64))?, run.zeroed::<u32>(64)?);
        launch!(run, must_shift_by_all, (1, 64), &x, &mut y);
        run.expect(&y, |_| 1)
    }),
    case!(bucket_read_weakly, "owensgroup/SlabHash#23", |run| {
        let (keys, mut buckets) = (run.upload(&[7_u32; 4])?, run.zeroed::<u32>(8)?);
        launch!(run, bucket_read_weakly, (4, 32), &keys, buckets.as_atomics());
        run.expect(&buckets, |k| if k < 4 { 7 } else { 0 })
    }),
    case!(value_behind_its_key, "NVIDIA/cudf#9317", |run| {
        let (mut keys, mut ready) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        let (mut values, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(3)?);
        launch!(run, value_behind_its_key, (3, 32), keys.as_atomics(), ready.as_atomics(), &mut values, &mut y);
        run.expect(&y, |_| 9)
    }),
);
