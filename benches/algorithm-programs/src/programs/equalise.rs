//! A histogram equaliser: spreads the grey values of a picture, so that each is about equally frequent.

use warploom::prelude::*;
use warploom_algorithms::Error;
use warploom_algorithms::prelude::*;

use crate::bench::{Bench, Done, same};
use crate::noise::noise;

// ANCHOR: algorithm
fn equalise(
    stream: &Stream,
    pixels: &DeviceBuffer<u8>,
    out: &mut DeviceBuffer<u8>,
) -> Result<(), Error> {
    let (pool, n) = (stream.device().pool()?, pixels.len().max(1) as u64);
    let mut counts = pool.alloc_uninit(256, stream)?;
    stream.histogram(pixels).into(&mut counts)?;
    let mut up_to = pool.alloc_uninit(256, stream)?;
    let sums = stream.inclusive_scan(&counts, |a, b| a + b);
    sums.into(&mut up_to)?;
    let spread = up_to
        .input()
        .map(move |count: u32| (u64::from(count) * 255 / n) as u8);
    let mut table = pool.alloc_uninit(256, stream)?;
    stream.transform(spread).into(&mut table)?;
    stream.gather(&table, pixels).into(out)
}
// ANCHOR_END: algorithm

pub(crate) fn run(bench: &Bench, n: usize) -> Done {
    // Most of them dark.
    let pixels: Vec<u8> = noise(n)
        .map(|x| ((x >> 24) * ((x >> 16) & 255) / 256) as u8)
        .collect();
    let (x, mut y) = (bench.device.upload(&pixels)?, bench.device.zeroed(n)?);
    bench.time("u8", || equalise(&bench.stream, &x, &mut y))?;

    let mut counts = [0u64; 256];
    for &pixel in &pixels {
        counts[pixel as usize] += 1;
    }
    let up_to = |pixel: u8| counts[..=pixel as usize].iter().sum::<u64>();
    let table: Vec<u64> = (0..=255)
        .map(|pixel| up_to(pixel) * 255 / n.max(1) as u64)
        .collect();
    let expected: Vec<u8> = pixels
        .iter()
        .map(|&pixel| table[pixel as usize] as u8)
        .collect();
    same("pixels", &y.to_vec(&bench.stream)?, &expected)
}
