//! A panic of the caller's closure in one thread is the error of the launch: the other threads neither wait for ever nor write beside the outputs, whatever
//! the thread would have given to them.

#![expect(clippy::expect_used, reason = "that is how a test fails")]

use warploom::prelude::*;
use warploom::{Device, DeviceBuffer, Stream};
use warploom_algorithms::prelude::*;
use warploom_algorithms::{Error, counting};
use warploom_harness::device_test::devices;

use crate::noise;

/// Elements of the inputs: three tiles and some.
const LEN: usize = 20_000;
/// The element for which closures panic.
const BAD: u32 = u32::MAX;
/// Elements before and behind each output, which no algorithm may write.
const AROUND: usize = 4096;
/// What they are.
const UNTOUCHED: u32 = 0xA5A5_A5A5;

/// Positions in lanes 0, in others, in the first warp and in the last ones, in the first tile, in later ones and in the last one.
const POSITIONS: [usize; 12] = [0, 1, 5, 31, 32, 300, 736, 2303, 3000, 5900, 11_776, LEN - 1];

/// Runs `algorithm` on inputs with one bad element, whose outputs are within larger memory; it queues its launches.
#[track_caller]
fn check(
    algorithm: impl Fn(&Stream, &DeviceBuffer<u32>, &mut [DeviceBuffer<u32>; 3]) -> Result<(), Error>,
) {
    for device in devices() {
        for position in POSITIONS {
            let name = device.name();
            let (error, outputs) = run(&device, position, &algorithm);
            assert!(
                error.contains("a bad element"),
                "{name}, element {position}: {error}"
            );
            for output in outputs {
                let (before, rest) = output.split_at(AROUND);
                let behind = &rest[LEN..];
                assert!(
                    before.iter().chain(behind).all(|&x| x == UNTOUCHED),
                    "{name}, element {position}: writes beside an output"
                );
            }
        }
    }
}

/// The error, and the memory of the outputs.
fn run(
    device: &Device,
    position: usize,
    algorithm: impl Fn(&Stream, &DeviceBuffer<u32>, &mut [DeviceBuffer<u32>; 3]) -> Result<(), Error>,
) -> (String, Vec<Vec<u32>>) {
    let stream = device.stream().expect("a stream");
    let mut x: Vec<u32> = noise(LEN).into_iter().map(|x| x >> 16).collect();
    x[position] = BAD;
    let x = device.upload(&x).expect("memory");
    let memory = || device.upload(&vec![UNTOUCHED; LEN + 2 * AROUND]);
    let mut outputs = [(); 3].map(|()| memory().expect("memory"));
    let queued = algorithm(&stream, &x, &mut outputs);
    let error = match (queued, stream.synchronize()) {
        (Err(error), _) => error.to_string(),
        (Ok(()), waited) => waited.expect_err("a panic").to_string(),
    };
    // Each launch of the algorithm may have had a panic, which the next wait reports.
    let read = |output: DeviceBuffer<u32>| {
        let mut reads = std::iter::repeat_with(|| output.to_vec(&stream)).take(100);
        reads.find_map(Result::ok).expect("the outputs")
    };
    (error, outputs.map(read).into())
}

/// The part of an output's memory that an algorithm is given.
macro_rules! inner {
    ($output:ident) => {
        $output.slice_mut(AROUND..AROUND + LEN)?
    };
}

/// `x`, unless it is the bad element.
fn good(x: u32) -> u32 {
    assert!(x != BAD, "a bad element");
    x
}

#[test]
fn of_scans() {
    check(|stream, x, [y, ..]| {
        let add = |a: u32, b: u32| good(a).wrapping_add(good(b)) & 0xffff;
        stream.inclusive_scan(x, add).into(inner!(y))
    });
}

#[test]
fn of_selections() {
    check(|stream, x, [y, ..]| {
        let mut count = stream.device().zeroed(1)?;
        let select = stream.select(x, |x| good(x).is_multiple_of(3));
        select.into(inner!(y), &mut count)
    });
}

#[test]
fn of_partitions() {
    check(|stream, x, [y, z, _]| {
        let mut count = stream.device().zeroed(1)?;
        let select = stream.select(x, |x| good(x).is_multiple_of(3));
        select.into_with_rest(inner!(y), inner!(z), &mut count)
    });
}

#[test]
fn of_partitions_in_three_parts() {
    check(|stream, x, [a, b, c]| {
        let mut counts = stream.device().zeroed(2)?;
        let part = stream.three_way_partition(x, |x| good(x).is_multiple_of(3), |x| x % 3 == 1);
        part.into(inner!(a), inner!(b), inner!(c), &mut counts)
    });
}

#[test]
fn of_reductions_by_key() {
    check(|stream, x, [keys, values, _]| {
        let mut count = stream.device().zeroed(1)?;
        let pairs = x.input().map(|x| (u32::from(x < 6000), x));
        let by_key = stream.by_key(pairs, |a, b| good(a).wrapping_add(good(b)) & 0xffff);
        by_key.reduce(inner!(keys), inner!(values), &mut count)
    });
}

#[test]
fn of_scans_by_key() {
    check(|stream, x, [y, ..]| {
        let pairs = x.input().map(|x| (u32::from(x < 6000), x));
        let by_key = stream.by_key(pairs, |a, b| good(a).wrapping_add(good(b)) & 0xffff);
        by_key.inclusive_scan(inner!(y))
    });
}

/// A key whose comparison panics for the bad element.
#[derive(Clone, Copy, Plain)]
#[repr(transparent)]
struct Key(u32);

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        good(self.0) / 3000 == good(other.0) / 3000
    }
}

#[test]
fn of_run_lengths() {
    check(|stream, x, [keys, lengths, _]| {
        let mut count = stream.device().zeroed(1)?;
        let mut elements = stream.device().alloc_uninit(LEN)?;
        let runs = stream.run_lengths(x.input().map(Key));
        runs.reduce(&mut elements, inner!(lengths), &mut count)?;
        let firsts = stream.unique_by_key(x.input().map(|x| (Key(x), x)));
        firsts.reduce(&mut elements, inner!(keys), &mut count)
    });
}

#[test]
fn of_comparisons_of_keys() {
    check(|stream, x, [_, values, sums]| {
        let mut count = stream.device().zeroed(1)?;
        let mut keys = stream.device().alloc_uninit(LEN)?;
        let by_key = || stream.by_key(x.input().map(|x| (Key(x), x)), u32::wrapping_add);
        by_key().reduce(&mut keys, inner!(values), &mut count)?;
        by_key().exclusive_scan(0, inner!(sums))
    });
}

#[test]
fn of_inputs() {
    check(|stream, x, [y, ..]| {
        let mut count = stream.device().zeroed(1)?;
        let select = stream.select(x.input().map(good), |x| x % 3 == 0);
        select.into(inner!(y), &mut count)
    });
}

#[test]
fn of_set_operations() {
    check(|stream, x, [y, ..]| {
        let mut count = stream.device().zeroed(1)?;
        // The elements of both inputs alternate in the merge, so that each is compared.
        let element = |(i, x): (usize, u32)| {
            let half = LEN / 2;
            let place = if i < half { 2 * i + 1 } else { 2 * (i - half) };
            2 * place as u32 + u32::from(x == BAD)
        };
        let mut sorted = stream.device().zeroed(LEN)?;
        let elements = counting(LEN).zip(x).map(element);
        stream.transform(elements).into(&mut sorted)?;
        let (a, b) = (sorted.slice(..LEN / 2)?, sorted.slice(LEN / 2..)?);
        let less = |a: u32, b: u32| {
            assert!((a | b).is_multiple_of(2), "a bad element");
            a < b
        };
        stream.set_union(a, b, less).into(inner!(y), &mut count)
    });
}

#[test]
fn of_merge_sorts() {
    check(|stream, x, [y, ..]| {
        let less = |a: u32, b: u32| good(a) < good(b);
        stream.merge_sort(x, less).into(inner!(y))
    });
}

/// A launch of one tile: no other block ends the threads that wait.
#[test]
fn in_a_single_tile() {
    for device in devices() {
        let stream = device.stream().expect("a stream");
        let x = device.upload(&[200u8, 100, 1]).expect("memory");
        let mut y = device.zeroed(3).expect("memory");
        let add = |a: u8, b: u8| a.checked_add(b).expect("a sum below 256");
        let queued = stream.inclusive_scan(&x, add).into(&mut y);
        let error = match (queued, stream.synchronize()) {
            (Err(error), _) => error.to_string(),
            (Ok(()), waited) => waited.expect_err("a panic").to_string(),
        };
        assert!(
            error.contains("a sum below 256"),
            "{}: {error}",
            device.name()
        );
    }
}

#[test]
fn of_segmented_scans() {
    check(|stream, x, [y, ..]| {
        let offsets: Vec<u32> = (0..=LEN as u32).step_by(100).collect();
        let offsets = stream.device().upload(&offsets)?;
        let add = |a: u32, b: u32| good(a).wrapping_add(good(b)) & 0xffff;
        let scan = stream.segmented_inclusive_scan(x, &offsets, add);
        scan.into(inner!(y))
    });
}
