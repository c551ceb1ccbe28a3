//! A symmetric update of rank 2k: `C = alpha (A Bᵀ + B Aᵀ) + beta C`.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "syr2k",
    run,
};

const ALPHA: f32 = 1.2;
const BETA: f32 = 0.8;

/// A thread per element.
#[kernel(fma)]
fn syr2k(
    at: Index2D,
    m: usize,
    alpha: f32,
    beta: f32,
    a: &[f32],
    b: &[f32],
    mut c: DisjointSlice2D<f32>,
) {
    let (i, j) = (at.y(), at.x());
    if let Some(c) = c.get_mut(at) {
        let (a_i, a_j) = (&a[i * m..(i + 1) * m], &a[j * m..(j + 1) * m]);
        let (b_i, b_j) = (&b[i * m..(i + 1) * m], &b[j * m..(j + 1) * m]);
        let mut sum = *c * beta;
        for k in 0..m {
            sum += alpha * a_i[k] * b_j[k] + alpha * b_i[k] * a_j[k];
        }
        *c = sum;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (n, m) = [(40, 56), (1024, 1024)][scale as usize];
    let (a, b, c) = (noise(n * m, 1), noise(n * m, 2), noise(n * n, 3));
    let expected = |at: usize| {
        let (i, j) = (at / n * m, at % n * m);
        let products = (0..m).map(|k| a[i + k] * b[j + k] + b[i + k] * a[j + k]);
        BETA * c[at] + ALPHA * products.sum::<f32>()
    };
    let mut out = side.sampled(&c, expected, 1e-3)?;
    let (d_a, d_b) = (side.upload(&a)?, side.upload(&b)?);
    let (grid, block) = ((n.div_ceil(32) as u32, n.div_ceil(8) as u32), (32, 8));
    let arguments = arguments![ALPHA, BETA, &d_a, &d_b, &out.buffer, n as i32, m as i32];
    // SAFETY: two factors, two matrices, a square one of as many rows, rows and columns.
    let twin = unsafe { Call::new("syr2k", grid, block, arguments) };
    side.kernel("syr2k", vec![twin], &mut out, |stream, out| {
        let (shape, c) = (Launch::new(grid, block), out.buffer.view_2d_mut(n)?);
        Ok(syr2k::launch(stream, shape, m, ALPHA, BETA, &d_a, &d_b, c)?)
    })
}
