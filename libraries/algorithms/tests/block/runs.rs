//! Histograms of several tiles, and runs of any length.

use warploom::prelude::*;
use warploom_algorithms::block::{BlockPieces, Counters};
use warploom_algorithms::block_storage;

use crate::{check, noise};

/// Counts of two tiles in 300 bins, of samples up to 310; and of one tile in the same storage.
#[kernel(block(96))]
fn counts(i: Index1D, block: Block, x: &[u32], mut y: DisjointSlice<[u32; 4]>) {
    let mut storage = block_storage!(block, 96, [Counters<300>, Counters<10>]);
    let counts = block.histogram::<_, 300>(&mut storage);
    for tile in 0..2 {
        counts.add(x[tile * 96 + block.thread()] as usize);
    }
    let counts = counts.finish();
    let own = [0, 96, 192].map(|bin| counts.get(block.thread() + bin));
    let counts = block.histogram::<_, 10>(&mut storage);
    counts.add(x[block.thread()] as usize % 10);
    let last = counts.finish().get(block.thread());
    if let Some(y) = y.get_mut(i) {
        *y = [own[0], own[1], own[2], last];
    }
}

#[test]
fn samples_of_two_tiles_are_counted() {
    let x = Vec::from_iter(noise(192).iter().map(|x| x % 310));
    let of = |bin: usize| x.iter().filter(|&&x| x as usize == bin).count() as u32;
    let last = |bin| x[..96].iter().filter(|&&x| x as usize % 10 == bin).count() as u32;
    let thread = |t: usize| [of(t), of(t + 96), of(t + 192), last(t)];
    check(&Vec::from_iter((0..96).map(thread)), |device, stream| {
        let (x, mut y) = (device.upload(&x)?, device.alloc_uninit(96)?);
        counts::launch(stream, (1, 96), &x, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// Items `first ..` of runs, by all threads, `ITEMS` of each: values and offsets.
#[kernel]
fn decode<T: Plain, const THREADS: usize>(
    i: Index1D,
    block: Block,
    values: &[T],
    lengths: &[u32],
    first: u32,
    mut y: DisjointSlice<[T; 3]>,
    mut offsets: DisjointSlice<[u32; 4]>,
) {
    let mut storage = block_storage!(block, THREADS, bytes: 8192);
    let own = |k| 2 * block.thread() + k;
    let of_thread = [0, 1].map(|k| values[own(k)]);
    let runs = block.decode_runs(&mut storage, of_thread, [0, 1].map(|k| lengths[own(k)]));
    let (items, from_start) = runs.items::<3>(first + 3 * block.thread() as u32);
    if let (Some(y), Some(offsets)) = (y.get_mut(i), offsets.get_mut(i)) {
        let [a, b, c] = from_start;
        (*y, *offsets) = (items, [a, b, c, runs.len()]);
    }
}

#[track_caller]
fn check_decode<T: Plain + PartialEq + std::fmt::Debug, const THREADS: usize>(
    values: &[T],
    lengths: &[u32],
) {
    let items = values
        .iter()
        .zip(lengths)
        .flat_map(|(&value, &length)| (0..length).map(move |offset| (value, offset)));
    let items = Vec::from_iter(items);
    let total = items.len() as u32;
    for first in [0, 1, 3 * THREADS as u32 - 1, total.saturating_sub(1)] {
        let window = items.iter().copied().skip(first as usize).take(3 * THREADS);
        let expected = Vec::from_iter(window.map(|(value, offset)| (value, offset, total)));
        check(&expected, |device, stream| {
            let (values, lengths) = (device.upload(values)?, device.upload(lengths)?);
            let (mut y, mut offsets) =
                (device.alloc_uninit(THREADS)?, device.alloc_uninit(THREADS)?);
            let shape = (1, THREADS as u32);
            let (a, b) = (&mut y, &mut offsets);
            decode::<T, THREADS>::launch(stream, shape, &values, &lengths, first, a, b)?;
            let (y, offsets) = (y.to_vec(stream)?, offsets.to_vec(stream)?);
            let all = y
                .iter()
                .zip(&offsets)
                .flat_map(|(items, offsets)| (0..3).map(|k| (items[k], offsets[k], offsets[3])));
            Ok(all.take(expected.len()).collect())
        });
    }
}

#[test]
fn runs_of_bytes_some_empty() {
    let values = Vec::from_iter(noise(64).iter().map(|&x| x as u8));
    let lengths = Vec::from_iter(noise(128)[64..].iter().map(|x| (x % 9).saturating_sub(3)));
    check_decode::<u8, 32>(&values, &lengths);
}

#[test]
fn runs_of_doubles_nearly_all_empty() {
    let values = Vec::from_iter(noise(512).iter().map(|&x| f64::from(x)));
    let mut lengths = vec![0; 512];
    (lengths[0], lengths[300], lengths[511]) = (700, 90, 1);
    check_decode::<f64, 256>(&values, &lengths);
    (lengths[0], lengths[511]) = (0, 0);
    check_decode::<f64, 256>(&values, &lengths);
}
