//! Float methods of std: instructions where the hardware has them, functions of ours elsewhere, nothing left undefined.

use warploom::prelude::*;
use warploom_harness::ptx;

#[kernel]
fn instructions(i: Index1D, mut x: DisjointSlice<f32>, mut y: DisjointSlice<f64, GridStride>) {
    if let Some(x) = x.get_mut(i) {
        *x = x.sqrt().floor().abs().min(3.0) + x.ceil() + x.trunc() + x.copysign(-1.0);
    }
    for (_, y) in y.iter_mut(i) {
        *y = y.sqrt().floor().abs().max(3.0);
    }
}
// ptx: sqrt.rn.f32
// ptx: sqrt.rn.f64
// ptx-count: 1 sqrt.rn.f32
// ptx-module-not: sqrt.approx
// ptx-not: call

/// Round to nearest, as on the host.
#[kernel]
fn quotient(i: Index1D, a: f32, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = a / *y;
    }
}
// ptx: div.rn.f32

#[kernel]
fn single(i: Index1D, mut y: DisjointSlice<f32>) {
    let Some(y) = y.get_mut(i) else { return };
    let x = *y;
    let mut s = x.sin() + x.cos() + x.tan() + x.asin() + x.acos() + x.atan() + x.atan2(2.5);
    s += x.sinh() + x.cosh() + x.tanh() + x.asinh() + x.acosh() + x.atanh();
    s += x.exp() + x.exp2() + x.exp_m1() + x.ln() + x.log2() + x.log10() + x.ln_1p() + x.log(3.0);
    s += x.powf(1.7) + x.powi(5) + x.cbrt() + x.hypot(2.0) + x.rem_euclid(3.0) + x % 2.5;
    s += x.round() + x.round_ties_even() + x.fract() + x.to_degrees();
    *y = s + x.sin_cos().0;
}
// ptx-module: st.global.b32

#[kernel]
fn double(i: Index1D, mut y: DisjointSlice<f64>) {
    let Some(y) = y.get_mut(i) else { return };
    let x = *y;
    let mut s = x.sin() + x.cos() + x.tan() + x.asin() + x.acos() + x.atan() + x.atan2(2.5);
    s += x.sinh() + x.cosh() + x.tanh() + x.asinh() + x.acosh() + x.atanh();
    s += x.exp() + x.exp2() + x.exp_m1() + x.ln() + x.log2() + x.log10() + x.ln_1p() + x.log(3.0);
    s += x.powf(1.7) + x.powi(5) + x.cbrt() + x.hypot(2.0) + x.rem_euclid(3.0) + x % 2.5;
    s += x.round() + x.round_ties_even() + x.fract() + x.to_degrees();
    *y = s + x.sin_cos().0;
}
// ptx-module: st.global.b64

/// One reduction of the argument serves both, and one call where it is large.
#[kernel]
fn sine_and_cosine(i: Index1D, mut x: DisjointSlice<f32>, mut y: DisjointSlice<f32, GridStride>) {
    let Some(x) = x.get_mut(i) else { return };
    let (sine, cosine) = x.sin_cos();
    *x = sine;
    for (_, y) in y.iter_mut(i) {
        *y = cosine;
    }
}
// ptx-count: 1 call.uni

/// To an integral value by one instruction each, but half away from zero takes several.
#[kernel]
fn integral(i: Index1D, mut y: DisjointSlice<[f32; 4]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c, d] = *y;
        *y = [a.round_ties_even(), b.trunc(), c.ceil(), d.floor()];
    }
}
// ptx-count: 1 cvt.rni.f32.f32
// ptx-count: 1 cvt.rzi.f32.f32
// ptx-count: 1 cvt.rpi.f32.f32
// ptx-count: 1 cvt.rmi.f32.f32

/// A literal has the type of what it is used with: no number is widened and narrowed again.
#[kernel]
fn literals(i: Index1D, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = (*y * 0.5 + 0.1).max(1e-3);
    }
}
// ptx: mul.rn.f32
// ptx: add.rn.f32
// ptx-not: .f64

/// A declaration without a body would be an undefined symbol.
//@ rows: P-36, GFP-7, GFP-11, GPFI-7, GPFI-12
#[test]
fn math_resolves() {
    warploom_harness::ptx_file!("math.rs");
    for image in ptx::images().unwrap_or_default() {
        let undefined = image.ptx.lines().find(|l| l.contains(".extern .func"));
        assert_eq!(undefined, None, "{} for {}", image.target, image.arch);
    }
}
