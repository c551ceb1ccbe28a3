//! Well-known algorithms in shared memory with one barrier dropped.

use warploom::prelude::*;

use crate::case::{case, cases, count, floats, launch, noise};

/// The sum of a block by halves.
#[kernel]
fn reduce_by_halves<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let tile = shared_array!(u32, 256);
    let (t, p) = (block.thread(), tile.as_ptr());
    // SAFETY: barriers between the steps. The bug is the point.
    unsafe {
        tile.set(t, x[i.get()]);
        block.sync();
        let mut half = block.threads() / 2;
        while half > 0 {
            if t < half {
                *p.add(t) += *p.add(t + half); //~ WL0101|WL0103
            }
            if !BUG {
                block.sync();
            }
            half /= 2;
        }
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = tile.get(0);
        }
    }
}

/// Sums of warps, added up by the first warp.
#[kernel]
fn sums_of_warps<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[f32],
    mut y: DisjointSlice<f32, PerBlock>,
) {
    let sums = shared_array!(f32, 32);
    let t = block.thread();
    let sum = warp.reduce(x[i.get()], |a, b| a + b);
    // SAFETY: barriers between writing and reading. The bug is the point.
    unsafe {
        if t < 32 {
            sums.set(t, 0.0);
        }
        block.sync();
        if warp.lane() == 0 {
            sums.set(warp.index() as usize, sum); //~ WL0101 second
        }
        if !BUG {
            block.sync();
        }
        if t < 32 {
            warp.sync();
            let part = sums.get(t); //~ WL0101 first
            let total = warp.reduce(part, |a, b| a + b);
            if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
                *y = total;
            }
        }
    }
}

/// An inclusive scan in one array: read, wait, add, wait. Without the first wait.
#[kernel]
fn scan_in_place<const BUG: bool>(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 128);
    let (t, n) = (block.thread(), block.threads());
    // SAFETY: barriers between the steps. The bug is the point.
    unsafe {
        tile.set(t, x[i.get()]);
        block.sync();
        let mut distance = 1;
        while distance < n {
            let mut before = 0;
            if t >= distance {
                before = tile.get(t - distance); //~ WL0101|WL0103 second
            }
            if !BUG {
                block.sync();
            }
            let own = tile.get(t);
            tile.set(t, own + before); //~ WL0101|WL0103 first
            block.sync();
            distance *= 2;
        }
        if let Some(y) = y.get_mut(i) {
            *y = tile.get(t);
        }
    }
}

/// A product by tiles, without the barrier before the tiles are read.
#[kernel(block(16, 16))]
fn matmul_first_barrier<const BUG: bool>(n: u32, a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    let (left, right) = (shared_array!(f32, 256), shared_array!(f32, 256));
    let (x, y, n) = (thread_idx().x as usize, thread_idx().y as usize, n as usize);
    let at = (16 * block_idx().y as usize + y) * n + 16 * block_idx().x as usize + x;
    let (row, column) = (at / n, at % n);
    let mut sum = 0.0;
    // SAFETY: each thread writes its own elements; barriers before and after others read. The bug is the point.
    unsafe {
        for k in (0..n).step_by(16) {
            left.set(16 * y + x, a[row * n + k + x]); //~? WL0103
            right.set(16 * y + x, b[(k + y) * n + column]); //~ WL0101|WL0103 second
            if !BUG {
                sync_threads();
            }
            for j in 0..16 {
                let factor = left.get(16 * y + j); //~? WL0103|WL0020
                sum += factor * right.get(16 * j + x); //~ WL0101|WL0103 first //~? WL0020
            }
            sync_threads();
        }
        *c.raw().add(at) = sum;
    }
}

/// A product by tiles, without the barrier before the tiles are filled again.
#[kernel(block(16, 16))]
fn matmul_second_barrier<const BUG: bool>(n: u32, a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    let (left, right) = (shared_array!(f32, 512), shared_array!(f32, 256));
    let (x, y, n) = (thread_idx().x as usize, thread_idx().y as usize, n as usize);
    let at = (16 * block_idx().y as usize + y) * n + 16 * block_idx().x as usize + x;
    let (row, column) = (at / n, at % n);
    let mut sum = 0.0;
    // SAFETY: each thread writes its own elements; barriers before and after others read. The bug is the point.
    unsafe {
        for k in (0..n).step_by(16) {
            // The tiles of `a` take turns, so that only those of `b` need the second barrier.
            let turn = k % 32 * 16;
            left.set(turn + 16 * y + x, a[row * n + k + x]);
            right.set(16 * y + x, b[(k + y) * n + column]); //~ WL0101|WL0103 first
            sync_threads();
            for j in 0..16 {
                let factor = right.get(16 * j + x); //~ WL0101|WL0103 second
                sum += left.get(turn + 16 * y + j) * factor;
            }
            if !BUG {
                sync_threads();
            }
        }
        *c.raw().add(at) = sum;
    }
}

/// A transpose through a tile.
#[kernel(block(32, 8))]
fn transpose_tile<const BUG: bool>(n: u32, x: &[u16], mut y: DisjointSlice<u16>) {
    let tile = shared_array!([u16; 34], 32);
    let (column, first, n) = (thread_idx().x as usize, thread_idx().y as usize, n as usize);
    let (top, left) = (32 * block_idx().y as usize, 32 * block_idx().x as usize);
    // SAFETY: each thread writes its own elements; a barrier before others read. The bug is the point.
    unsafe {
        let start = tile.as_ptr().cast::<u16>();
        for row in (first..32).step_by(8) {
            *start.add(34 * row + column) = 0;
        }
        sync_threads();
        for row in (first..32).step_by(8) {
            *start.add(34 * row + column) = x[(top + row) * n + left + column]; //~ WL0101|WL0103 second
        }
        if !BUG {
            sync_threads();
        }
        for row in (first..32).step_by(8) {
            let value = *start.add(34 * column + row); //~ WL0101|WL0103 first
            *y.raw().add((left + row) * n + top + column) = value;
        }
    }
}

/// A histogram of a block, written out before all have counted.
#[kernel]
fn histogram_out_too_early<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let bins = shared_array!(u32, 128);
    let t = block.thread();
    // SAFETY: barriers between the steps; in between only atomics. The bug is the point.
    unsafe {
        bins.set(t, 0);
        block.sync();
        let bin = bins.atomic(x[i.get()] as usize);
        bin.fetch_add(1, core::sync::atomic::Ordering::Relaxed); //~ WL0120 second
        if !BUG {
            block.sync();
        }
        let count = bins.get(t); //~ WL0120 first
        if let Some(y) = y.get_mut(i) {
            *y = count;
        }
    }
}

/// A stencil over a tile with its halo.
#[kernel]
fn stencil_tile<const BUG: bool>(block: Block, i: Index1D, x: &[f64], mut y: DisjointSlice<f64>) {
    let tile = shared_array!(f64, 98);
    let (t, n, at) = (block.thread(), x.len(), i.get());
    // SAFETY: each thread writes its own elements; a barrier before others read. The bug is the point.
    unsafe {
        tile.set(t + 1, 0.0);
        if t == 0 {
            tile.set(0, x[(at + n - 1) % n]);
            tile.set(97, x[(at + 96) % n]);
        }
        block.sync();
        tile.set(t + 1, x[at]); //~ WL0101|WL0103 second
        if !BUG {
            block.sync();
        }
        let left = tile.get(t); //~ WL0101|WL0103 first
        if let Some(y) = y.get_mut(i) {
            *y = left - tile.get(t + 1);
        }
    }
}

/// A bitonic sort of 64 numbers, whose barrier within the merging steps is gone.
#[kernel]
fn bitonic_sort<const BUG: bool>(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: in each step an element has one thread; barriers between the steps. The bug is the point.
    unsafe {
        tile.set(t, x[i.get()]);
        block.sync();
        let mut size = 2;
        while size <= 64 {
            let mut distance = size / 2;
            while distance > 0 {
                let other = t ^ distance;
                if other > t {
                    let (a, b) = (tile.get(t), tile.get(other)); //~ WL0101 first //~? WL0103
                    if (a > b) == (t & size == 0) {
                        tile.set(t, b); //~? WL0100|WL0101|WL0102|WL0103|WL0114
                        tile.set(other, a); //~ WL0101 second //~? WL0100|WL0102|WL0103|WL0114
                    }
                }
                if !BUG {
                    block.sync();
                }
                distance /= 2;
            }
            block.sync();
            size *= 2;
        }
        if let Some(y) = y.get_mut(i) {
            *y = tile.get(t);
        }
    }
}

cases!("algorithms.rs":
    case!(reduce_by_halves, "reduce", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(768))?, run.zeroed::<u32>(3)?);
        launch!(run, reduce_by_halves, (3, 256), &x, &mut y);
        run.expect(&y, |b| 65_536 * b as u32 + 32_640)
    }),
    case!(sums_of_warps, "P-14 reduce", |run| {
        let x = floats(384);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f32>(2)?);
        launch!(run, sums_of_warps, (2, 192), &input, &mut y);
        run.expect(&y, |b| x[192 * b..][..192].iter().sum())
    }),
    case!(scan_in_place, "scan", |run| {
        let x = noise(256);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(256)?);
        launch!(run, scan_in_place, (2, 128), &input, &mut y);
        run.expect(&y, |i| x[i / 128 * 128..=i].iter().sum())
    }),
    case!(matmul_first_barrier, "P-15 matmul", |run| {
        let n = 48;
        let (a, b) = (floats(n * n), floats(n * n));
        let (left, right, mut c) = (run.upload(&a)?, run.upload(&b)?, run.zeroed::<f32>(n * n)?);
        launch!(run, matmul_first_barrier, Launch::new((3, 3), (16, 16)), 48, &left, &right, &mut c);
        run.expect(&c, |i| (0..n).map(|k| a[i / n * n + k] * b[k * n + i % n]).sum())
    }),
    case!(matmul_second_barrier, "P-15 matmul", |run| {
        let n = 48;
        let (a, b) = (floats(n * n), floats(n * n));
        let (left, right, mut c) = (run.upload(&a)?, run.upload(&b)?, run.zeroed::<f32>(n * n)?);
        launch!(run, matmul_second_barrier, Launch::new((3, 3), (16, 16)), 48, &left, &right, &mut c);
        run.expect(&c, |i| (0..n).map(|k| a[i / n * n + k] * b[k * n + i % n]).sum())
    }),
    case!(transpose_tile, "transpose", |run| {
        let (x, mut y) = (run.upload(&count::<u16>(64 * 64))?, run.zeroed::<u16>(64 * 64)?);
        launch!(run, transpose_tile, Launch::new((2, 2), (32, 8)), 64, &x, &mut y);
        run.expect(&y, |i| (i % 64 * 64 + i / 64) as u16)
    }),
    case!(histogram_out_too_early, "histogram", |run| {
        let x = noise(256);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(256)?);
        launch!(run, histogram_out_too_early, (2, 128), &input, &mut y);
        run.expect(&y, |i| x[i / 128 * 128..][..128].iter().filter(|&&v| v as usize == i % 128).count() as u32)
    }),
    case!(stencil_tile, "stencil", |run| {
        let x = floats(192).into_iter().map(f64::from).collect::<Vec<_>>();
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f64>(192)?);
        launch!(run, stencil_tile, (2, 96), &input, &mut y);
        run.expect(&y, |i| x[(i + 191) % 192] - x[i])
    }),
    case!(bitonic_sort, "bitonic sort", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, bitonic_sort, (2, 64), &input, &mut y);
        run.expect(&y, |i| {
            let mut part = x[i / 64 * 64..][..64].to_vec();
            part.sort_unstable();
            part[i % 64]
        })
    }),
);
