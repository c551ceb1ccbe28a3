//! A part of a slice may be out of range; saying so does not bring formatting into the kernel.
//@ release

use warploom::prelude::*;

#[kernel]
fn part(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        let from = *y as usize;
        *y = x[from..from + 3].iter().fold(0, |a, b| a ^ b);
    }
}
// ptx-module: slice_index_fail
// ptx-module-not: fmt
// ptx-module-not: .local

#[test]
fn ranges_are_told_without_formatting() {
    warploom_harness::ptx_file!("range_panics.rs");
}
