//! Slices and outputs of arrays, and of structs, start where their elements can be accessed as vectors: one instruction for 4, 8 or 16 bytes.

use warploom::prelude::*;

#[kernel]
fn four_numbers(i: Index1D, x: &[[u32; 4]], mut y: DisjointSlice<u32>) {
    if let Some(p) = x.get(i.get())
        && let Some(y) = y.get_mut(i)
    {
        *y = p[0] ^ p[1].rotate_left(3) ^ p[2].rotate_left(7) ^ p[3];
    }
}
// ptx: .ptr .align 16 ...param_0
// ptx-count: 1 ld.global
// ptx: ld.global.nc.v4.b32

#[kernel]
fn four_written(i: Index1D, x: &[[f32; 4]], mut y: DisjointSlice<[f32; 4]>) {
    if let Some(p) = x.get(i.get())
        && let Some(y) = y.get_mut(i)
    {
        *y = [p[3], p[2] + 1.0, p[1], p[0]];
    }
}
// ptx-count: 1 ld.global
// ptx-count: 1 st.global
// ptx: ld.global.nc.v4.b32
// ptx: st.global.v4.b32

#[kernel]
fn four_bytes(i: Index1D, x: &[[u8; 4]], mut y: DisjointSlice<[u8; 4]>) {
    if let Some(p) = x.get(i.get())
        && let Some(y) = y.get_mut(i)
    {
        *y = [p[3], p[2], p[1] ^ 3, p[0]];
    }
}
// ptx-count: 1 ld.global
// ptx-count: 1 st.global
// ptx: ld.global.nc.b32
// ptx: st.global.b32

#[kernel]
fn two_numbers(i: Index1D, x: &[[f32; 2]], mut y: DisjointSlice<[f32; 2]>) {
    if let Some([a, b]) = x.get(i.get())
        && let Some(y) = y.get_mut(i)
    {
        *y = [a * b, a + b];
    }
}
// ptx-count: 1 ld.global.nc.v2.b32
// ptx-count: 1 st.global.v2.b32

/// 24 bytes: a multiple of 8, and no more.
#[kernel]
fn six_numbers(i: Index1D, x: &[[f32; 6]], mut y: DisjointSlice<[f32; 6]>) {
    if let Some(p) = x.get(i.get())
        && let Some(y) = y.get_mut(i)
    {
        *y = [p[1], p[0], p[2], p[3] + 1.0, p[5], p[4]];
    }
}
// ptx-count: 3 ld.global.nc.v2.b32
// ptx-count: 3 st.global.v2.b32
// ptx-not: .v4

/// 12 bytes are three accesses.
#[kernel]
fn three_numbers(i: Index1D, x: &[[f32; 3]], mut y: DisjointSlice<f32>) {
    if let Some(p) = x.get(i.get())
        && let Some(y) = y.get_mut(i)
    {
        *y = p[0] * p[1] + p[2];
    }
}
// ptx-count: 3 ld.global.nc.b32
// ptx-not: .align 16

#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Body {
    place: [f32; 3],
    mass: f32,
}

#[kernel]
fn structs(i: Index1D, x: &[Body], mut y: DisjointSlice<Body>) {
    if let Some(b) = x.get(i.get())
        && let Some(y) = y.get_mut(i)
    {
        *y = Body {
            place: b.place.map(|p| p * b.mass),
            mass: b.mass,
        };
    }
}
// ptx-count: 1 ld.global.nc.v4.b32
// ptx-count: 1 st.global.v4.b32

#[test]
fn elements_are_accessed_as_vectors() {
    warploom_harness::ptx_file!("vector_accesses.rs");
}
