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
