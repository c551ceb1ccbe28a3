//! A thread's own element of an output costs one comparison: no null check, no second bound, no 64-bit division.

use warploom::prelude::*;

#[kernel]
fn own_element(i: Index1D, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y += 1.0;
    }
}
// ptx-count: 1 setp
// ptx-count: 1 bra
// ptx-count: 1 ld.global.b32
// ptx-count: 1 st.global.b32
// ptx-not: call

#[kernel]
fn two_outputs(i: Index1D, mut x: DisjointSlice<f32>, mut y: DisjointSlice<f32>) {
    if let (Some(x), Some(y)) = (x.get_mut(i), y.get_mut(i)) {
        (*x, *y) = (*y, *x);
    }
}
// ptx-count: 2 st.global.b32

#[test]
fn an_element_costs_one_comparison() {
    warploom_harness::ptx_file!("outputs.rs");
}
