//! `y = alpha A x + beta B x`.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "gesummv",
    run,
};

const ALPHA: f32 = 43.5;
const BETA: f32 = 12.3;

/// A thread per row.
#[kernel(fma)]
fn gesummv(
    i: Index1D,
    alpha: f32,
    beta: f32,
    a: &[f32],
    b: &[f32],
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    if let Some(y) = y.get_mut(i) {
        let n = x.len();
        let (mut of_a, mut of_b) = (0.0, 0.0);
        for j in 0..n {
            of_a += a[i.get() * n + j] * x[j];
            of_b += b[i.get() * n + j] * x[j];
        }
        *y = alpha * of_a + beta * of_b;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [130, 4096][scale as usize];
    let (a, b, x) = (noise(n * n, 1), noise(n * n, 2), noise(n, 3));
    let product = |m: &[f32], i: usize| -> f32 { (0..n).map(|j| m[i * n + j] * x[j]).sum() };
    let expected = (0..n).map(|i| ALPHA * product(&a, i) + BETA * product(&b, i));
    let mut y = side.output(&vec![f32::NAN; n], expected.collect(), 1e-2)?;

    let (d_a, d_b, d_x) = (side.upload(&a)?, side.upload(&b)?, side.upload(&x)?);
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![ALPHA, BETA, &d_a, &d_b, &d_x, &y.buffer, n as i32];
    // SAFETY: two factors, two matrices, two vectors of their order, and the order.
    let twin = unsafe { Call::new("gesummv", blocks, 256, arguments) };
    side.kernel("gesummv", vec![twin], &mut y, |stream, y| {
        let (shape, y) = (Launch::new(blocks, 256), &mut y.buffer);
        Ok(gesummv::launch(
            stream, shape, ALPHA, BETA, &d_a, &d_b, &d_x, y,
        )?)
    })
}
