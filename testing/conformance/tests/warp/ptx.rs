//! One instruction for each function; `redux` where the image is for sm_80.

use warploom::device_std::{Width, intrinsics};
use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn votes(warp: Warp, i: Index1D, mut y: DisjointSlice<u32>) {
    let p = i.get() % 3 == 1;
    let seen = u32::from(warp.all(p))
        + 2 * u32::from(warp.any(p))
        + 4 * u32::from(warp.uniform(p))
        + 8 * warp.ballot(p).bits()
        + 16 * warp.active_mask().bits();
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}
// ptx-count: 1 vote.sync.all.pred
// ptx-count: 1 vote.sync.any.pred
// ptx-count: 1 vote.sync.uni.pred
// ptx-count: 1 vote.sync.ballot.b32
// ptx-count: 1 activemask.b32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn shuffles(warp: Warp, i: Index1D, mut y: DisjointSlice<u32>) {
    let v = i.get() as u32;
    let seen = warp.shuffle_idx(v, 4)
        ^ warp.shuffle_up(v, 1)
        ^ warp.shuffle_down_in(v, 2, Width::W16)
        ^ warp.shuffle_xor(v as u8, 3) as u32
        ^ warp.shuffle_up_in(v as i16, 1, Width::W8) as u32;
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}
// ptx-count: 1 shfl.sync.idx.b32
// ptx-count: 2 shfl.sync.up.b32
// ptx-count: 1 shfl.sync.down.b32
// ptx-count: 1 shfl.sync.bfly.b32
// ptx-not: .local

/// 64 bits are two instructions, 6 bytes as well, 16 bytes are four; nothing goes through memory.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn wide_shuffles(warp: Warp, x: &[[u16; 3]], i: Index1D, mut y: DisjointSlice<u64>) {
    let v = x.get(i.get()).copied().unwrap_or([1; 3]);
    let seen = warp.shuffle_idx(i.get() as f64, 1).to_bits()
        ^ u64::from(warp.shuffle_up(v, 1)[2])
        ^ (warp.shuffle_down(i.get() as u128 * 77, 1) >> 64) as u64;
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}
// ptx-count: 2 shfl.sync.idx.b32
// ptx-count: 2 shfl.sync.up.b32
// ptx-count: 4 shfl.sync.down.b32
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn matches(warp: Warp, i: Index1D, mut y: DisjointSlice<u32>) {
    let v = i.get();
    let seen = warp.match_any(v as f32).bits()
        ^ warp.match_any(v as i64).bits()
        ^ warp.match_all(v as u32).map_or(3, |m| m.bits())
        ^ warp.match_all(v as f64).map_or(5, |m| m.bits());
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}
// ptx-count: 1 match.any.sync.b32
// ptx-count: 1 match.any.sync.b64
// ptx-count: 1 match.all.sync.b32
// ptx-count: 1 match.all.sync.b64

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn reductions(warp: Warp, i: Index1D, mut y: DisjointSlice<u32>) {
    let seen = warp.reduce_sum(i.get() as u32) ^ warp.reduce_xor(i.get() as u32);
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}
// ptx-arch: sm_75
// ptx-not: redux
// ptx: shfl.sync.bfly.b32
// ptx-arch: sm_80
// ptx: redux.sync.add.u32

/// The first line asks for sm_80; the methods then take the instruction too.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn reductions_of_sm80(warp: Warp, i: Index1D, mut y: DisjointSlice<[u32; 8]>) {
    let v = i.get() as u32;
    let seen = [
        // SAFETY: all lanes of the warp make this call.
        unsafe { intrinsics::redux_add(u32::MAX, v) },
        warp.reduce_min(v),
        warp.reduce_max(v),
        warp.reduce_and(v),
        warp.reduce_or(v),
        warp.reduce_xor(v),
        warp.reduce_min(v as i32) as u32,
        warp.reduce_max(v as i32) as u32,
    ];
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}
// ptx-count: 1 redux.sync.add.u32
// ptx-count: 1 redux.sync.min.u32
// ptx-count: 1 redux.sync.max.u32
// ptx-count: 1 redux.sync.and.b32
// ptx-count: 1 redux.sync.or.b32
// ptx-count: 1 redux.sync.xor.b32
// ptx-count: 1 redux.sync.min.s32
// ptx-count: 1 redux.sync.max.s32
// ptx-not: shfl

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn lanes(warp: Warp, i: Index1D, mut y: DisjointSlice<u32>) {
    let seen = warp.lane() ^ (warp.lanes_below().count() << 8);
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}
// ptx-module: %laneid
// ptx-module: %lanemask_lt

//@ rows: WA-1, WV-1, WV-2, WV-3, WM-1, WM-2, WR-1, WR-2, WR-3, WR-4, WR-5, WR-6, WS-1, WS-2, WS-3, WS-4, GWV-1, GWV-2, GWV-3, BV-7, E3-25, E3-26
//@ rows: P-39
#[test]
fn each_function_is_its_instruction() {
    warploom_harness::ptx_file!("ptx.rs");
}
