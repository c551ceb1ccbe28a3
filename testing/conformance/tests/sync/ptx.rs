//! One instruction per barrier, the aligned forms; what needs a newer architecture raises the kernel's.

use warploom::device_std::{AsyncTiles, Mbarrier, NamedBarrier, intrinsics};
use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn plain(block: Block, a: bool, b: &[std::sync::atomic::AtomicU32]) {
    let Some(b) = b.first() else { return };
    if a {
        b.store(1, std::sync::atomic::Ordering::Relaxed);
    }
    block.sync();
    if a {
        b.store(2, std::sync::atomic::Ordering::Relaxed);
    }
    block.sync();
}
// ptx-count: 2 bar.sync 0;
// ptx-not: barrier

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn asking(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let t = block.thread();
    let answer = block.sync_count(t > 3)
        + u32::from(block.sync_all(t > 5))
        + u32::from(block.sync_any(t > 7));
    if let Some(y) = y.get_mut(i) {
        *y = answer;
    }
}
// ptx-count: 1 bar.red.popc.u32
// ptx-count: 1 bar.red.and.pred
// ptx-count: 1 bar.red.or.pred
// ptx-not: bar.sync
// ptx-not: barrier

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn of_the_warp(warp: Warp) {
    warp.sync();
    // SAFETY: all lanes make the call.
    unsafe { warp.sync_mask(u32::MAX) };
}
// ptx-count: 2 bar.warp.sync -1;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn named(block: Block) {
    // SAFETY: never launched.
    let barrier = unsafe { NamedBarrier::<15>::new(&block) };
    if block.thread() < 32 {
        barrier.arrive(64);
    } else {
        barrier.sync(64);
    }
}
// ptx-count: 1 bar.arrive 15, 64;
// ptx-count: 1 bar.sync 15, 64;
// ptx-not: panic

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn arrivals(block: Block) {
    let memory = shared_array!(u64, 1);
    // SAFETY: never launched.
    let barrier = unsafe { Mbarrier::new(memory, 0) };
    // SAFETY: as above.
    unsafe { barrier.init(64) };
    block.sync();
    // SAFETY: as above.
    let arrival = unsafe { barrier.arrive() };
    // SAFETY: as above.
    unsafe { barrier.wait(arrival) };
    // SAFETY: as above.
    unsafe { barrier.wait_parity(1) };
    // SAFETY: as above.
    unsafe { barrier.invalidate() };
}
// ptx: mbarrier.init.b64
// ptx: mbarrier.arrive.b64
// ptx: mbarrier.test_wait.b64
// ptx: mbarrier.test_wait.parity.b64
// ptx: mbarrier.inval.b64

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn waits_asleep() {
    let memory = shared_array!(u64, 1);
    // SAFETY: never launched.
    unsafe { while !intrinsics::mbarrier_try_parity(memory.as_ptr(), 0) {} }
}
// ptx: mbarrier.try_wait.parity.b64

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn copies(block: Block, x: &[u32], i: Index1D, mut y: DisjointSlice<u32>) {
    // SAFETY: no copy is under way.
    unsafe { intrinsics::copy_async_wait_all() };
    let memory = shared_array!([u32; 64], 2);
    let mut tiles = AsyncTiles::new(memory);
    tiles.copy(&block, x);
    if let (Some(y), Some(stage)) = (y.get_mut(i), tiles.wait(&block)) {
        *y = stage.get(3);
    }
}
// ptx: cp.async.wait_all;
// ptx: cp.async.cg.shared.global [s], [g], 16;
// ptx: cp.async.ca.shared.global [s], [g], 4;
// ptx: cp.async.commit_group;
// ptx: cp.async.wait_group 0;
// ptx: bar.sync 0;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn copies_anywhere(block: Block, x: &[u32], i: Index1D, mut y: DisjointSlice<u32>) {
    let memory = shared_array!([u32; 64], 2);
    let mut tiles = AsyncTiles::new(memory);
    tiles.copy(&block, x);
    if let (Some(y), Some(stage)) = (y.get_mut(i), tiles.wait(&block)) {
        *y = stage.get(3);
    }
}
// ptx-arch: sm_75
// ptx-not: cp.async
// ptx: bar.sync 0;
// ptx-arch: sm_80
// ptx: cp.async.cg
// ptx: bar.sync 0;

//@ rows: SY-1, SY-2, SY-3, SY-4, SY-6, SY-named, ASYNC-mbarrier, ASYNC-copy, GSY-1, GSY-3, GSY-4, GSY-5
#[test]
fn barriers_are_one_instruction_each() {
    warploom_harness::ptx_file!("ptx.rs");
}

//@ rows: ASYNC-mbarrier, ASYNC-copy
#[test]
fn kernels_get_the_architecture_that_they_need() {
    let Some(images) = warploom_harness::ptx::images() else {
        return;
    };
    let of = |kernel: &str| {
        let holds = |i: &&warploom_harness::ptx::Image| {
            let defines = |(name, entry): &(String, String)| {
                name.ends_with(kernel) && i.ptx.contains(&format!(".entry {entry}("))
            };
            i.kernels.iter().any(defines)
        };
        let archs = images.iter().filter(holds).map(|i| i.arch.clone());
        archs.collect::<Vec<_>>()
    };
    assert_eq!(of("ptx::copies_anywhere"), ["sm_75", "sm_80"]);
    assert_eq!(of("ptx::copies"), ["sm_80"]);
    assert_eq!(of("ptx::arrivals"), ["sm_80"]);
    assert_eq!(of("ptx::waits_asleep"), ["sm_90"]);
}
