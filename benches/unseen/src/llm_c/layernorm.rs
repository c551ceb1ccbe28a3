//! llm.c `layernorm_forward` and `layernorm_backward`: a warp normalises a row; backwards it also adds to the gradients that all rows share.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "llm_c",
    name: "layernorm",
    run,
};

const EPSILON: f32 = 1e-5;

// The rows are raw: lanes of a warp take the elements of a row in turn.
#[kernel(fma)]
fn layernorm_forward(
    warp: Warp,
    channels: u32,
    input: &[f32],
    weight: &[f32],
    bias: &[f32],
    mut output: DisjointSlice<f32>,
    mut mean: DisjointSlice<f32, PerWarp>,
    mut rstd: DisjointSlice<f32, PerWarp>,
) {
    let channels = channels as usize;
    let warps_per_block = (block_dim().x / 32) as usize;
    let row = block_idx().x as usize * warps_per_block + warp.index() as usize;
    let Some(x) = input.chunks_exact(channels).nth(row) else {
        return;
    };
    let lane = warp.lane() as usize;
    let sum: f32 = x.iter().skip(lane).step_by(32).sum();
    let m = warp.reduce(sum, |a, b| a + b) / channels as f32;
    let squares: f32 = x
        .iter()
        .skip(lane)
        .step_by(32)
        .map(|x| (x - m) * (x - m))
        .sum();
    let s = (warp.reduce(squares, |a, b| a + b) / channels as f32 + EPSILON).rsqrt();
    if let Some(leader) = warp.leader() {
        if let Some(mean) = mean.get_mut(leader) {
            *mean = m;
        }
        if let Some(rstd) = rstd.get_mut(leader) {
            *rstd = s;
        }
    }
    assert!((row + 1) * channels <= output.len());
    for c in (lane..channels).step_by(32) {
        let normal = s * (x[c] - m);
        // SAFETY: within the slice; the lane has this element alone.
        unsafe { *output.raw().add(row * channels + c) = normal * weight[c] + bias[c] };
    }
}

// The rows are raw, as above.
#[kernel(fma)]
fn layernorm_backward(
    warp: Warp,
    channels: u32,
    d_output: &[f32],
    input: &[f32],
    weight: &[f32],
    mean: &[f32],
    rstd: &[f32],
    mut d_input: DisjointSlice<f32>,
    d_weight: &[AtomicF32],
    d_bias: &[AtomicF32],
) {
    let channels = channels as usize;
    let row = (block_idx().x * (block_dim().x / 32) + warp.index()) as usize;
    if row >= mean.len() {
        return;
    }
    let d_output = &d_output[row * channels..(row + 1) * channels];
    let input = &input[row * channels..(row + 1) * channels];
    let (mean, rstd) = (mean[row], rstd[row]);
    let own = || (warp.lane() as usize..channels).step_by(32);
    let (mut d_norm_mean, mut d_norm_normal_mean) = (0.0, 0.0);
    for c in own() {
        let normal = (input[c] - mean) * rstd;
        let d_normal = weight[c] * d_output[c];
        d_norm_mean += d_normal;
        d_norm_normal_mean += d_normal * normal;
    }
    let d_norm_mean = warp.reduce(d_norm_mean, |a, b| a + b) / channels as f32;
    let d_norm_normal_mean = warp.reduce(d_norm_normal_mean, |a, b| a + b) / channels as f32;
    assert!((row + 1) * channels <= d_input.len());
    for c in own() {
        let normal = (input[c] - mean) * rstd;
        let d_normal = weight[c] * d_output[c];
        d_bias[c].fetch_add(d_output[c]);
        d_weight[c].fetch_add(normal * d_output[c]);
        let change = (d_normal - d_norm_mean - normal * d_norm_normal_mean) * rstd;
        // SAFETY: within the slice; the lane has this element alone.
        unsafe { *d_input.raw().add(row * channels + c) += change };
    }
}

/// Mean and reciprocal deviation of a row.
fn moments(row: &[f32]) -> (f64, f64) {
    let n = row.len() as f64;
    let mean = row.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
    let squares: f64 = row.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum();
    (mean, 1.0 / (squares / n + f64::from(EPSILON)).sqrt())
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (rows, channels) = [(37, 100), (8192, 768)][scale as usize];
    let n = rows * channels;
    let (input, d_output) = (noise(n, 1), noise(n, 2));
    let (weight, bias) = (noise(channels, 3), noise(channels, 4));
    let moments: Vec<(f64, f64)> = input.chunks(channels).map(moments).collect();
    let (means, rstds): (Vec<f32>, Vec<f32>) =
        moments.iter().map(|&(m, s)| (m as f32, s as f32)).unzip();
    let normal = |at: usize| {
        let (mean, rstd) = moments[at / channels];
        (f64::from(input[at]) - mean) * rstd
    };
    let expected = |at: usize| {
        (normal(at) * f64::from(weight[at % channels]) + f64::from(bias[at % channels])) as f32
    };

    let (d_input, d_weight, d_bias) = (
        side.upload(&input)?,
        side.upload(&weight)?,
        side.upload(&bias)?,
    );
    let blank = vec![f32::NAN; rows];
    let mut outputs = (
        side.sampled(&vec![f32::NAN; n], expected, 1e-4)?,
        side.output(&blank, means, 1e-5)?,
        side.output(&blank, rstds, 1e-4)?,
    );
    let (blocks, c) = (rows.div_ceil(8) as u32, channels as u32);
    let shape = Launch::new(blocks, 256);
    let (output, mean, rstd) = (&outputs.0.buffer, &outputs.1.buffer, &outputs.2.buffer);
    let arguments = arguments![
        output,
        mean,
        rstd,
        &d_input,
        &d_weight,
        &d_bias,
        rows as i32,
        c as i32
    ];
    // SAFETY: rows, two numbers for each, rows, two vectors as long as a row, how many rows there are, how long they are.
    let twin = unsafe { Call::new("layernorm_forward", blocks, 256, arguments) };
    side.kernel(
        "layernorm_forward",
        vec![twin],
        &mut outputs,
        |stream, (output, mean, rstd)| {
            let (output, mean, rstd) = (&mut output.buffer, &mut mean.buffer, &mut rstd.buffer);
            Ok(layernorm_forward::launch(
                stream, shape, c, &d_input, &d_weight, &d_bias, output, mean, rstd,
            )?)
        },
    )?;

    let (mean, rstd) = (&outputs.1.buffer, &outputs.2.buffer);
    let mut gradients = (vec![0.0; channels], vec![0.0; channels]);
    let mut sums = Vec::new();
    for row in 0..rows {
        let (mut sum, mut sum_normal) = (0.0, 0.0);
        for c in 0..channels {
            let (d, normal) = (
                f64::from(d_output[row * channels + c]),
                normal(row * channels + c),
            );
            gradients.0[c] += d * normal;
            gradients.1[c] += d;
            sum += f64::from(weight[c]) * d;
            sum_normal += f64::from(weight[c]) * d * normal;
        }
        sums.push((sum / channels as f64, sum_normal / channels as f64));
    }
    let expected = |at: usize| {
        let (row, c) = (at / channels, at % channels);
        let d_normal = f64::from(weight[c]) * f64::from(d_output[at]);
        ((d_normal - sums[row].0 - normal(at) * sums[row].1) * moments[row].1) as f32
    };
    let single = |sums: Vec<f64>| sums.into_iter().map(|x| x as f32).collect();
    let zeros = vec![0.0; channels];
    let mut outputs = (
        side.sampled(&vec![0.0; n], expected, 1e-4)?,
        side.output(&zeros, single(gradients.0), 1e-3)?,
        side.output(&zeros, single(gradients.1), 1e-3)?,
    );
    let d_d_output = side.upload(&d_output)?;
    let (a, b, d) = (&outputs.0.buffer, &outputs.1.buffer, &outputs.2.buffer);
    let arguments = arguments![
        a,
        b,
        d,
        &d_d_output,
        &d_input,
        &d_weight,
        mean,
        rstd,
        rows as i32,
        c as i32
    ];
    // SAFETY: rows, two vectors as long as a row, rows twice, such a vector, two numbers for each row, how many rows, how long.
    let twin = unsafe { Call::new("layernorm_backward", blocks, 256, arguments) };
    side.kernel(
        "layernorm_backward",
        vec![twin],
        &mut outputs,
        |stream, (a, b, d)| {
            let (weights, biases) = (b.buffer.as_atomic(), d.buffer.as_atomic());
            let a = &mut a.buffer;
            Ok(layernorm_backward::launch(
                stream,
                shape,
                c,
                &d_d_output,
                &d_input,
                &d_weight,
                mean,
                rstd,
                a,
                weights,
                biases,
            )?)
        },
    )
}
