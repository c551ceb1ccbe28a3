//! HeCBench's `scan3`: for each float the sum of those before it.

use warploom_algorithms::prelude::*;

use crate::bench::{Bench, Done, near};
use crate::noise::noise;

pub(crate) fn run(bench: &Bench, n: usize) -> Done {
    let input: Vec<f32> = noise(n).map(|x| x as f32 / 16_777_216.0).collect();
    let (x, mut sums) = (bench.device.upload(&input)?, bench.device.zeroed(n)?);
    bench.time("float", || {
        // ANCHOR: algorithm
        let before = bench.stream.exclusive_scan(&x, 0.0, |a, b| a + b);
        before.into(&mut sums)
        // ANCHOR_END: algorithm
    })?;

    let mut sum = 0.0f64;
    let before = |x: &f32| {
        let before = sum as f32;
        sum += f64::from(*x);
        before
    };
    let expected: Vec<f32> = input.iter().map(before).collect();
    near("sums", &sums.to_vec(&bench.stream)?, &expected, 1e-4)
}
