//! Atomics and scopes: data that several threads modify.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use warploom::device_std::atomic;
use warploom::device_std::atomic::scope;
use warploom::prelude::*;

// ANCHOR: histogram
/// Counts how often each byte occurs.
#[kernel]
fn histogram(i: Index1D, bytes: &[u8], counts: &[AtomicU32]) {
    if let Some(byte) = bytes.get(i.get()) {
        counts[usize::from(*byte)].fetch_add(1, Relaxed);
    }
}
// ANCHOR_END: histogram

// ANCHOR: histogram_test
#[test]
fn bytes_are_counted() -> warploom::Result<()> {
    let bytes: Vec<u8> = (0..5000u32).map(|i| (i * i % 251) as u8).collect();
    let device = Device::open()?;
    let stream = device.stream()?;
    let input = device.upload(&bytes)?;
    let mut counts = device.zeroed::<u32>(256)?;
    histogram::launch(
        &stream,
        Launch::covering(bytes.len()),
        &input,
        counts.as_atomic(),
    )?;
    let mut expected = [0; 256];
    bytes.iter().for_each(|b| expected[usize::from(*b)] += 1);
    assert_eq!(counts.to_vec(&stream)?, expected);
    Ok(())
}
// ANCHOR_END: histogram_test

// ANCHOR: privatised
/// The same with counters of each block in shared memory: blocks meet at a counter once, not once for each byte.
#[kernel]
fn histogram_by_blocks(i: Index1D, block: Block, bytes: &[u8], counts: &[Atomic<u32>]) {
    let own = shared_array!(u32, 256);
    let bins = || (block.thread()..256).step_by(block.threads());
    for bin in bins() {
        own.atomic(bin).store(0, Relaxed);
    }
    block.sync();
    for byte in bytes.iter().skip(i.get()).step_by(i.count()) {
        own.atomic(usize::from(*byte)).fetch_add(1, Relaxed);
    }
    block.sync();
    for bin in bins() {
        counts[bin].fetch_add(own.atomic(bin).load(Relaxed), atomic::Relaxed);
    }
}
// ANCHOR_END: privatised

#[test]
fn both_histograms_agree() -> warploom::Result<()> {
    let bytes: Vec<u8> = (0..5000u32).map(|i| (i * 7 % 251) as u8).collect();
    let device = Device::open()?;
    let stream = device.stream()?;
    let input = device.upload(&bytes)?;
    let mut all = [device.zeroed::<u32>(256)?, device.zeroed::<u32>(256)?];
    let shape = Launch::covering(bytes.len());
    histogram::launch(&stream, shape, &input, all[0].as_atomic())?;
    let few = Launch::new(3, 96);
    histogram_by_blocks::launch(&stream, few, &input, all[1].as_atomics::<scope::Device>())?;
    assert_eq!(all[0].to_vec(&stream)?, all[1].to_vec(&stream)?);
    Ok(())
}

// ANCHOR: hand_over
/// The last block to finish adds the sums of all blocks. `Release` publishes a block's sum; `Acquire` reads those of the others.
#[kernel(block(128))]
fn total(
    i: Index1D,
    warp: Warp,
    block: Block,
    x: &[u32],
    sums: &[Atomic<u32>],
    finished: &[Atomic<u32>],
    result: &[Atomic<u32>],
) {
    let own = x.get(i.get()).copied().unwrap_or(0);
    let of_warp = warp.reduce_sum(own);
    if warp.lane() == 0 {
        sums[block.index()].fetch_add(of_warp, atomic::Relaxed);
    }
    block.sync();
    if block.is_first() {
        let before = finished[0].fetch_add(1, atomic::AcqRel);
        if before as usize + 1 == grid_dim().x as usize {
            let total = sums.iter().map(|sum| sum.load(atomic::Relaxed)).sum();
            result[0].store(total, atomic::Relaxed);
        }
    }
}
// ANCHOR_END: hand_over

#[test]
fn the_last_block_has_the_total() -> warploom::Result<()> {
    let x: Vec<u32> = (0..1000).collect();
    let device = Device::open()?;
    let stream = device.stream()?;
    let input = device.upload(&x)?;
    let (mut sums, mut finished) = (device.zeroed::<u32>(8)?, device.zeroed::<u32>(1)?);
    let mut result = device.zeroed::<u32>(1)?;
    total::launch(
        &stream,
        Launch::covering(x.len()),
        &input,
        sums.as_atomics::<scope::Device>(),
        finished.as_atomics::<scope::Device>(),
        result.as_atomics::<scope::Device>(),
    )?;
    assert_eq!(result.to_vec(&stream)?, [499_500]);
    Ok(())
}
