//! Exchanges against the definition of the arrangements.

use warploom::prelude::*;
use warploom_algorithms::block::{BlockPieces, Pieces};
use warploom_algorithms::block_storage;

use super::BYTES;
use crate::check;

/// All exchanges, one after the other in one storage; `of` makes an item of its number.
#[kernel]
fn exchanges<T, O, const THREADS: usize, const ITEMS: usize>(
    i: Index1D,
    block: Block,
    of: O,
    mut y: DisjointSlice<[[T; ITEMS]; 6]>,
) where
    T: Plain,
    O: Fn(u32) -> T + Copy + Send + Sync + 'static,
{
    let mut storage = block_storage!(block, THREADS, bytes: BYTES);
    let (first, tile) = (block.thread() * ITEMS, THREADS * ITEMS);
    let numbers: [u32; ITEMS] = std::array::from_fn(|k| (first + k) as u32);
    let items = numbers.map(of);
    let striped = block.blocked_to_striped(&mut storage, items);
    let blocked = block.striped_to_blocked(&mut storage, striped);
    let rows = block.blocked_to_warp_striped(&mut storage, blocked);
    let again = block.warp_striped_to_blocked(&mut storage, rows);
    let reversed = numbers.map(|i| tile as u32 - 1 - i);
    let all = [
        striped,
        blocked,
        rows,
        again,
        block.scatter_to_blocked(&mut storage, again, reversed),
        block.scatter_to_striped(&mut storage, again, reversed),
    ];
    if let Some(y) = y.get_mut(i) {
        *y = all;
    }
}

/// What each thread of two blocks has after the exchanges.
fn expected<T: Copy, const ITEMS: usize>(
    threads: usize,
    of: impl Fn(u32) -> T,
) -> Vec<[[T; ITEMS]; 6]> {
    let item = |i: usize| of(i as u32);
    let last = threads * ITEMS - 1;
    let thread = |t: usize| {
        let striped = |k| t + k * threads;
        let rows = |k| t / 32 * 32 * ITEMS + k * 32 + t % 32;
        let blocked = |k| t * ITEMS + k;
        let array = |place: &dyn Fn(usize) -> usize| std::array::from_fn(|k| item(place(k)));
        [
            array(&striped),
            array(&blocked),
            array(&rows),
            array(&blocked),
            array(&|k| last - blocked(k)),
            array(&|k| last - striped(k)),
        ]
    };
    (0..2 * threads).map(|t| thread(t % threads)).collect()
}

#[track_caller]
fn check_exchanges<T, O, const THREADS: usize, const ITEMS: usize>(of: O)
where
    T: Plain + Default + PartialEq + std::fmt::Debug,
    O: Fn(u32) -> T + Copy + Send + Sync + 'static,
{
    check(&expected::<T, ITEMS>(THREADS, of), |device, stream| {
        let mut y = device.alloc_uninit(2 * THREADS)?;
        exchanges::<T, O, THREADS, ITEMS>::launch(stream, (2, THREADS as u32), of, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn bytes_of_one_warp() {
    check_exchanges::<u8, _, 32, 8>(|i| i as u8);
}

#[test]
fn three_bytes_of_three_warps() {
    check_exchanges::<[u8; 3], _, 96, 3>(|i| [i as u8, (i >> 8) as u8, 7]);
}

#[test]
fn words_of_256_threads() {
    check_exchanges::<u32, _, 256, 4>(|i| i);
}

#[test]
fn doubles_of_1024_threads() {
    check_exchanges::<f64, _, 1024, 4>(f64::from);
}

#[test]
fn structs_of_128_threads() {
    check_exchanges::<[u32; 5], _, 128, 5>(|i| [i, !i, 0, i * 7, 1]);
}

/// Even items close together, in a storage that holds another tile.
#[kernel(block(64))]
fn compact(block: Block, i: Index1D, mut y: DisjointSlice<[u32; 2]>) {
    let mut storage = block_storage!(block, 64, bytes: 1024);
    let first = 2 * block.thread() as u32;
    let items = block.scatter_to_blocked(&mut storage, [first, first + 1], [first, first + 1]);
    let places = items.map(|i| if i % 2 == 0 { i / 2 } else { u32::MAX });
    let items = block.compact_to_striped(&mut storage, items, places, 60, 77);
    if let Some(y) = y.get_mut(i) {
        *y = items;
    }
}

#[test]
fn items_without_a_place_go_nowhere() {
    let expected = Vec::from_iter((0..64).map(|t: u32| [if t < 60 { 2 * t } else { 77 }, 77]));
    check(&expected, |device, stream| {
        let mut y = device.alloc_uninit(64)?;
        compact::launch(stream, (1, 64), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
