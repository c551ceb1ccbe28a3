//! Bins in shared memory: too few, zeroed too late, flushed with too narrow a scope.

use core::sync::atomic::Ordering;

use warploom::device_std::atomic::{Atomic, Relaxed, scope};
use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// ORNL/HeCBench#83: bins for 32 values, indexed by six bits.
#[kernel]
fn six_bits_for_32_bins<const BUG: bool>(block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let bins = shared_array!(u8, 1024);
    let (t, own) = (block.thread(), bins.as_ptr());
    let mask = if BUG { 63 } else { 31 };
    // SAFETY: each thread has its own column; below 1024. The bug is the point.
    unsafe {
        for bin in 0..32 {
            bins.set(32 * bin + t, 0);
        }
        for k in 0..4 {
            let bin = (x[4 * t + k] & mask) as usize;
            *own.add(32 * bin + t) += 1; //~ WL0002
        }
        for bin in 0..32 {
            *y.raw().add(32 * bin + t) = u32::from(bins.get(32 * bin + t));
        }
    }
}

/// alicevision/popsift#82: the bins are zeroed by plain stores, and other warps add to them without a barrier between.
#[kernel]
fn bins_zeroed_without_barrier<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let bins = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: barriers between zeroing, counting and reading. The bug is the point.
    unsafe {
        bins.set(t, 0); //~ WL0120 second
        if !BUG {
            block.sync();
        }
        let bin = x[i.get()] as usize % 64;
        bins.atomic(bin).fetch_add(1, Ordering::Relaxed); //~ WL0120 first
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = bins.get(t);
        }
    }
}

/// ComputationalRadiationPhysics/picongpu#2231: the histogram of the block is added to that of the grid by atomics of the block's scope.
#[kernel]
fn flushed_with_the_blocks_scope<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    totals: &[Atomic<u32>],
) {
    let bins = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: barriers between zeroing, counting and reading. The bug is the point.
    unsafe {
        bins.set(t, 0);
        block.sync();
        let bin = x[i.get()] as usize % 64;
        bins.atomic(bin).fetch_add(1, Ordering::Relaxed);
        block.sync();
        let own = bins.get(t);
        if BUG {
            totals[t].at::<scope::Block>().fetch_add(own, Relaxed); //~ WL0121
        } else {
            totals[t].fetch_add(own, Relaxed);
        }
    }
}

/// flashinfer-ai/flashinfer#3529: a thread clears the histogram for the next round while another still reads the last one's.
#[kernel]
fn cleared_for_the_next_round<const BUG: bool>(
    block: Block,
    rounds: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let bins = shared_array!(u32, 64);
    let t = block.thread();
    let mut above = 0;
    // SAFETY: barriers between clearing, counting and reading. The bug is the point.
    unsafe {
        for round in 0..rounds as usize {
            bins.set(t, 0); //~ WL0101 first //~? WL0103
            block.sync();
            bins.atomic(x[64 * round + t] as usize % 64)
                .fetch_add(1, Ordering::Relaxed);
            block.sync();
            above += bins.get(32); //~ WL0101 second //~? WL0103
            if !BUG {
                block.sync();
            }
        }
        *y.raw().add(t) = above;
    }
}

cases!("histograms.rs":
    case!(six_bits_for_32_bins, "ORNL/HeCBench#83", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1024)?);
        launch!(run, six_bits_for_32_bins, (1, 32), &input, &mut y);
        run.expect(&y, |i| x[i % 32 * 4..][..4].iter().filter(|&&v| v as usize % 32 == i / 32).count() as u32)
    }),
    case!(bins_zeroed_without_barrier, "alicevision/popsift#82", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, bins_zeroed_without_barrier, (1, 64), &input, &mut y);
        run.expect(&y, |bin| x.iter().filter(|&&v| v as usize % 64 == bin).count() as u32)
    }),
    case!(flushed_with_the_blocks_scope, "ComputationalRadiationPhysics/picongpu#2231", |run| {
        let x = noise(256);
        let (input, mut totals) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, flushed_with_the_blocks_scope, (4, 64), &input, totals.as_atomics());
        run.expect(&totals, |bin| x.iter().filter(|&&v| v as usize % 64 == bin).count() as u32)
    }),
    case!(cleared_for_the_next_round, "flashinfer-ai/flashinfer#3529", |run| {
        let x = noise(192);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, cleared_for_the_next_round, (1, 64), 3, &input, &mut y);
        run.expect(&y, |_| x.iter().filter(|&&v| v % 64 == 32).count() as u32)
    }),
);
