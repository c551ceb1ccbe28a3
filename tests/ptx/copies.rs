//! A value that is copied as a whole travels in the widest accesses that its alignment allows, and through the read-only cache if it is
//! only read.

use warploom::device_std::vector::Float4;
use warploom::prelude::*;

#[kernel]
fn fours(i: Index1D, x: &[Float4], mut y: DisjointSlice<Float4>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = *x;
    }
}
// ptx: ld.global.nc.v4.b32
// ptx: st.global.v4.b32
// ptx-count: 1 ld.global
// ptx-count: 1 st.global

#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Triple([u64; 3]);

#[kernel]
fn triples(i: Index1D, x: &[Triple], mut y: DisjointSlice<Triple>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = *x;
    }
}
// ptx-count: 3 ld.global.nc.b64
// ptx-count: 3 st.global.b64

#[test]
fn copies_are_wide() {
    warploom_harness::ptx_file!("copies.rs");
}
