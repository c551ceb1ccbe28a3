//! Kernels that users write with the pieces; the book shows them.

use warploom::prelude::*;
use warploom_algorithms::block::{
    BlockPieces, Exchange, Neighbours, Pieces, RadixOrder, RadixSort, RunLengthDecode, Scan,
};
use warploom_algorithms::block_storage;

use crate::{check, noise};

// ANCHOR: sort
/// Sorts each 2048 keys by themselves: one block for each.
#[kernel(block(256))]
fn sort_parts(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32, Windows<2048, 0>>) {
    let mut storage = block_storage!(block, 256, [Exchange<u32, 8>, RadixSort<u32, 8>]);
    // What a short last part lacks comes last, and is not stored.
    let keys: [u32; 8] = block.load_transposed(&mut storage, x, block.index() * 2048, u32::MAX);
    let sorted = block.radix_sort_to_striped(&mut storage, keys, RadixOrder::ASCENDING);
    block.store_striped(i, &mut y, sorted);
}
// ANCHOR_END: sort

#[test]
fn each_part_is_sorted() {
    let x = noise(3 * 2048 + 77);
    let mut expected = x.clone();
    expected.chunks_mut(2048).for_each(<[u32]>::sort_unstable);
    check(&expected, |device, stream| {
        let (x, mut y) = (device.upload(&x)?, device.alloc_uninit(x.len())?);
        sort_parts::launch(stream, (4, 256), &x, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

// ANCHOR: decode
/// Items of runs: block `b` has 256 runs and writes the 1024 items of its part of `y`.
#[kernel(block(128))]
fn decode_parts(
    block: Block,
    i: Index1D,
    values: &[u8],
    lengths: &[u32],
    mut y: DisjointSlice<u8, Windows<1024, 0>>,
) {
    let mut storage = block_storage!(block, 128, [RunLengthDecode<u8, 2>, Exchange<u8, 8>]);
    let first = block.index() * 256;
    let values: [u8; 2] = block.load_blocked(values, first, 0);
    let lengths = block.load_blocked(lengths, first, 0);
    let runs = block.decode_runs(&mut storage, values, lengths);
    let (items, _) = runs.items::<8>(8 * block.thread() as u32);
    block.store_transposed(&mut storage, i, &mut y, items);
}
// ANCHOR_END: decode

#[test]
fn each_part_is_decoded() {
    let values = Vec::from_iter(noise(512).iter().map(|&x| x as u8));
    // Four on average in each part.
    let lengths = Vec::from_iter((0..512).map(|i| [1, 7, 0, 8][i % 4]));
    let runs = values.iter().zip(&lengths);
    let expected = Vec::from_iter(runs.flat_map(|(&value, &n)| vec![value; n as usize]));
    check(&expected, |device, stream| {
        let (values, lengths) = (device.upload(&values)?, device.upload(&lengths)?);
        let mut y = device.alloc_uninit(2048)?;
        decode_parts::launch(stream, (2, 128), &values, &lengths, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// Run-length encoding of the tile of each block: values and lengths, and how many there are.
#[kernel(block(64))]
fn encode_parts(
    block: Block,
    i: Index1D,
    x: &[u8],
    mut values: DisjointSlice<u8, Windows<128, 0>>,
    mut ends: DisjointSlice<u32, Windows<128, 0>>,
    mut counts: DisjointSlice<u32, PerBlock>,
) {
    let mut storage = block_storage!(
        block, 64, [Neighbours<u8>, Scan<u32>, Exchange<u8, 2>, Exchange<u32, 2>]
    );
    let items: [u8; 2] = block.load_blocked(x, block.index() * 128, 0);
    let tails = block.tails(&mut storage, items, None, |a, b| a != b);
    let (runs, count) =
        block.exclusive_scan_items(&mut storage, tails.map(u32::from), 0, |a, b| a + b);
    // The last item of each run goes to the place that has the run's number.
    let places = [0, 1].map(|k| if tails[k] { runs[k] } else { u32::MAX });
    let own = 2 * block.thread() as u32;
    let of_runs = block.compact_to_striped(&mut storage, items, places, count, 0);
    let end = block.compact_to_striped(&mut storage, [own + 1, own + 2], places, count, 0);
    block.store_striped(i, &mut values, of_runs);
    block.store_striped(i, &mut ends, end);
    if let Some(y) = block.leader().and_then(|leader| counts.get_mut(leader)) {
        *y = count;
    }
}

#[test]
fn each_part_is_encoded() {
    let x = Vec::from_iter(noise(256).iter().map(|x| u8::from(x % 5 == 0)));
    let mut expected = vec![];
    for part in x.chunks(128) {
        let mut end = 0;
        for run in part.chunk_by(|a, b| a == b) {
            end += run.len() as u32;
            expected.push((run[0], end));
        }
    }
    check(&expected, |device, stream| {
        let (x, mut counts) = (device.upload(&x)?, device.alloc_uninit(2)?);
        let (mut values, mut ends) = (device.alloc_uninit(256)?, device.alloc_uninit(256)?);
        encode_parts::launch(stream, (2, 64), &x, &mut values, &mut ends, &mut counts)?;
        let (values, ends) = (values.to_vec(stream)?, ends.to_vec(stream)?);
        let part = |(part, count): (usize, u32)| (0..count as usize).map(move |i| 128 * part + i);
        let places = counts
            .to_vec(stream)?
            .into_iter()
            .enumerate()
            .flat_map(part);
        Ok(places.map(|at| (values[at], ends[at])).collect())
    });
}
