//! How often the values of each of 256 bins come.

use warploom_algorithms::prelude::*;

use super::{Row, Size};
use crate::bench::{Bench, Done, Work};
use crate::data::{Entropy, elements};

pub(crate) const ROWS: &[Row] = &[
    Row {
        algorithm: "histogram",
        of: "u8",
        entropies: Entropy::ALL,
        run: of_bytes,
    },
    Row {
        algorithm: "histogram",
        of: "f32",
        entropies: Entropy::ALL,
        run: of_floats,
    },
    Row {
        algorithm: "histogram_range",
        of: "f32",
        entropies: Entropy::ALL,
        run: between_borders,
    },
    Row {
        algorithm: "multi_histogram_even",
        of: "u8",
        entropies: Entropy::ALL,
        run: of_channels,
    },
];

/// By plain Rust.
fn counts(bins: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut counts = vec![0; 256];
    for bin in bins {
        counts[bin] += 1;
    }
    counts
}

fn of_bytes(bench: &mut Bench, size: Size) -> Done {
    let x = bench.input::<u8>(size, 0)?;
    bench.compare(
        &Work {
            peer: "cub_histogram_u8",
            inputs: &[x.raw_ptr()],
            m: 0,
            bytes: size.n,
            plan_bytes: 0,
            tolerance: 0.0,
        },
        |device| device.zeroed::<u32>(256),
        |stream, _, y| stream.histogram(x.input().map(u32::from)).into(y),
        |stream, _, y| y.to_vec(stream),
        || counts(elements::<u8>(size, 0).into_iter().map(usize::from)),
    )
}

fn of_floats(bench: &mut Bench, size: Size) -> Done {
    let bin = |x: f32| (x * 256.0) as u32;
    let x = bench.input::<f32>(size, 0)?;
    bench.compare(
        &Work {
            peer: "cub_histogram_f32",
            inputs: &[x.raw_ptr()],
            m: 0,
            bytes: 4 * size.n,
            plan_bytes: 0,
            tolerance: 0.0,
        },
        |device| device.zeroed::<u32>(256),
        |stream, _, y| stream.histogram(x.input().map(bin)).into(y),
        |stream, _, y| y.to_vec(stream),
        || counts(elements(size, 0).into_iter().map(|x| bin(x) as usize)),
    )
}

/// Borders at the squares of multiples of 1/256: the first bins are narrow.
fn between_borders(bench: &mut Bench, size: Size) -> Done {
    let borders: Vec<f32> = (0..=256u16)
        .map(|i| (f32::from(i) / 256.0).powi(2))
        .collect();
    let x = bench.input::<f32>(size, 0)?;
    let levels = bench.device().upload(&borders)?;
    bench.compare(
        &Work {
            peer: "cub_histogram_range_f32",
            inputs: &[x.raw_ptr(), levels.raw_ptr()],
            m: borders.len() as u64,
            bytes: 4 * size.n,
            plan_bytes: 0,
            tolerance: 0.0,
        },
        |device| device.zeroed::<u32>(256),
        |stream, _, y| stream.histogram_range(&x, &levels).into(y),
        |stream, _, y| y.to_vec(stream),
        || {
            let bin = |x: f32| borders.partition_point(|border| *border <= x) - 1;
            counts(elements::<f32>(size, 0).into_iter().map(bin))
        },
    )
}

/// Three of the four bytes of each word.
fn of_channels(bench: &mut Bench, size: Size) -> Done {
    let x = bench.input::<u32>(size, 0)?;
    bench.compare(
        &Work {
            peer: "cub_multi_histogram_u8",
            inputs: &[x.raw_ptr()],
            m: 0,
            bytes: 4 * size.n,
            plan_bytes: 0,
            tolerance: 0.0,
        },
        |device| {
            let counts = || device.zeroed::<u32>(256);
            Ok((counts()?, counts()?, counts()?))
        },
        |stream, _, (a, b, c)| {
            let pixels = x.input().map(u32::to_le_bytes);
            let bounds = [0..256, 0..256, 0..256];
            stream.multi_histogram_even(pixels, bounds).into([a, b, c])
        },
        |stream, _, (a, b, c)| Ok((a.to_vec(stream)?, b.to_vec(stream)?, c.to_vec(stream)?)),
        || {
            let x = elements::<u32>(size, 0);
            let of = |channel: usize| counts(x.iter().map(|x| x.to_le_bytes()[channel].into()));
            (of(0), of(1), of(2))
        },
    )
}
