//! Results that have to be equal bit for bit on all devices.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use warploom::prelude::*;
use warploom::{DeviceBuffer, Result};
use warploom_harness::device_test::check;

/// Runs `body` on the emulator, and expects the same on each device.
#[track_caller]
pub(crate) fn same_everywhere(body: impl Fn(&Device, &Stream) -> Result<Vec<u32>>) -> Vec<u32> {
    let emulator = Device::emulator();
    let stream = emulator.stream().unwrap();
    let expected = body(&emulator, &stream).unwrap();
    assert!(
        expected.iter().any(|&bits| bits != expected[0]),
        "all the same"
    );
    check(&expected, body);
    expected
}

/// The same, as floating-point numbers.
#[track_caller]
pub(crate) fn same_numbers(
    body: impl Fn(&Device, &Stream) -> Result<DeviceBuffer<f32>>,
) -> Vec<f32> {
    let bits = same_everywhere(|device, stream| {
        let numbers = body(device, stream)?.to_vec(stream)?;
        Ok(numbers.into_iter().map(f32::to_bits).collect())
    });
    bits.into_iter().map(f32::from_bits).collect()
}

/// Number `n` of a row of numbers that look random.
pub(crate) fn noise(n: usize) -> u32 {
    let mut x = (n as u32).wrapping_mul(0x9e37_79b9) ^ 0x85eb_ca6b;
    x = (x ^ x >> 15).wrapping_mul(0x2c1b_3c6d);
    x = (x ^ x >> 12).wrapping_mul(0x297a_2d39);
    x ^ x >> 15
}

/// So many numbers of about −8 to 8.
pub(crate) fn numbers(n: usize) -> Vec<f32> {
    (0..n)
        .map(|k| (noise(k) % 4096) as f32 / 256.0 - 8.0)
        .collect()
}
