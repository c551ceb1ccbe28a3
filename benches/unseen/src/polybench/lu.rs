//! A step of LU decomposition in place: row `k` scaled, then the rest of the matrix updated.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "lu",
    run,
};

/// A thread per column: row `k` by the diagonal's element.
#[kernel(fma)]
fn lu_kernel1(j: Index1D, k: usize, diagonal: f32, mut row: DisjointSlice<f32>) {
    if j.get() > k
        && let Some(row) = row.get_mut(j)
    {
        *row /= diagonal;
    }
}

/// A thread per element right of and below the diagonal's; all of them read row and column `k`, which none writes.
#[kernel(fma)]
fn lu_kernel2(at: Index2D, k: usize, mut a: DisjointSlice2D<f32>) {
    let (n, i, j) = (a.width(), at.y(), at.x());
    if i <= k || j <= k || i >= n || j >= n {
        return;
    }
    let a = a.raw();
    // SAFETY: the matrix has n rows and columns; row and column k are only read. A matrix that is input and output has no safe form.
    let (left, above) = unsafe { (*a.add(i * n + k), *a.add(k * n + j)) };
    // SAFETY: element (i, j) is this thread's.
    unsafe { *a.add(i * n + j) -= left * above };
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (n, k) = ([70, 4096][scale as usize], 3);
    let mut a = noise(n * n, 1);
    a[k * n + k] = 2.5;
    let mut scaled = a.clone();
    for j in k + 1..n {
        scaled[k * n + j] /= 2.5;
    }
    let mut updated = scaled.clone();
    for i in k + 1..n {
        for j in k + 1..n {
            updated[i * n + j] -= scaled[i * n + k] * scaled[k * n + j];
        }
    }
    let row = k * n..(k + 1) * n;
    let mut d_row = side.output(&a[row.clone()], scaled[row].to_vec(), 1e-6)?;
    let mut d_a = side.output(&scaled, updated, 1e-6)?;
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![2.5f32, &d_row.buffer, k as i32, n as i32];
    // SAFETY: a divisor, a row, the step, and the row's length.
    let twin = unsafe { Call::new("lu_kernel1", blocks, 256, arguments) };
    side.kernel("lu_kernel1", vec![twin], &mut d_row, |stream, row| {
        Ok(lu_kernel1::launch(
            stream,
            Launch::new(blocks, 256),
            k,
            2.5,
            &mut row.buffer,
        )?)
    })?;
    let (grid, block) = ((n.div_ceil(32) as u32, n.div_ceil(8) as u32), (32, 8));
    let arguments = arguments![&d_a.buffer, k as i32, n as i32];
    // SAFETY: a matrix, the step, and the order.
    let twin = unsafe { Call::new("lu_kernel2", grid, block, arguments) };
    side.kernel("lu_kernel2", vec![twin], &mut d_a, |stream, a| {
        let a = a.buffer.view_2d_mut(n)?;
        Ok(lu_kernel2::launch(stream, Launch::new(grid, block), k, a)?)
    })
}
