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
    for bins in [1, 7, 255, 257, 2048, 2049, 5000] {
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
