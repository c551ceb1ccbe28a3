//! 128-bit division and multiplication compile to code that calls nothing outside.

use warploom::prelude::*;

#[kernel]
fn divided(i: Index1D, a: u128, mut y: DisjointSlice<u128>) {
    if let Some(y) = y.get_mut(i) {
        *y = (a / (*y | 1)) ^ (a % (*y | 3)) ^ a.wrapping_mul(*y);
    }
}
// ptx: shl.b64
// ptx-not: call

#[kernel]
fn signed(i: Index1D, a: i128, mut y: DisjointSlice<i128>) {
    if let Some(y) = y.get_mut(i) {
        *y = a.wrapping_div(*y | 1);
    }
}
// ptx: shl.b64
// ptx-not: call

#[test]
fn wide_division_compiles() {
    warploom_harness::ptx_file!("wide_integers.rs");
}
