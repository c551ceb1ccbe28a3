//! Divisions of indices have 32 bits where the indices do, with one question for all of them.
//@ release

use warploom::prelude::*;

/// Rows of columns become columns of rows.
#[kernel]
fn transposed(i: Index1D, width: u32, height: u32, x: &[f32], mut y: DisjointSlice<f32>) {
    let (width, height) = (width as usize, height as usize);
    let (row, column) = (i.get() / height, i.get() % height);
    if let Some(y) = y.get_mut(i) {
        *y = x[column * width + row];
    }
}
// ptx: setp.gt.u64
// ptx: div.u32
// ptx-count: 1 div.u64

/// Each quotient is divided again: without the question before the first one, there would be one before each.
#[kernel]
fn split(i: Index1D, a: u32, b: u32, c: u32, x: &[f32], mut y: DisjointSlice<f32>) {
    let (a, b, c) = (a as usize, b as usize, c as usize);
    let (first, rest) = (i.get() / a, i.get() % a);
    let (second, rest) = (rest / b, rest % b);
    let (third, rest) = (rest / c, rest % c);
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(first + 2 * second + 3 * third + rest)) {
        *y = *x;
    }
}
// ptx: setp.gt.u64
// ptx: div.u32
// ptx: div.u32
// ptx: div.u32
// ptx: div.u64
// ptx-count: 1 div.u64

#[test]
fn divisions_of_indices_have_32_bits() {
    warploom_harness::ptx_file!("divisions.rs");
}
