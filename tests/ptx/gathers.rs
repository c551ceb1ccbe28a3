//! Indices that come from memory are loaded and checked for a batch of iterations together, before the elements are loaded.
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
// The maximum of the indices of a batch of 16 iterations, and of one of 4, is computed before it is checked.
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
// The original loop reports the index that is out of bounds.
// ptx-module: panic_bounds_check

/// The same over a part of a slice: `for` compares pointers.
#[kernel(block(64))]
fn gather_part(i: Index1D, starts: &[u32], columns: &[u32], x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        let row = i.get();
        let mut sum = 0.0;
        for column in &columns[starts[row] as usize..starts[row + 1] as usize] {
            sum += x[*column as usize];
        }
        *y = sum;
    }
}
// ptx: max.u32
// ptx: setp.gt.u32
// ptx: max.u32
// ptx: setp.gt.u32

/// What is written in a loop would stay written: such a loop keeps its checks.
#[kernel(block(64))]
fn scatter(i: Index1D, columns: &[u32], x: &[f32], mut y: DisjointSlice<f32, GridStride>) {
    for (at, y) in y.iter_mut(i) {
        *y = x[columns[at] as usize];
    }
}
// ptx-not: max.u32

#[test]
fn gathered_indices_are_checked_in_batches() {
    warploom_harness::ptx_file!("gathers.rs");
}
