//! Structs, arrays by value are read where the launch put them: in the kernel's parameters.

use warploom::prelude::*;

#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Camera {
    origin: [f32; 3],
    visible: bool,
    mask: u64,
}

#[kernel]
fn project(i: Index1D, camera: Camera, scale: [f32; 2], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i)
        && camera.visible
    {
        *y = camera.origin[1] * scale[0] + (camera.mask >> 40) as f32;
    }
}
// ptx: .param .align 8 .b8 project_param_0[24]
// ptx: ld.param.b8 ... [project_param_0+12]
// ptx: ld.param.b32 ... +4]
// ptx-not: .local
// ptx-not: call

#[kernel]
fn pick(i: Index1D, table: [u32; 16], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = table[(*y & 15) as usize];
    }
}
// ptx: .param .align 4 .b8 pick_param_0[64]
// ptx-not: .local
// ptx-not: panic

#[derive(Clone, Copy)]
#[allow(dead_code, reason = "the kernel is never launched")]
struct Both(u64, u64);

/// By value in and out: on the host in two registers.
#[inline(never)]
#[allow(dead_code, reason = "the kernel is never launched")]
fn turned(both: Both) -> Both {
    Both(both.1.rotate_left(7), both.0)
}

#[kernel]
fn turn(i: Index1D, mut y: DisjointSlice<u64>) {
    if let Some(y) = y.get_mut(i) {
        let both = turned(turned(Both(*y, 3)));
        *y = both.0 ^ both.1;
    }
}
// ptx: call.uni ... turned
// ptx-module: ld.param.v2.b64

#[test]
fn aggregates_are_read_from_the_parameters() {
    warploom_harness::ptx_file!("aggregates.rs");
}
