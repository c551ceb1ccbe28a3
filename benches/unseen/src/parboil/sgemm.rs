//! A product of matrices by columns (base version): a thread per element, `C = alpha A Bᵀ + beta C`.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "parboil",
    name: "sgemm",
    run,
};

/// A thread per element; matrices lie column by column, the second is transposed.
#[kernel(fma)]
fn mysgemm_nt(
    at: Index2D,
    k: usize,
    alpha: f32,
    beta: f32,
    a: &[f32],
    b: &[f32],
    mut c: DisjointSlice2D<f32>,
) {
    let (m, n) = (c.width(), c.height());
    let (row, column) = (at.x(), at.y());
    if let Some(c) = c.get_mut(at) {
        let of_a = a[row..].iter().step_by(m).take(k);
        let of_b = b[column..].iter().step_by(n);
        let sum: f32 = of_a.zip(of_b).map(|(a, b)| a * b).sum();
        *c = *c * beta + alpha * sum;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (m, n, k) = [(48, 32, 40), (1024, 1024, 992)][scale as usize];
    let (a, b, c) = (noise(m * k, 1), noise(n * k, 2), noise(m * n, 3));
    let (alpha, beta) = (1.5f32, 0.5f32);
    let expected = |at: usize| {
        let (row, column) = (at % m, at / m);
        let sum: f32 = (0..k).map(|i| a[i * m + row] * b[i * n + column]).sum();
        c[at] * beta + alpha * sum
    };
    let mut out = side.sampled(&c, expected, 1e-3)?;
    let (d_a, d_b) = (side.upload(&a)?, side.upload(&b)?);
    let (grid, block) = ((m.div_ceil(16) as u32, n.div_ceil(16) as u32), (16, 16));
    let (m_arg, n_arg) = (m as i32, n as i32);
    let arguments = arguments![alpha, beta, &d_a, &d_b, &out.buffer, m_arg, n_arg, k as i32];
    // SAFETY: two factors, three matrices and their extents.
    let twin = unsafe { Call::new("mysgemm_nt", grid, block, arguments) };
    side.kernel("mysgemm_nt", vec![twin], &mut out, |stream, out| {
        let (shape, c) = (Launch::new(grid, block), out.buffer.view_2d_mut(m)?);
        Ok(mysgemm_nt::launch(
            stream, shape, k, alpha, beta, &d_a, &d_b, c,
        )?)
    })
}
