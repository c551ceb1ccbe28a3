//! The correlation of the columns of a table: means, deviations, standard scores, and the matrix.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "correlation",
    run,
};

const EPS: f32 = 0.005;

/// A thread per column.
#[kernel(fma)]
fn mean_kernel(j: Index1D, m: usize, n: usize, data: &[f32], mut mean: DisjointSlice<f32>) {
    if let Some(mean) = mean.get_mut(j) {
        let column = data[j.get()..].iter().step_by(m);
        *mean = column.sum::<f32>() / n as f32;
    }
}

/// A thread per column.
#[kernel(fma)]
fn std_kernel(
    j: Index1D,
    m: usize,
    n: usize,
    data: &[f32],
    mean: &[f32],
    mut std: DisjointSlice<f32>,
) {
    if let Some(std) = std.get_mut(j) {
        let mean = mean[j.get()];
        let mut sum = 0.0;
        for i in 0..n {
            let off = data[i * m + j.get()] - mean;
            sum += off * off;
        }
        let deviation = (sum / n as f32).sqrt();
        *std = if deviation <= EPS { 1.0 } else { deviation };
    }
}

/// A thread per element: centred, and scaled by the deviation.
#[kernel(fma)]
fn reduce_kernel(at: Index2D, n: usize, mean: &[f32], std: &[f32], mut data: DisjointSlice2D<f32>) {
    let j = at.x();
    if let Some(data) = data.get_mut(at) {
        *data -= mean[j];
        *data /= (n as f32).sqrt() * std[j];
    }
}

/// A thread per column: its products with all later columns, in the matrix on both sides of the diagonal.
#[kernel(fma)]
fn corr_kernel(j: Index1D, m: usize, n: usize, data: &[f32], mut corr: DisjointSlice<f32>) {
    let j1 = j.get();
    if j1 >= m {
        return;
    }
    let corr = corr.raw();
    // SAFETY: the matrix has m rows and columns, and only this thread writes its row and column from the diagonal on. No output type has this shape.
    unsafe { *corr.add(j1 * m + j1) = 1.0 };
    for j2 in j1 + 1..m {
        let sum: f32 = (0..n).map(|i| data[i * m + j1] * data[i * m + j2]).sum();
        // SAFETY: as above.
        unsafe { *corr.add(j1 * m + j2) = sum };
        // SAFETY: as above.
        unsafe { *corr.add(j2 * m + j1) = sum };
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (n, m) = [(30, 36), (1024, 1024)][scale as usize];
    let data = noise(n * m, 1);
    let mut mean = vec![0.0; m];
    let mut std = vec![0.0; m];
    for j in 0..m {
        mean[j] = (0..n).map(|i| data[i * m + j]).sum::<f32>() / n as f32;
        let squares = (0..n).map(|i| (data[i * m + j] - mean[j]).powi(2));
        std[j] = (squares.sum::<f32>() / n as f32).sqrt();
    }
    let scores = (0..n * m).map(|at| (data[at] - mean[at % m]) / ((n as f32).sqrt() * std[at % m]));
    let scores: Vec<f32> = scores.collect();

    let d_data = side.upload(&data)?;
    let mut d_mean = side.output(&vec![f32::NAN; m], mean, 1e-5)?;
    let mut d_std = side.output(&vec![f32::NAN; m], std, 1e-5)?;
    let mut d_scores = side.output(&data, scores, 1e-5)?;
    let (blocks, size) = (m.div_ceil(256) as u32, (m as i32, n as i32));
    let shape = Launch::new(blocks, 256);

    let arguments = arguments![&d_data, &d_mean.buffer, size.0, size.1];
    // SAFETY: a table, a number for each column, and the size.
    let twin = unsafe { Call::new("mean_kernel", blocks, 256, arguments) };
    side.kernel("mean_kernel", vec![twin], &mut d_mean, |stream, mean| {
        Ok(mean_kernel::launch(
            stream,
            shape,
            m,
            n,
            &d_data,
            &mut mean.buffer,
        )?)
    })?;
    let arguments = arguments![&d_data, &d_mean.buffer, &d_std.buffer, size.0, size.1];
    // SAFETY: as above, with two numbers.
    let twin = unsafe { Call::new("std_kernel", blocks, 256, arguments) };
    side.kernel("std_kernel", vec![twin], &mut d_std, |stream, std| {
        let (mean, std) = (&d_mean.buffer, &mut std.buffer);
        Ok(std_kernel::launch(stream, shape, m, n, &d_data, mean, std)?)
    })?;
    let (grid, block) = ((m.div_ceil(32) as u32, n.div_ceil(8) as u32), (32, 8));
    let (mean, std) = (&d_mean.buffer, &d_std.buffer);
    let arguments = arguments![mean, std, &d_scores.buffer, size.0, size.1];
    // SAFETY: as above.
    let twin = unsafe { Call::new("reduce_kernel", grid, block, arguments) };
    side.kernel(
        "reduce_kernel",
        vec![twin],
        &mut d_scores,
        |stream, scores| {
            let scores = scores.buffer.view_2d_mut(m)?;
            Ok(reduce_kernel::launch(
                stream,
                Launch::new(grid, block),
                n,
                mean,
                std,
                scores,
            )?)
        },
    )?;

    let scores = side.download(&d_scores.buffer)?;
    let expected = |at: usize| match (at / m, at % m) {
        (row, column) if row == column => 1.0,
        (row, column) => (0..n)
            .map(|i| scores[i * m + row] * scores[i * m + column])
            .sum(),
    };
    let mut corr = side.sampled(&vec![f32::NAN; m * m], expected, 1e-4)?;
    let arguments = arguments![&d_scores.buffer, &corr.buffer, size.0, size.1];
    // SAFETY: a table, a matrix of its columns, and the size.
    let twin = unsafe { Call::new("corr_kernel", blocks, 256, arguments) };
    side.kernel("corr_kernel", vec![twin], &mut corr, |stream, corr| {
        let (scores, corr) = (&d_scores.buffer, &mut corr.buffer);
        Ok(corr_kernel::launch(stream, shape, m, n, scores, corr)?)
    })
}
