//! Two products of matrices in a row (2mm): `D = alpha A B C + beta D`.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "two_mm",
    run,
};

const ALPHA: f32 = 0.7;
const BETA: f32 = 0.3;

/// A thread per element: `tmp = alpha A B`.
#[kernel(fma)]
fn mm2_kernel1(
    at: Index2D,
    n: usize,
    alpha: f32,
    a: &[f32],
    b: &[f32],
    mut tmp: DisjointSlice2D<f32>,
) {
    let (i, j) = (at.y(), at.x());
    if let Some(tmp) = tmp.get_mut(at) {
        *tmp = 0.0;
        for k in 0..n {
            *tmp += alpha * a[i * n + k] * b[k * n + j];
        }
    }
}

/// A thread per element: `D = tmp C + beta D`.
#[kernel(fma)]
fn mm2_kernel2(
    at: Index2D,
    n: usize,
    beta: f32,
    tmp: &[f32],
    c: &[f32],
    mut d: DisjointSlice2D<f32>,
) {
    let (i, j) = (at.y(), at.x());
    if let Some(d) = d.get_mut(at) {
        let row = tmp[i * n..(i + 1) * n].iter();
        let column = c[j..].iter().step_by(n);
        *d = row.zip(column).fold(*d * beta, |sum, (t, c)| sum + t * c);
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [48, 1024][scale as usize];
    let (a, b, c) = (noise(n * n, 1), noise(n * n, 2), noise(n * n, 3));
    let d_before = noise(n * n, 4);
    let dot = |x: &[f32], y: &[f32], at: usize| -> f32 {
        (0..n).map(|k| x[at / n * n + k] * y[k * n + at % n]).sum()
    };

    let (d_a, d_b, d_c) = (side.upload(&a)?, side.upload(&b)?, side.upload(&c)?);
    let expected = |at: usize| ALPHA * dot(&a, &b, at);
    let mut tmp = side.sampled(&vec![f32::NAN; n * n], expected, 1e-3)?;
    let (grid, block) = ((n.div_ceil(32) as u32, n.div_ceil(8) as u32), (32, 8));
    let arguments = arguments![ALPHA, &d_a, &d_b, &tmp.buffer, n as i32];
    // SAFETY: a factor, three matrices of one order, and the order.
    let twin = unsafe { Call::new("mm2_kernel1", grid, block, arguments) };
    side.kernel("mm2_kernel1", vec![twin], &mut tmp, |stream, tmp| {
        let (shape, tmp) = (Launch::new(grid, block), tmp.buffer.view_2d_mut(n)?);
        Ok(mm2_kernel1::launch(
            stream, shape, n, ALPHA, &d_a, &d_b, tmp,
        )?)
    })?;

    let tmp_now = side.download(&tmp.buffer)?;
    let expected = |at: usize| BETA * d_before[at] + dot(&tmp_now, &c, at);
    let mut d = side.sampled(&d_before, expected, 1e-3)?;
    let arguments = arguments![BETA, &tmp.buffer, &d_c, &d.buffer, n as i32];
    // SAFETY: as above.
    let twin = unsafe { Call::new("mm2_kernel2", grid, block, arguments) };
    side.kernel("mm2_kernel2", vec![twin], &mut d, |stream, d| {
        let (shape, d) = (Launch::new(grid, block), d.buffer.view_2d_mut(n)?);
        Ok(mm2_kernel2::launch(
            stream,
            shape,
            n,
            BETA,
            &tmp.buffer,
            &d_c,
            d,
        )?)
    })
}
