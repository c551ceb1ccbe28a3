//! warploom's own additions are one plain instruction, relaxed and at device scope, in the memory that the kernel means. LLVM 23 writes `.relaxed.gpu`, which
//! is what PTX takes where nothing is said.

use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64};
use warploom::device_std::atomic_add;
use warploom::prelude::*;

#[kernel]
fn global(
    i: Index1D,
    a: &[AtomicU32],
    b: &[AtomicI32],
    c: &[AtomicU64],
    d: &[AtomicF32],
    e: &[AtomicF64],
    mut y: DisjointSlice<f64>,
) {
    let (Some(y), [a, ..], [b, ..], [c, ..], [d, ..], [e, ..]) = (y.get_mut(i), a, b, c, d, e)
    else {
        return;
    };
    let (a, b, c) = (atomic_add(a, 3), atomic_add(b, -3), atomic_add(c, 3));
    *y = f64::from(d.fetch_add(1.5)) + e.fetch_add(1.5) + f64::from(a) + f64::from(b) + c as f64;
}
// ptx: atom...global.add.u32
// ptx: atom...global.add.u32
// ptx: atom...global.add.u64
// ptx: atom...global.add.f32
// ptx: atom...global.add.f64
// ptx-count: 5 atom
// ptx-not: fence
// ptx-not: .sys

#[kernel]
fn forgotten(x: &[AtomicU32]) {
    if let [x, ..] = x {
        atomic_add(x, 3);
    }
}
// ptx-count: 1 .global.add.u32
// ptx-not: .sys
// ptx-not: fence

#[kernel]
fn shared(i: Index1D, block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let bins = shared_array!(u32, 256);
    let at = x.get(i.get()).map_or(0, |v| *v & 255) as usize;
    let before = atomic_add(bins.atomic(at), 1);
    block.sync();
    if let Some(y) = y.get_mut(i) {
        *y = before;
    }
}
// ptx: atom...shared.add.u32
// ptx-count: 1 atom
// ptx-not: .sys
// ptx-not: panic

#[test]
fn additions_are_one_instruction_in_the_right_memory() {
    warploom_harness::ptx_file!("atomic_add.rs");
}
