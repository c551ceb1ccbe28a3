//! Reads of global memory that was never written.

use std::alloc::Layout;
use std::hint::black_box;

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::prelude::*;

use crate::case::{case, cases, count, floats, launch, noise};

/// Adds to a buffer that holds nothing yet.
#[kernel]
fn adds_to_nothing<const BUG: bool>(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y += x[i.get()]; //~ WL0021
    }
}

/// The same with atomics: the total of all blocks.
#[kernel]
fn total_not_zeroed<const BUG: bool>(warp: Warp, i: Index1D, x: &[u64], total: &[Atomic<u64>]) {
    let sum = warp.reduce(x[i.get()], |a, b| a + b);
    if warp.lane() == 0 {
        total[0].fetch_add(sum, Relaxed); //~ WL0021
    }
}

/// Two launches: the first has too few threads, the second reads what they should have written.
#[kernel]
unsafe fn grid_too_small<const BUG: bool>(
    i: Index1D,
    phase: u32,
    n: u32,
    scratch: *mut u32,
    mut y: DisjointSlice<u32>,
) {
    let (at, n) = (i.get(), n as usize);
    if at >= n {
        return;
    }
    // SAFETY: `n` elements, each of which has one thread in each launch. The bug is the point.
    unsafe {
        if phase == 0 {
            *scratch.add(at) = 7 * at as u32;
        } else if let Some(y) = y.get_mut(i) {
            *y = *scratch.add(n - 1 - at); //~ WL0021
        }
    }
}

/// Rows of 30 bytes with a pitch of 32, added up with their padding.
#[kernel]
unsafe fn padding_added<const BUG: bool>(
    i: Index1D,
    phase: u32,
    rows: *mut u8,
    mut y: DisjointSlice<u32>,
) {
    let row = rows.wrapping_add(32 * i.get());
    if i.get() >= y.len() {
        return;
    }
    // SAFETY: 32 bytes for each row, and each row has one thread. The bug is the point.
    unsafe {
        if phase == 0 {
            for k in 0..30 {
                *row.add(k) = (i.get() + k) as u8;
            }
            return;
        }
        let mut sum = 0;
        for k in 0..if BUG { 32 } else { 30 } {
            sum += u32::from(*row.add(k)); //~ WL0021
        }
        if let Some(y) = y.get_mut(i) {
            *y = sum;
        }
    }
}

/// Memory of the heap that is read before it is written.
#[kernel]
fn heap_not_written<const BUG: bool>(i: Index1D, mut y: DisjointSlice<u32>) {
    let layout = Layout::new::<[u32; 8]>();
    // SAFETY: 32 bytes, freed once with the same layout; read where they were written. The bug is the point.
    unsafe {
        let own = black_box(std::alloc::alloc(layout).cast::<u32>());
        if own.is_null() {
            return;
        }
        for k in 0..if BUG { 7 } else { 8 } {
            *own.add(k) = (i.get() + k) as u32;
        }
        let last = *black_box(own).add(7); //~ WL0021
        if let Some(y) = y.get_mut(i) {
            *y = last;
        }
        std::alloc::dealloc(own.cast(), layout);
    }
}

/// Three of four numbers are written, all four are read at once.
#[kernel]
unsafe fn fourth_not_written<const BUG: bool>(
    i: Index1D,
    phase: u32,
    records: *mut f32,
    mut y: DisjointSlice<f32>,
) {
    let own = records.wrapping_add(4 * i.get());
    if i.get() >= y.len() {
        return;
    }
    // SAFETY: four numbers for each thread, from a multiple of 16 bytes on. The bug is the point.
    unsafe {
        if phase == 0 {
            for k in 0..if BUG { 3 } else { 4 } {
                *own.add(k) = k as f32;
            }
            return;
        }
        let four = *own.cast::<u128>(); //~ WL0021
        if let Some(y) = y.get_mut(i) {
            *y = f32::from_bits((four >> 64) as u32) + f32::from_bits(four as u32);
        }
    }
}

/// The host uploads the first half of a buffer.
#[kernel]
fn half_uploaded<const BUG: bool>(i: Index1D, x: &[i64], mut y: DisjointSlice<i64>) {
    if let Some(y) = y.get_mut(i) {
        *y = -x[x.len() - 1 - i.get()]; //~ WL0021
    }
}

cases!("global.rs":
    case!(adds_to_nothing, "", |run| {
        let (x, n) = (floats(200), 200);
        let (input, mut y) = (run.upload(&x)?, if run.bug { run.uninit(n)? } else { run.zeroed(n)? });
        launch!(run, adds_to_nothing, (2, 128), &input, &mut y);
        run.expect(&y, |i| x[i])
    }),
    case!(total_not_zeroed, "P-25", |run| {
        let (x, mut y) = (run.upload(&count::<u64>(256))?, if run.bug { run.uninit(1)? } else { run.zeroed(1)? });
        launch!(run, total_not_zeroed, (2, 128), &x, y.as_atomics());
        run.expect(&y, |_| 255 * 128)
    }),
    case!(grid_too_small, "P-05", |run| {
        let (scratch, mut y) = (run.uninit::<u32>(1000)?, run.zeroed::<u32>(1000)?);
        let start = std::ptr::with_exposed_provenance_mut(scratch.raw_ptr() as usize);
        // SAFETY: 1000 elements that stay allocated until the result is compared; the bug is intended.
        unsafe {
            launch!(run, grid_too_small, (run.pick(3, 4), 256), 0, 1000, start, &mut y);
            launch!(run, grid_too_small, (4, 256), 1, 1000, start, &mut y);
        }
        run.expect(&y, |i| 7 * (999 - i as u32))
    }),
    case!(padding_added, "P-24", |run| {
        let (rows, mut y) = (run.uninit::<u8>(320)?, run.zeroed::<u32>(10)?);
        let start = std::ptr::with_exposed_provenance_mut(rows.raw_ptr() as usize);
        // SAFETY: ten rows that stay allocated until the result is compared; the bug is intended.
        unsafe {
            launch!(run, padding_added, (1, 32), 0, start, &mut y);
            launch!(run, padding_added, (1, 32), 1, start, &mut y);
        }
        run.expect(&y, |i| 30 * i as u32 + 435)
    }),
    case!(heap_not_written, "heap", |run| {
        let mut y = run.zeroed::<u32>(40)?;
        launch!(run, heap_not_written, (1, 40), &mut y);
        run.expect(&y, |i| i as u32 + 7)
    }),
    case!(fourth_not_written, "", |run| {
        let (records, mut y) = (run.uninit::<f32>(160)?, run.zeroed::<f32>(40)?);
        let start = std::ptr::with_exposed_provenance_mut(records.raw_ptr() as usize);
        // SAFETY: 40 records that stay allocated until the result is compared; the bug is intended.
        unsafe {
            launch!(run, fourth_not_written, (1, 64), 0, start, &mut y);
            launch!(run, fourth_not_written, (1, 64), 1, start, &mut y);
        }
        run.expect(&y, |_| 2.0)
    }),
    case!(half_uploaded, "", |run| {
        let x = Vec::from_iter(noise(90).into_iter().map(i64::from));
        let (mut input, mut y) = (run.uninit::<i64>(90)?, run.zeroed::<i64>(90)?);
        input.copy_from(0, &x[..run.pick(45, 90)], run.stream)?;
        launch!(run, half_uploaded, (1, 96), &input, &mut y);
        run.expect(&y, |i| -x[89 - i])
    }),
);
