//! How many copies of a loop's body there are. Each copy has one `nanosleep`.

use warploom::device_std::hint::{unroll, unroll_all};
use warploom::device_std::time::nanosleep;
use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn four(n: u32) {
    unroll::<4, _>(0..n, |i| nanosleep(i));
}
// Four in a row, and one for what is left over.
// ptx-count: 5 nanosleep.u32
// ptx-count: 2 .pragma "nounroll";

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn one(n: u32) {
    unroll::<1, _>(0..n, |i| nanosleep(i));
}
// ptx-count: 1 nanosleep.u32
// ptx-count: 1 .pragma "nounroll";

/// A constant number of rounds would be unrolled by default.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn one_of_seven(x: u32) {
    unroll::<1, _>(0..7u32, |i| nanosleep(x.wrapping_add(i)));
}
// ptx-count: 1 nanosleep.u32

/// Arithmetic alone, which LLVM copies by default.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn arithmetic(i: Index1D, n: u32, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        let mut x = *y;
        unroll::<1, _>(0..n, |_| x = x * x + 0.5);
        *y = x;
    }
}
// ptx-count: 1 mul.rn.f32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn nine_in_full(x: u32) {
    unroll_all::<9>(|i| nanosleep(x.wrapping_mul(i as u32)));
}
// ptx-count: 9 nanosleep.u32
// ptx-not: bra

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn sixty_four(n: u32) {
    unroll::<64, _>(0..n, |_| nanosleep(100));
}
// ptx-count: 65 nanosleep.u32

//@ rows: OH-1, GLA-17, E-7
#[test]
fn loops_have_the_copies_that_were_asked_for() {
    warploom_harness::ptx_file!("ptx_loops.rs");
}
