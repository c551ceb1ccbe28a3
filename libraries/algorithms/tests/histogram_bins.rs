//! Histograms of samples in bins against the same on the host.

use warploom_algorithms::Error;
use warploom_algorithms::prelude::*;

use crate::{LENGTHS, check, noise};

/// Pixels of four bytes, of which the second channel has few values.
fn pixels(n: usize) -> Vec<u32> {
    noise(n).iter().map(|x| x & 0xffff_03ff).collect()
}

#[test]
fn three_of_four_channels_in_bins_of_equal_width() {
    for n in LENGTHS {
        let mut expected = vec![0; 256 + 7 + 10_000];
        for [r, g, b, _] in pixels(n).iter().map(|x| x.to_le_bytes()) {
            expected[usize::from(r)] += 1;
            if g < 3 {
                expected[256 + usize::from(g) * 7 / 3] += 1;
            }
            expected[263 + usize::from(b) * 10_000 / 300] += 1;
        }
        check(&expected, |device, stream| {
            let x = device.upload(&pixels(n))?;
            let (mut r, mut g) = (device.filled(256, 5)?, device.zeroed(7)?);
            let mut b = device.zeroed(10_000)?;
            let pixels = x.input().map(u32::to_le_bytes);
            stream
                .multi_histogram_even(pixels, [0..256, 0..3, 0..300])
                .into([&mut r, &mut g, &mut b])?;
            let mut all = r.to_vec(stream)?;
            all.extend(g.to_vec(stream)?);
            all.extend(b.to_vec(stream)?);
            Ok(all)
        });
    }
}

/// Ranges that begin before the numbers of the type, end behind them, and have part of them.
#[test]
fn three_channels_whose_bins_have_widths_of_powers_of_two() {
    for n in [1, 4095, 4096, 4097, 70_001] {
        let ranges = [(-64i64, 128, 3), (192, 320, 16), (16, 80, 64)];
        let mut expected = vec![0; 3 + 16 + 64];
        for pixel in pixels(n).iter().map(|x| x.to_le_bytes()) {
            let mut start = 0;
            for ((lower, upper, bins), x) in ranges.into_iter().zip(pixel) {
                if (lower..upper).contains(&x.into()) {
                    let bin = (i64::from(x) - lower) * bins / (upper - lower);
                    expected[start + bin as usize] += 1;
                }
                start += bins as usize;
            }
        }
        check(&expected, |device, stream| {
            let x = device.upload(&pixels(n))?;
            let (mut r, mut g) = (device.filled(3, 5)?, device.zeroed(16)?);
            let mut b = device.zeroed(64)?;
            stream
                .multi_histogram_even(
                    x.input().map(u32::to_le_bytes),
                    ranges.map(|(lower, upper, _)| lower..upper),
                )
                .into([&mut r, &mut g, &mut b])?;
            Ok([r.to_vec(stream)?, g.to_vec(stream)?, b.to_vec(stream)?].concat())
        });
    }
}

#[test]
fn bins_of_two_channels_that_fill_shared_memory_and_one_more() {
    let x = pixels(20_000);
    for more in [0, 1] {
        let (of_first, of_second) = (5000, 3192 + more);
        let of = |pixel: u32| [pixel >> 19, pixel >> 3 & 4095];
        let mut expected = vec![0; of_first + of_second];
        for [first, second] in x.iter().map(|pixel| of(*pixel)) {
            if first < of_first as u32 {
                expected[first as usize] += 1;
            }
            if second < of_second as u32 {
                expected[of_first + second as usize] += 1;
            }
        }
        check(&expected, |device, stream| {
            let x = device.upload(&x)?;
            let (mut a, mut b) = (device.zeroed(of_first)?, device.filled(of_second, 7)?);
            let bounds = [0..of_first as i64, 0..of_second as i64];
            let pixels = x.input().map(of);
            let even = stream.multi_histogram_even(pixels, bounds);
            even.into([&mut a, &mut b])?;
            Ok([a.to_vec(stream)?, b.to_vec(stream)?].concat())
        });
    }
}

#[test]
fn two_channels_between_borders() {
    let n = 30_000;
    let borders = [vec![0.0f32, 0.1, 0.5, 0.5, 0.75], vec![-1.0, 0.25]];
    let x: Vec<[f32; 2]> = noise(2 * n)
        .chunks(2)
        .map(|x| [x[0], x[1]].map(|x| (x >> 20) as f32 / 4096.0))
        .chain([[f32::NAN, -2.0], [0.75, 0.25], [-0.0, -1.0]])
        .collect();
    let mut expected = vec![0; 5];
    for pixel in &x {
        for (channel, first) in [(0, 0), (1, 4)] {
            let of = |bounds: &[f32]| bounds[0] <= pixel[channel] && pixel[channel] < bounds[1];
            if let Some(bin) = borders[channel].windows(2).position(of) {
                expected[first + bin] += 1;
            }
        }
    }
    check(&expected, |device, stream| {
        let x = device.upload(&x)?;
        let borders = [device.upload(&borders[0])?, device.upload(&borders[1])?];
        let (mut first, mut second) = (device.zeroed(4)?, device.zeroed(1)?);
        stream
            .multi_histogram_range(&x, [borders[0].as_slice(), borders[1].as_slice()])
            .into([&mut first, &mut second])?;
        let mut all = first.to_vec(stream)?;
        all.extend(second.to_vec(stream)?);
        Ok(all)
    });
}

#[test]
fn one_channel_of_floats() {
    let x: Vec<f64> = noise(9000).iter().map(|&x| f64::from(x) - 2e9).collect();
    let mut expected = vec![0; 100];
    for x in x.iter().filter(|x| (-1e9..1.5e9).contains(*x)) {
        expected[((x + 1e9) * (100.0 / 2.5e9)) as usize] += 1;
    }
    check(&expected, |device, stream| {
        let (x, mut counts) = (device.upload(&x)?, device.zeroed(100)?);
        stream.histogram_even(&x, -1e9..1.5e9).into(&mut counts)?;
        Ok(counts.to_vec(stream)?)
    });
}

#[test]
fn borders_that_do_not_fit_the_counts_are_an_error() -> Result<(), Error> {
    let device = warploom::Device::emulator();
    let stream = device.stream()?;
    let (x, borders, mut counts) = (
        device.upload(&[1u8])?,
        device.upload(&[0u8])?,
        device.zeroed(2)?,
    );
    let histogram = stream.histogram_range(&x, &borders);
    let error = histogram.into(&mut counts).expect_err("an error");
    assert_eq!(
        error.to_string(),
        "the list of borders without the last has 0 elements and the output of a histogram has 2; they must be as many"
    );
    Ok(())
}
