//! Half precision is calculated by the instructions for it; what needs 8.0 or 9.0 does not make a kernel need them.

use warploom::device_std::dpx::{I16x2, add_max_relu, max3};
use warploom::device_std::{Bf16, Bf16x2, F16, F16x2};
use warploom::prelude::*;

use crate::values::native;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn scalars(i: Index1D, x: &[[F16; 3]], mut y: DisjointSlice<[F16; 4]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [a + b, a - c, a * b, a.mul_add(b, c)];
    }
}
// ptx-count: 1 add.rn.f16
// ptx-count: 1 sub.rn.f16
// ptx-count: 1 mul.rn.f16
// ptx-count: 1 fma.rn.f16
// ptx-not: f32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn pairs(i: Index1D, x: &[[F16x2; 3]], mut y: DisjointSlice<[F16x2; 4]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [a + b, a - c, a * b, a.mul_add(b, c)];
    }
}
// ptx-count: 1 add.rn.f16x2
// ptx-count: 1 sub.rn.f16x2
// ptx-count: 1 mul.rn.f16x2
// ptx-count: 1 fma.rn.f16x2

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn conversions(i: Index1D, x: &[f64], mut y: DisjointSlice<[F16; 5]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        let single = x as f32;
        *y = [
            F16::from_f64(x),
            F16::from_f32(single),
            F16::from_f32_rz(single),
            F16::from_f32_ru(single),
            F16::from_f32_rd(single),
        ];
    }
}
// ptx-count: 1 cvt.rn.f16.f64
// ptx-count: 1 cvt.rn.f16.f32
// ptx-count: 1 cvt.rz.f16.f32
// ptx-count: 1 cvt.rp.f16.f32
// ptx-count: 1 cvt.rm.f16.f32

/// On the oldest architecture in wider arithmetic: no instruction of 8.0 is left.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn brain(i: Index1D, x: &[[Bf16; 3]], mut y: DisjointSlice<[Bf16; 3]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [a + b, a.mul_add(b, c), a.min(b)];
    }
}
// ptx-arch: sm_75
// ptx-not: bf16
// ptx: add.rn.f32
// ptx-arch: sm_80
// ptx: bf16

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn brain_pairs(i: Index1D, x: &[[Bf16x2; 3]], mut y: DisjointSlice<Bf16x2>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = a * b - c;
    }
}
// ptx-arch: sm_75
// ptx-not: bf16
// ptx-count: 2 mul.rn.f32
// ptx-arch: sm_80
// ptx: bf16

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn words(i: Index1D, x: &[[i32; 3]], mut y: DisjointSlice<[i32; 2]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [max3(a, b, c), add_max_relu(a, b, c)];
    }
}
// ptx: max.s32
// ptx-count: 4 max.s32
// ptx-not: selp

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn halves(i: Index1D, x: &[[I16x2; 3]], mut y: DisjointSlice<I16x2>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = max3(a, b, c);
    }
}
// ptx-arch: sm_75
// ptx-count: 4 max.s32
// ptx-not: max.s16

/// What needs 9.0 anyway has the instructions of 8.0 and 9.0 for these.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn native_scalars(i: Index1D, x: &[[Bf16; 3]], mut y: DisjointSlice<[Bf16; 6]>) {
    if native::<true>()
        && let Some(y) = y.get_mut(i)
    {
        let [a, b, c] = x[i.get()];
        *y = [
            a + b,
            a - c,
            b * c,
            a.mul_add(b, c),
            b.min(c),
            Bf16::from_f32(f32::from(a) + 0.1),
        ];
    }
}
// ptx-count: 4 fma.rn.bf16
// ptx-count: 1 min.bf16
// ptx-count: 1 cvt.rn.bf16.f32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn native_pairs(i: Index1D, x: &[[Bf16x2; 3]], mut y: DisjointSlice<[Bf16x2; 3]>) {
    if native::<true>()
        && let Some(y) = y.get_mut(i)
    {
        let [a, b, c] = x[i.get()];
        *y = [a + b, a.mul_add(b, c), b.max(c)];
    }
}
// ptx-count: 2 fma.rn.bf16x2
// ptx-count: 1 max.bf16x2

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn native_half_pairs(i: Index1D, x: &[[F16x2; 2]], mut y: DisjointSlice<F16x2>) {
    if native::<true>()
        && let Some(y) = y.get_mut(i)
    {
        let [a, b] = x[i.get()];
        *y = a.min(b);
    }
}
// ptx-count: 1 min.f16x2

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn native_halves(i: Index1D, x: &[[I16x2; 3]], mut y: DisjointSlice<[I16x2; 2]>) {
    if native::<true>()
        && let Some(y) = y.get_mut(i)
    {
        let [a, b, c] = x[i.get()];
        *y = [max3(a, b, c), add_max_relu(a, b, c)];
    }
}
// ptx-count: 4 max.s16x2
// ptx-count: 1 add.u16x2
// ptx-not: max.s16 %

//@ rows: F16-scalar, F16-pair, BF16-scalar, BF16-pair, DPX-1, DPX-6
#[test]
fn halves_are_calculated_by_their_instructions() {
    warploom_harness::ptx_file!("ptx_half.rs");
}
