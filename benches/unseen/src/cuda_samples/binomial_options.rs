//! European options by a binomial tree of 2048 steps: a block per option, 16 nodes per thread.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::uniform;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "binomial_options",
    run,
};

const STEPS: usize = 2048;
const THREADS: usize = 128;
const OWN: usize = STEPS / THREADS;

/// What a call is worth when it expires.
fn at_expiry(spot: f32, strike: f32, v_dt: f32, node: usize) -> f32 {
    let value = spot * (v_dt * (2.0 * node as f32 - STEPS as f32)).exp() - strike;
    value.max(0.0)
}

/// A block per option; neighbours exchange the value at the border in each step.
#[kernel(fma, block(128))]
fn binomial_options(
    block: Block,
    spots: &[f32],
    strikes: &[f32],
    v_dts: &[f32],
    ups: &[f32],
    downs: &[f32],
    mut border: SharedTile<f32, { THREADS + 1 }>,
    mut calls: DisjointSlice<f32, PerBlock>,
) {
    let (thread, option) = (block.thread(), block.index());
    let (spot, strike, v_dt) = (spots[option], strikes[option], v_dts[option]);
    let (up, down) = (ups[option], downs[option]);
    let mut call = [0.0; OWN + 1];
    for (i, call) in call.iter_mut().enumerate().take(OWN) {
        *call = at_expiry(spot, strike, v_dt, thread * OWN + i);
    }
    if thread == 0 {
        border.set_own(1, at_expiry(spot, strike, v_dt, STEPS));
    }
    let last = (thread * OWN).saturating_sub(1);
    for i in (1..=STEPS).rev() {
        border.set_own(0, call[0]);
        let all = border.publish(&block);
        call[OWN] = all[thread + 1];
        border = all.reclaim(&block);
        if i > last {
            for j in 0..OWN {
                call[j] = up * call[j + 1] + down * call[j];
            }
        }
    }
    if let Some(value) = block.leader().and_then(|leader| calls.get_mut(leader)) {
        *value = call[0];
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let options = [2, 1024][scale as usize];
    let within = |low: f32, high: f32, seed: u32| -> Vec<f32> {
        uniform(options, seed)
            .iter()
            .map(|u| low + (high - low) * u)
            .collect()
    };
    let (spots, strikes) = (within(5.0, 30.0, 1), within(1.0, 100.0, 2));
    let years = within(0.25, 10.0, 3);
    let (rate, volatility) = (0.06f32, 0.1f32);
    let (mut v_dts, mut ups, mut downs) = (Vec::new(), Vec::new(), Vec::new());
    for years in years {
        let dt = years / STEPS as f32;
        let v_dt = volatility * dt.sqrt();
        let (growth, discount) = ((rate * dt).exp(), (-rate * dt).exp());
        let (u, d) = (v_dt.exp(), (-v_dt).exp());
        let probability = (growth - d) / (u - d);
        v_dts.push(v_dt);
        ups.push(probability * discount);
        downs.push((1.0 - probability) * discount);
    }
    let expected = |option: usize| {
        let at = |node| {
            f64::from(at_expiry(
                spots[option],
                strikes[option],
                v_dts[option],
                node,
            ))
        };
        let mut call: Vec<f64> = (0..=STEPS).map(at).collect();
        for i in (1..=STEPS).rev() {
            for j in 0..i {
                call[j] = f64::from(ups[option]) * call[j + 1] + f64::from(downs[option]) * call[j];
            }
        }
        call[0] as f32
    };
    let expected = (0..options).map(expected).collect();
    let mut calls = side.output(&vec![f32::NAN; options], expected, 2e-3)?;
    let (d_spots, d_strikes) = (side.upload(&spots)?, side.upload(&strikes)?);
    let (d_v_dts, d_ups) = (side.upload(&v_dts)?, side.upload(&ups)?);
    let d_downs = side.upload(&downs)?;
    let arguments = arguments![
        &d_spots,
        &d_strikes,
        &d_v_dts,
        &d_ups,
        &d_downs,
        &calls.buffer
    ];
    // SAFETY: five numbers and a result for each block.
    let twin = unsafe { Call::new("binomial_options", options as u32, 128, arguments) };
    side.kernel(
        "binomial_options",
        vec![twin],
        &mut calls,
        |stream, calls| {
            let (shape, calls) = (Launch::new(options as u32, 128), &mut calls.buffer);
            let (spots, strikes, v_dts) = (&d_spots, &d_strikes, &d_v_dts);
            Ok(binomial_options::launch(
                stream, shape, spots, strikes, v_dts, &d_ups, &d_downs, calls,
            )?)
        },
    )
}
