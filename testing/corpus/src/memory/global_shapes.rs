//! Out of bounds in global memory: the shape of the data, or of the launch, is another than the kernel thinks.

use warploom::device_std::memory::copy_block;
use warploom::prelude::*;

use crate::case::{case, cases, count, floats, launch, noise};

/// Rows of 37 bytes, walked with a pitch of 64.
#[kernel]
fn pitch_for_width<const BUG: bool>(i: Index1D, width: u32, x: &[u8], mut y: DisjointSlice<u32>) {
    let pitch = if BUG { 64 } else { width as usize };
    if let Some(y) = y.get_mut(i) {
        let row = x.as_ptr().wrapping_add(i.get() * pitch);
        let mut sum = 0;
        for column in 0..width as usize {
            // SAFETY: within a row; the bug is intended.
            sum += u32::from(unsafe { *row.wrapping_add(column) }); //~ WL0001
        }
        *y = sum;
    }
}

/// A transpose whose rows have the width of the source.
#[kernel(dim(2))]
fn extents_swapped<const BUG: bool>(width: u32, height: u32, x: &[u32], mut y: DisjointSlice<u32>) {
    let (column, row) = (
        (block_idx().x * block_dim().x + thread_idx().x) as usize,
        (block_idx().y * block_dim().y + thread_idx().y) as usize,
    );
    let (width, height) = (width as usize, height as usize);
    if column < width && row < height {
        let value = x[row * width + column];
        let pitch = if BUG { width } else { height };
        // SAFETY: row `column` of the transpose has `height` elements, and each has one thread; the bug is intended.
        unsafe { *y.raw().add(column * pitch + row) = value }; //~ WL0001
    }
}

/// Tiles of 16 by 16 over a matrix of 33 by 33, without a guard for the rows of the first one.
#[kernel(block(16, 16))]
fn tile_over_the_edge<const BUG: bool>(n: u32, a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    let (left, right) = (shared_array!([f32; 16], 16), shared_array!([f32; 16], 16));
    let (x, y) = (thread_idx().x as usize, thread_idx().y as usize);
    let (column, row) = (
        16 * block_idx().x as usize + x,
        16 * block_idx().y as usize + y,
    );
    let n = n as usize;
    let mut sum = 0.0;
    for k in (0..n).step_by(16) {
        // SAFETY: each thread writes its own elements, with barriers around; the guards keep to the matrices. The bug is the point.
        unsafe {
            let mut value = 0.0;
            if (BUG || row < n) && k + x < n {
                value = *a.as_ptr().add(row * n + k + x); //~ WL0001
            }
            (&raw mut (*left.as_ptr().add(y))[x]).write(value);
            let value = if k + y < n && column < n {
                b[(k + y) * n + column]
            } else {
                0.0
            };
            (&raw mut (*right.as_ptr().add(y))[x]).write(value);
            sync_threads();
            for j in 0..16 {
                sum += (*left.as_ptr().add(y))[j] * (*right.as_ptr().add(j))[x]; //~? WL0020
            }
            sync_threads();
        }
    }
    if row < n && column < n {
        // SAFETY: within the matrix, and each element has one thread.
        unsafe { *c.raw().add(row * n + column) = sum };
    }
}

/// As many threads as a block usually has, for fewer elements.
#[kernel]
fn block_too_large<const BUG: bool>(block: Block, x: &[i32], mut y: DisjointSlice<i32>) {
    let (t, n) = (block.thread(), y.len());
    let from_the_end = (n - 1).wrapping_sub(t);
    // SAFETY: the block has `n` threads; the bug is intended.
    unsafe { *y.raw().wrapping_add(from_the_end) = x[t] }; //~ WL0001
}

/// A copy by the whole block, of two elements too many.
#[kernel]
fn copy_too_long<const BUG: bool>(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 160);
    let n = if BUG { x.len() + 2 } else { x.len() };
    // SAFETY: as many elements as there are, into a tile that has room; the bug is intended.
    unsafe {
        copy_block(block, x.as_ptr(), tile.as_ptr(), n); //~ WL0001
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = tile.get(x.len() - 1 - i.get());
        }
    }
}

/// A product of 32 bits that wraps: row 65536 of rows of 65537 becomes a small one, minus what is subtracted from it.
#[kernel]
fn offset_wraps<const BUG: bool>(i: Index1D, row: u32, x: &[u8], mut y: DisjointSlice<u8>) {
    if let Some(y) = y.get_mut(i) {
        let start = u64::from(row) * 65_537;
        let offset = if BUG {
            row.wrapping_mul(65_537).wrapping_sub(65_600) as usize
        } else {
            (start - u64::from(row) * 65_537) as usize
        };
        // SAFETY: within the buffer; the bug is intended.
        *y = unsafe { *x.as_ptr().wrapping_add(offset + i.get()) }; //~ WL0001
    }
}

/// Each block leaves a row of results, one element longer than rows are.
#[kernel]
fn last_row_too_long<const BUG: bool>(block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let (t, b) = (block.thread(), block.index());
    let row = 50;
    let last_block = (b + 1) * row == y.len();
    if t < row || (BUG && last_block && t == row) {
        // SAFETY: within row `b`; the bug is intended.
        unsafe { *y.raw().add(b * row + t) = x[t] + b as u32 }; //~ WL0001
    }
}

cases!("global_shapes.rs":
    case!(pitch_for_width, "P-24", |run| {
        let bytes: Vec<u8> = noise(21 * 37).into_iter().map(|v| v as u8).collect();
        let (x, mut y) = (run.upload(&bytes)?, run.zeroed::<u32>(21)?);
        launch!(run, pitch_for_width, (1, 32), 37, &x, &mut y);
        run.expect(&y, |i| bytes[37 * i..][..37].iter().map(|&v| u32::from(v)).sum())
    }),
    case!(extents_swapped, "transpose", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(40 * 23))?, run.zeroed::<u32>(40 * 23)?);
        launch!(run, extents_swapped, Launch::new((5, 3), (8, 8)), 40, 23, &x, &mut y);
        run.expect(&y, |i| (i % 23 * 40 + i / 23) as u32)
    }),
    case!(tile_over_the_edge, "P-23 matmul", |run| {
        let n = 33;
        let (a, b) = (floats(n * n), floats(n * n));
        let (left, right, mut c) = (run.upload(&a)?, run.upload(&b)?, run.zeroed::<f32>(n * n)?);
        launch!(run, tile_over_the_edge, Launch::new((3, 3), (16, 16)), 33, &left, &right, &mut c);
        run.expect(&c, |i| (0..n).map(|k| a[i / n * n + k] * b[k * n + i % n]).sum())
    }),
    case!(block_too_large, "P-04 wrong block size", |run| {
        let (x, mut y) = (run.upload(&count::<i32>(256))?, run.zeroed::<i32>(200)?);
        launch!(run, block_too_large, (1, run.pick(256, 200)), &x, &mut y);
        run.expect(&y, |i| 199 - i as i32)
    }),
    case!(copy_too_long, "", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(128))?, run.zeroed::<u32>(128)?);
        launch!(run, copy_too_long, (1, 128), &x, &mut y);
        run.expect(&y, |i| 127 - i as u32)
    }),
    case!(offset_wraps, "", |run| {
        let (x, mut y) = (run.upload(&count::<u8>(200))?, run.zeroed::<u8>(64)?);
        launch!(run, offset_wraps, (2, 32), 65_536, &x, &mut y);
        run.expect(&y, |i| i as u8)
    }),
    case!(last_row_too_long, "", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(64))?, run.zeroed::<u32>(150)?);
        launch!(run, last_row_too_long, (3, 64), &x, &mut y);
        run.expect(&y, |i| (i % 50 + i / 50) as u32)
    }),
);
