//! A seven-point stencil in three dimensions, a thread per column of cells (base version: a thread per cell).

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "parboil",
    name: "stencil7",
    run,
};

const C0: f32 = 1.0 / 6.0;
const C1: f32 = 1.0 / 36.0;

/// A thread per inner cell: blocks along x, rows in y of the grid, planes in z.
#[kernel(fma)]
fn naive_stencil(
    at: Index3D,
    nx: usize,
    ny: usize,
    nz: usize,
    a: &[f32],
    mut next: DisjointSlice<f32>,
) {
    let (i, j, k) = (at.x(), at.y() + 1, at.z() + 1);
    if i == 0 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1 {
        return;
    }
    let place = |x: usize, y: usize, z: usize| x + nx * (y + ny * z);
    let around = a[place(i, j, k + 1)]
        + a[place(i, j, k - 1)]
        + a[place(i, j + 1, k)]
        + a[place(i, j - 1, k)]
        + a[place(i + 1, j, k)]
        + a[place(i - 1, j, k)];
    let next = next.raw();
    // SAFETY: the cell is in the grid and this thread's alone. There is no output of three dimensions.
    unsafe { *next.add(place(i, j, k)) = around * C1 - a[place(i, j, k)] * C0 };
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (nx, ny, nz) = [(34, 10, 8), (512, 512, 64)][scale as usize];
    let a = noise(nx * ny * nz, 1);
    let mut expected = vec![7.0; nx * ny * nz];
    for k in 1..nz - 1 {
        for j in 1..ny - 1 {
            for i in 1..nx - 1 {
                let at = i + nx * (j + ny * k);
                let around = [1, nx, nx * ny].map(|step| a[at - step] + a[at + step]);
                expected[at] = around.iter().sum::<f32>() * C1 - a[at] * C0;
            }
        }
    }
    let mut next = side.output(&vec![7.0; nx * ny * nz], expected, 1e-5)?;
    let d_a = side.upload(&a)?;
    let grid = (nx.div_ceil(128) as u32, (ny - 2) as u32, (nz - 2) as u32);
    let (x, y, z) = (nx as i32, ny as i32, nz as i32);
    let arguments = arguments![&d_a, &next.buffer, x, y, z];
    // SAFETY: two grids and their extents.
    let twin = unsafe { Call::new("naive_stencil", grid, 128, arguments) };
    side.kernel("naive_stencil", vec![twin], &mut next, |stream, next| {
        let shape = Launch::new(grid, 128);
        Ok(naive_stencil::launch(
            stream,
            shape,
            nx,
            ny,
            nz,
            &d_a,
            &mut next.buffer,
        )?)
    })
}
