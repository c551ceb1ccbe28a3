//! The algorithms against the same on the host: one body per behaviour, on the emulator (checked) and on a GPU where there is one.

mod reduce; // all elements to one value

use std::fmt::Debug;

use warploom::{Device, Stream};
use warploom_algorithms::Error;
use warploom_harness::device_test::devices;

/// Runs `body` on each device and compares what it gives with `expected`.
#[track_caller]
fn check<T: PartialEq + Debug>(
    expected: &[T],
    body: impl Fn(&Device, &Stream) -> Result<Vec<T>, Error>,
) {
    for device in devices() {
        let stream = device.stream().expect("a stream");
        let result =
            body(&device, &stream).unwrap_or_else(|error| panic!("{}: {error}", device.name()));
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
