//! `&[T]` is read through the read-only cache; slices of atomics are not, since others write them meanwhile.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use warploom::prelude::*;

#[kernel]
fn read(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = *x;
    }
}
// ptx: ld.global.nc.b32
// ptx-count: 1 ld.global

#[kernel]
fn read_atomic(i: Index1D, x: &[AtomicU32], mut y: DisjointSlice<u32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = x.load(Relaxed);
    }
}
// ptx: ld.relaxed.sys.global.b32
// ptx-not: .nc

#[kernel]
fn read_own(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y ^= 5;
    }
}
// ptx-not: .nc

/// Parts of an element are read alike.
#[kernel]
fn read_wide(i: Index1D, x: &[[f32; 4]], mut y: DisjointSlice<[f32; 4]>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = [x[0] * 2.0, x[1] * 3.0, x[2] * 4.0, x[3] * 5.0];
    }
}
// ptx-count: 1 ld.global.nc.v4.b32

#[test]
fn inputs_go_through_the_read_only_cache() {
    warploom_harness::ptx_file!("read_only.rs");
}
