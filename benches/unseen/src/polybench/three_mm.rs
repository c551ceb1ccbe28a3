//! The kernel of three products of matrices (3mm), which the program launches three times.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "three_mm",
    run,
};

/// A thread per element: `E = A B`.
#[kernel(fma)]
fn mm3_kernel(at: Index2D, a: &[f32], b: &[f32], mut e: DisjointSlice2D<f32>) {
    let (n, i, j) = (e.width(), at.y(), at.x());
    if let Some(e) = e.get_mut(at) {
        *e = (0..n).map(|k| a[i * n + k] * b[k * n + j]).sum();
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [40, 1024][scale as usize];
    let (a, b) = (noise(n * n, 1), noise(n * n, 2));
    let (d_a, d_b) = (side.upload(&a)?, side.upload(&b)?);
    let expected = |at: usize| (0..n).map(|k| a[at / n * n + k] * b[k * n + at % n]).sum();
    let mut e = side.sampled(&vec![f32::NAN; n * n], expected, 1e-3)?;
    let (grid, block) = ((n.div_ceil(32) as u32, n.div_ceil(8) as u32), (32, 8));
    let arguments = arguments![&d_a, &d_b, &e.buffer, n as i32];
    // SAFETY: three matrices of one order, and the order.
    let twin = unsafe { Call::new("mm3_kernel", grid, block, arguments) };
    side.kernel("mm3_kernel", vec![twin], &mut e, |stream, e| {
        let (shape, e) = (Launch::new(grid, block), e.buffer.view_2d_mut(n)?);
        Ok(mm3_kernel::launch(stream, shape, &d_a, &d_b, e)?)
    })
}
