//! European options by Monte Carlo over given normal numbers: a block per option, sums of values and of their squares.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{noise, uniform};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "monte_carlo_block",
    run,
};

/// What a call pays at the end of a path.
fn end_value(spot: f32, strike: f32, normal: f32, drift: f32, volatility: f32) -> f32 {
    let value = spot * (drift + volatility * normal).exp() - strike;
    if value > 0.0 { value } else { 0.0 }
}

/// A block per option: sum and sum of squares over all paths.
#[kernel(fma, block(256))]
fn monte_carlo_one_block(
    block: Block,
    spots: &[f32],
    strikes: &[f32],
    drifts: &[f32],
    volatilities: &[f32],
    normals: &[f32],
    mut sums: SharedTile<f32, 256>,
    mut squares: SharedTile<f32, 256>,
    mut results: DisjointSlice<[f32; 2], PerBlock>,
) {
    let (thread, option) = (block.thread(), block.index());
    let (spot, strike) = (spots[option], strikes[option]);
    let (drift, volatility) = (drifts[option], volatilities[option]);
    let (mut sum, mut square) = (0.0, 0.0);
    for normal in normals.iter().skip(thread).step_by(block.threads()) {
        let value = end_value(spot, strike, *normal, drift, volatility);
        sum += value;
        square += value * value;
    }
    let mut stride = block.threads() / 2;
    while stride > 0 {
        sums.set_own(0, sum);
        squares.set_own(0, square);
        let (all_sums, all_squares) = (sums.publish(&block), squares.publish(&block));
        if thread < stride {
            sum += all_sums[thread + stride];
            square += all_squares[thread + stride];
        }
        sums = all_sums.reclaim(&block);
        squares = all_squares.reclaim(&block);
        stride >>= 1;
    }
    if let Some(result) = block.leader().and_then(|leader| results.get_mut(leader)) {
        *result = [sum, square];
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (options, paths) = [(3, 2000), (1024, 1 << 16)][scale as usize];
    let within = |low: f32, high: f32, seed: u32| -> Vec<f32> {
        uniform(options, seed)
            .iter()
            .map(|u| low + (high - low) * u)
            .collect()
    };
    let (spots, strikes) = (within(5.0, 50.0, 1), within(10.0, 25.0, 2));
    let (drifts, volatilities) = (within(0.01, 0.1, 3), within(0.1, 0.4, 4));
    // Sums of noise are nearly normal.
    let (a, b) = (noise(paths, 5), noise(paths, 6));
    let normals: Vec<f32> = a.iter().zip(&b).map(|(a, b)| (a + b) * 1.2).collect();
    let expected = |option: usize| {
        let (mut sum, mut square) = (0.0f64, 0.0f64);
        for normal in &normals {
            let (drift, volatility) = (drifts[option], volatilities[option]);
            let value = end_value(spots[option], strikes[option], *normal, drift, volatility);
            sum += f64::from(value);
            square += f64::from(value).powi(2);
        }
        [sum as f32, square as f32]
    };
    let nothing = vec![[f32::NAN; 2]; options];
    let expected = (0..options).map(expected).collect();
    let mut results = side.output(&nothing, expected, 1e-4)?;
    let (d_spots, d_strikes) = (side.upload(&spots)?, side.upload(&strikes)?);
    let (d_drifts, d_vols) = (side.upload(&drifts)?, side.upload(&volatilities)?);
    let d_normals = side.upload(&normals)?;
    let out = &results.buffer;
    let arguments = arguments![
        &d_spots,
        &d_strikes,
        &d_drifts,
        &d_vols,
        &d_normals,
        out,
        paths as i32
    ];
    // SAFETY: four numbers and two results per block, the normal numbers, and how many they are.
    let twin = unsafe { Call::new("monte_carlo_one_block", options as u32, 256, arguments) };
    side.kernel(
        "monte_carlo_one_block",
        vec![twin],
        &mut results,
        |stream, results| {
            let (shape, out) = (Launch::new(options as u32, 256), &mut results.buffer);
            let (spots, strikes, drifts, vols) = (&d_spots, &d_strikes, &d_drifts, &d_vols);
            Ok(monte_carlo_one_block::launch(
                stream, shape, spots, strikes, drifts, vols, &d_normals, out,
            )?)
        },
    )
}
