//! Index arithmetic is 32 bits wide where the launch keeps its values small, and takes the thread's numbers as they are.
//@ release

use warploom::prelude::*;

/// Column and row of a thread in its block are its numbers along x and y.
#[kernel(block(32, 8))]
fn columns_and_rows(i: Index2D, block: Block, mut y: DisjointSlice2D<u32>) {
    let (column, row) = (block.thread() % 32, block.thread() / 32);
    if let Some(y) = y.get_mut(i) {
        *y = (3 * row + 5 * column) as u32;
    }
}
// ptx: %tid.x
// ptx-not: and.b
// ptx-not: shr.u

/// Of four neighbours only the largest index is compared.
#[kernel(block(256))]
fn neighbours(i: Index1D, width: u32, x: &[f32], mut y: DisjointSlice<f32>) {
    let at = i.get() as u32;
    let cell = |at: u32| x.get(at as usize);
    let (left, right) = (cell(at.wrapping_sub(1)), cell(at.wrapping_add(1)));
    let (above, below) = (cell(at.wrapping_sub(width)), cell(at.wrapping_add(width)));
    if let Some(y) = y.get_mut(i)
        && let (Some(a), Some(b), Some(c), Some(d)) = (left, right, above, below)
    {
        *y = a + b + c + d;
    }
}
// ptx: max.u32
// ptx-not: max.u64

#[test]
fn indices_that_fit_have_32_bits() {
    warploom_harness::ptx_file!("narrow_indices.rs");
}
