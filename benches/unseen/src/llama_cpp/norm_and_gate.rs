//! llama.cpp `rms_norm` and `silu` with the product that gates it.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "llama_cpp",
    name: "norm_and_gate",
    run,
};

const EPSILON: f32 = 1e-6;

// A block has a row, whose elements its threads take in turn: raw.
#[kernel(fma, block(256))]
fn rms_norm(
    block: Block,
    columns: u32,
    x: &[f32],
    mut sums: SharedTile<f32, 256>,
    mut y: DisjointSlice<f32>,
) {
    let columns = columns as usize;
    let (row, thread) = (block.index(), block.thread());
    let x = &x[row * columns..(row + 1) * columns];
    sums.set_own(0, x.iter().skip(thread).step_by(256).map(|x| x * x).sum());
    let mut half = 128;
    let total = loop {
        let all = sums.publish(&block);
        if half == 0 {
            break all[0];
        }
        let sum = all[thread]
            + if thread < half {
                all[thread + half]
            } else {
                0.0
            };
        sums = all.reclaim(&block);
        sums.set_own(0, sum);
        half /= 2;
    };
    let factor = (total / columns as f32 + EPSILON).rsqrt();
    assert!((row + 1) * columns <= y.len());
    for (c, value) in x.iter().enumerate().skip(thread).step_by(256) {
        // SAFETY: within the slice; no other thread has this element.
        unsafe { *y.raw().add(row * columns + c) = factor * value };
    }
}

#[kernel(fma)]
fn silu_mul(i: Index1D, x: &[f32], gate: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = x / (1.0 + (-x).exp()) * gate[i.get()];
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (rows, columns) = [(10, 600), (4096, 4096)][scale as usize];
    let n = rows * columns;
    let (x, gate) = (noise(n, 1), noise(n, 2));
    let factors: Vec<f64> = x
        .chunks(columns)
        .map(|row| {
            let squares: f64 = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
            1.0 / (squares / columns as f64 + f64::from(EPSILON)).sqrt()
        })
        .collect();
    let expected = |at: usize| (factors[at / columns] * f64::from(x[at])) as f32;
    let (d_x, d_gate) = (side.upload(&x)?, side.upload(&gate)?);
    let blank = vec![f32::NAN; n];

    let mut y = side.sampled(&blank, expected, 1e-5)?;
    let arguments = arguments![&d_x, &y.buffer, columns as i32];
    // SAFETY: two matrices with a row for each block, and how long rows are.
    let twin = unsafe { Call::new("rms_norm", rows as u32, 256, arguments) };
    side.kernel("rms_norm", vec![twin], &mut y, |stream, y| {
        let shape = Launch::new(rows as u32, 256);
        Ok(rms_norm::launch(
            stream,
            shape,
            columns as u32,
            &d_x,
            &mut y.buffer,
        )?)
    })?;

    let expected = |at: usize| {
        let x = f64::from(x[at]);
        (x / (1.0 + (-x).exp()) * f64::from(gate[at])) as f32
    };
    let mut y = side.sampled(&blank, expected, 1e-6)?;
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![&d_x, &d_gate, &y.buffer, n as i32];
    // SAFETY: three vectors and their length.
    let twin = unsafe { Call::new("silu_mul", blocks, 256, arguments) };
    side.kernel("silu_mul", vec![twin], &mut y, |stream, y| {
        let shape = Launch::new(blocks, 256);
        Ok(silu_mul::launch(
            stream,
            shape,
            &d_x,
            &d_gate,
            &mut y.buffer,
        )?)
    })
}
