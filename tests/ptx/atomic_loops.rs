//! What PTX has no instruction for keeps its order: `nand` and most on 8 and 16 bits as a loop around a compare-exchange, operations
//! on bits as those of the word around them. LLVM 22 writes the order of a loop at its compare-exchange, LLVM 23 as fences around the loop.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU16, AtomicU32};
use warploom::prelude::*;

#[kernel]
fn byte_relaxed(mut x: DisjointSlice<u8>, v: u8) {
    // SAFETY: never launched; the text alone matters.
    unsafe { AtomicU8::from_ptr(x.raw()) }.fetch_add(v, Relaxed);
}
// ptx-count: 1 atom
// ptx: atom.relaxed.sys.global.cas.b32

#[kernel]
fn byte_acqrel(mut x: DisjointSlice<u8>, v: u8) {
    // SAFETY: never launched; the text alone matters.
    unsafe { AtomicU8::from_ptr(x.raw()) }.fetch_max(v, AcqRel);
}
// ptx-count: 1 atom
// ptx: .acq_rel.sys

#[kernel]
fn short_acquire(mut x: DisjointSlice<u16>, v: u16) {
    // SAFETY: never launched; the text alone matters.
    unsafe { AtomicU16::from_ptr(x.raw()) }.swap(v, Acquire);
}
// ptx-count: 1 atom
// ptx: .acq...sys

#[kernel]
fn short_seqcst(mut x: DisjointSlice<u16>, v: u16) {
    // SAFETY: never launched; the text alone matters.
    unsafe { AtomicU16::from_ptr(x.raw()) }.fetch_and(v, SeqCst);
}
// ptx: fence.sc.sys; atom.acquire.sys.global.and.b32
// ptx-count: 1 atom

#[kernel]
fn byte_bits(mut x: DisjointSlice<u8>, v: u8) {
    // SAFETY: never launched; the text alone matters.
    let x = unsafe { AtomicU8::from_ptr(x.raw()) };
    x.fetch_or(v, Release);
    x.fetch_xor(v, Relaxed);
    x.fetch_and(v, Acquire);
}
// ptx: atom.release.sys.global.or.b32
// ptx: atom.relaxed.sys.global.xor.b32
// ptx: atom.acquire.sys.global.and.b32
// ptx-count: 3 atom

#[kernel]
fn nand(x: &[AtomicU32], v: u32) {
    if let [x, ..] = x {
        x.fetch_nand(v, AcqRel);
    }
}
// ptx-count: 1 atom
// ptx: .acq_rel.sys

#[kernel]
fn wide_nand(x: &[AtomicI64], v: i64) {
    if let [x, ..] = x {
        x.fetch_nand(v, SeqCst);
    }
}
// ptx: fence.sc.sys
// ptx: .acq...sys

#[test]
fn loops_keep_their_order() {
    warploom_harness::ptx_file!("atomic_loops.rs");
}
