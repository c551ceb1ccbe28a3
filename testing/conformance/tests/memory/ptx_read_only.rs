//! What is read-only while the kernel runs is loaded through the read-only cache; copies of a block move 16 bytes at a time.

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::device_std::memory::{copy_block, ldg};
use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn input(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let (Some(x), Some(y)) = (x.get(i.get()), y.get_mut(i)) {
        *y = ldg(x);
    }
}
// ptx-count: 1 ld.global.nc.b32
// ptx-count: 1 ld.global

/// What a kernel itself writes is read by ordinary loads in all its functions.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn output(i: Index1D, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = ldg(&*y) + 1.0;
    }
}
// ptx-not: .nc

/// An atomic may change, so its slice never does.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn atomics(i: Index1D, x: &[Atomic<f32>], mut y: DisjointSlice<f32>) {
    if let (Some(x), Some(y)) = (x.get(i.get()), y.get_mut(i)) {
        *y = x.load(Relaxed);
    }
}
// ptx: ld.relaxed.gpu.global.b32
// ptx-not: .nc

/// A raw pointer says nothing about writes by others.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn pointer(x: u64, mut y: DisjointSlice<f32>) {
    let x = std::ptr::with_exposed_provenance::<f32>(x as usize);
    // SAFETY: never launched; the text alone matters.
    let value = unsafe { x.read() };
    // SAFETY: as above.
    unsafe { y.raw().write(value) };
}
// ptx-not: .nc

#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn copies(block: Block, x: &[f32], n: u32) {
    let tile = shared_array!(f32, 1024);
    // SAFETY: never launched; the text alone matters.
    unsafe { copy_block(block, x.as_ptr(), tile.as_ptr(), n as usize) };
}
// ptx: ld.global.nc.v2.b64
// ptx: st.shared.v2.b64

//@ rows: LS-1, AN-6, MEM-copy
#[test]
fn inputs_alone_are_read_through_the_read_only_cache() {
    warploom_harness::ptx_file!("ptx_read_only.rs");
}
