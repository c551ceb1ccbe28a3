//! One instruction for each fetch and access, and none for what is not used.

use warploom::device_std::surface::{
    ReadOnly, Reduced, Surface1d, Surface1dLayered, Surface2d, Surface2dLayered, Surface3d,
};
use warploom::device_std::texture::{
    Normalized, Texture1d, Texture1dLayered, Texture2d, Texture2dLayered, Texture3d, TextureCube,
    TextureCubeLayered, TextureLinear,
};
use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn merged(i: Index1D, x: Texture2d<f32>, mut y: DisjointSlice<f32>) {
    let at = i.get() as f32;
    if let Some(y) = y.get_mut(i) {
        let _ = x.sample(at, 7.0);
        *y = x.sample(at, 1.0) + x.sample(at, 1.0) * x.sample(at, 2.0);
    }
}
// ptx-count: 2 tex.2d.v4.f32.f32 {
// ptx-not: panic

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn samples(
    i: Index1D,
    a: Texture1d<[i8; 2]>,
    b: Texture3d<u16, Normalized>,
    c: Texture2dLayered<u32>,
    d: TextureCube<F16>,
    e: TextureCubeLayered<f32>,
    mut y: DisjointSlice<f32>,
) {
    let at = i.get() as f32;
    if let Some(y) = y.get_mut(i) {
        *y = f32::from(a.sample(at)[1])
            + b.sample(at, at, at)
            + c.sample(at, at, 3) as f32
            + d.sample(at, at, at)
            + e.sample(at, at, at, 1);
    }
}
// ptx-count: 1 tex.1d.v4.s32.f32 {
// ptx-count: 1 tex.3d.v4.f32.f32 {
// ptx-count: 1 tex.a2d.v4.u32.f32 {
// ptx-count: 1 tex.cube.v4.f32.f32 {
// ptx-count: 1 tex.acube.v4.f32.f32 {
// ptx-not: panic

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn others(
    i: Index1D,
    x: Texture2d<f32>,
    table: TextureLinear<[u8; 4], Normalized>,
    mut y: DisjointSlice<f32>,
) {
    let at = i.get() as f32;
    if let Some(y) = y.get_mut(i) {
        let four = x.gather::<2>(at, at);
        let [width, height] = x.size_of_level(1);
        *y = x.sample_level(at, at, 0.5)
            + x.sample_grad(at, at, [at, 1.0], [2.0, at])
            + four[0]
            + four[3]
            + table.fetch(i.get() as i32)[2]
            + (width ^ height) as f32;
    }
}
// ptx-count: 1 tld4.b.2d.v4.f32.f32 {
// ptx-count: 1 tex.level.2d.v4.f32.f32 {
// ptx-count: 1 tex.grad.2d.v4.f32.f32 {
// ptx-count: 1 tex.1d.v4.f32.s32 {
// ptx-count: 1 txq.level.width.b32
// ptx-count: 1 txq.level.height.b32
// ptx-not: panic

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn beside(
    i: Index1D,
    a: Texture1d<f32>,
    b: Texture2d<f32>,
    c: Texture3d<f32>,
    d: Texture1dLayered<f32>,
    e: Texture2dLayered<f32>,
    mut y: DisjointSlice<f32>,
) {
    let (at, by) = (i.get() as f32, i.get() as i32);
    if let Some(y) = y.get_mut(i) {
        *y = a.sample_offset(at, -3)
            + b.sample_offset(at, at, [1, -2])
            + c.sample_offset(at, at, at, [by, 0, 7])
            + d.sample_offset(at, 1, 5)
            + e.sample_offset(at, at, 2, [-8, by])
            + b.sample_level_offset(at, at, 1.5, [3, 4])
            + b.gather_offset::<1>(at, at, [by, 2])[0]
            + e.gather_offset::<3>(at, at, 1, [1, 1])[0];
    }
}
// ptx-count: 1 tex.1d.v4.f32.f32 {
// ptx-count: 1 tex.2d.v4.f32.f32 {
// ptx-count: 1 tex.3d.v4.f32.f32 {
// ptx-count: 1 tex.a1d.v4.f32.f32 {
// ptx-count: 1 tex.a2d.v4.f32.f32 {
// ptx-count: 1 tex.level.2d.v4.f32.f32 {
// ptx-count: 1 tld4.g.2d.v4.f32.f32 {
// ptx-count: 1 tld4.a.a2d.v4.f32.f32 {
// ptx-count: 7 }], {
// ptx-not: panic

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn gathers(
    i: Index1D,
    a: Texture2dLayered<u32>,
    b: TextureCube<[i16; 4]>,
    c: TextureCubeLayered<f32>,
    mut y: DisjointSlice<f32>,
) {
    let at = i.get() as f32;
    if let Some(y) = y.get_mut(i) {
        *y = a.gather::<0>(at, at, 1)[2] as f32
            + f32::from(b.gather::<1>(at, 1.0, at)[1])
            + c.gather::<2>(at, at, 1.0, 3)[3];
    }
}
// ptx-count: 1 tld4.r.a2d.v4.u32.f32 {
// ptx-count: 1 tld4.g.cube.v4.s32.f32 {
// ptx-count: 1 tld4.b.acube.v4.f32.f32 {
// ptx-not: panic

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn own_elements(i: Index2D, x: Surface2d<[u8; 4], ReadOnly>, mut y: Surface2d<[u8; 4]>) {
    let value = x.read_clamped(i.x() as i32, 0);
    let _ = (x.read(7, 7), x.read_trapping(7, 7));
    let inside = x.read((i.x() as i32).wrapping_add(1), i.y() as i32);
    y.write(i, value);
    y.write(i, inside);
}
// ptx-count: 1 suld.b.2d.v4.b8.clamp {
// ptx-count: 1 suld.b.2d.v4.b8.zero {
// ptx-count: 2 sust.b.2d.v4.b8.zero [
// ptx-not: suld.b.2d.v4.b8.trap
// ptx-not: panic

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn any_elements(mut x: Surface3d<f32>, mut y: Surface1dLayered<[F16; 2]>, value: f32) {
    // SAFETY: never launched.
    let before = unsafe { x.load(1, 2, 3) };
    // SAFETY: as above.
    unsafe { x.store_clamped(3, 2, 1, before + value) };
    // SAFETY: as above.
    unsafe { y.store_zero(5, 3, [F16::ONE, F16::ONE]) };
}
// ptx-count: 1 suld.b.3d.b32.trap {
// ptx-count: 1 sust.b.3d.b32.clamp [
// ptx-count: 1 sust.b.a1d.v2.b16.zero [
// ptx-not: panic

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn reduced(x: Surface1d<u32, Reduced>, y: Surface2d<i32, Reduced>, z: Surface3d<u32, Reduced>) {
    x.add(1, 2);
    y.min(1, 2, -3);
    y.or(2, 1, 4);
    z.max(1, 2, 3, 4);
    z.and(3, 2, 1, 4);
}
// ptx-count: 1 sured.b.add.1d.u32.zero [
// ptx-count: 1 sured.b.min.2d.s32.zero [
// ptx-count: 1 sured.b.or.2d.b32.zero [
// ptx-count: 1 sured.b.max.3d.u32.zero [
// ptx-count: 1 sured.b.and.3d.b32.zero [
// ptx-not: panic

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn converted(i: Index2D, mut x: Surface2d<[u8; 4]>, mut y: Surface2dLayered<F16>, value: u32) {
    x.write_converted(i, [value, 300, 2, 3]);
    y.write_converted(i, 3, value as f32);
}
// ptx-count: 1 sust.p.2d.v4.b32.zero [
// ptx-count: 1 sust.p.a2d.b32.zero [
// ptx-not: panic

//@ rows: GTEX-20, GTEX-21, GTEX-22, GTEX-23
#[test]
fn fetches_and_accesses_are_one_instruction_each() {
    warploom_harness::ptx_file!("ptx.rs");
}
