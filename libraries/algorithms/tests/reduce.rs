//! Reductions against the same on the host.

use crate::{check, noise};
use warploom_algorithms::counting;
use warploom_algorithms::prelude::*;

#[test]
fn sums_of_every_kind_of_length() {
    for n in [0, 1, 2, 31, 255, 256, 257, 4095, 4096, 4097, 8192, 100_003] {
        let x = noise(n);
        let expected = x.iter().fold(7u32, |a, &b| a.wrapping_add(b));
        check(&[expected], |device, stream| {
            let x = device.upload(&x)?;
            let sum = stream.reduce(&x, 7, u32::wrapping_add).to_host()?;
            Ok(vec![sum])
        });
    }
}

#[test]
fn dot_product_of_two_slices() {
    let (x, y) = (noise(5000), noise(6000));
    let expected = x
        .iter()
        .zip(&y)
        .map(|(&x, &y)| u64::from(x) * u64::from(y) % 1000)
        .sum::<u64>();
    check(&[expected], |device, stream| {
        let (x, y) = (device.upload(&x)?, device.upload(&y)?);
        let products = x
            .input()
            .zip(&y)
            .map(|(x, y)| u64::from(x) * u64::from(y) % 1000);
        Ok(vec![stream.reduce(products, 0, |a, b| a + b).to_host()?])
    });
}

#[test]
fn elements_by_number_in_reverse() {
    check(&[99 - 3], |device, stream| {
        let (x, places) = (device.upload(&noise(9))?, device.upload(&[3u32, 5, 7])?);
        let _ = x.input().permute(&places);
        let far = counting(100)
            .rev()
            .step_by(3)?
            .map(|i| if i == 96 { i } else { 0 });
        Ok(vec![stream.reduce(far, 0, |a, b| a.max(b)).to_host()?])
    });
}

/// Words of 32 bits are loaded four at once, if the slice begins at a multiple of 16 bytes.
#[test]
fn sums_of_floats_have_the_same_bits_wherever_the_slice_begins() {
    let x: Vec<f32> = noise(20_011)
        .iter()
        .map(|x| 1.0 / (1 + x % 1009) as f32)
        .collect();
    check(&[1u32], |device, stream| {
        let mut sums = vec![];
        for start in 0..5 {
            let all = device.upload(&[&vec![1e9; start], &x[..]].concat())?;
            let part = all.slice(start..)?;
            sums.push(stream.reduce(part, 0.0, |a, b| a + b).to_host()?.to_bits());
        }
        Ok(vec![u32::from(sums.iter().all(|&sum| sum == sums[0]))])
    });
}
