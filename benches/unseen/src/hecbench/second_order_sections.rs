//! HeCBench `sosfil`: a chain of filters of second order, one signal per thread; each filter keeps two values between samples.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "second_order_sections",
    run,
};

/// Filters of the chain.
const SECTIONS: usize = 4;

/// Samples of a signal lie a row of signals apart, so that threads read neighbours; those of a thread are its elements in strides of the grid.
#[kernel(fma)]
fn filter(
    i: Index1D,
    coefficients: &[[f32; 6]],
    start: &[[f32; 2]],
    input: &[f32],
    mut output: DisjointSlice<f32, GridStride>,
) {
    let mut state = [[0.0; 2]; SECTIONS];
    for (state, start) in state.iter_mut().zip(start) {
        *state = *start;
    }
    for (at, output) in output.iter_mut(i) {
        let mut x = input[at];
        for (state, &[b0, b1, b2, _, a1, a2]) in state.iter_mut().zip(coefficients) {
            let y = b0 * x + state[0];
            state[0] = b1 * x - a1 * y + state[1];
            state[1] = b2 * x - a2 * y;
            x = y;
        }
        *output = x;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (signals, samples) = [(256, 40), (1 << 15, 256)][scale as usize];
    let values = noise(SECTIONS * 8, 1);
    // Poles within half of the unit circle, so that filters are stable.
    let coefficients: Vec<[f32; 6]> = values
        .chunks(8)
        .map(|v| [v[0], v[1], v[2], 1.0, 0.5 * v[3], 0.2 * v[4]])
        .collect();
    let start: Vec<[f32; 2]> = values.chunks(8).map(|v| [v[5], v[6]]).collect();
    let input = noise(signals * samples, 2);
    let expected = |at: usize| {
        let (signal, last) = (at % signals, at / signals);
        let mut states: Vec<[f64; 2]> = start.iter().map(|s| s.map(f64::from)).collect();
        let mut x = 0.0;
        for sample in 0..=last {
            x = f64::from(input[sample * signals + signal]);
            for (state, c) in states.iter_mut().zip(&coefficients) {
                let [b0, b1, b2, _, a1, a2] = c.map(f64::from);
                let y = b0 * x + state[0];
                *state = [b1 * x - a1 * y + state[1], b2 * x - a2 * y];
                x = y;
            }
        }
        x as f32
    };
    let mut output = side.sampled(&vec![f32::NAN; signals * samples], expected, 1e-5)?;
    let (d_coefficients, d_start) = (side.upload(&coefficients)?, side.upload(&start)?);
    let d_input = side.upload(&input)?;
    let blocks = (signals / 128) as u32;
    let arguments = arguments![
        &d_coefficients,
        &d_start,
        &d_input,
        &output.buffer,
        signals as i32,
        samples as i32
    ];
    // SAFETY: six numbers and two for each filter, two arrays of samples, how many signals there are, how many samples of each.
    let twin = unsafe { Call::new("filter", blocks, 128, arguments) };
    side.kernel("filter", vec![twin], &mut output, |stream, output| {
        let shape = Launch::new(blocks, 128);
        let output = &mut output.buffer;
        Ok(filter::launch(
            stream,
            shape,
            &d_coefficients,
            &d_start,
            &d_input,
            output,
        )?)
    })
}
