//! The distance of two elements of a column is multiplied from 32 bits where a condition before the loop says that it is small: ptxas multiplies and adds in one
//! instruction then.
//@ release

use warploom::prelude::*;

#[kernel]
fn sums_of_columns(i: Index1D, width: usize, a: &[f32], x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        let mut sum = 0.0;
        for row in 0..x.len() {
            sum += a[row * width + i.get()] * x[row];
        }
        *y = sum;
    }
}
// ptx: mul.wide.u32 ..., 4;
// ptx: st.global.b32

#[test]
fn steps_along_columns_are_multiplied_from_32_bits() {
    warploom_harness::ptx_file!("column_steps.rs");
}
