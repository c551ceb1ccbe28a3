//! Sorts of a block against those of `std`, which are stable too.

use std::cmp::Ordering;

use warploom::prelude::*;
use warploom_algorithms::RadixKey;
use warploom_algorithms::block::{BlockPieces, Pieces, RadixOrder};
use warploom_algorithms::block_storage;

use super::BYTES;
use crate::{check, noise};

/// Items of a thread.
const ITEMS: usize = 4;
/// Blocks of a launch.
const BLOCKS: usize = 2;

/// A thread's items of a tile, side by side.
#[inline(always)]
fn own<T: Plain>(block: Block, x: &[T]) -> [T; ITEMS] {
    let first = (block.index() * block.threads() + block.thread()) * ITEMS;
    std::array::from_fn(|k| x[first + k])
}

/// Keys, and where in the tile each was.
#[kernel]
fn by_digits<K: RadixKey, const THREADS: usize>(
    i: Index1D,
    block: Block,
    x: &[K],
    start: u32,
    end: u32,
    descending: bool,
    mut keys: DisjointSlice<[[K; ITEMS]; 2]>,
    mut places: DisjointSlice<[u16; ITEMS]>,
) {
    let mut storage = block_storage!(block, THREADS, bytes: BYTES);
    let order = RadixOrder {
        start,
        end,
        descending,
    };
    let items = own(block, x);
    let numbers = std::array::from_fn(|k| (block.thread() * ITEMS + k) as u16);
    let striped = block.radix_sort_to_striped(&mut storage, items, order);
    let (sorted, from) = block.radix_sort_pairs(&mut storage, items, numbers, order);
    if let (Some(keys), Some(places)) = (keys.get_mut(i), places.get_mut(i)) {
        (*keys, *places) = ([sorted, striped], from);
    }
}

/// Sorts the tiles of two blocks, of which the first has `keys` and the second the same reversed.
#[track_caller]
fn check_digits<K: RadixKey + PartialEq + std::fmt::Debug, const THREADS: usize>(
    keys: &[K],
    order: RadixOrder,
    compare: impl Fn(&K, &K) -> Ordering,
) {
    let tile = THREADS * ITEMS;
    let mut x = keys[..tile].to_vec();
    x.extend(keys[..tile].iter().rev());
    let mut expected = vec![];
    for tile in x.chunks(tile) {
        let mut numbers = Vec::from_iter(0..tile.len());
        numbers.sort_by(|&a, &b| match order.descending {
            true => compare(&tile[b], &tile[a]),
            false => compare(&tile[a], &tile[b]),
        });
        for t in 0..THREADS {
            let at = |i: usize| tile[numbers[i]];
            let blocked = std::array::from_fn(|k| at(t * ITEMS + k));
            let striped = std::array::from_fn(|k| at(t + k * THREADS));
            let places: [u16; ITEMS] = std::array::from_fn(|k| numbers[t * ITEMS + k] as u16);
            expected.push(([blocked, striped], places));
        }
    }
    check(&expected, |device, stream| {
        let x = device.upload(&x)?;
        let mut keys = device.alloc_uninit(BLOCKS * THREADS)?;
        let mut places = device.alloc_uninit(BLOCKS * THREADS)?;
        let RadixOrder {
            start,
            end,
            descending,
        } = order;
        by_digits::<K, THREADS>::launch(
            stream,
            (BLOCKS as u32, THREADS as u32),
            &x,
            start,
            end,
            descending,
            &mut keys,
            &mut places,
        )?;
        let keys = keys.to_vec(stream)?.into_iter();
        Ok(keys.zip(places.to_vec(stream)?).collect())
    });
}

#[test]
fn bytes_of_one_warp_by_digits() {
    let x = Vec::from_iter(noise(128).iter().map(|&x| x as u8));
    check_digits::<u8, 32>(&x, RadixOrder::ASCENDING, Ord::cmp);
}

#[test]
fn sixteen_bits_of_64_threads_by_digits() {
    let x = Vec::from_iter(noise(256).iter().map(|&x| x as i16));
    check_digits::<i16, 64>(&x, RadixOrder::DESCENDING, Ord::cmp);
}

#[test]
fn words_of_96_threads_by_some_bits() {
    let x = noise(384);
    for (start, end) in [(0, 32), (5, 5), (9, 10), (3, 14), (20, 99)] {
        let order = RadixOrder {
            start,
            end,
            descending: start % 2 == 1,
        };
        let bits = |key: u32| u64::from(key) >> start & ((1 << (end.min(32) - start)) - 1);
        check_digits::<u32, 96>(&x, order, |&a, &b| bits(a).cmp(&bits(b)));
    }
}

#[test]
fn words_of_96_threads_that_are_equal_sorted_or_of_less_entropy() {
    let x = noise(384);
    let all = RadixOrder::ASCENDING;
    check_digits::<u32, 96>(&[7; 384], all, Ord::cmp);
    check_digits::<u32, 96>(&Vec::from_iter(0..384), all, Ord::cmp);
    check_digits::<u32, 96>(
        &Vec::from_iter(x.iter().map(|x| x & x >> 9 & 0xff0)),
        all,
        Ord::cmp,
    );
}

#[test]
fn long_words_of_128_threads_by_digits() {
    let x = Vec::from_iter(noise(512).iter().map(|&x| i64::from(x as i32) << 29 | 1));
    check_digits::<i64, 128>(&x, RadixOrder::ASCENDING, Ord::cmp);
}

#[test]
fn floats_of_256_threads_by_digits() {
    let mut x = Vec::from_iter(noise(1024).iter().map(|&x| (x as i32 % 100) as f32 / 3.0));
    x[..4].copy_from_slice(&[0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY]);
    check_digits::<f32, 256>(&x, RadixOrder::DESCENDING, f32::total_cmp);
}

#[test]
fn doubles_of_1024_threads_by_digits() {
    let x = Vec::from_iter(noise(4096).iter().map(|&x| f64::from(x) - 2e9));
    check_digits::<f64, 1024>(&x, RadixOrder::ASCENDING, f64::total_cmp);
}

/// Pairs of a number of items for which a thread counts digits in registers, or of one more.
#[kernel(block(96))]
fn pairs_by_digits<const N: usize>(
    i: Index1D,
    block: Block,
    x: &[[u32; N]],
    mut y: DisjointSlice<[[u32; N]; 2]>,
) {
    let mut storage = block_storage!(block, 96, bytes: BYTES);
    let numbers = std::array::from_fn(|k| (block.thread() * N + k) as u32);
    let (keys, from) =
        block.radix_sort_pairs(&mut storage, x[i.get()], numbers, RadixOrder::ASCENDING);
    if let Some(y) = y.get_mut(i) {
        *y = [keys, from];
    }
}

#[track_caller]
fn check_pairs<const N: usize>(key: impl Fn(usize) -> u32) {
    let keys = Vec::from_iter((0..96 * N).map(key));
    let mut order = Vec::from_iter(0..96 * N);
    order.sort_by_key(|&i| keys[i]);
    let of_thread = |of: &dyn Fn(usize) -> u32, t: usize| std::array::from_fn(|k| of(t * N + k));
    let expected: Vec<[[u32; N]; 2]> = (0..96)
        .map(|t| {
            [
                of_thread(&|i| keys[order[i]], t),
                of_thread(&|i| order[i] as u32, t),
            ]
        })
        .collect();
    let x: Vec<[u32; N]> = (0..96).map(|t| of_thread(&|i| keys[i], t)).collect();
    check(&expected, |device, stream| {
        let (x, mut y) = (device.upload(&x)?, device.alloc_uninit(96)?);
        pairs_by_digits::<N>::launch(stream, (1, 96), &x, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn eight_items_of_a_thread_with_one_digit() {
    // 256 of a warp, and most of one warp.
    for digit in [0, 1, 6, 7, 8, 15] {
        check_pairs::<8>(|_| digit * 0x1111_1111);
        check_pairs::<8>(|i| if i == 300 { 5 } else { digit });
    }
}

#[test]
fn eight_items_of_a_thread_by_digits() {
    let x = noise(96 * 8);
    check_pairs::<8>(|i| x[i]);
    check_pairs::<8>(|i| x[i] & 0x0100_0f00);
}

#[test]
fn nine_items_of_a_thread_by_digits() {
    let x = noise(96 * 9);
    check_pairs::<9>(|i| x[i]);
    check_pairs::<9>(|i| x[i] & 0x0100_0f00);
}

/// The first `valid` items, by keys alone and with where each was.
#[kernel]
fn by_comparison<K, L, const THREADS: usize>(
    i: Index1D,
    block: Block,
    x: &[K],
    valid: usize,
    less: L,
    mut keys: DisjointSlice<[[K; ITEMS]; 2]>,
    mut places: DisjointSlice<[u16; ITEMS]>,
) where
    K: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
{
    let mut storage = block_storage!(block, THREADS, bytes: BYTES);
    let items = own(block, x);
    let numbers = std::array::from_fn(|k| (block.thread() * ITEMS + k) as u16);
    let alone = block.merge_sort_first(&mut storage, items, valid, less);
    let (sorted, from) = block.merge_sort_pairs(&mut storage, items, numbers, valid, less);
    if let (Some(keys), Some(places)) = (keys.get_mut(i), places.get_mut(i)) {
        (*keys, *places) = ([sorted, alone], from);
    }
}

#[track_caller]
fn check_comparison<K, L, const THREADS: usize>(x: &[K], less: L)
where
    K: Plain + PartialEq + std::fmt::Debug,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
{
    let tile = THREADS * ITEMS;
    for valid in [0, 1, 31, 33, tile / 2 + 1, tile - 1, tile] {
        let mut expected = vec![];
        for tile in x.chunks(tile).take(BLOCKS) {
            let mut numbers = Vec::from_iter(0..valid);
            numbers.sort_by(
                |&a, &b| match (less(tile[a], tile[b]), less(tile[b], tile[a])) {
                    (true, _) => Ordering::Less,
                    (_, true) => Ordering::Greater,
                    _ => Ordering::Equal,
                },
            );
            expected.extend(numbers.iter().map(|&i| (tile[i], tile[i], i as u16)));
        }
        check(&expected, |device, stream| {
            let x = device.upload(x)?;
            let mut keys = device.alloc_uninit(BLOCKS * THREADS)?;
            let mut places = device.alloc_uninit(BLOCKS * THREADS)?;
            let shape = (BLOCKS as u32, THREADS as u32);
            let (y, z) = (&mut keys, &mut places);
            by_comparison::<K, L, THREADS>::launch(stream, shape, &x, valid, less, y, z)?;
            let (keys, places) = (keys.to_vec(stream)?, places.to_vec(stream)?);
            let items = keys
                .iter()
                .zip(&places)
                .flat_map(|(keys, places)| (0..ITEMS).map(|k| (keys[0][k], keys[1][k], places[k])));
            let items = Vec::from_iter(items);
            let valid = items.chunks(tile).flat_map(|tile| &tile[..valid]);
            Ok(valid.copied().collect())
        });
    }
}

#[test]
fn bytes_of_one_warp_by_comparison() {
    let x = Vec::from_iter(noise(256).iter().map(|&x| x as u8 % 50));
    check_comparison::<u8, _, 32>(&x, |a, b| a < b);
}

#[test]
fn words_of_96_threads_by_comparison() {
    check_comparison::<u32, _, 96>(&noise(768), |a, b| a % 100 > b % 100);
}

#[test]
fn structs_of_128_threads_by_comparison() {
    let x = Vec::from_iter(noise(1024).iter().map(|&x| [x, 0, x % 7, 1, x]));
    check_comparison::<[u32; 5], _, 128>(&x, |a, b| a[2] < b[2]);
}

#[test]
fn long_words_of_256_threads_by_comparison() {
    let x = Vec::from_iter(noise(2048).iter().map(|&x| u64::from(x) << 20));
    check_comparison::<u64, _, 256>(&x, |a, b| a < b);
}

#[test]
fn floats_of_1024_threads_by_comparison() {
    let x = Vec::from_iter(noise(8192).iter().map(|&x| f32::from_bits(x & 0xbf7f_ffff)));
    check_comparison::<f32, _, 1024>(&x, |a: f32, b| a.total_cmp(&b).is_lt());
}

/// Ranks by digits of three bits, of rows of each warp.
#[kernel(block(96))]
fn ranks(i: Index1D, block: Block, x: &[u32], mut y: DisjointSlice<[u32; ITEMS]>) {
    let mut storage = block_storage!(block, 96, [warploom_algorithms::block::RadixRank<3>]);
    let thread = block.thread();
    let first = thread / 32 * 32 * ITEMS + thread % 32;
    let digits: [u32; ITEMS] = std::array::from_fn(|k| x[first + 32 * k]);
    let places = block.radix_rank::<3, ITEMS>(&mut storage, digits);
    if let Some(y) = y.get_mut(i) {
        *y = places;
    }
}

#[test]
fn ranks_by_the_lowest_bits() {
    let x = noise(384);
    let mut order = Vec::from_iter(0..384);
    order.sort_by_key(|&i| x[i] & 7);
    let mut places = [0; 384];
    for (place, &i) in order.iter().enumerate() {
        places[i] = place as u32;
    }
    let own = |t: usize| std::array::from_fn(|k| places[t / 32 * 128 + t % 32 + 32 * k]);
    let expected: Vec<[u32; ITEMS]> = (0..96).map(own).collect();
    check(&expected, |device, stream| {
        let (x, mut y) = (device.upload(&x)?, device.alloc_uninit(96)?);
        ranks::launch(stream, (1, 96), &x, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
