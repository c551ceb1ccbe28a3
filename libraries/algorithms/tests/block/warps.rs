//! The pieces of warps: each warp has its own items and its own part of the storage.

use warploom::prelude::*;
use warploom_algorithms::block::{BlockPieces, MergeSort, MergeSortPairs, OfWarps, Pieces};
use warploom_algorithms::block_storage;
use warploom_algorithms::warp::WarpPieces;

use crate::{check, noise};

/// Each warp sorts the first `valid` of its items, and each second warp pairs.
#[kernel(block(96))]
fn sorts(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[u32],
    valid: usize,
    mut y: DisjointSlice<[u32; 4]>,
) {
    let mut storage = block_storage!(
        block, 96, [OfWarps<MergeSort<u32, 4>>, OfWarps<MergeSortPairs<u32, u64, 4>>]
    );
    let mut storage = block.per_warp(&mut storage);
    let first = i.get() * 4;
    let mut items = [0, 1, 2, 3].map(|k| x[first + k]);
    if warp.index().is_multiple_of(2) {
        items = warp.merge_sort_first(&mut storage, items, valid, |a, b| a < b);
    } else {
        let values = items.map(u64::from);
        let less = |a, b| a < b;
        let (_, values) = warp.merge_sort_pairs(&mut storage, items, values, valid, less);
        items = values.map(|value| value as u32);
    }
    if let Some(y) = y.get_mut(i) {
        *y = items;
    }
}

#[test]
fn warps_sort_without_each_other() {
    let x = noise(384);
    for valid in [0, 1, 31, 127, 128] {
        let mut expected = x.clone();
        for warp in expected.chunks_mut(128) {
            warp[..valid].sort_unstable();
        }
        let first = |items: Vec<u32>| {
            let warps = items.chunks(128).flat_map(|warp| &warp[..valid]);
            Vec::from_iter(warps.copied())
        };
        check(&first(expected), |device, stream| {
            let (x, mut y) = (device.upload(&x)?, device.alloc_uninit(96)?);
            sorts::launch(stream, (1, 96), &x, valid, &mut y)?;
            Ok(first(y.to_vec(stream)?.into_iter().flatten().collect()))
        });
    }
}

/// Reductions and scans of 70 threads, of which those from 40 to 49 have returned.
#[kernel]
fn without_memory(i: Index1D, block: Block, warp: Warp, x: &[u16], mut y: DisjointSlice<[u16; 6]>) {
    if block.thread() / 10 == 4 {
        return;
    }
    let items = [x[2 * i.get()], x[2 * i.get() + 1]];
    let sum = warp.reduce_items(items, |a, b| a.wrapping_add(b));
    let ([first, second], all) = warp.inclusive_scan_items(items, later);
    let (before, _) = warp.exclusive_scan_items(items, 9, |a, b| a.wrapping_add(b));
    if let Some(y) = y.get_mut(i) {
        *y = [sum, first, second, all, before[0], before[1]];
    }
}

/// Associative, and does not commute: the later one of those that are not multiples of 16.
fn later(a: u16, b: u16) -> u16 {
    if b.is_multiple_of(16) { a } else { b }
}

#[test]
fn lanes_that_are_missing_are_left_out() {
    let x = Vec::from_iter(noise(140).iter().map(|&x| x as u16));
    let there = |t: &usize| t / 10 != 4;
    let items = |threads: std::ops::Range<usize>| {
        Vec::from_iter(threads.filter(there).flat_map(|t| [x[2 * t], x[2 * t + 1]]))
    };
    let sum = |items: &[u16]| items.iter().fold(0, |a: u16, &b| a.wrapping_add(b));
    let last = |items: &[u16]| items[1..].iter().fold(items[0], |a, &b| later(a, b));
    let thread = |t: usize| {
        let first = t / 32 * 32;
        let (all, up_to) = (items(first..(first + 32).min(70)), items(first..t + 1));
        let n = up_to.len();
        [
            sum(&all),
            last(&up_to[..n - 1]),
            last(&up_to),
            last(&all),
            sum(&up_to[..n - 2]).wrapping_add(9),
            sum(&up_to[..n - 1]).wrapping_add(9),
        ]
    };
    let expected = Vec::from_iter((0..70).map(|t| if there(&t) { thread(t) } else { [7; 6] }));
    check(&expected, |device, stream| {
        let (x, mut y) = (device.upload(&x)?, device.filled(70, [7; 6])?);
        without_memory::launch(stream, (1, 70), &x, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
