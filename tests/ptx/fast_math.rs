//! `fast_math`: single precision flushes subnormal numbers, divides and takes roots approximately, and fuses; double precision is as ever.

use warploom::prelude::*;

#[kernel(fast_math)]
fn quotient(i: Index1D, a: f32, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = a / *y;
    }
}
// ptx: div.approx.ftz.f32
// ptx-not: div.rn

#[kernel(fast_math)]
fn inverse(i: Index1D, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = y.recip();
    }
}
// ptx: rcp.approx.ftz.f32

#[kernel(fast_math)]
fn root(i: Index1D, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = y.sqrt();
    }
}
// ptx: sqrt.approx.ftz.f32
// ptx-not: sqrt.rn

#[kernel(fast_math)]
fn inverse_root(i: Index1D, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 1.0 / y.sqrt();
    }
}
// ptx: rsqrt.approx.ftz.f32
// ptx-count: 1 sqrt.approx
// ptx-not: div.

#[kernel(fast_math)]
fn fused(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y += a * x;
    }
}
// ptx: fma.rn.ftz.f32
// ptx-not: mul.ftz
// ptx-not: add.ftz

#[kernel(fast_math)]
fn flushed(i: Index1D, a: f32, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = (*y + a).max(0.0);
    }
}
// ptx: add.ftz.f32
// ptx-next: max.ftz.f32

/// Neither `f64` nor products of `f64` that are added, which `fma` would fuse.
#[kernel(fast_math)]
fn double(i: Index1D, a: f64, mut y: DisjointSlice<f64>) {
    if let Some(y) = y.get_mut(i) {
        *y = (*y * a + 3.0).sqrt() / *y;
    }
}
// ptx: mul.rn.f64
// ptx-next: add.rn.f64
// ptx-next: sqrt.rn.f64
// ptx-next: div.rn.f64
// ptx-module-not: approx
// ptx-module-not: ftz

/// With both, `f64` is fused too.
#[kernel(fast_math, fma)]
fn fused_double(i: Index1D, a: f64, mut y: DisjointSlice<f64>) {
    if let Some(y) = y.get_mut(i) {
        *y = *y * a + 3.0;
    }
}
// ptx: fma.rn.f64

//@ rows: GPFI-8
#[test]
fn arithmetic_is_fast_where_it_is_asked_for() {
    warploom_harness::ptx_file!("fast_math.rs");
}
