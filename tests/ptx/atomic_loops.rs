//! What PTX has no instruction for, 8 and 16 bits and `nand`, is a loop around a compare-exchange of the asked order.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU16, AtomicU32};
use warploom::prelude::*;

#[kernel]
fn byte_relaxed(x: &[AtomicU8], v: u8) {
    if let [x, ..] = x {
        x.fetch_add(v, Relaxed);
    }
}
// ptx-count: 1 atom
// ptx: atom.relaxed.sys.global.cas.b32

#[kernel]
fn byte_acqrel(x: &[AtomicU8], v: u8) {
    if let [x, ..] = x {
        x.fetch_max(v, AcqRel);
    }
}
// ptx-count: 1 atom
// ptx: atom.acq_rel.sys.global.cas.b32

#[kernel]
fn short_acquire(x: &[AtomicU16], v: u16) {
    if let [x, ..] = x {
        x.swap(v, Acquire);
    }
}
// ptx-count: 1 atom
// ptx: atom.acquire.sys.global.cas

#[kernel]
fn short_seqcst(x: &[AtomicU16], v: u16) {
    if let [x, ..] = x {
        x.fetch_and(v, SeqCst);
    }
}
// ptx: fence.sc.sys
// ptx: atom.acquire.sys.global

#[kernel]
fn nand(x: &[AtomicU32], v: u32) {
    if let [x, ..] = x {
        x.fetch_nand(v, AcqRel);
    }
}
// ptx-count: 1 atom
// ptx: atom.acq_rel.sys.global.cas.b32

#[kernel]
fn wide_nand(x: &[AtomicI64], v: i64) {
    if let [x, ..] = x {
        x.fetch_nand(v, SeqCst);
    }
}
// ptx: fence.sc.sys
// ptx: atom.acquire.sys.global.cas.b64

#[test]
fn loops_keep_their_order() {
    warploom_harness::ptx_file!("atomic_loops.rs");
}
