//! The two-point angular correlation: for pairs of directions, into which bin their distance falls; found by binary search, counted by atomics.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "parboil",
    name: "tpacf",
    run,
};

const BINS: usize = 20;

/// A thread per direction of the first set, against all of the second; the block's counts are in shared memory.
#[kernel(fma, block(256))]
fn tpacf(
    i: Index1D,
    block: Block,
    first: &[[f32; 3]],
    second: &[[f32; 3]],
    limits: &[f32],
    histogram: &[std::sync::atomic::AtomicU32],
) {
    use std::sync::atomic::Ordering::Relaxed;
    let counts = shared_array!(u32, BINS + 2);
    if block.thread() < BINS + 2 {
        counts.atomic(block.thread()).store(0, Relaxed);
    }
    block.sync();
    if let Some([x, y, z]) = first.get(i.get()) {
        for other in second {
            let cosine = x * other[0] + y * other[1] + z * other[2];
            // The limits fall: the first that the cosine is not below.
            let (mut low, mut high) = (0, BINS);
            while high > low + 1 {
                let middle = (low + high) / 2;
                if cosine >= limits[middle] {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            let bin = if cosine >= limits[low] {
                low
            } else if cosine < limits[high] {
                high + 1
            } else {
                high
            };
            counts.atomic(bin).fetch_add(1, Relaxed);
        }
    }
    block.sync();
    if block.thread() < BINS + 2 {
        let count = counts.atomic(block.thread()).load(Relaxed);
        histogram[block.thread()].fetch_add(count, Relaxed);
    }
}

fn directions(count: usize, seed: u32) -> Vec<[f32; 3]> {
    let [x, y, z] = [seed, seed + 1, seed + 2].map(|seed| noise(count, seed));
    let direction = |at: usize| {
        let length = (x[at] * x[at] + y[at] * y[at] + z[at] * z[at])
            .sqrt()
            .max(1e-6);
        [x[at] / length, y[at] / length, z[at] / length]
    };
    (0..count).map(direction).collect()
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (n, m) = [(300, 50), (1 << 15, 1 << 12)][scale as usize];
    let (first, second) = (directions(n, 1), directions(m, 4));
    // Arcs of equal length: from 0 to a half turn.
    let limit = |k: usize| (std::f64::consts::PI * k as f64 / BINS as f64).cos() as f32;
    let limits: Vec<f32> = (0..=BINS).map(limit).collect();
    let mut expected = vec![0u32; BINS + 2];
    for [x, y, z] in &first {
        for [u, v, w] in &second {
            // Contracted as both sides are: a cosine near 1 is on one side of the first limit or on the other.
            let cosine = z.mul_add(*w, y.mul_add(*v, x * u));
            expected[limits.iter().position(|l| cosine >= *l).unwrap_or(BINS + 1)] += 1;
        }
    }
    let mut histogram = side.output(&[0; BINS + 2], expected, 1e-3)?;
    let (d_first, d_second) = (side.upload(&first)?, side.upload(&second)?);
    let d_limits = side.upload(&limits)?;
    let blocks = n.div_ceil(256) as u32;
    let out = &histogram.buffer;
    let arguments = arguments![&d_first, &d_second, &d_limits, out, n as i32, m as i32];
    // SAFETY: directions of three floats, 21 limits, 22 counts, and how many directions there are.
    let twin = unsafe { Call::new("tpacf", blocks, 256, arguments) };
    side.kernel("tpacf", vec![twin], &mut histogram, |stream, histogram| {
        let (shape, histogram) = (Launch::new(blocks, 256), histogram.buffer.as_atomic());
        Ok(tpacf::launch(
            stream, shape, &d_first, &d_second, &d_limits, histogram,
        )?)
    })
}
