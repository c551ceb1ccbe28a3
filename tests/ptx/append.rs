//! Lanes that append together share one atomic addition.

use warploom::prelude::*;

#[kernel]
fn keep_positive(i: Index1D, x: &[f32], mut kept: AppendSlice<f32>) {
    if let Some(x) = x.get(i.get())
        && *x > 0.0
    {
        kept.push(*x);
    }
}
// ptx: activemask.b32
// ptx: atom...global...add.u64
// ptx: shfl.sync.idx.b32
// ptx: st.global.b32
// ptx-count: 1 atom
// ptx-count: 1 st.global
// ptx-not: panic

#[test]
fn lanes_share_an_addition() {
    warploom_harness::ptx_file!("append.rs");
}
