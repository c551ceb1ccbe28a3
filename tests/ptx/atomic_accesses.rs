//! Loads, stores, compare-exchange and fences of `core::sync::atomic` keep their order, at system scope.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicU32, AtomicU64, fence};
use warploom::prelude::*;

#[kernel]
fn loads(x: &[AtomicU32], mut y: DisjointSlice<u32>, i: Index1D) {
    if let Some(y) = y.get_mut(i)
        && let [x, ..] = x
    {
        *y = x.load(Relaxed) ^ x.load(Acquire).rotate_left(3) ^ x.load(SeqCst).rotate_left(5);
    }
}
// ptx: ld.relaxed.sys.global.b32
// ptx: ld.acquire.sys.global.b32
// ptx: fence.sc.sys
// ptx-next: ld.acquire.sys.global.b32
// ptx-count: 1 fence
// ptx-count: 0 ld.global

#[kernel]
fn stores(x: &[AtomicU64], v: u64) {
    if let [x, ..] = x {
        x.store(v, Relaxed);
        x.store(v.wrapping_add(1), Release);
        x.store(v.wrapping_add(2), SeqCst);
    }
}
// ptx: st.relaxed.sys.global.b64
// ptx: st.release.sys.global.b64
// ptx: fence.sc.sys
// ptx-next: st.release.sys.global.b64
// ptx-count: 1 fence

#[kernel]
fn exchanges(x: &[AtomicU32], v: u32, mut y: DisjointSlice<u8>, i: Index1D) {
    if let Some(y) = y.get_mut(i)
        && let [x, ..] = x
    {
        let done = x.compare_exchange(v, 1, Relaxed, Relaxed).is_ok()
            ^ x.compare_exchange(v, 2, Acquire, Relaxed).is_ok()
            ^ x.compare_exchange(v, 3, Release, Relaxed).is_ok()
            ^ x.compare_exchange(v, 4, AcqRel, Acquire).is_ok()
            ^ x.compare_exchange(v, 5, SeqCst, SeqCst).is_ok();
        *y = u8::from(done);
    }
}
// ptx: atom.relaxed.sys.global.cas.b32 ..., 1;
// ptx: atom.acquire.sys.global.cas.b32 ..., 2;
// ptx: atom.release.sys.global.cas.b32 ..., 3;
// ptx: atom.acq_rel.sys.global.cas.b32 ..., 4;
// ptx: fence.sc.sys
// ptx: atom.acquire.sys.global.cas.b32 ..., 5;
// ptx-count: 1 fence

#[kernel]
fn fences(v: u32, mut y: DisjointSlice<u32>) {
    // SAFETY: no launch; the text alone matters.
    let y = unsafe { AtomicU32::from_ptr(y.raw()) };
    y.store(v, Relaxed);
    fence(Acquire);
    y.store(v, Relaxed);
    fence(Release);
    y.store(v, Relaxed);
    fence(AcqRel);
    y.store(v, Relaxed);
    fence(SeqCst);
    y.store(v, Relaxed);
}
// ptx: st.relaxed.sys.global
// ptx: fence.acq_rel.sys
// ptx: st.relaxed.sys.global
// ptx: fence.acq_rel.sys
// ptx: st.relaxed.sys.global
// ptx: fence.acq_rel.sys
// ptx: st.relaxed.sys.global
// ptx: fence.sc.sys
// ptx: st.relaxed.sys.global

#[test]
fn loads_stores_exchanges_and_fences_keep_their_order() {
    warploom_harness::ptx_file!("atomic_accesses.rs");
}
