//! Operations in which lanes meet stay where they were written: not sunk into a branch, not copied into several.
//!
//! Host IR does not say that anything is convergent. Helpers that are not inlined show it: LLVM knows its own intrinsics.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use warploom::prelude::*;

/// Used in one branch only: LLVM would compute it there.
#[kernel]
fn used_in_one_branch(i: Index1D, warp: Warp, x: &[u32], mut y: DisjointSlice<u32>) {
    let v = x.get(i.get()).copied().unwrap_or(0);
    let sum = warp.shuffle_xor(v, 1);
    let Some(y) = y.get_mut(i) else { return };
    if v > 100 {
        *y = sum.wrapping_mul(3);
    }
}
// ptx-count: 1 shfl.sync
// ptx: shfl.sync.bfly.b32
// ptx: bra

/// The same call at the end of both branches, and before both.
#[kernel]
fn between_equal_conditions(warp: Warp, a: bool, b: &[AtomicU32]) {
    let Some(b) = b.first() else { return };
    if a {
        b.store(1, Relaxed);
    }
    let found = warp.ballot(b.load(Relaxed) > 3);
    if a {
        b.store(found, Relaxed);
    }
}
// ptx-count: 1 vote.sync.ballot

/// A barrier written as PTX, in a function of its own: only the mark says that it is one.
#[inline(never)]
#[allow(dead_code, reason = "the kernel is never launched")]
fn own_barrier(v: u32) -> u32 {
    // SAFETY: never launched; the text alone matters.
    unsafe {
        ptx!("{{\n\t.reg .pred p;\n\tsetp.ne.u32 p, {v}, 0;\n\tvote.sync.any.pred p, p, -1;\n\tselp.u32 {d}, 1, 0, p;\n\t}}",
            d = out(u32), v = in(u32) v, pure, convergent, cpu = { v })
    }
}

#[kernel]
fn by_hand(a: bool, x: &[u32], mut y: DisjointSlice<u32>, i: Index1D) {
    let v = x.get(i.get()).copied().unwrap_or(0);
    let any = own_barrier(v);
    let Some(y) = y.get_mut(i) else { return };
    if a {
        *y = any;
    }
}
// ptx-count: 1 own_barrier
// ptx: call.uni ... own_barrier
// ptx: bra
// ptx-module: vote.sync.any

#[test]
fn meeting_lanes_stay_together() {
    warploom_harness::ptx_file!("convergent.rs");
}
