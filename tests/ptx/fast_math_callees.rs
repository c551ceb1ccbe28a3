//! `fast_math` holds in all that the kernel calls, and in nothing that other kernels call: what both call is there in both forms.

use warploom::prelude::*;

#[allow(dead_code, reason = "the kernels are never launched")]
#[inline(never)]
fn shared(x: f32) -> f32 {
    1.5 / x
}

#[allow(dead_code, reason = "the kernels are never launched")]
fn inlined(x: f32) -> f32 {
    2.5 / x
}

#[kernel(fast_math)]
fn fast(i: Index1D, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = shared(*y) + inlined(*y);
    }
}
// ptx: call
// ptx-count: 1 div.approx.ftz.f32
// ptx-module-not: div.rn

#[kernel]
fn accurate(i: Index1D, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = shared(*y) + inlined(*y);
    }
}
// ptx: call
// ptx-count: 1 div.rn.f32
// ptx-module-not: ftz
// ptx-module-not: approx

/// Reached through a table of functions.
#[allow(dead_code, reason = "the kernels are never launched")]
trait Quotient {
    fn of(&self, x: f32) -> f32;
}

#[allow(dead_code, reason = "the kernels are never launched")]
struct Above(f32);
#[allow(dead_code, reason = "the kernels are never launched")]
struct Below(f32);

impl Quotient for Above {
    fn of(&self, x: f32) -> f32 {
        self.0 / x
    }
}

impl Quotient for Below {
    fn of(&self, x: f32) -> f32 {
        x / self.0
    }
}

#[allow(dead_code, reason = "the kernels are never launched")]
fn through_a_table(x: f32, n: usize) -> f32 {
    let (above, below) = (Above(x), Below(3.0));
    let quotients: [&dyn Quotient; 2] = [&above, &below];
    quotients[n % 2].of(x)
}

#[kernel(fast_math)]
fn fast_table(i: Index1D, n: usize, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = through_a_table(*y, n);
    }
}
// ptx-module: div.approx.ftz.f32
// ptx-module-not: div.rn

#[kernel]
fn accurate_table(i: Index1D, n: usize, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = through_a_table(*y, n);
    }
}
// ptx-module: div.rn.f32
// ptx-module-not: ftz

//@ rows: GPFI-8
#[test]
fn functions_have_the_arithmetic_of_the_kernel() {
    warploom_harness::ptx_file!("fast_math_callees.rs");
}
