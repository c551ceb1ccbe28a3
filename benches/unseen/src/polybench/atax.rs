//! `y = Aᵀ (A x)`: a product with the rows, then one with the columns of the matrix.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "atax",
    run,
};

/// A thread per row.
#[kernel(fma)]
fn atax_kernel1(i: Index1D, n: usize, a: &[f32], x: &[f32], mut tmp: DisjointSlice<f32>) {
    if let Some(tmp) = tmp.get_mut(i) {
        let row = &a[i.get() * n..][..n];
        *tmp = row.iter().zip(x).map(|(a, x)| a * x).sum();
    }
}

/// A thread per column.
#[kernel(fma)]
fn atax_kernel2(j: Index1D, n: usize, a: &[f32], tmp: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(j) {
        let mut sum = 0.0;
        for (i, t) in tmp.iter().enumerate() {
            sum += a[i * n + j.get()] * t;
        }
        *y = sum;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [100, 4096][scale as usize];
    let (a, x) = (noise(n * n, 1), noise(n, 2));
    let mut expected_tmp = vec![0.0; n];
    let mut expected_y = vec![0.0; n];
    for i in 0..n {
        expected_tmp[i] = (0..n).map(|j| a[i * n + j] * x[j]).sum();
        for j in 0..n {
            expected_y[j] += a[i * n + j] * expected_tmp[i];
        }
    }

    let (d_a, d_x) = (side.upload(&a)?, side.upload(&x)?);
    let mut tmp = side.output(&vec![f32::NAN; n], expected_tmp, 1e-4)?;
    let mut y = side.output(&vec![f32::NAN; n], expected_y, 1e-3)?;
    let blocks = n.div_ceil(256) as u32;
    let shape = Launch::new(blocks, 256);

    let arguments = arguments![&d_a, &d_x, &tmp.buffer, n as i32];
    // SAFETY: a matrix, two vectors of its order, and the order.
    let twin = unsafe { Call::new("atax_kernel1", blocks, 256, arguments) };
    side.kernel("atax_kernel1", vec![twin], &mut tmp, |stream, tmp| {
        Ok(atax_kernel1::launch(
            stream,
            shape,
            n,
            &d_a,
            &d_x,
            &mut tmp.buffer,
        )?)
    })?;

    let arguments = arguments![&d_a, &tmp.buffer, &y.buffer, n as i32];
    // SAFETY: as above.
    let twin = unsafe { Call::new("atax_kernel2", blocks, 256, arguments) };
    side.kernel("atax_kernel2", vec![twin], &mut y, |stream, y| {
        Ok(atax_kernel2::launch(
            stream,
            shape,
            n,
            &d_a,
            &tmp.buffer,
            &mut y.buffer,
        )?)
    })
}
