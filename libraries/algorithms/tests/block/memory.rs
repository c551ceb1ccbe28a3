//! Loads and stores, of whole tiles and of those that the input or the output ends in.

use warploom::prelude::*;
use warploom_algorithms::block::{BlockPieces, Exchange, Pieces};
use warploom_algorithms::block_storage;

use crate::check;

/// Items of a thread: 16 bytes of `u32`.
const ITEMS: usize = 4;
/// Items of a block.
const TILE: usize = 96 * ITEMS;

/// The same items in four ways: by vectors, exchanged, as they lie in memory, and by warps.
#[kernel(block(96))]
fn copies(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[u32],
    skip: usize,
    mut chunks: DisjointSlice<u32, Chunks<ITEMS>>,
    mut transposed: DisjointSlice<u32, Windows<TILE, 0>>,
    mut striped: DisjointSlice<u32, Windows<TILE, 0>>,
    mut by_warp: DisjointSlice<[u32; ITEMS]>,
) {
    let mut storage = block_storage!(block, 96, [Exchange<u32, ITEMS>]);
    let first = skip + block.index() * TILE;
    let items = block.load_blocked(x, first, 7);
    block.store_blocked(i, &mut chunks, items);
    let items: [u32; ITEMS] = block.load_transposed(&mut storage, x, first, 7);
    block.store_transposed(&mut storage, i, &mut transposed, items);
    let of_warps: [u32; ITEMS] = block.load_warp_transposed(&mut storage, x, first, 7);
    assert_eq!(of_warps, items);
    let items: [u32; ITEMS] = block.load_striped(x, first, 7);
    block.store_striped(i, &mut striped, items);
    let items = warp.load_striped(x, first + warp.index() as usize * 32 * ITEMS, 7);
    if let Some(y) = by_warp.get_mut(i) {
        *y = items;
    }
}

#[test]
fn every_way_loads_and_stores_the_same() {
    // Behind the first item no tile is aligned to 16 bytes.
    for (n, skip) in [
        (2 * TILE, 0),
        (2 * TILE + 1, 1),
        (2 * TILE - 5, 0),
        (3, 0),
        (3, 9),
    ] {
        let x = Vec::from_iter(1..=n as u32);
        let at = |i: usize| x.get(skip + i).copied().unwrap_or(7);
        let expected = Vec::from_iter((0..2 * TILE).map(|i| [at(i); 4]));
        check(&expected, |device, stream| {
            let x = device.upload(&x)?;
            let mut chunks = device.zeroed(2 * TILE)?;
            let mut transposed = device.zeroed(2 * TILE)?;
            let mut striped = device.zeroed(2 * TILE)?;
            let mut by_warp = device.zeroed(2 * 96)?;
            copies::launch(
                stream,
                (2, 96),
                &x,
                skip,
                &mut chunks,
                &mut transposed,
                &mut striped,
                &mut by_warp,
            )?;
            let (a, b) = (chunks.to_vec(stream)?, transposed.to_vec(stream)?);
            let (c, rows) = (striped.to_vec(stream)?, by_warp.to_vec(stream)?);
            let row = |i: usize| rows[i / 128 * 32 + i % 32][i % 128 / 32];
            Ok((0..2 * TILE).map(|i| [a[i], b[i], c[i], row(i)]).collect())
        });
    }
}

/// Stores to outputs that end within the second tile.
#[kernel(block(96))]
fn stores(
    i: Index1D,
    block: Block,
    mut chunks: DisjointSlice<u32, Chunks<ITEMS>>,
    mut windows: DisjointSlice<u32, Windows<TILE, 0>>,
) {
    let mut storage = block_storage!(block, 96, [Exchange<u32, ITEMS>]);
    let first = (i.get() * ITEMS) as u32;
    let items = [1, 2, 3, 4].map(|k| first + k);
    block.store_blocked(i, &mut chunks, items);
    block.store_transposed(&mut storage, i, &mut windows, items);
}

#[test]
fn what_is_behind_the_end_is_not_stored() {
    let n = TILE + 102;
    let expected = Vec::from_iter((0..n).map(|i| {
        let item = i as u32 + 1;
        [if i < n / ITEMS * ITEMS { item } else { 0 }, item]
    }));
    check(&expected, |device, stream| {
        let (mut a, mut b) = (device.zeroed(n)?, device.zeroed(n)?);
        stores::launch(stream, (2, 96), &mut a, &mut b)?;
        let pairs = a.to_vec(stream)?.into_iter().zip(b.to_vec(stream)?);
        Ok(pairs.map(|(a, b)| [a, b]).collect())
    });
}
