//! A product and a sum are rounded twice unless the kernel allows otherwise; `mul_add` is rounded once always.

use warploom::prelude::*;

#[kernel]
fn separate(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y += a * x;
    }
}
// ptx: mul.rn.f32
// ptx: add.rn.f32
// ptx-not: fma

#[kernel(fma)]
fn fused(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y += a * x;
    }
}
// ptx: fma.rn.f32
// ptx-not: mul.rn
// ptx-not: add.rn
// ptx-not: add.f32

#[kernel]
fn asked_for(
    i: Index1D,
    a: f32,
    b: f64,
    mut x: DisjointSlice<f32>,
    mut y: DisjointSlice<f64, GridStride>,
) {
    if let Some(x) = x.get_mut(i) {
        *x = a.mul_add(*x, 2.0);
    }
    for (_, y) in y.iter_mut(i) {
        *y = y.mul_add(b, 2.0);
    }
}
// ptx-count: 1 fma.rn.f32
// ptx: fma.rn.f64
// ptx-not: call

//@ rows: GFP-8
#[test]
fn fusing_is_asked_for() {
    warploom_harness::ptx_file!("fma.rs");
}
