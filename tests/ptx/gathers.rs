//! Indices that come from memory are read and looked at for a group of rounds together, before anything is read at them.
//@ release

use warploom::prelude::*;

#[kernel(block(64))]
fn gather(i: Index1D, starts: &[u32], columns: &[u32], x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        let row = i.get();
        let mut sum = 0.0;
        for at in starts[row] as usize..starts[row + 1] as usize {
            sum += x[columns[at] as usize];
        }
        *y = sum;
    }
}
// The indices of a group of 16 rounds, and of one of 4, are compared with one another before the largest is looked at.
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: setp.gt.u32
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: setp.gt.u32
// What nothing writes is read past the other cache, in groups and in single rounds.
// ptx-not: ld.global.b32
// The loop that there was tells which index was wrong.
// ptx-module: panic_bounds_check

/// What is written in a loop would stay written: such a loop keeps its checks.
#[kernel(block(64))]
fn scatter(i: Index1D, columns: &[u32], x: &[f32], mut y: DisjointSlice<f32, GridStride>) {
    for (at, y) in y.iter_mut(i) {
        *y = x[columns[at] as usize];
    }
}
// ptx-not: max.u32

#[test]
fn gathered_indices_are_looked_at_in_groups() {
    warploom_harness::ptx_file!("gathers.rs");
}
