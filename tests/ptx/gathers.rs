//! An index that comes from memory is held within its slice in each round, and looked at after the loop: no round has a way out.
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
// What is left over, then four rounds.
// ptx: .pragma "nounroll";
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx: max.u32
// ptx-count: 5 max.u32
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
fn gathered_indices_are_looked_at_after_the_loop() {
    warploom_harness::ptx_file!("gathers.rs");
}
