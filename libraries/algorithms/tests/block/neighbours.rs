//! Neighbours of blocks and warps, and what is computed from two of them.

use warploom::prelude::*;
use warploom_algorithms::block::{BlockPieces, Neighbours, OfWarps, Pieces, Scratch};
use warploom_algorithms::block_storage;

use crate::{check, noise};

/// Items of a thread.
const ITEMS: usize = 3;

/// Left and right neighbours, differences to both sides, and flags, each with and without an item beside the tile.
type Found = [[u32; ITEMS]; 10];

#[inline(always)]
fn find<G: Pieces>(group: G, storage: &mut impl Scratch<G>, items: [u32; ITEMS]) -> Found {
    let (differ, minus) = (|a, b| a / 4 != b / 4, u32::wrapping_sub);
    [
        group.left_neighbours(storage, items, 5),
        group.right_neighbours(storage, items, 6),
        group.subtract_left(storage, items, None, minus),
        group.subtract_left(storage, items, Some(5), minus),
        group.subtract_right(storage, items, None, minus),
        group.subtract_right(storage, items, Some(6), minus),
        group.heads(storage, items, None, differ).map(u32::from),
        group.heads(storage, items, Some(5), differ).map(u32::from),
        group.tails(storage, items, None, differ).map(u32::from),
        group.tails(storage, items, Some(6), differ).map(u32::from),
    ]
}

#[kernel]
fn neighbours<const THREADS: usize>(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[u32],
    mut y: DisjointSlice<[Found; 2]>,
) {
    let mut storage = block_storage!(block, THREADS, bytes: 4096);
    let items = std::array::from_fn(|k| x[i.get() * ITEMS + k]);
    let of_block = find(block, &mut storage, items);
    let of_warp = find(warp, &mut block.per_warp(&mut storage), items);
    if let Some(y) = y.get_mut(i) {
        *y = [of_block, of_warp];
    }
}

/// What thread `t` finds in a tile of these items.
fn expected(tile: &[u32], t: usize) -> Found {
    let item = |k: usize| tile[t * ITEMS + k];
    let left = |k: usize| (t * ITEMS + k).checked_sub(1).map(|i| tile[i]);
    let right = |k: usize| tile.get(t * ITEMS + k + 1).copied();
    let all = |of: &dyn Fn(usize) -> u32| std::array::from_fn(of);
    let minus = |k: usize, other: Option<u32>| {
        other.map_or(item(k), |other: u32| item(k).wrapping_sub(other))
    };
    let differs =
        |k, other: Option<u32>| u32::from(other.is_none_or(|other| item(k) / 4 != other / 4));
    [
        all(&|k| left(k).unwrap_or(5)),
        all(&|k| right(k).unwrap_or(6)),
        all(&|k| minus(k, left(k))),
        all(&|k| minus(k, left(k).or(Some(5)))),
        all(&|k| minus(k, right(k))),
        all(&|k| minus(k, right(k).or(Some(6)))),
        all(&|k| differs(k, left(k))),
        all(&|k| differs(k, left(k).or(Some(5)))),
        all(&|k| differs(k, right(k))),
        all(&|k| differs(k, right(k).or(Some(6)))),
    ]
}

#[track_caller]
fn check_neighbours<const THREADS: usize>() {
    let x = Vec::from_iter(noise(2 * THREADS * ITEMS).iter().map(|x| x % 16));
    let thread = |t: usize| {
        let tile = &x[t / THREADS * THREADS * ITEMS..][..THREADS * ITEMS];
        let warp = &x[t / 32 * 32 * ITEMS..][..32 * ITEMS];
        [expected(tile, t % THREADS), expected(warp, t % 32)]
    };
    let expected = Vec::from_iter((0..2 * THREADS).map(thread));
    check(&expected, |device, stream| {
        let (x, mut y) = (device.upload(&x)?, device.alloc_uninit(2 * THREADS)?);
        neighbours::<THREADS>::launch(stream, (2, THREADS as u32), &x, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn one_warp() {
    check_neighbours::<32>();
}

#[test]
fn eight_warps() {
    check_neighbours::<256>();
}

/// Neighbours of 20 bytes in a storage of the exact size.
#[kernel(block(64))]
fn large(i: Index1D, block: Block, warp: Warp, mut y: DisjointSlice<[u32; 5]>) {
    type Item = [u32; 5];
    let mut storage = block_storage!(block, 64, [Neighbours<Item>, OfWarps<Neighbours<Item>>]);
    let item = [i.get() as u32, 1, 2, 3, 4];
    let [left] = block.left_neighbours(&mut storage, [item], [9; 5]);
    let [right] = warp.right_neighbours(&mut block.per_warp(&mut storage), [left], [8; 5]);
    if let Some(y) = y.get_mut(i) {
        *y = right;
    }
}

#[test]
fn items_of_twenty_bytes() {
    let expected = (0..64).map(|i| {
        if i % 32 == 31 {
            [8; 5]
        } else {
            [i, 1, 2, 3, 4]
        }
    });
    check(&Vec::from_iter(expected), |device, stream| {
        let mut y = device.alloc_uninit(64)?;
        large::launch(stream, (1, 64), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
