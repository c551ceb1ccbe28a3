//! Values of a round, stage or level that others still read, or read too early.

use core::sync::atomic::Ordering;

use warploom::device_std::atomic::{Acquire, Atomic, Release, spin_wait};
use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// dealii/dealii#8693: values at hanging nodes are interpolated in place, without a barrier between reading those of others and writing one's own.
#[kernel]
fn interpolated_in_place<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let values = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: barriers between writing and reading. The bug is the point.
    unsafe {
        values.set(t, x[i.get()]);
        block.sync();
        let mean = values.get(t) + values.get((t + 32) % 64); //~ WL0101 first
        if !BUG {
            block.sync();
        }
        values.set(t, mean); //~ WL0101 second
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = values.get(t);
        }
    }
}

/// yelhousni/zprize-GPU-MSM-harness#1: one barrier in a loop: fast warps post the value of the next round while others look at those of this one.
#[kernel]
fn one_barrier_in_the_loop<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let posted = shared_array!(u32, 64);
    let (t, n) = (block.thread(), x.len() / 3);
    let mut unique = 0;
    for round in 0..3 {
        // SAFETY: barriers between writing and reading, and before the next round. The bug is the point.
        unsafe {
            posted.set(t, x[round * n + i.get()]); //~ WL0101 first
            block.sync();
            unique += u32::from(posted.get(t ^ 32) != x[round * n + i.get()]); //~ WL0101 second
            if !BUG {
                block.sync();
            }
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = unique;
    }
}

/// ggml-org/llama.cpp#20507: matrices are copied through a tile one after the other, with a barrier behind the loads of each and none behind its stores.
#[kernel]
fn next_matrix_in_the_tile<const BUG: bool>(
    block: Block,
    matrices: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!([u32; 8], 8);
    let t = block.thread();
    let (row, column, y) = (t / 8, t % 8, y.raw());
    for matrix in 0..matrices as usize {
        // SAFETY: each thread its own element of each matrix; barriers between writing and reading. The bug is the point.
        unsafe {
            let place = tile.as_ptr().cast::<u32>();
            *place.add(8 * row + column) = x[64 * matrix + t]; //~ WL0101 first //~? WL0103
            block.sync();
            *y.add(64 * matrix + t) = *place.add(8 * column + row); //~ WL0101 second //~? WL0103
            if !BUG {
                block.sync();
            }
        }
    }
}

/// GridTools/gridtools#617: the last stage of a level reads what the first stage of the next level writes.
#[kernel]
fn last_stage_of_a_level<const BUG: bool>(
    block: Block,
    i: Index1D,
    levels: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (flux, limited) = (shared_array!(u32, 64), shared_array!(u32, 64));
    let t = block.thread();
    let mut sum = 0;
    for level in 0..levels {
        // SAFETY: barriers between the stages. The bug is the point.
        unsafe {
            flux.set(t, x[i.get()] + level); //~ WL0101 first
            block.sync();
            limited.set(t, flux.get(t) / 2);
            block.sync();
            let other = (t + 40) % 64;
            sum += limited.get(other) + flux.get(other); //~ WL0101 second
            if !BUG {
                block.sync();
            }
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// tile-ai/tilelang#2322: one thread says that its block is there behind its own fence, while other warps of the block still write.
#[kernel(cooperative)]
fn said_before_the_block_is_done<const BUG: bool>(
    block: Block,
    said: &[Atomic<u32>],
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let (t, data) = (block.thread(), data.raw());
    // SAFETY: written by the first block, read by the second when that has said so. The bug is the point.
    unsafe {
        if block.index() == 0 {
            *data.add(t) = 3 * t as u32; //~ WL0113|WL0122 second
            if !BUG {
                block.sync();
            }
            if t == 0 {
                said[0].store(1, Release);
            }
        } else {
            while t == 0 && said[0].load(Acquire) == 0 {
                spin_wait(50);
            }
            block.sync();
            *y.raw().add(t) = *data.add(63 - t); //~ WL0113|WL0122 first
        }
    }
}

/// ComputationalRadiationPhysics/picongpu#3239: particles are counted in a cell that one thread has only begun to set up.
#[kernel]
fn counted_while_it_is_set_up<const BUG: bool>(
    block: Block,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let cell = shared_array!(u32, 1);
    let t = block.thread();
    // SAFETY: set up by one thread, then changed by atomics, then read behind a barrier. The bug is the point.
    unsafe {
        if t == 0 {
            cell.set(0, 0); //~ WL0120 second
        }
        if !BUG {
            block.sync();
        }
        let weight = x[64 * block.index() + t];
        cell.atomic(0).fetch_add(weight, Ordering::Relaxed); //~ WL0120 first
        block.sync();
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = cell.get(0);
        }
    }
}

/// omlins/ParallelStencil.jl#73: the viscosity is computed and averaged over neighbours in one kernel.
#[kernel]
fn averaged_where_it_is_computed<const BUG: bool>(
    i: Index1D,
    x: &[u32],
    mut eta: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let (at, eta) = (i.get(), eta.raw());
    // SAFETY: each thread its own element of the output. The bug is the point.
    unsafe {
        *eta.add(at) = 2 * x[at]; //~ WL0111|WL0113 first
        let next = (at + 1).min(x.len() - 1);
        let other = if BUG {
            *eta.add(next) //~ WL0111|WL0113 second
        } else {
            2 * x[next]
        };
        *y.raw().add(at) = (2 * x[at] + other) / 2;
    }
}

cases!("rounds.rs":
    case!(interpolated_in_place, "dealii/dealii#8693", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, interpolated_in_place, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[i] + x[(i + 32) % 64])
    }),
    case!(one_barrier_in_the_loop, "yelhousni/zprize-GPU-MSM-harness#1", |run| {
        let x = noise(192);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, one_barrier_in_the_loop, (1, 64), &input, &mut y);
        run.expect(&y, |i| (0..3).map(|k| u32::from(x[64 * k + (i ^ 32)] != x[64 * k + i])).sum())
    }),
    case!(next_matrix_in_the_tile, "ggml-org/llama.cpp#20507", |run| {
        let x = noise(192);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(192)?);
        launch!(run, next_matrix_in_the_tile, (1, 64), 3, &input, &mut y);
        run.expect(&y, |i| x[i / 64 * 64 + i % 8 * 8 + i / 8 % 8])
    }),
    case!(last_stage_of_a_level, "GridTools/gridtools#617", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, last_stage_of_a_level, (1, 64), 3, &input, &mut y);
        run.expect(&y, |i| (0..3).map(|k| x[(i + 40) % 64] + k).map(|flux| flux + flux / 2).sum())
    }),
    case!(said_before_the_block_is_done, "tile-ai/tilelang#2322", |run| {
        let (mut said, mut data, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(64)?, run.zeroed::<u32>(64)?);
        launch!(run, said_before_the_block_is_done, (2, 64), said.as_atomics(), &mut data, &mut y);
        run.expect(&y, |i| 3 * (63 - i as u32))
    }),
    case!(counted_while_it_is_set_up, "ComputationalRadiationPhysics/picongpu#3239", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(2)?);
        launch!(run, counted_while_it_is_set_up, (2, 64), &input, &mut y);
        run.expect(&y, |b| x[64 * b..][..64].iter().sum())
    }),
    case!(averaged_where_it_is_computed, "omlins/ParallelStencil.jl#73", |run| {
        let x = noise(64);
        let (input, mut eta, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?, run.zeroed::<u32>(64)?);
        launch!(run, averaged_where_it_is_computed, (2, 32), &input, &mut eta, &mut y);
        run.expect(&y, |i| x[i] + x[(i + 1).min(63)])
    }),
);
