//! Matrices of warps in shared memory: rows of `ldmatrix` and `stmatrix`, and fragments whose elements are spread over lanes in an order that CUDA does not specify.

use warploom::device_std::intrinsics as raw;
use warploom::device_std::wmma::{Accumulator, Fragment, M16N16K16, RowMajor};
use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

type Sums = Fragment<Accumulator, M16N16K16, f32>;

/// Memory that begins where fragments and rows may.
#[derive(Clone, Copy, Plain)]
#[repr(C, align(128))]
struct Line([u32; 32]);

/// Each lane copies the eighth of a line that it takes for its own of the fragment that its warp has stored.
#[kernel]
fn lanes_read_a_stored_fragment<const BUG: bool>(warp: Warp, mut y: DisjointSlice<f32>) {
    let tile = shared_array!(Line, 8).as_ptr().cast::<f32>();
    let sums = Sums::filled(2.0);
    let first = 8 * warp.lane() as usize;
    // SAFETY: 16 lines of 16 elements, with a barrier between storing and reading. The bug is the point.
    unsafe {
        sums.store_raw(warp, tile, 16, RowMajor); //~ WL0103 second
        if !BUG {
            warp.sync();
        }
        for k in first..first + 8 {
            *y.raw().add(k) = *tile.add(k); //~ WL0103 first
        }
    }
}

/// Lanes put elements into shared memory and load them as a fragment, without a barrier of the warp.
#[kernel]
fn fragment_of_fresh_elements<const BUG: bool>(
    warp: Warp,
    mut y: DisjointSlice2D<f32, WarpPatches<16, 16>>,
) {
    let tile = shared_array!(Line, 8).as_ptr().cast::<f32>();
    let first = 8 * warp.lane() as usize;
    // SAFETY: 16 lines of 16 elements, with a barrier between writing and loading. The bug is the point.
    let sums = unsafe {
        for k in first..first + 8 {
            *tile.add(k) = k as f32; //~ WL0103 second
        }
        if !BUG {
            warp.sync();
        }
        Sums::load_raw(warp, tile, 16, RowMajor) //~ WL0103 first
    };
    if let Some(mut patch) = y.get_mut(warp) {
        sums.store(warp, &mut patch, (0, 0), RowMajor);
    }
}

/// A warp loads rows that the other one writes.
#[kernel]
fn rows_of_another_warp<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(Line, 8).as_ptr().cast::<u32>();
    let (t, mut registers) = (block.thread(), [0; 4]);
    // SAFETY: rows of 16 bytes, with a barrier between writing and loading. The bug is the point.
    unsafe {
        for k in 0..4 {
            *tile.add(4 * t + k) = x[4 * t + k]; //~ WL0101 second
        }
        if !BUG {
            block.sync();
        }
        let row = tile.add(4 * (t ^ 32));
        raw::ldmatrix_x4(registers.as_mut_ptr(), row.cast()); //~ WL0101 first
    }
    if let Some(y) = y.get_mut(i) {
        *y = registers[0];
    }
}

/// Rows go to shared memory by `stmatrix`, and lanes read them without a barrier of the warp.
#[kernel]
fn rows_read_too_early<const BUG: bool>(warp: Warp, i: Index1D, mut y: DisjointSlice<u32>) {
    let tile = shared_array!(Line, 1).as_ptr().cast::<u32>();
    let (lane, own) = (warp.lane() as usize, warp.lane());
    // SAFETY: a row of 16 bytes for each of 8 lanes, with a barrier between storing and reading. The bug is the point.
    unsafe {
        let row = tile.add(4 * (lane % 8));
        raw::stmatrix_x1(row.cast(), &raw const own); //~ WL0103 second
        if !BUG {
            warp.sync();
        }
        let word = *tile.add(31 - lane); //~ WL0103 first
        if let Some(y) = y.get_mut(i) {
            *y = word;
        }
    }
}

/// Lines of 17 elements keep off bank conflicts, and give rows that are not aligned.
#[kernel]
fn padding_of_one_element<const BUG: bool>(warp: Warp, i: Index1D, mut y: DisjointSlice<u32>) {
    let tile = shared_array!(Line, 6).as_ptr().cast::<u16>();
    let (lane, stride) = (warp.lane() as usize, if BUG { 17 } else { 24 });
    let mut registers = [0; 4];
    // SAFETY: 16 lines of 16 elements, of which half a line is a row; the bug is intended.
    unsafe {
        if lane < 16 {
            for k in 0..16 {
                *tile.add(stride * lane + k) = (16 * lane + k) as u16;
            }
        }
        warp.sync();
        let row = tile.add(stride * (lane % 16) + 8 * (lane / 16));
        raw::ldmatrix_x4(registers.as_mut_ptr(), row.cast()); //~ WL0004
    }
    if let Some(y) = y.get_mut(i) {
        *y = registers[0] & 0xffff;
    }
}

/// A fragment that begins in the middle of a line of 32 bytes.
#[kernel]
fn fragment_between_lines<const BUG: bool>(
    warp: Warp,
    mut y: DisjointSlice2D<f32, WarpPatches<16, 16>>,
) {
    let tile = shared_array!(Line, 9).as_ptr().cast::<f32>();
    let start = tile.wrapping_add(if BUG { 4 } else { 8 });
    let mut sums = Sums::filled(5.0);
    // SAFETY: 16 lines of 16 elements, with a barrier between storing and loading; the bug is intended.
    unsafe {
        sums.store_raw(warp, start, 16, RowMajor); //~ WL0004
        warp.sync();
        sums = Sums::load_raw(warp, start, 16, RowMajor);
    }
    if let Some(mut patch) = y.get_mut(warp) {
        sums.store(warp, &mut patch, (0, 0), RowMajor);
    }
}

cases!("rows.rs":
    case!(lanes_read_a_stored_fragment, "", |run| {
        let mut y = run.zeroed::<f32>(256)?;
        launch!(run, lanes_read_a_stored_fragment, (1, 32), &mut y);
        run.expect(&y, |_| 2.0)
    }),
    case!(fragment_of_fresh_elements, "", |run| {
        let mut y = run.zeroed::<f32>(256)?;
        launch!(run, fragment_of_fresh_elements, (1, 32), y.view_2d_mut(16)?);
        run.expect(&y, |i| i as f32)
    }),
    case!(rows_of_another_warp, "", |run| {
        let x = noise(256);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, rows_of_another_warp, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[128 - 128 * (i / 32) + i % 32])
    }),
    case!(rows_read_too_early, "", |run| {
        let mut y = run.zeroed::<u32>(32)?;
        launch!(run, rows_read_too_early, (1, 32), &mut y);
        run.expect(&y, |i| 31 - i as u32)
    }),
    case!(padding_of_one_element, "", |run| {
        let mut y = run.zeroed::<u32>(32)?;
        launch!(run, padding_of_one_element, (1, 32), &mut y);
        run.expect(&y, |i| (i / 4 * 16 + i % 4 * 2) as u32)
    }),
    case!(fragment_between_lines, "", |run| {
        let mut y = run.zeroed::<f32>(256)?;
        launch!(run, fragment_between_lines, (1, 32), y.view_2d_mut(16)?);
        run.expect(&y, |_| 5.0)
    }),
);
