//! Histograms against the same on the host.

use warploom_algorithms::prelude::*;

use crate::{LENGTHS, check, noise};

#[test]
fn counts_of_bytes() {
    for n in LENGTHS {
        let x: Vec<u8> = noise(n).into_iter().map(|x| (x >> 11) as u8).collect();
        let mut expected = vec![0; 256];
        x.iter().for_each(|&x| expected[usize::from(x)] += 1);
        check(&expected, |device, stream| {
            let (x, mut counts) = (device.upload(&x)?, device.filled(256, 9)?);
            stream.histogram(&x).into(&mut counts)?;
            Ok(counts.to_vec(stream)?)
        });
    }
}

#[test]
fn numbers_above_the_last_bin_are_left_out() {
    for bins in [1, 7, 255, 256, 257, 2048, 2049, 5000] {
        let x = noise(30_000);
        let mut expected = vec![0; bins];
        for x in &x {
            if let Some(count) = expected.get_mut((x >> 19) as usize) {
                *count += 1;
            }
        }
        check(&expected, |device, stream| {
            let (x, mut counts) = (device.upload(&x)?, device.zeroed(bins)?);
            stream
                .histogram(x.input().map(|x| x >> 19))
                .into(&mut counts)?;
            Ok(counts.to_vec(stream)?)
        });
    }
}

/// Bytes are loaded four at once where the first has an address that is a multiple of four.
#[test]
fn bytes_from_any_address_on() {
    let x: Vec<u8> = noise(16_400).into_iter().map(|x| (x >> 9) as u8).collect();
    for (first, n) in [(1, 8192), (2, 8193), (3, 16_384), (4, 16_385), (8, 8191)] {
        let mut expected = vec![0; 512];
        for &x in &x[first..first + n] {
            expected[usize::from(x)] += 1;
            expected[256 + usize::from(x / 2)] += 1;
        }
        check(&expected, |device, stream| {
            let x = device.upload(&x)?;
            let part = x.slice(first..first + n)?;
            let (mut counts, mut halves) = (device.zeroed(256)?, device.zeroed(256)?);
            stream.histogram(part).into(&mut counts)?;
            let even = stream.histogram_even(part, 0..512);
            even.into(&mut halves)?;
            Ok([counts.to_vec(stream)?, halves.to_vec(stream)?].concat())
        });
    }
}
