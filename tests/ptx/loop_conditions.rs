//! A loop goes on by one branch, also where its condition has two parts.
//@ release

use warploom::prelude::*;

#[kernel(fma)]
fn steps(i: Index1D, c: &[f32], limit: u32, mut y: DisjointSlice<u32>) {
    if let (Some(y), Some(c)) = (y.get_mut(i), c.get(i.get())) {
        let (mut x, mut n) = (*c, 0);
        while n < limit && x * x + c * c <= 4.0 {
            x = x * x + c;
            n += 1;
        }
        *y = n;
    }
}
// One branch past the end of the data, one past a loop without rounds, one back.
// ptx-count: 3 bra

#[test]
fn a_condition_of_two_parts_is_one_branch() {
    warploom_harness::ptx_file!("loop_conditions.rs");
}
