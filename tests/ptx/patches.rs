//! A thread's own patch of a matrix costs two comparisons, and its rows no other check.
//@ release

use warploom::device_std::vector::Float4;
use warploom::prelude::*;

#[kernel]
fn own_patch(i: Index2D, mut m: DisjointSlice2D<Float4, Patches<2, 2>>) {
    if let Some(mut patch) = m.get_mut(i) {
        patch.set([[Float4::splat(1.0); 2]; 2]);
    }
}
// ptx-count: 4 st.global.v4.b32
// ptx-not: div
// ptx-not: panic
// ptx-not: call

#[test]
fn a_patch_costs_two_comparisons() {
    warploom_harness::ptx_file!("patches.rs");
}
