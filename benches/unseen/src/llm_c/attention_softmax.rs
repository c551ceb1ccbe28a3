//! llm.c `softmax_forward` of attention: softmax of the part of each row up to the diagonal, scaled, in one pass for maximum and sum; a warp per row.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "llm_c",
    name: "attention_softmax",
    run,
};

// The rows are raw: lanes of a warp take the elements of a row in turn.
#[kernel(fma)]
fn softmax_autoregressive(
    warp: Warp,
    scale: f32,
    time: u32,
    input: &[f32],
    mut output: DisjointSlice<f32>,
) {
    let time = time as usize;
    let row = (block_idx().x * (block_dim().x / 32) + warp.index()) as usize;
    if row >= input.len() / time {
        return;
    }
    let lane = warp.lane() as usize;
    let own_position = row % time;
    let x = &input[row * time..][..=own_position];

    let (mut largest, mut sum) = (f32::MIN, 0.0);
    for &value in x.iter().skip(lane).step_by(32) {
        let before = largest;
        largest = largest.max(value);
        sum = sum * (scale * (before - largest)).exp() + (scale * (value - largest)).exp();
    }
    let of_row = warp.reduce(largest, f32::max);
    sum *= (scale * (largest - of_row)).exp();
    let factor = 1.0 / warp.reduce(sum, |a, b| a + b);

    assert!((row + 1) * time <= output.len());
    for (c, value) in x.iter().enumerate().skip(lane).step_by(32) {
        let power = (scale * (value - of_row)).exp();
        // SAFETY: within the slice; the lane has this element alone.
        unsafe { *output.raw().add(row * time + c) = power * factor };
    }
}

const SCALE: f32 = 0.125;

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (matrices, time) = [(2, 50), (24, 1024)][scale as usize];
    let n = matrices * time * time;
    let input: Vec<f32> = noise(n, 1).iter().map(|x| 20.0 * x).collect();
    let expected = |at: usize| {
        let (row, c) = (at / time, at % time);
        if c > row % time {
            return 0.0;
        }
        let power = |c: usize| (f64::from(SCALE) * f64::from(input[row * time + c])).exp();
        let sum: f64 = (0..=row % time).map(power).sum();
        (power(c) / sum) as f32
    };
    let mut output = side.sampled(&vec![0.0; n], expected, 1e-6)?;
    let d_input = side.upload(&input)?;
    let blocks = (matrices * time).div_ceil(8) as u32;
    let arguments = arguments![
        &output.buffer,
        SCALE,
        &d_input,
        matrices as i32,
        time as i32
    ];
    // SAFETY: two stacks of square matrices with a factor between, how many matrices, and their order.
    let twin = unsafe { Call::new("softmax_autoregressive", blocks, 256, arguments) };
    side.kernel(
        "softmax_autoregressive",
        vec![twin],
        &mut output,
        |stream, output| {
            let shape = Launch::new(blocks, 256);
            let output = &mut output.buffer;
            Ok(softmax_autoregressive::launch(
                stream,
                shape,
                SCALE,
                time as u32,
                &d_input,
                output,
            )?)
        },
    )
}
