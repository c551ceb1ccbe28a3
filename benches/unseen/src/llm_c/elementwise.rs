//! llm.c `residual_forward`, `gelu_forward` and `gelu_backward`: one element per thread.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "llm_c",
    name: "elementwise",
    run,
};

/// `sqrt(2 / π)`.
const FACTOR: f32 = 0.797_884_6;

#[kernel(fma)]
fn residual_forward(i: Index1D, a: &[f32], b: &[f32], mut sum: DisjointSlice<f32>) {
    if let Some(sum) = sum.get_mut(i) {
        *sum = a[i.get()] + b[i.get()];
    }
}

#[kernel(fma)]
fn gelu_forward(i: Index1D, input: &[f32], mut output: DisjointSlice<f32>) {
    if let Some(output) = output.get_mut(i) {
        let x = input[i.get()];
        let cube = 0.044715 * x * x * x;
        *output = 0.5 * x * (1.0 + (FACTOR * (x + cube)).tanh());
    }
}

#[kernel(fma)]
fn gelu_backward(i: Index1D, input: &[f32], d_output: &[f32], mut d_input: DisjointSlice<f32>) {
    if let Some(d_input) = d_input.get_mut(i) {
        let x = input[i.get()];
        let cube = 0.044715 * x * x * x;
        let argument = FACTOR * (x + cube);
        let tanh = argument.tanh();
        let cosh = argument.cosh();
        let sech = 1.0 / (cosh * cosh);
        let slope = 0.5 * (1.0 + tanh) + x * 0.5 * sech * FACTOR * (1.0 + 3.0 * 0.044715 * x * x);
        *d_input = slope * d_output[i.get()];
    }
}

fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + (f64::from(FACTOR) * (x + 0.044715 * x.powi(3))).tanh())
}

fn gelu_slope(x: f64) -> f64 {
    let tanh = (f64::from(FACTOR) * (x + 0.044715 * x.powi(3))).tanh();
    let inner = f64::from(FACTOR) * (1.0 + 3.0 * 0.044715 * x * x);
    0.5 * (1.0 + tanh) + 0.5 * x * (1.0 - tanh * tanh) * inner
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [1000, 1 << 23][scale as usize];
    let a: Vec<f32> = noise(n, 1).iter().map(|x| 4.0 * x).collect();
    let b = noise(n, 2);
    let (d_a, d_b) = (side.upload(&a)?, side.upload(&b)?);
    let (blocks, blank, len) = (n.div_ceil(256) as u32, vec![f32::NAN; n], n as i32);
    let shape = Launch::new(blocks, 256);

    let mut sum = side.sampled(&blank, |at| a[at] + b[at], 0.0)?;
    // SAFETY: three vectors and their length.
    let twin = unsafe {
        Call::new(
            "residual_forward",
            blocks,
            256,
            arguments![&sum.buffer, &d_a, &d_b, len],
        )
    };
    side.kernel("residual_forward", vec![twin], &mut sum, |stream, sum| {
        Ok(residual_forward::launch(
            stream,
            shape,
            &d_a,
            &d_b,
            &mut sum.buffer,
        )?)
    })?;

    let mut output = side.sampled(&blank, |at| gelu(f64::from(a[at])) as f32, 1e-5)?;
    // SAFETY: two vectors and their length.
    let twin = unsafe {
        Call::new(
            "gelu_forward",
            blocks,
            256,
            arguments![&output.buffer, &d_a, len],
        )
    };
    side.kernel("gelu_forward", vec![twin], &mut output, |stream, output| {
        Ok(gelu_forward::launch(
            stream,
            shape,
            &d_a,
            &mut output.buffer,
        )?)
    })?;

    let expected = |at: usize| (gelu_slope(f64::from(a[at])) * f64::from(b[at])) as f32;
    let mut d_input = side.sampled(&blank, expected, 1e-5)?;
    // SAFETY: three vectors and their length.
    let twin = unsafe {
        Call::new(
            "gelu_backward",
            blocks,
            256,
            arguments![&d_input.buffer, &d_a, &d_b, len],
        )
    };
    side.kernel(
        "gelu_backward",
        vec![twin],
        &mut d_input,
        |stream, d_input| {
            Ok(gelu_backward::launch(
                stream,
                shape,
                &d_a,
                &d_b,
                &mut d_input.buffer,
            )?)
        },
    )
}
