//! Scans and reductions of several items per thread against those of the host.

use warploom::prelude::*;
use warploom_algorithms::block::BlockPieces;
use warploom_algorithms::block_storage;

use super::BYTES;
use crate::{check, noise};

/// Items of a thread.
const ITEMS: usize = 3;

/// What a thread finds: an inclusive and an exclusive scan of two tiles, what all come to, and the reduction of the first `valid`.
type Found<T> = [[T; ITEMS]; 3];

/// Two tiles per block, the second from what the first comes to.
#[kernel]
fn scans<T, O, const THREADS: usize>(
    i: Index1D,
    block: Block,
    x: &[T],
    op: O,
    valid: usize,
    mut y: DisjointSlice<Found<T>>,
) where
    T: Plain + warploom::device_std::warp::Shuffle,
    O: Fn(T, T) -> T + Copy + Send + Sync + 'static,
{
    let mut storage = block_storage!(block, THREADS, bytes: BYTES);
    let tile = |number: usize| -> [T; ITEMS] {
        std::array::from_fn(|k| x[(number * THREADS + block.thread()) * ITEMS + k])
    };
    let (first, second) = (tile(0), tile(1));
    let (up_to, all) = block.inclusive_scan_items(&mut storage, first, op);
    let (before, both) = block.exclusive_scan_items(&mut storage, second, all, op);
    let of_first = block.reduce_first(&mut storage, first, valid, op);
    if let Some(y) = y.get_mut(i) {
        *y = [up_to, before, [all, both, of_first.unwrap_or(x[0])]];
    }
}

#[track_caller]
fn check_scans<T, O, const THREADS: usize>(x: &[T], op: O)
where
    T: Plain + PartialEq + std::fmt::Debug,
    O: Fn(T, T) -> T + Copy + Send + Sync + 'static,
{
    let tile = THREADS * ITEMS;
    let mut sums = vec![x[0]];
    for &item in &x[1..2 * tile] {
        sums.push(op(sums[sums.len() - 1], item));
    }
    for valid in [0, 1, 31 * ITEMS, 32 * ITEMS, 32 * ITEMS - 1, tile - 1, tile] {
        let found = |t: usize| {
            let own = |k| t * ITEMS + k;
            [
                std::array::from_fn(|k| sums[own(k)]),
                std::array::from_fn(|k| sums[tile + own(k) - 1]),
                [sums[tile - 1], sums[2 * tile - 1], sums[valid.max(1) - 1]],
            ]
        };
        let expected = Vec::from_iter((0..2 * THREADS).map(|t| found(t % THREADS)));
        check(&expected, |device, stream| {
            let (x, mut y) = (device.upload(x)?, device.alloc_uninit(2 * THREADS)?);
            let shape = (2, THREADS as u32);
            scans::<T, O, THREADS>::launch(stream, shape, &x, op, valid, &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

#[test]
fn bytes_of_one_warp() {
    let x = Vec::from_iter(noise(32 * 6).iter().map(|&x| x as u8));
    check_scans::<u8, _, 32>(&x, u8::wrapping_add);
}

#[test]
fn sixteen_bits_of_64_threads() {
    let x = Vec::from_iter(noise(64 * 6).iter().map(|&x| x as i16));
    check_scans::<i16, _, 64>(&x, |a, b| a.max(b));
}

#[test]
fn an_operation_that_does_not_commute_of_96_threads() {
    // The composition of x -> a * x + b.
    let x = Vec::from_iter(noise(96 * 6).iter().map(|&x| [x | 1, x >> 7]));
    check_scans::<[u32; 2], _, 96>(&x, |[a, b], [c, d]| {
        [a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d)]
    });
}

#[test]
fn long_words_of_128_threads() {
    let x = Vec::from_iter(noise(128 * 6).iter().map(|&x| u64::from(x) << 9));
    check_scans::<u64, _, 128>(&x, u64::wrapping_add);
}

#[test]
fn doubles_of_256_threads() {
    let x = Vec::from_iter(noise(256 * 6).iter().map(|&x| f64::from(x % 1000)));
    check_scans::<f64, _, 256>(&x, |a, b| a + b);
}

#[test]
fn floats_of_1024_threads() {
    let x = Vec::from_iter(noise(1024 * 6).iter().map(|&x| (x % 100_000) as f32));
    check_scans::<f32, _, 1024>(&x, f32::min);
}

/// By the storage's place in the program, in a function that is called twice and in a loop.
#[inline(always)]
fn sum_before(block: Block, item: u32) -> u32 {
    let mut storage = block_storage!(block, 96, bytes: 1024);
    block
        .exclusive_scan_items(&mut storage, [item], 0, |a, b| a + b)
        .0[0]
}

#[kernel(block(96))]
fn repeated(i: Index1D, block: Block, mut y: DisjointSlice<u32>) {
    let mut value = 1;
    for _ in 0..3 {
        value = sum_before(block, sum_before(block, value) % 1000) % 1000;
    }
    let sum = block.reduce_items([value, 1], |a, b| a + b);
    if let Some(y) = y.get_mut(i) {
        *y = sum + value;
    }
}

#[test]
fn a_place_with_a_storage_is_run_again() {
    let mut values = vec![1u32; 96];
    for _ in 0..6 {
        let mut sum = 0;
        for value in &mut values {
            (*value, sum) = (sum % 1000, sum + *value);
        }
    }
    let sum = values.iter().sum::<u32>() + 96;
    let expected = Vec::from_iter(values.iter().map(|value| sum + value));
    check(&expected, |device, stream| {
        let mut y = device.alloc_uninit(96)?;
        repeated::launch(stream, (1, 96), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
