//! A symmetric update of rank k: `C = alpha A Aᵀ + beta C`.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "syrk",
    run,
};

const ALPHA: f32 = 1.2;
const BETA: f32 = 0.8;

/// A thread per element.
#[kernel(fma)]
fn syrk(at: Index2D, m: usize, alpha: f32, beta: f32, a: &[f32], mut c: DisjointSlice2D<f32>) {
    let (i, j) = (at.y(), at.x());
    if let Some(c) = c.get_mut(at) {
        *c *= beta;
        for k in 0..m {
            *c += alpha * a[i * m + k] * a[j * m + k];
        }
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (n, m) = [(40, 56), (1024, 1024)][scale as usize];
    let (a, c) = (noise(n * m, 1), noise(n * n, 2));
    let expected = |at: usize| {
        let (x, y) = (&a[at / n * m..], &a[at % n * m..]);
        BETA * c[at] + (0..m).map(|k| ALPHA * x[k] * y[k]).sum::<f32>()
    };
    let mut out = side.sampled(&c, expected, 1e-3)?;
    let d_a = side.upload(&a)?;
    let (grid, block) = ((n.div_ceil(32) as u32, n.div_ceil(8) as u32), (32, 8));
    let arguments = arguments![ALPHA, BETA, &d_a, &out.buffer, n as i32, m as i32];
    // SAFETY: two factors, a matrix, a square one of as many rows, rows and columns.
    let twin = unsafe { Call::new("syrk", grid, block, arguments) };
    side.kernel("syrk", vec![twin], &mut out, |stream, out| {
        let (shape, c) = (Launch::new(grid, block), out.buffer.view_2d_mut(n)?);
        Ok(syrk::launch(stream, shape, m, ALPHA, BETA, &d_a, c)?)
    })
}
