//! Copies without a map.

use warploom::device_std::{Mbarrier, tma};
use warploom::prelude::*;
use warploom_harness::device_test::check;

use super::expected::Kib;

/// Two stages: each brings a part of `x` to shared memory, and sends it back to another place.
#[kernel(block(64))]
fn there_and_back(block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let (tiles, memory) = (shared_array!(Kib, 2), shared_array!(u64, 2));
    let (t, y) = (block.thread(), y.raw());
    let stage = |i: usize| tiles.as_ptr().wrapping_add(i % 2).cast::<u8>();
    let parts = x.len() / 256;
    // SAFETY: the memory has room for two barriers.
    let full = |i: usize| unsafe { Mbarrier::new(memory, i % 2) };
    if t == 0 {
        for i in 0..2 {
            // SAFETY: initialised by one thread, before others use it.
            unsafe { full(i).init(1) };
        }
        tma::fence_mbarrier_init();
    }
    block.sync();
    for i in 0..parts {
        if t == 0 {
            // SAFETY: the thread's groups: the latest reads the other stage.
            unsafe { tma::wait_group_read::<1>() };
            // SAFETY: a barrier, and the copy brings as many bytes.
            let _ = unsafe { full(i).arrive_expecting(1024) };
            let from = x.as_ptr().wrapping_add(i * 256).cast();
            // SAFETY: part `i` of `x`; the stage has been read, as was waited for.
            unsafe { tma::copy_to_shared(stage(i), from, 1024, full(i)) };
        }
        // SAFETY: a barrier; a thread is at most a phase behind.
        unsafe { full(i).wait_parity((i / 2 % 2) as u32) };
        let word = stage(i).cast::<u32>().wrapping_add(t);
        // SAFETY: each thread has a word of its own, in memory that the copy has written.
        let value = unsafe { word.read() };
        // SAFETY: as above.
        unsafe { word.write(value + 1) };
        tma::fence_proxy_async();
        block.sync();
        if t == 0 {
            let to = y.wrapping_add((parts - 1 - i) * 256).cast();
            // SAFETY: the place is written once; the stage was written before the fence.
            unsafe { tma::copy_to_global(to, stage(i), 1024) };
            // SAFETY: this kernel counts these groups alone.
            unsafe { tma::commit_group() };
        }
    }
    if t == 0 {
        // SAFETY: as above.
        unsafe { tma::wait_group::<0>() };
    }
}

//@ rows: TMA-bulk
#[test]
fn bytes_go_there_and_back() {
    let x: Vec<u32> = (0..256 * 7).map(|i| i * 3).collect();
    let part = |i: usize| x[(6 - i) * 256..][..256].iter().enumerate();
    let expected: Vec<u32> = (0..7)
        .flat_map(part)
        .map(|(i, x)| x + u32::from(i < 64))
        .collect();
    check(&expected, |device, stream| {
        let (x, mut y) = (device.upload(&x)?, device.zeroed(x.len())?);
        there_and_back::launch(stream, (1, 64), &x, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// Expects in two calls, and asks for a prefetch.
#[kernel(block(32))]
fn expect_apart(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let (tile, memory) = (shared_array!(Kib, 1), shared_array!(u64, 1));
    let to: *mut u8 = tile.as_ptr().cast();
    // SAFETY: the memory has room for a barrier.
    let barrier = unsafe { Mbarrier::new(memory, 0) };
    if block.thread() == 0 {
        // SAFETY: initialised by one thread, before others use it.
        unsafe { barrier.init(32) };
        tma::fence_mbarrier_init();
    }
    block.sync();
    if block.thread() == 0 {
        let from: *const u8 = x.as_ptr().cast();
        // SAFETY: `x` has 128 bytes.
        unsafe { tma::prefetch(from, 128) };
        // SAFETY: this thread has yet to arrive.
        unsafe { barrier.expect(48) };
        // SAFETY: the parts lie in `x` and in the tile, which nothing uses before the phase has ended.
        unsafe { tma::copy_to_shared(to, from, 48, barrier) };
        // SAFETY: as above.
        unsafe { barrier.expect(80) };
        // SAFETY: as above.
        unsafe { tma::copy_to_shared(to.wrapping_add(48), from.wrapping_add(48), 80, barrier) };
    }
    // SAFETY: a barrier; each thread arrives once.
    let arrival = unsafe { barrier.arrive() };
    // SAFETY: of this phase.
    while !unsafe { barrier.has_ended(arrival) } {}
    if let Some(y) = y.get_mut(i) {
        // SAFETY: within the 128 bytes that were copied.
        *y = unsafe { to.cast::<u32>().wrapping_add(i.get()).read() };
    }
}

//@ rows: TMA-bulk
#[test]
fn bytes_are_expected_in_parts() {
    let x: Vec<u32> = (0..32).map(|i| i * i).collect();
    check(&x, |device, stream| {
        let (x, mut y) = (device.upload(&x)?, device.zeroed(32)?);
        expect_apart::launch(stream, (1, 32), &x, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
