//! The kernels: as those in `cuda/block.cu` and `cuda/warp.cu`.

use warploom::prelude::*;
use warploom_algorithms::block::{
    BlockPieces, Counters, Exchange, MergeSort, Neighbours, OfWarps, Pieces, RadixOrder, RadixSort,
    Scan,
};
use warploom_algorithms::block_storage;

use super::{BINS, ITEMS, OF_WARP, TILE, WARP_ITEMS, WARP_TILE};

#[kernel(block(256))]
pub(super) fn exchange(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, Windows<TILE, 0>>,
) {
    let mut storage = block_storage!(block, 256, [Exchange<u32, ITEMS>]);
    let items: [u32; ITEMS] = block.load_transposed(&mut storage, x, block.index() * TILE, 0);
    let thread = block.thread() as u32;
    block.store_transposed(
        &mut storage,
        i,
        &mut y,
        items.map(|x| x.wrapping_add(thread)),
    );
}

#[kernel(block(256))]
pub(super) fn scan(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, Windows<TILE, 0>>,
) {
    let mut storage = block_storage!(block, 256, [Exchange<u32, ITEMS>, Scan<u32>]);
    let items: [u32; ITEMS] = block.load_transposed(&mut storage, x, block.index() * TILE, 0);
    let (sums, _) = block.inclusive_scan_items(&mut storage, items, u32::wrapping_add);
    block.store_transposed(&mut storage, i, &mut y, sums);
}

#[kernel(block(256))]
pub(super) fn radix_sort(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, Windows<TILE, 0>>,
) {
    let mut storage = block_storage!(block, 256, [Exchange<u32, ITEMS>, RadixSort<u32, ITEMS>]);
    let items: [u32; ITEMS] = block.load_transposed(&mut storage, x, block.index() * TILE, 0);
    let sorted = block.radix_sort(&mut storage, items, RadixOrder::ASCENDING);
    block.store_transposed(&mut storage, i, &mut y, sorted);
}

#[kernel(block(256))]
pub(super) fn merge_sort(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, Windows<TILE, 0>>,
) {
    let mut storage = block_storage!(block, 256, [Exchange<u32, ITEMS>, MergeSort<u32, ITEMS>]);
    let items: [u32; ITEMS] = block.load_transposed(&mut storage, x, block.index() * TILE, 0);
    let sorted = block.merge_sort(&mut storage, items, |a, b| a < b);
    block.store_transposed(&mut storage, i, &mut y, sorted);
}

#[kernel(block(256))]
pub(super) fn heads(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, Windows<TILE, 0>>,
) {
    let mut storage = block_storage!(block, 256, [Exchange<u32, ITEMS>, Neighbours<u32>]);
    let items: [u32; ITEMS] = block.load_transposed(&mut storage, x, block.index() * TILE, 0);
    let heads = block.heads(&mut storage, items, None, |a, b| a != b);
    block.store_transposed(&mut storage, i, &mut y, heads.map(u32::from));
}

#[kernel(block(256))]
pub(super) fn reduce(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, Windows<1, 0>>,
) {
    let items: [u32; ITEMS] = block.load_striped(x, block.index() * TILE, 0);
    let sum = block.reduce_items(items, u32::wrapping_add);
    for (_, y) in y.iter_mut(i) {
        *y = sum;
    }
}

#[kernel(block(256))]
pub(super) fn histogram(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, Windows<BINS, 0>>,
) {
    let mut storage = block_storage!(block, 256, [Counters<BINS>]);
    let items: [u32; ITEMS] = block.load_striped(x, block.index() * TILE, 0);
    let counts = block.histogram::<_, BINS>(&mut storage);
    for item in items {
        counts.add((item >> 24) as usize);
    }
    let counts = counts.finish();
    for (bin, y) in y.iter_mut(i) {
        *y = counts.get(bin);
    }
}

#[kernel(block(256))]
pub(super) fn warp_reduce(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let sum = warp.reduce_sum(x[i.get()]);
    if warp.lane() == 0 {
        // SAFETY: one lane of each warp, for which the output has a value.
        unsafe { y.raw().wrapping_add(i.get() / 32).write(sum) };
    }
}

#[kernel(block(256))]
pub(super) fn warp_scan(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let sum = warp.inclusive_scan(x[i.get()], u32::wrapping_add);
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

#[kernel(block(256))]
pub(super) fn warp_merge_sort(block: Block, warp: Warp, x: &[u32], mut y: DisjointSlice<u32>) {
    let mut storage = block_storage!(
        block,
        256,
        [OfWarps<Exchange<u32, WARP_ITEMS>>, OfWarps<MergeSort<u32, WARP_ITEMS>>]
    );
    let mut storage = block.per_warp(&mut storage);
    let first = block.index() * WARP_TILE + warp.index() as usize * OF_WARP;
    let items: [u32; WARP_ITEMS] = warp.load_transposed(&mut storage, x, first, 0);
    let sorted = warp.merge_sort(&mut storage, items, |a, b| a < b);
    let sorted = warp.blocked_to_striped(&mut storage, sorted);
    for (k, sorted) in sorted.into_iter().enumerate() {
        let at = first + 32 * k + warp.lane() as usize;
        // SAFETY: the output has as many elements as the warps of the launch together, of which each has its own.
        unsafe { y.raw().wrapping_add(at).write(sorted) };
    }
}
