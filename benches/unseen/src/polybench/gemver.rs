//! A matrix with two outer products added, and two products with it.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "gemver",
    run,
};

const ALPHA: f32 = 0.435;
const BETA: f32 = 0.123;

/// A thread per element: `A += v1 u1ᵀ + v2 u2ᵀ`.
#[kernel(fma)]
fn gemver_kernel1(
    at: Index2D,
    v1: &[f32],
    v2: &[f32],
    u1: &[f32],
    u2: &[f32],
    mut a: DisjointSlice2D<f32>,
) {
    let (i, j) = (at.y(), at.x());
    if let Some(a) = a.get_mut(at) {
        *a += u1[i] * v1[j] + u2[i] * v2[j];
    }
}

/// A thread per column: `x += beta Aᵀ y + z`.
#[kernel(fma)]
fn gemver_kernel2(
    i: Index1D,
    n: usize,
    beta: f32,
    a: &[f32],
    y: &[f32],
    z: &[f32],
    mut x: DisjointSlice<f32>,
) {
    if let Some(x) = x.get_mut(i) {
        for j in 0..n {
            *x += beta * a[j * n + i.get()] * y[j];
        }
        *x += z[i.get()];
    }
}

/// A thread per row: `w += alpha A x`.
#[kernel(fma)]
fn gemver_kernel3(
    i: Index1D,
    n: usize,
    alpha: f32,
    a: &[f32],
    x: &[f32],
    mut w: DisjointSlice<f32>,
) {
    if let Some(w) = w.get_mut(i) {
        for j in 0..n {
            *w += alpha * a[i.get() * n + j] * x[j];
        }
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [96, 4096][scale as usize];
    let [u1, v1, u2, v2, x, y, z, w] = [1, 2, 3, 4, 5, 6, 7, 8].map(|seed| noise(n, seed));
    let a = noise(n * n, 9);
    let mut expected_a = a.clone();
    for i in 0..n {
        for j in 0..n {
            expected_a[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
        }
    }
    let mut expected_x = x.clone();
    for j in 0..n {
        for i in 0..n {
            expected_x[i] += BETA * expected_a[j * n + i] * y[j];
        }
    }
    for i in 0..n {
        expected_x[i] += z[i];
    }
    let mut expected_w = w.clone();
    for i in 0..n {
        for j in 0..n {
            expected_w[i] += ALPHA * expected_a[i * n + j] * expected_x[j];
        }
    }

    let (d_u1, d_v1) = (side.upload(&u1)?, side.upload(&v1)?);
    let (d_u2, d_v2) = (side.upload(&u2)?, side.upload(&v2)?);
    let (d_y, d_z) = (side.upload(&y)?, side.upload(&z)?);
    let mut a = side.output(&a, expected_a, 1e-5)?;
    let mut x = side.output(&x, expected_x, 1e-3)?;
    let mut w = side.output(&w, expected_w, 1e-2)?;

    let grid = (n.div_ceil(32) as u32, n.div_ceil(8) as u32);
    let arguments = arguments![&d_v1, &d_v2, &d_u1, &d_u2, &a.buffer, n as i32];
    // SAFETY: four vectors, a matrix of their length's order, and the order.
    let twin = unsafe { Call::new("gemver_kernel1", grid, (32, 8), arguments) };
    side.kernel("gemver_kernel1", vec![twin], &mut a, |stream, a| {
        let (shape, a) = (Launch::new(grid, (32, 8)), a.buffer.view_2d_mut(n)?);
        Ok(gemver_kernel1::launch(
            stream, shape, &d_v1, &d_v2, &d_u1, &d_u2, a,
        )?)
    })?;

    let blocks = n.div_ceil(256) as u32;
    let shape = Launch::new(blocks, 256);
    let arguments = arguments![BETA, &a.buffer, &d_y, &d_z, &x.buffer, n as i32];
    // SAFETY: a factor, a matrix, three vectors of its order, and the order.
    let twin = unsafe { Call::new("gemver_kernel2", blocks, 256, arguments) };
    side.kernel("gemver_kernel2", vec![twin], &mut x, |stream, x| {
        let (a, x) = (&a.buffer, &mut x.buffer);
        Ok(gemver_kernel2::launch(
            stream, shape, n, BETA, a, &d_y, &d_z, x,
        )?)
    })?;

    let arguments = arguments![ALPHA, &a.buffer, &x.buffer, &w.buffer, n as i32];
    // SAFETY: as above, with two vectors.
    let twin = unsafe { Call::new("gemver_kernel3", blocks, 256, arguments) };
    side.kernel("gemver_kernel3", vec![twin], &mut w, |stream, w| {
        let (a, x, w) = (&a.buffer, &x.buffer, &mut w.buffer);
        Ok(gemver_kernel3::launch(stream, shape, n, ALPHA, a, x, w)?)
    })
}
