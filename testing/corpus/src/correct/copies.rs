//! Asynchronous copies, and what waits for them.

use warploom::device_std::{Mbarrier, intrinsics as raw};
use warploom::prelude::*;

use crate::case::{cases, correct, count, noise, start};

/// Copies that are waited for by their threads, then a barrier, with the next copy under way already.
#[kernel]
fn double_buffered_copies(
    block: Block,
    i: Index1D,
    rounds: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let stages = shared_array!(u32, 128);
    let (t, rounds) = (block.thread(), rounds as usize);
    let mut sum = 0;
    // SAFETY: a stage is copied to when all have read it, and read when its copies are there.
    unsafe {
        raw::copy_async_4(stages.as_ptr().add(t).cast(), x.as_ptr().add(t).cast());
        raw::copy_async_commit();
        for round in 0..rounds {
            let next = round + 1;
            if next < rounds {
                let to = stages.as_ptr().add(next % 2 * 64 + t).cast();
                raw::copy_async_4(to, x.as_ptr().add(64 * next + t).cast());
            }
            raw::copy_async_commit();
            raw::copy_async_wait_1();
            block.sync();
            sum += stages.get(round % 2 * 64 + 63 - t);
            block.sync();
        }
        raw::copy_async_wait_all();
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// Copies that a barrier in memory counts, read by threads that did not copy.
#[kernel]
fn copies_counted_by_a_barrier(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let (tile, memory) = (shared_array!(u32, 32), shared_array!(u64, 1));
    let t = block.thread();
    // SAFETY: initialised by one thread, before the others use it; each copying thread arrives once, with its copies.
    unsafe {
        let full = Mbarrier::new(memory, 0);
        if t == 0 {
            full.init(32);
        }
        block.sync();
        if t < 32 {
            raw::copy_async_4(tile.as_ptr().add(t).cast(), x.as_ptr().add(t).cast());
            full.arrive_after_copies();
        } else {
            full.wait_parity(0);
            if let Some(y) = y.get_mut(i) {
                *y = tile.get(63 - t);
            }
        }
        raw::copy_async_wait_all();
    }
}

/// The source is written again after the wait.
#[kernel]
fn source_written_after_the_wait(block: Block, i: Index1D, mut x: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 64);
    let (t, own) = (block.thread(), x.raw().wrapping_add(i.get()));
    // SAFETY: each thread copies its own element, and writes it after the wait; a barrier before others read the copy.
    unsafe {
        raw::copy_async_4(tile.as_ptr().add(t).cast(), own.cast());
        raw::copy_async_wait_all();
        *own = 0;
        block.sync();
        *own = tile.get(63 - t);
    }
}

cases!("copies.rs":
    correct!(double_buffered_copies, |run| {
        let x = noise(320);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, double_buffered_copies, (1, 64), 5, &input, &mut y);
        run.expect(&y, |i| (0..5).map(|round| x[64 * round + 63 - i]).sum())
    }),
    correct!(copies_counted_by_a_barrier, |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, copies_counted_by_a_barrier, (1, 64), &input, &mut y);
        run.expect(&y, |i| if i < 32 { 0 } else { x[63 - i] })
    }),
    correct!(source_written_after_the_wait, |run| {
        let mut x = run.upload(&count::<u32>(128))?;
        start!(run, source_written_after_the_wait, (2, 64), &mut x);
        run.expect(&x, |i| (i / 64 * 64 + 63 - i % 64) as u32)
    }),
);
