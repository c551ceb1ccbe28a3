//! The rounding stands in the instruction, and nothing is fused or approximated.

use warploom::device::round::{Rd, Rn, Rounding, Ru, Rz};
use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rn_f32(i: Index1D, x: &[[f32; 3]], mut y: DisjointSlice<[f32; 6]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [
            Rn::add(Rn::mul(a, b), c),
            Rn::mul_add(a, b, c),
            Rn::div(a, b),
            Rn::recip(a),
            Rn::sqrt(a),
            Rn::sub(a, c),
        ];
    }
}
// ptx-count: 1 mul.rn.f32
// ptx-count: 1 fma.rn.f32
// ptx-count: 1 div.rn.f32
// ptx-count: 1 rcp.rn.f32
// ptx-count: 1 sqrt.rn.f32
// ptx-module: add.rn.f32
// ptx-not: approx

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rz_f32(i: Index1D, x: &[[f32; 3]], mut y: DisjointSlice<[f32; 6]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [
            Rz::add(Rz::mul(a, b), c),
            Rz::mul_add(a, b, c),
            Rz::div(a, b),
            Rz::recip(a),
            Rz::sqrt(a),
            Rz::sub(a, c),
        ];
    }
}
// ptx-count: 1 mul.rz.f32
// ptx-count: 1 fma.rz.f32
// ptx-count: 1 div.rz.f32
// ptx-count: 1 rcp.rz.f32
// ptx-count: 1 sqrt.rz.f32
// ptx-module: add.rz.f32
// ptx-not: approx

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn ru_f32(i: Index1D, x: &[[f32; 3]], mut y: DisjointSlice<[f32; 6]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [
            Ru::add(Ru::mul(a, b), c),
            Ru::mul_add(a, b, c),
            Ru::div(a, b),
            Ru::recip(a),
            Ru::sqrt(a),
            Ru::sub(a, c),
        ];
    }
}
// ptx-count: 1 mul.rp.f32
// ptx-count: 1 fma.rp.f32
// ptx-count: 1 div.rp.f32
// ptx-count: 1 rcp.rp.f32
// ptx-count: 1 sqrt.rp.f32
// ptx-module: add.rp.f32
// ptx-not: approx

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rd_f32(i: Index1D, x: &[[f32; 3]], mut y: DisjointSlice<[f32; 6]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [
            Rd::add(Rd::mul(a, b), c),
            Rd::mul_add(a, b, c),
            Rd::div(a, b),
            Rd::recip(a),
            Rd::sqrt(a),
            Rd::sub(a, c),
        ];
    }
}
// ptx-count: 1 mul.rm.f32
// ptx-count: 1 fma.rm.f32
// ptx-count: 1 div.rm.f32
// ptx-count: 1 rcp.rm.f32
// ptx-count: 1 sqrt.rm.f32
// ptx-module: add.rm.f32
// ptx-not: approx

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rn_f64(i: Index1D, x: &[[f64; 3]], mut y: DisjointSlice<[f64; 6]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [
            Rn::add(Rn::mul(a, b), c),
            Rn::mul_add(a, b, c),
            Rn::div(a, b),
            Rn::recip(a),
            Rn::sqrt(a),
            Rn::sub(a, c),
        ];
    }
}
// ptx-count: 1 mul.rn.f64
// ptx-count: 1 fma.rn.f64
// ptx-count: 1 div.rn.f64
// ptx-count: 1 rcp.rn.f64
// ptx-count: 1 sqrt.rn.f64
// ptx-module: add.rn.f64
// ptx-not: approx

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rz_f64(i: Index1D, x: &[[f64; 3]], mut y: DisjointSlice<[f64; 6]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [
            Rz::add(Rz::mul(a, b), c),
            Rz::mul_add(a, b, c),
            Rz::div(a, b),
            Rz::recip(a),
            Rz::sqrt(a),
            Rz::sub(a, c),
        ];
    }
}
// ptx-count: 1 mul.rz.f64
// ptx-count: 1 fma.rz.f64
// ptx-count: 1 div.rz.f64
// ptx-count: 1 rcp.rz.f64
// ptx-count: 1 sqrt.rz.f64
// ptx-module: add.rz.f64
// ptx-not: approx

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn ru_f64(i: Index1D, x: &[[f64; 3]], mut y: DisjointSlice<[f64; 6]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [
            Ru::add(Ru::mul(a, b), c),
            Ru::mul_add(a, b, c),
            Ru::div(a, b),
            Ru::recip(a),
            Ru::sqrt(a),
            Ru::sub(a, c),
        ];
    }
}
// ptx-count: 1 mul.rp.f64
// ptx-count: 1 fma.rp.f64
// ptx-count: 1 div.rp.f64
// ptx-count: 1 rcp.rp.f64
// ptx-count: 1 sqrt.rp.f64
// ptx-module: add.rp.f64
// ptx-not: approx

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rd_f64(i: Index1D, x: &[[f64; 3]], mut y: DisjointSlice<[f64; 6]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [
            Rd::add(Rd::mul(a, b), c),
            Rd::mul_add(a, b, c),
            Rd::div(a, b),
            Rd::recip(a),
            Rd::sqrt(a),
            Rd::sub(a, c),
        ];
    }
}
// ptx-count: 1 mul.rm.f64
// ptx-count: 1 fma.rm.f64
// ptx-count: 1 div.rm.f64
// ptx-count: 1 rcp.rm.f64
// ptx-count: 1 sqrt.rm.f64
// ptx-module: add.rm.f64
// ptx-not: approx

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rn_integers_f32(i: Index1D, x: &[f32], mut y: DisjointSlice<[u64; 4]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = [
            Rn::to_integer::<i32, _>(x) as u64,
            Rn::to_integer::<u32, _>(x).into(),
            Rn::to_integer::<i64, _>(x) as u64,
            Rn::to_integer(x),
        ];
    }
}
// ptx-count: 1 cvt.rni.s32.f32
// ptx-count: 1 cvt.rni.u32.f32
// ptx-count: 1 cvt.rni.s64.f32
// ptx-count: 1 cvt.rni.u64.f32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rz_integers_f32(i: Index1D, x: &[f32], mut y: DisjointSlice<[u64; 4]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = [
            Rz::to_integer::<i32, _>(x) as u64,
            Rz::to_integer::<u32, _>(x).into(),
            Rz::to_integer::<i64, _>(x) as u64,
            Rz::to_integer(x),
        ];
    }
}
// ptx-count: 1 cvt.rzi.s32.f32
// ptx-count: 1 cvt.rzi.u32.f32
// ptx-count: 1 cvt.rzi.s64.f32
// ptx-count: 1 cvt.rzi.u64.f32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn ru_integers_f32(i: Index1D, x: &[f32], mut y: DisjointSlice<[u64; 4]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = [
            Ru::to_integer::<i32, _>(x) as u64,
            Ru::to_integer::<u32, _>(x).into(),
            Ru::to_integer::<i64, _>(x) as u64,
            Ru::to_integer(x),
        ];
    }
}
// ptx-count: 1 cvt.rpi.s32.f32
// ptx-count: 1 cvt.rpi.u32.f32
// ptx-count: 1 cvt.rpi.s64.f32
// ptx-count: 1 cvt.rpi.u64.f32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rd_integers_f32(i: Index1D, x: &[f32], mut y: DisjointSlice<[u64; 4]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = [
            Rd::to_integer::<i32, _>(x) as u64,
            Rd::to_integer::<u32, _>(x).into(),
            Rd::to_integer::<i64, _>(x) as u64,
            Rd::to_integer(x),
        ];
    }
}
// ptx-count: 1 cvt.rmi.s32.f32
// ptx-count: 1 cvt.rmi.u32.f32
// ptx-count: 1 cvt.rmi.s64.f32
// ptx-count: 1 cvt.rmi.u64.f32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rn_integers_f64(i: Index1D, x: &[f64], mut y: DisjointSlice<[u64; 4]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = [
            Rn::to_integer::<i32, _>(x) as u64,
            Rn::to_integer::<u32, _>(x).into(),
            Rn::to_integer::<i64, _>(x) as u64,
            Rn::to_integer(x),
        ];
    }
}
// ptx-count: 1 cvt.rni.s32.f64
// ptx-count: 1 cvt.rni.u32.f64
// ptx-count: 1 cvt.rni.s64.f64
// ptx-count: 1 cvt.rni.u64.f64

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rz_integers_f64(i: Index1D, x: &[f64], mut y: DisjointSlice<[u64; 4]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = [
            Rz::to_integer::<i32, _>(x) as u64,
            Rz::to_integer::<u32, _>(x).into(),
            Rz::to_integer::<i64, _>(x) as u64,
            Rz::to_integer(x),
        ];
    }
}
// ptx-count: 1 cvt.rzi.s32.f64
// ptx-count: 1 cvt.rzi.u32.f64
// ptx-count: 1 cvt.rzi.s64.f64
// ptx-count: 1 cvt.rzi.u64.f64

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn ru_integers_f64(i: Index1D, x: &[f64], mut y: DisjointSlice<[u64; 4]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = [
            Ru::to_integer::<i32, _>(x) as u64,
            Ru::to_integer::<u32, _>(x).into(),
            Ru::to_integer::<i64, _>(x) as u64,
            Ru::to_integer(x),
        ];
    }
}
// ptx-count: 1 cvt.rpi.s32.f64
// ptx-count: 1 cvt.rpi.u32.f64
// ptx-count: 1 cvt.rpi.s64.f64
// ptx-count: 1 cvt.rpi.u64.f64

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rd_integers_f64(i: Index1D, x: &[f64], mut y: DisjointSlice<[u64; 4]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = [
            Rd::to_integer::<i32, _>(x) as u64,
            Rd::to_integer::<u32, _>(x).into(),
            Rd::to_integer::<i64, _>(x) as u64,
            Rd::to_integer(x),
        ];
    }
}
// ptx-count: 1 cvt.rmi.s32.f64
// ptx-count: 1 cvt.rmi.u32.f64
// ptx-count: 1 cvt.rmi.s64.f64
// ptx-count: 1 cvt.rmi.u64.f64

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rn_of_integers(
    i: Index1D,
    x: &[u64],
    mut y: DisjointSlice<[f32; 5]>,
    mut z: DisjointSlice<[f64; 4]>,
) {
    if let (Some(y), Some(z)) = (y.get_mut(i), z.get_mut(i)) {
        let x = x[i.get()];
        *y = [
            Rn::from_integer(x as i32),
            Rn::from_integer(x as u32),
            Rn::from_integer(x as i64),
            Rn::from_integer(x),
            Rn::narrow(f64::from_bits(x)),
        ];
        *z = [
            Rn::from_integer(x as i32),
            Rn::from_integer(x as u32),
            Rn::from_integer(x as i64),
            Rn::from_integer(x),
        ];
    }
}
// ptx-count: 1 cvt.rn.f32.s32
// ptx-count: 1 cvt.rn.f32.u32
// ptx-count: 1 cvt.rn.f32.s64
// ptx-count: 1 cvt.rn.f32.u64
// ptx-count: 1 cvt.rn.f32.f64
// ptx-count: 1 cvt.rn.f64.s64
// ptx-count: 1 cvt.rn.f64.u64
// ptx-count: 1 cvt.rn.f64.s32
// ptx-count: 1 cvt.rn.f64.u32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rz_of_integers(
    i: Index1D,
    x: &[u64],
    mut y: DisjointSlice<[f32; 5]>,
    mut z: DisjointSlice<[f64; 4]>,
) {
    if let (Some(y), Some(z)) = (y.get_mut(i), z.get_mut(i)) {
        let x = x[i.get()];
        *y = [
            Rz::from_integer(x as i32),
            Rz::from_integer(x as u32),
            Rz::from_integer(x as i64),
            Rz::from_integer(x),
            Rz::narrow(f64::from_bits(x)),
        ];
        *z = [
            Rz::from_integer(x as i32),
            Rz::from_integer(x as u32),
            Rz::from_integer(x as i64),
            Rz::from_integer(x),
        ];
    }
}
// ptx-count: 1 cvt.rz.f32.s32
// ptx-count: 1 cvt.rz.f32.u32
// ptx-count: 1 cvt.rz.f32.s64
// ptx-count: 1 cvt.rz.f32.u64
// ptx-count: 1 cvt.rz.f32.f64
// ptx-count: 1 cvt.rz.f64.s64
// ptx-count: 1 cvt.rz.f64.u64
// ptx-count: 1 cvt.rn.f64.s32
// ptx-count: 1 cvt.rn.f64.u32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn ru_of_integers(
    i: Index1D,
    x: &[u64],
    mut y: DisjointSlice<[f32; 5]>,
    mut z: DisjointSlice<[f64; 4]>,
) {
    if let (Some(y), Some(z)) = (y.get_mut(i), z.get_mut(i)) {
        let x = x[i.get()];
        *y = [
            Ru::from_integer(x as i32),
            Ru::from_integer(x as u32),
            Ru::from_integer(x as i64),
            Ru::from_integer(x),
            Ru::narrow(f64::from_bits(x)),
        ];
        *z = [
            Ru::from_integer(x as i32),
            Ru::from_integer(x as u32),
            Ru::from_integer(x as i64),
            Ru::from_integer(x),
        ];
    }
}
// ptx-count: 1 cvt.rp.f32.s32
// ptx-count: 1 cvt.rp.f32.u32
// ptx-count: 1 cvt.rp.f32.s64
// ptx-count: 1 cvt.rp.f32.u64
// ptx-count: 1 cvt.rp.f32.f64
// ptx-count: 1 cvt.rp.f64.s64
// ptx-count: 1 cvt.rp.f64.u64
// ptx-count: 1 cvt.rn.f64.s32
// ptx-count: 1 cvt.rn.f64.u32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rd_of_integers(
    i: Index1D,
    x: &[u64],
    mut y: DisjointSlice<[f32; 5]>,
    mut z: DisjointSlice<[f64; 4]>,
) {
    if let (Some(y), Some(z)) = (y.get_mut(i), z.get_mut(i)) {
        let x = x[i.get()];
        *y = [
            Rd::from_integer(x as i32),
            Rd::from_integer(x as u32),
            Rd::from_integer(x as i64),
            Rd::from_integer(x),
            Rd::narrow(f64::from_bits(x)),
        ];
        *z = [
            Rd::from_integer(x as i32),
            Rd::from_integer(x as u32),
            Rd::from_integer(x as i64),
            Rd::from_integer(x),
        ];
    }
}
// ptx-count: 1 cvt.rm.f32.s32
// ptx-count: 1 cvt.rm.f32.u32
// ptx-count: 1 cvt.rm.f32.s64
// ptx-count: 1 cvt.rm.f32.u64
// ptx-count: 1 cvt.rm.f32.f64
// ptx-count: 1 cvt.rm.f64.s64
// ptx-count: 1 cvt.rm.f64.u64
// ptx-count: 1 cvt.rn.f64.s32
// ptx-count: 1 cvt.rn.f64.u32

//@ rows: C2-__fadd, C2-__fmul, C2-__fmaf, C2-__frcp, C2-__fsqrt, C2-__fdiv, C2-__dadd, C2-__dmul, C2-__fma, C2-__drcp, C2-__dsqrt, C2-__ddiv
//@ rows: C2-__float2int, C2-__float2uint, C2-__float2ll, C2-__float2ull, C2-__double2int, C2-__double2uint, C2-__double2ll, C2-__double2ull, C2-__int2float, C2-__uint2float, C2-__ll2float, C2-__ull2float, C2-__int2double, C2-__uint2double, C2-__ll2double, C2-__ull2double, C2-__double2float
#[test]
fn the_rounding_stands_in_the_instruction() {
    warploom_harness::ptx_file!("ptx_round.rs");
}
