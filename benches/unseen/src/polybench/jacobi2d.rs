//! A five-point stencil in two dimensions.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "jacobi2d",
    run,
};

/// A thread per inner cell.
#[kernel(fma)]
fn jacobi2d_kernel1(at: Index2D, n: usize, a: &[f32], mut b: DisjointSlice2D<f32>) {
    let (i, j) = (at.y(), at.x());
    if (1..n - 1).contains(&i)
        && (1..n - 1).contains(&j)
        && let Some(b) = b.get_mut(at)
    {
        let around = a[i * n + j - 1] + a[i * n + j + 1] + a[(i + 1) * n + j] + a[(i - 1) * n + j];
        *b = 0.2 * (a[i * n + j] + around);
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [70, 4096][scale as usize];
    let a = noise(n * n, 1);
    let mut expected = vec![7.0; n * n];
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            let at = i * n + j;
            expected[at] = 0.2 * (a[at] + a[at - 1] + a[at + 1] + a[at + n] + a[at - n]);
        }
    }
    let mut b = side.output(&vec![7.0; n * n], expected, 1e-6)?;
    let d_a = side.upload(&a)?;
    let (grid, block) = ((n.div_ceil(32) as u32, n.div_ceil(8) as u32), (32, 8));
    let arguments = arguments![&d_a, &b.buffer, n as i32];
    // SAFETY: two matrices and their order.
    let twin = unsafe { Call::new("jacobi2d_kernel1", grid, block, arguments) };
    side.kernel("jacobi2d_kernel1", vec![twin], &mut b, |stream, b| {
        let (shape, b) = (Launch::new(grid, block), b.buffer.view_2d_mut(n)?);
        Ok(jacobi2d_kernel1::launch(stream, shape, n, &d_a, b)?)
    })
}
