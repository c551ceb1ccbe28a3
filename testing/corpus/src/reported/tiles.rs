//! Tiles of matrices and images, stencils.

use warploom::prelude::*;

use crate::case::{case, cases, count, launch, noise};

/// ORNL/HeCBench#253: the next tile is loaded while some threads still read the last one.
#[kernel]
fn next_tile_too_early<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 64);
    let t = block.thread();
    let mut sum = 0;
    // SAFETY: barriers before and after others read. The bug is the point.
    unsafe {
        for first in (0..x.len()).step_by(64) {
            tile.set(t, x[first + t]); //~ WL0101 first //~? WL0103
            block.sync();
            for k in 0..64 {
                sum += tile.get(k); //~ WL0101 second //~? WL0103
            }
            if !BUG {
                block.sync();
            }
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// ORNL/HeCBench#261: shortest paths in a tile: each step reads a row and a column that other threads replace in the same step.
#[kernel(block(8, 8))]
fn shortest_paths_in_a_tile<const BUG: bool>(x: &[u32], mut y: DisjointSlice<u32>) {
    let paths = shared_array!(u32, 64);
    let (column, row) = (thread_idx().x as usize, thread_idx().y as usize);
    let own = 8 * row + column;
    // SAFETY: barriers between reading and writing. The bug is the point.
    unsafe {
        paths.set(own, x[own]);
        sync_threads();
        for k in 0..8 {
            let through = paths.get(8 * row + k) + paths.get(8 * k + column); //~ WL0101 second //~? WL0103
            if !BUG {
                sync_threads();
            }
            paths.set(own, paths.get(own).min(through)); //~ WL0101 first //~? WL0103
            if !BUG {
                sync_threads();
            }
        }
        *y.raw().add(own) = paths.get(own);
    }
}

/// ORNL/HeCBench#254: one thread writes the totals that all threads of the block read at once.
#[kernel]
fn totals_of_one_thread<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (parts, total) = (shared_array!(u32, 64), shared_array!(u32, 1));
    let t = block.thread();
    // SAFETY: barriers between writing and reading. The bug is the point.
    unsafe {
        parts.set(t, x[i.get()]);
        if t == 0 {
            total.set(0, 0);
        }
        block.sync();
        if t == 0 {
            total.set(0, (0..64).map(|k| parts.get(k)).sum()); //~ WL0101 second
        }
        if !BUG {
            block.sync();
        }
        let all = total.get(0); //~ WL0101 first //~? WL0103
        if let Some(y) = y.get_mut(i) {
            *y = all;
        }
    }
}

/// KnowingNothing/MatmulTutorial#13: the result is stored through the memory of the operands, which other warps still read.
#[kernel]
fn result_over_the_operands<const BUG: bool>(
    block: Block,
    i: Index1D,
    a: &[u32],
    mut c: DisjointSlice<u32>,
) {
    let memory = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: barriers between the uses. The bug is the point.
    unsafe {
        memory.set(t, a[i.get()]);
        block.sync();
        let mut sum = 0;
        for k in 0..8 {
            sum += memory.get((t + 8 * k) % 64); //~ WL0101 second //~? WL0103
        }
        if !BUG {
            block.sync();
        }
        memory.set(63 - t, sum); //~ WL0101 first //~? WL0103
        block.sync();
        if let Some(c) = c.get_mut(i) {
            *c = memory.get(t);
        }
    }
}

/// Rust-GPU/rust-cuda#317: the tile has an initialiser in the source, which shared memory does not get; the last tile is filled in part.
#[kernel]
fn tile_thought_to_be_zero<const BUG: bool>(
    block: Block,
    n: u32,
    a: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let tile = shared_array!(u32, 32);
    let (t, n) = (block.thread(), n as usize);
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        if t < n {
            tile.set(t, a[t]);
        } else if !BUG {
            tile.set(t, 0);
        }
        block.sync();
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = (0..32).fold(0, |most, k| tile.get(k).max(most)); //~ WL0020
        }
    }
}

/// modular/mojo-gpu-puzzles#59: the tile has the size of the data, and all threads of the larger block write to it.
#[kernel]
fn tile_of_the_datas_size<const BUG: bool>(
    block: Block,
    n: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 24);
    let t = block.thread();
    // SAFETY: a barrier between writing and reading; below 24. The bug is the point.
    unsafe {
        if BUG || t < n as usize {
            *tile.as_ptr().add(t) = x[t]; //~ WL0002
        }
        block.sync();
        if t < n as usize {
            *y.raw().add(t) = tile.get(n as usize - 1 - t);
        }
    }
}

/// ORNL/HeCBench#126: the halo of the tile is read before the threads that load it have done so.
#[kernel]
fn halo_read_early<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 66);
    let (t, first) = (block.thread(), 64 * block.index());
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        tile.set(t, 0);
        if t < 2 {
            tile.set(64 + t, 0);
        }
        block.sync();
        tile.set(t, x[first + t]); //~? WL0101 //~? WL0103
        if t < 2 {
            tile.set(64 + t, x[first + 64 + t]); //~ WL0101 second
        }
        if !BUG {
            block.sync();
        }
        let mut most = 0;
        for k in 0..3 {
            most = tile.get(t + k).max(most); //~ WL0101 first //~? WL0103
        }
        if let Some(y) = y.get_mut(i) {
            *y = most;
        }
    }
}

/// sgl-project/sglang#37288: the gates of the next chunk are written while a slower warp still reads those of the last; a named barrier is missing.
#[kernel]
fn gates_of_the_next_chunk<const BUG: bool>(
    block: Block,
    i: Index1D,
    chunks: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let gates = shared_array!(u32, 64);
    let t = block.thread();
    let mut sum = 0;
    // SAFETY: the kernel has no shared tile; barriers before and after others read. The bug is the point.
    unsafe {
        let (full, empty) = (
            NamedBarrier::<1>::new(&block),
            NamedBarrier::<2>::new(&block),
        );
        for chunk in 0..chunks as usize {
            gates.set(t, x[64 * chunk + t]); //~ WL0101 first
            full.sync(64);
            sum += gates.get(63 - t); //~ WL0101 second
            if !BUG {
                empty.sync(64);
            }
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// unisa-hpc/sycl-bench#42: the second stage of a dot product writes its results to memory that work items of group 0 may still read.
#[kernel]
fn second_stage_in_place<const BUG: bool>(
    block: Block,
    mut data: DisjointSlice<u32>,
    mut out: DisjointSlice<u32>,
) {
    let (t, b) = (block.thread(), block.index());
    let (data, out) = (data.raw(), out.raw());
    // SAFETY: each group reads its own elements and writes one of the result. The bug is the point.
    unsafe {
        let mut sum = 0;
        if t == 0 {
            for k in 0..32 {
                sum += *data.add(32 * b + k); //~ WL0113 second
            }
            if BUG {
                *data.add(b) = sum; //~ WL0113 first
            } else {
                *out.add(b) = sum;
            }
        }
        if BUG && t == 0 {
            *out.add(b) = sum;
        }
    }
}

cases!("tiles.rs":
    case!(next_tile_too_early, "ORNL/HeCBench#253", |run| {
        let x = noise(192);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, next_tile_too_early, (1, 64), &input, &mut y);
        run.expect(&y, |_| x.iter().sum())
    }),
    case!(shortest_paths_in_a_tile, "ORNL/HeCBench#261", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, shortest_paths_in_a_tile, Launch::new(1, (8, 8)), &input, &mut y);
        let mut paths = x;
        for k in 0..8 {
            let old = paths.clone();
            for own in 0..64 {
                paths[own] = old[own].min(old[own / 8 * 8 + k] + old[8 * k + own % 8]);
            }
        }
        run.expect(&y, |i| paths[i])
    }),
    case!(totals_of_one_thread, "ORNL/HeCBench#254", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, totals_of_one_thread, (2, 64), &input, &mut y);
        run.expect(&y, |i| x[i / 64 * 64..][..64].iter().sum())
    }),
    case!(result_over_the_operands, "KnowingNothing/MatmulTutorial#13", |run| {
        let a = noise(64);
        let (input, mut c) = (run.upload(&a)?, run.zeroed::<u32>(64)?);
        launch!(run, result_over_the_operands, (1, 64), &input, &mut c);
        run.expect(&c, |i| (0..8).map(|k| a[(63 - i + 8 * k) % 64]).sum())
    }),
    case!(tile_thought_to_be_zero, "Rust-GPU/rust-cuda#317", |run| {
        let (a, mut y) = (run.upload(&count::<u32>(20))?, run.zeroed::<u32>(1)?);
        launch!(run, tile_thought_to_be_zero, (1, 32), 20, &a, &mut y);
        run.expect(&y, |_| 19)
    }),
    case!(tile_of_the_datas_size, "modular/mojo-gpu-puzzles#59", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(32))?, run.zeroed::<u32>(24)?);
        launch!(run, tile_of_the_datas_size, (1, 32), 24, &x, &mut y);
        run.expect(&y, |i| 23 - i as u32)
    }),
    case!(halo_read_early, "ORNL/HeCBench#126", |run| {
        let x = noise(130);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, halo_read_early, (2, 64), &input, &mut y);
        run.expect(&y, |i| x[i..i + 3].iter().max().copied().unwrap_or(0))
    }),
    case!(gates_of_the_next_chunk, "sgl-project/sglang#37288", |run| {
        let x = noise(256);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, gates_of_the_next_chunk, (1, 64), 4, &input, &mut y);
        run.expect(&y, |i| (0..4).map(|chunk| x[64 * chunk + 63 - i]).sum())
    }),
    case!(second_stage_in_place, "unisa-hpc/sycl-bench#42", |run| {
        let x = noise(128);
        let (mut data, mut out) = (run.upload(&x)?, run.zeroed::<u32>(4)?);
        launch!(run, second_stage_in_place, (4, 32), &mut data, &mut out);
        run.expect(&out, |b| x[32 * b..][..32].iter().sum())
    }),
);
