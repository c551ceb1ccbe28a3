//! A stencil of 11 weights in three dimensions; a thread per column of a plane, a launch per plane.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "conv3d",
    run,
};

/// One plane: `B[i]` from the planes `i - 1`, `i` and `i + 1`.
#[kernel(fma)]
fn convolution3d(at: Index2D, i: usize, n: usize, a: &[f32], mut b: DisjointSlice2D<f32>) {
    let (j, k) = (at.y(), at.x());
    if j == 0 || k == 0 || j >= n - 1 || k >= n - 1 {
        return;
    }
    let cell = |plane: usize, row: usize, column: usize| a[(plane * n + row) * n + column];
    if let Some(b) = b.get_mut(at) {
        *b = 2.0 * cell(i - 1, j - 1, k - 1)
            + 4.0 * cell(i + 1, j - 1, k - 1)
            + 5.0 * cell(i - 1, j - 1, k)
            + 7.0 * cell(i + 1, j - 1, k)
            + -8.0 * cell(i - 1, j, k)
            + 10.0 * cell(i + 1, j, k)
            + -3.0 * cell(i, j - 1, k)
            + 6.0 * cell(i, j, k)
            + -9.0 * cell(i, j + 1, k)
            + 11.0 * cell(i - 1, j + 1, k + 1)
            + 13.0 * cell(i + 1, j + 1, k + 1);
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [20, 384][scale as usize];
    let a = noise(n * n * n, 1);
    let mut expected = vec![7.0; n * n * n];
    let weights: [(f32, usize, usize, usize); 11] = [
        (2.0, 0, 0, 0),
        (4.0, 2, 0, 0),
        (5.0, 0, 0, 1),
        (7.0, 2, 0, 1),
        (-8.0, 0, 1, 1),
        (10.0, 2, 1, 1),
        (-3.0, 1, 0, 1),
        (6.0, 1, 1, 1),
        (-9.0, 1, 2, 1),
        (11.0, 0, 2, 2),
        (13.0, 2, 2, 2),
    ];
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            for k in 1..n - 1 {
                let weighted = weights.iter().map(|&(weight, di, dj, dk)| {
                    weight * a[((i + di - 1) * n + j + dj - 1) * n + k + dk - 1]
                });
                expected[(i * n + j) * n + k] = weighted.sum();
            }
        }
    }
    let mut b = side.output(&vec![7.0; n * n * n], expected, 1e-4)?;
    let d_a = side.upload(&a)?;
    let (grid, block) = ((n.div_ceil(32) as u32, n.div_ceil(8) as u32), (32, 8));
    let call = |i: usize| {
        let arguments = arguments![&d_a, &b.buffer, i as i32, n as i32];
        // SAFETY: two cubes, an inner plane, and the order.
        unsafe { Call::new("convolution3d", grid, block, arguments) }
    };
    let twin = (1..n - 1).map(call).collect();
    side.kernel("convolution3d", twin, &mut b, |stream, b| {
        let shape = Launch::new(grid, block);
        for i in 1..n - 1 {
            let plane = b.buffer.slice_mut(i * n * n..(i + 1) * n * n)?;
            convolution3d::launch(stream, shape, i, n, &d_a, plane.into_rows(n)?)?;
        }
        Ok(())
    })
}
