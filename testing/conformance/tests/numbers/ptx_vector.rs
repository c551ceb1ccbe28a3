//! What an aligned vector of two or four is: one access. A vector of three is three.

use warploom::device_std::vector::*;
use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn float2(i: Index1D, x: &[Float2], mut y: DisjointSlice<Float2>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + Float2::splat(1.0);
    }
}
// ptx-count: 1 ld.global
// ptx-count: 1 st.global

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn float4(i: Index1D, x: &[Float4], mut y: DisjointSlice<Float4>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + Float4::splat(1.0);
    }
}
// ptx-count: 1 ld.global
// ptx-count: 1 st.global

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn int2(i: Index1D, x: &[Int2], mut y: DisjointSlice<Int2>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + Int2::splat(1);
    }
}
// ptx-count: 1 ld.global
// ptx-count: 1 st.global

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn uint4(i: Index1D, x: &[UInt4], mut y: DisjointSlice<UInt4>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + UInt4::splat(1);
    }
}
// ptx-count: 1 ld.global
// ptx-count: 1 st.global

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn double2(i: Index1D, x: &[Double2], mut y: DisjointSlice<Double2>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + Double2::splat(1.0);
    }
}
// ptx-count: 1 ld.global
// ptx-count: 1 st.global

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn longlong2(i: Index1D, x: &[LongLong2], mut y: DisjointSlice<LongLong2>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + LongLong2::splat(1);
    }
}
// ptx-count: 1 ld.global
// ptx-count: 1 st.global

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn short2(i: Index1D, x: &[Short2], mut y: DisjointSlice<Short2>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + Short2::splat(1);
    }
}
// ptx-count: 1 ld.global
// ptx-count: 1 st.global

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn ushort4(i: Index1D, x: &[UShort4], mut y: DisjointSlice<UShort4>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + UShort4::splat(1);
    }
}
// ptx-count: 1 ld.global
// ptx-count: 1 st.global

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn uchar4(i: Index1D, x: &[UChar4], mut y: DisjointSlice<UChar4>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + UChar4::splat(1);
    }
}
// ptx-count: 1 ld.global
// ptx-count: 1 st.global

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn char2(i: Index1D, x: &[Char2], mut y: DisjointSlice<Char2>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + Char2::splat(1);
    }
}
// ptx-count: 1 ld.global
// ptx-count: 1 st.global

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn float3(i: Index1D, x: &[Float3], mut y: DisjointSlice<Float3>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + Float3::splat(1.0);
    }
}
// ptx-count: 3 ld.global
// ptx-count: 3 st.global
// ptx-not: global...v2.
// ptx-not: global...v4.

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn double3(i: Index1D, x: &[Double3], mut y: DisjointSlice<Double3>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + Double3::splat(1.0);
    }
}
// ptx-count: 3 ld.global
// ptx-count: 3 st.global
// ptx-not: global...v2.
// ptx-not: global...v4.

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn double4_16a(i: Index1D, x: &[Double4A16], mut y: DisjointSlice<Double4A16>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + Double4A16::splat(1.0);
    }
}
// ptx-count: 2 ld.global...v2.b64
// ptx-count: 2 st.global.v2.b64

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn double4_32a(i: Index1D, x: &[Double4A32], mut y: DisjointSlice<Double4A32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + Double4A32::splat(1.0);
    }
}
// ptx-count: 2 ld.global...v2.b64
// ptx-count: 2 st.global.v2.b64

/// No overflow is looked for, in no build.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn wrapping_int4(i: Index1D, x: &[Int4], mut y: DisjointSlice<Int4>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = x.wrapping_add(*y);
    }
}
// ptx-count: 4 add.s32
// ptx-count: 1 st.global.v4.b32
// ptx-not: call
// ptx-not: trap

/// CUDA's `struct __align__(8)` of two `float`.
#[derive(Clone, Copy, Plain)]
#[repr(C, align(8))]
#[allow(dead_code, reason = "of kernels that are never launched")]
struct Aligned {
    a: f32,
    b: f32,
}

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn aligned(i: Index1D, x: &[Aligned], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        let Aligned { a, b } = x[i.get()];
        *y = a * b;
    }
}
// ptx-count: 1 ld.global
// ptx: ld.global...v2.b32

//@ rows: VT-1, GVEC-3, GVAR-20
#[test]
fn aligned_vectors_are_one_access() {
    warploom_harness::ptx_file!("ptx_vector.rs");
}
