//! Integer operations are the instructions of their names.

use warploom::device_std::integer::*;
use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn products(i: Index1D, x: &[[u64; 2]], mut y: DisjointSlice<[u64; 6]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b] = x[i.get()];
        *y = [
            mul24(a as i32, b as i32) as u64,
            umul24(a as u32, b as u32).into(),
            mul_hi(a as i32, b as i32) as u64,
            mul_hi(a as u32, b as u32).into(),
            mul_hi(a as i64, b as i64) as u64,
            mul_hi(a, b),
        ];
    }
}
// ptx-count: 1 mul24.lo.s32
// ptx-count: 1 mul24.lo.u32
// ptx-count: 1 mul.hi.s32
// ptx-count: 1 mul.hi.u32
// ptx-count: 1 mul.hi.s64
// ptx-count: 1 mul.hi.u64

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn differences(i: Index1D, x: &[[u32; 3]], mut y: DisjointSlice<[u32; 2]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [sad(a as i32, b as i32, c as i32) as u32, sad(a, b, c)];
    }
}
// ptx-count: 1 sad.s32
// ptx-count: 1 sad.u32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn counts(i: Index1D, x: &[u64], mut y: DisjointSlice<[u64; 6]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        let word = x as u32;
        *y = [
            word.leading_zeros().into(),
            x.leading_zeros().into(),
            word.count_ones().into(),
            x.count_ones().into(),
            word.reverse_bits().into(),
            x.reverse_bits(),
        ];
    }
}
// ptx-count: 1 clz.b32
// ptx-count: 1 clz.b64
// ptx-count: 1 popc.b32
// ptx-count: 1 popc.b64
// ptx-count: 1 brev.b32
// ptx-count: 1 brev.b64

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn first(i: Index1D, x: &[u64], mut y: DisjointSlice<[u32; 2]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = [find_first_set(x), find_first_set(x as u32)];
    }
}
// ptx-count: 1 clz.b64
// ptx-count: 1 clz.b32
// ptx-not: selp

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn shifts(i: Index1D, x: &[[u32; 3]], mut y: DisjointSlice<[u32; 5]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [
            byte_permute(a, b, c),
            funnel_shift_left(a, b, c),
            funnel_shift_left_clamped(a, b, c),
            funnel_shift_right(a, b, c),
            funnel_shift_right_clamped(a, b, c),
        ];
    }
}
// ptx-count: 1 prmt.b32
// ptx-count: 1 shf.l.wrap.b32
// ptx-count: 1 shf.l.clamp.b32
// ptx-count: 1 shf.r.wrap.b32
// ptx-count: 1 shf.r.clamp.b32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn dot_products(i: Index1D, x: &[[u32; 3]], mut y: DisjointSlice<[u32; 3]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b, c] = x[i.get()];
        *y = [
            dp4a_i32(a, b, c as i32) as u32,
            dp4a_u32(a, b, c),
            dp2a_hi_u32(a, b, c),
        ];
    }
}
// ptx-count: 1 dp4a.s32.s32
// ptx-count: 1 dp4a.u32.u32
// ptx-count: 1 dp2a.hi.u32.u32

/// Casts are moves: the bits come and go unread.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn casts(i: Index1D, x: &[u64], mut y: DisjointSlice<[f64; 2]>) {
    if let Some(y) = y.get_mut(i) {
        let x = f64::from_bits(x[i.get()]);
        *y = [x, f64_from_words(f64_low_word(x), f64_high_word(x))];
    }
}
// ptx-not: cvt.rn
// ptx-not: .f64.

/// Unsigned numbers by a power of two need no division.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn powers_of_two(i: Index1D, x: &[[u64; 2]], mut y: DisjointSlice<[u64; 4]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b] = x[i.get()];
        let a = a as u32;
        *y = [(a / 8).into(), (a % 8).into(), b / 1024, b % 1024];
    }
}
// ptx: shr.u64
// ptx-next: and.b64
// ptx-not: div.
// ptx-not: rem.

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn extremes(i: Index1D, x: &[[u64; 2]], mut y: DisjointSlice<[u64; 8]>) {
    if let Some(y) = y.get_mut(i) {
        let [a, b] = x[i.get()];
        *y = [
            (a as i32).min(b as i32) as u64,
            (a as i32).max(b as i32) as u64,
            (a as u32).min(b as u32).into(),
            (a as u32).max(b as u32).into(),
            (a as i64).min(b as i64) as u64,
            (a as i64).max(b as i64) as u64,
            a.min(b),
            a.max(b),
        ];
    }
}
// ptx-count: 1 min.s32
// ptx-count: 1 max.s32
// ptx-count: 1 min.u32
// ptx-count: 1 max.u32
// ptx-count: 1 min.s64
// ptx-count: 1 max.s64
// ptx-count: 1 min.u64
// ptx-count: 1 max.u64

//@ rows: C2-__mul24, C2-__umul24, C2-__mulhi, C2-__umulhi, C2-__mul64hi, C2-__umul64hi, C2-__sad, C2-__usad, C2-__clz, C2-__clzll
//@ rows: C2-__ffs, C2-__ffsll, C2-__popc, C2-__popcll, C2-__brev, C2-__brevll, C2-__byte_perm, C2-__funnelshift
//@ rows: C2-__double_as_longlong, C2-__longlong_as_double, C2-__double2hiint, C2-__double2loint, C2-__hiloint2double, GPFI-4, GPFI-5, GPFI-6, GPFI-13
#[test]
fn integer_operations_are_one_instruction() {
    warploom_harness::ptx_file!("ptx_integer.rs");
}
