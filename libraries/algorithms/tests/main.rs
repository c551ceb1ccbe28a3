//! The algorithms against the same on the host: one body per behaviour, on the emulator (checked) and on a GPU where there is one.

mod arg; // the smallest and largest elements, and their places
mod block; // the pieces for kernels
mod by_key; // runs of equal keys
mod deterministic; // floats with the same bits in every order of threads
mod for_each; // functions that change elements
mod graphs; // algorithms in graphs
mod histogram; // how often each number comes
mod histogram_bins; // how many samples are in each bin
mod merge; // two sorted inputs to one
mod merge_sort; // sorting by a comparison
mod names; // what the book names
mod panics; // of closures, in one thread
mod places; // gather, scatter, shuffle
mod programs; // several algorithms each
mod radix_sort; // sort by digits
mod reduce; // all elements to one value
mod scan; // what all elements up to each have
mod search; // many values in a sorted input
mod segmented_reduce; // each segment to one value
mod segmented_scan; // what all elements of a segment up to each have
mod segmented_sort; // many sorts at once
mod select; // the elements for which a predicate holds
mod set_operation; // union, intersection, differences
mod three_way; // each element to one of three parts
mod top_k; // the largest or smallest
mod transform; // each element by itself, or with the one before it

use std::fmt::Debug;

use warploom::{Device, Stream};
use warploom_algorithms::Error;
use warploom_harness::device_test::devices;

/// Lengths around those of warps, blocks and tiles.
const LENGTHS: [usize; 12] = [0, 1, 2, 31, 33, 255, 257, 4095, 4096, 4097, 8193, 70_001];

/// Runs `body` on each device and compares what it gives with `expected`.
#[track_caller]
#[expect(clippy::panic, reason = "that is how a test fails")]
fn check<T: PartialEq + Debug>(
    expected: &[T],
    body: impl Fn(&Device, &Stream) -> Result<Vec<T>, Error>,
) {
    for device in devices() {
        let run = || body(&device, &device.stream()?);
        let result = run().unwrap_or_else(|error| panic!("{}: {error}", device.name()));
        assert_eq!(
            result.len(),
            expected.len(),
            "{}: the length",
            device.name()
        );
        for (i, (result, expected)) in result.iter().zip(expected).enumerate() {
            assert_eq!(result, expected, "{}: element {i}", device.name());
        }
    }
}

/// Numbers without a pattern that an algorithm could depend on.
fn noise(n: usize) -> Vec<u32> {
    let mix = |i: u32| (i ^ (i >> 15)).wrapping_mul(0x2c1b_3c6d);
    (0..n as u32)
        .map(|i| mix(mix(i.wrapping_add(0x9e37_79b9))))
        .collect()
}

/// Lengths around those of warps and of tiles of `tile` elements.
fn lengths(tile: usize) -> [usize; 13] {
    [
        0,
        1,
        2,
        31,
        32,
        33,
        257,
        tile - 1,
        tile,
        tile + 1,
        2 * tile - 1,
        2 * tile,
        2 * tile + 1,
    ]
}
