//! Convergent operations stay where they were written: not sunk into a branch, not copied into several.
//!
//! LLVM knows this of its own intrinsics. Host IR does not say it of the functions around them, so these are not inlined here.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use warploom::prelude::*;

#[inline(never)]
#[allow(dead_code, reason = "the kernel is never launched")]
fn meet(block: Block<'_>) {
    block.sync();
}

/// LLVM would jump from the first branch into the second, and copy what lies between.
#[kernel]
fn between_equal_conditions(block: Block, a: bool, b: &[AtomicU32]) {
    let Some(b) = b.first() else { return };
    if a {
        b.store(1, Relaxed);
    }
    meet(block);
    if a {
        b.store(2, Relaxed);
    }
}
// ptx-count: 1 call.uni
// ptx-module: bar.sync

#[inline(never)]
#[allow(dead_code, reason = "the kernel is never launched")]
fn vote(warp: Warp<'_>, p: bool) -> bool {
    warp.any(p)
}

#[kernel]
fn a_vote_between(warp: Warp, a: bool, b: &[AtomicU32]) {
    let Some(b) = b.first() else { return };
    if a {
        b.store(1, Relaxed);
    }
    let found = vote(warp, b.load(Relaxed) > 3);
    if a {
        b.store(u32::from(found), Relaxed);
    }
}
// ptx-count: 1 call.uni
// ptx-module: vote.sync.any

/// Instructions of ours, of which LLVM knows nothing: without effect, so that it would compute them where they are used.
#[inline(never)]
#[allow(dead_code, reason = "the kernel is never launched")]
fn neighbour(v: u32) -> u32 {
    // SAFETY: never launched; the text alone matters.
    unsafe {
        ptx!("shfl.sync.bfly.b32 {d}, {v}, 1, 31, -1;", d = out(u32), v = in(u32) v, pure, convergent, cpu = { v })
    }
}

#[kernel]
fn used_in_one_branch(a: bool, v: u32, b: &[AtomicU32]) {
    let Some(b) = b.first() else { return };
    let other = neighbour(v);
    if a {
        b.store(other, Relaxed);
    }
}
// ptx: call.uni ... neighbour
// ptx: bra
// ptx: st.relaxed
// ptx-count: 1 call.uni

/// The same without a function around it.
#[kernel]
fn inlined(warp: Warp, a: bool, v: u32, b: &[AtomicU32]) {
    let Some(b) = b.first() else { return };
    let other = warp.shuffle_xor(v, 1);
    if a {
        b.store(other, Relaxed);
    }
}
// ptx: shfl.sync.bfly.b32
// ptx: bra
// ptx: st.relaxed
// ptx-count: 1 shfl.sync

#[test]
fn meeting_lanes_stay_together() {
    warploom_harness::ptx_file!("convergent.rs");
}
