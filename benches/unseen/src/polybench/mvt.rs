//! `x1 += A y1` and `x2 += Aᵀ y2`.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "mvt",
    run,
};

/// A thread per row.
#[kernel(fma)]
fn mvt_kernel1(i: Index1D, n: usize, a: &[f32], y: &[f32], mut x: DisjointSlice<f32>) {
    if let Some(x) = x.get_mut(i) {
        for (j, y) in y.iter().enumerate() {
            *x += a[i.get() * n + j] * y;
        }
    }
}

/// A thread per column.
#[kernel(fma)]
fn mvt_kernel2(i: Index1D, n: usize, a: &[f32], y: &[f32], mut x: DisjointSlice<f32>) {
    if let Some(x) = x.get_mut(i) {
        for (j, y) in y.iter().enumerate() {
            *x += a[j * n + i.get()] * y;
        }
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [120, 4096][scale as usize];
    let (a, y1, y2) = (noise(n * n, 1), noise(n, 2), noise(n, 3));
    let (x1, x2) = (noise(n, 4), noise(n, 5));
    let (mut expected_1, mut expected_2) = (x1.clone(), x2.clone());
    for i in 0..n {
        for j in 0..n {
            expected_1[i] += a[i * n + j] * y1[j];
            expected_2[j] += a[i * n + j] * y2[i];
        }
    }

    let (d_a, d_y1, d_y2) = (side.upload(&a)?, side.upload(&y1)?, side.upload(&y2)?);
    let mut x1 = side.output(&x1, expected_1, 1e-3)?;
    let mut x2 = side.output(&x2, expected_2, 1e-3)?;
    let blocks = n.div_ceil(256) as u32;
    let shape = Launch::new(blocks, 256);

    let arguments = arguments![&d_a, &d_y1, &x1.buffer, n as i32];
    // SAFETY: a matrix, two vectors of its order, and the order.
    let twin = unsafe { Call::new("mvt_kernel1", blocks, 256, arguments) };
    side.kernel("mvt_kernel1", vec![twin], &mut x1, |stream, x1| {
        Ok(mvt_kernel1::launch(
            stream,
            shape,
            n,
            &d_a,
            &d_y1,
            &mut x1.buffer,
        )?)
    })?;

    let arguments = arguments![&d_a, &d_y2, &x2.buffer, n as i32];
    // SAFETY: as above.
    let twin = unsafe { Call::new("mvt_kernel2", blocks, 256, arguments) };
    side.kernel("mvt_kernel2", vec![twin], &mut x2, |stream, x2| {
        Ok(mvt_kernel2::launch(
            stream,
            shape,
            n,
            &d_a,
            &d_y2,
            &mut x2.buffer,
        )?)
    })
}
