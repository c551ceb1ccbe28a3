//! Rodinia `gaussian`: a step of Gaussian elimination: the multipliers of a column, then the rest of the matrix.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "gaussian",
    run,
};

// The output is raw: a column of a matrix.
#[kernel]
fn fan1(i: Index1D, size: u32, t: u32, a: &[f32], mut m: DisjointSlice<f32>) {
    let (size, t) = (size as usize, t as usize);
    if i.get() >= size - 1 - t {
        return;
    }
    let place = size * (i.get() + t + 1) + t;
    let value = a[place] / a[size * t + t];
    assert!(place < m.len());
    // SAFETY: within the slice; each thread has a row of its own.
    unsafe { m.raw().add(place).write(value) };
}

// Outputs are raw: rows below `t` change by row `t` of the same matrix.
#[kernel(fma)]
fn fan2(
    i: Index2D,
    size: u32,
    t: u32,
    m: &[f32],
    mut a: DisjointSlice<f32>,
    mut b: DisjointSlice<f32>,
) {
    let (size, t) = (size as usize, t as usize);
    // As in the original, x counts rows and y columns.
    if i.x() >= size - 1 - t || i.y() >= size - t {
        return;
    }
    let row = i.x() + t + 1;
    let multiplier = m[size * row + t];
    let (to, from) = (size * row + i.y() + t, size * t + i.y() + t);
    assert!(to < a.len() && row < b.len());
    // SAFETY: within the slices. Each thread changes its own element of rows below `t` and reads one of row `t`, which none changes.
    unsafe {
        *a.raw().add(to) -= multiplier * *a.raw().add(from);
        if i.y() == 0 {
            *b.raw().add(row) -= multiplier * *b.raw().add(t);
        }
    }
}

/// The step that is computed.
const STEP: usize = 3;

fn reference_fan1(n: usize, a: &[f32]) -> Vec<f32> {
    let mut m = vec![0.0; n * n];
    for row in STEP + 1..n {
        m[row * n + STEP] = a[row * n + STEP] / a[STEP * n + STEP];
    }
    m
}

fn reference_fan2(n: usize, m: &[f32], a: &[f32], b: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    for row in STEP + 1..n {
        for column in STEP..n {
            a[row * n + column] -= m[row * n + STEP] * a[STEP * n + column];
        }
        b[row] -= m[row * n + STEP] * b[STEP];
    }
    (a, b)
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [50, 4096][scale as usize];
    let mut a = noise(n * n, 1);
    (0..n).for_each(|k| a[k * n + k] += 4.0);
    let b = noise(n, 2);
    let m = reference_fan1(n, &a);
    let (expected_a, expected_b) = reference_fan2(n, &m, &a, &b);
    let (size, t) = (n as u32, STEP as u32);

    let d_a = side.upload(&a)?;
    let mut multipliers = side.output(&vec![0.0; n * n], m, 1e-5)?;
    let blocks = n.div_ceil(512) as u32;
    let arguments = arguments![&multipliers.buffer, &d_a, size as i32, t as i32];
    // SAFETY: two matrices, their size, the step.
    let twin = unsafe { Call::new("fan1", blocks, 512, arguments) };
    side.kernel("fan1", vec![twin], &mut multipliers, |stream, m| {
        let shape = Launch::new(blocks, 512);
        Ok(fan1::launch(stream, shape, size, t, &d_a, &mut m.buffer)?)
    })?;

    let m = &multipliers.buffer;
    let mut outputs = (
        side.output(&a, expected_a, 1e-5)?,
        side.output(&b, expected_b, 1e-5)?,
    );
    let blocks = n.div_ceil(16) as u32;
    let grid = (blocks, blocks);
    let arguments = arguments![
        m,
        &outputs.0.buffer,
        &outputs.1.buffer,
        size as i32,
        t as i32
    ];
    // SAFETY: two matrices and a vector, their size, the step.
    let twin = unsafe { Call::new("fan2", grid, (16, 16), arguments) };
    side.kernel("fan2", vec![twin], &mut outputs, |stream, (a, b)| {
        let shape = Launch::new(grid, (16, 16));
        Ok(fan2::launch(
            stream,
            shape,
            size,
            t,
            m,
            &mut a.buffer,
            &mut b.buffer,
        )?)
    })
}
