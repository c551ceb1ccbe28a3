//! Slices of a part of a buffer: what lies behind them is there, and is not the kernel's.

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::prelude::*;

use crate::case::{case, cases, doubles, launch, noise};

/// The right neighbour of the last element of the first half of a buffer.
#[kernel]
fn neighbour_behind_the_part<const BUG: bool>(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let next = i.get() + 1;
    let mut right = 0;
    if BUG || next < x.len() {
        // SAFETY: below the length; the bug is intended.
        right = unsafe { *x.get_unchecked(next) }; //~ WL0001
    }
    if let Some(y) = y.get_mut(i) {
        *y = right;
    }
}

/// The left neighbour of the first element of the second half.
#[kernel]
fn neighbour_before_the_part<const BUG: bool>(i: Index1D, x: &[f64], mut y: DisjointSlice<f64>) {
    let mut left = 0.0;
    if BUG || i.get() > 0 {
        // SAFETY: an element before this thread's; the bug is intended.
        left = unsafe { *x.as_ptr().add(i.get()).sub(1) }; //~ WL0001
    }
    if let Some(y) = y.get_mut(i) {
        *y = left;
    }
}

/// An output of one row is written as if it had two.
#[kernel]
fn row_behind_the_output<const BUG: bool>(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let rows = if BUG { 2 } else { 1 };
    for row in 0..rows {
        // SAFETY: each thread writes its own column of the row that is passed; the bug is intended.
        unsafe { *y.raw().add(64 * row + i.get()) = x[i.get()] }; //~ WL0001
    }
}

/// Counters of the first eight bins are passed, and all values are counted.
#[kernel]
fn bin_behind_the_part<const BUG: bool>(i: Index1D, x: &[u32], bins: &[Atomic<u32>]) {
    let bin = x[i.get()] as usize % 16;
    if BUG || bin < bins.len() {
        // SAFETY: below the length; the bug is intended.
        let bin = unsafe { bins.get_unchecked(bin) };
        bin.fetch_add(1, Relaxed); //~ WL0001
    }
}

/// A vector of four that begins in the part and ends behind it.
#[kernel]
fn vector_over_the_end_of_the_part<const BUG: bool>(
    x: &[u32],
    i: Index1D,
    mut y: DisjointSlice<u32>,
) {
    let whole = if BUG {
        x.len().div_ceil(4)
    } else {
        x.len() / 4
    };
    let mut sum = 0;
    if i.get() < whole {
        let four = x.as_ptr().cast::<[u32; 4]>().wrapping_add(i.get());
        // SAFETY: all four are in the slice; the bug is intended.
        sum = unsafe { four.read() }.iter().sum(); //~ WL0001
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

cases!("parts.rs":
    case!(neighbour_behind_the_part, "", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        launch!(run, neighbour_behind_the_part, (1, 32), input.slice(..32)?, &mut y);
        run.expect(&y, |i| if i < 31 { x[i + 1] } else { 0 })
    }),
    case!(neighbour_before_the_part, "", |run| {
        let x = doubles(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f64>(32)?);
        launch!(run, neighbour_before_the_part, (1, 32), input.slice(32..)?, &mut y);
        run.expect(&y, |i| if i > 0 { x[31 + i] } else { 0.0 })
    }),
    case!(row_behind_the_output, "", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(192)?);
        launch!(run, row_behind_the_output, (2, 32), &input, y.slice_mut(64..128)?);
        run.expect(&y, |i| if i / 64 == 1 { x[i % 64] } else { 0 })
    }),
    case!(bin_behind_the_part, "", |run| {
        let x = noise(64);
        let (input, mut bins) = (run.upload(&x)?, run.zeroed::<u32>(16)?);
        let part = bins.as_atomics().slice(..8)?;
        launch!(run, bin_behind_the_part, (2, 32), &input, part);
        let count = |bin| x.iter().filter(|v| **v as usize % 16 == bin).count() as u32;
        run.expect(&bins, |bin| if bin < 8 { count(bin) } else { 0 })
    }),
    case!(vector_over_the_end_of_the_part, "", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        launch!(run, vector_over_the_end_of_the_part, (1, 32), input.slice(..30)?, &mut y);
        run.expect(&y, |i| if i < 7 { x[4 * i..][..4].iter().sum() } else { 0 })
    }),
);
