//! Finite differences in the time domain: one step of the fields `ey`, `ex` and `hz`.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "polybench",
    name: "fdtd2d",
    run,
};

/// `ey` from its source and from `hz`.
#[kernel(fma)]
fn fdtd_step1(at: Index2D, t: usize, source: &[f32], hz: &[f32], mut ey: DisjointSlice2D<f32>) {
    let (ny, i, j) = (ey.width(), at.y(), at.x());
    if let Some(ey) = ey.get_mut(at) {
        if i == 0 {
            *ey = source[t];
        } else {
            *ey -= 0.5 * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
        }
    }
}

/// `ex` from `hz`; its rows are one longer.
#[kernel(fma)]
fn fdtd_step2(at: Index2D, ny: usize, hz: &[f32], mut ex: DisjointSlice2D<f32>) {
    let (i, j) = (at.y(), at.x());
    if j > 0
        && j < ny
        && let Some(ex) = ex.get_mut(at)
    {
        *ex -= 0.5 * (hz[i * ny + j] - hz[i * ny + (j - 1)]);
    }
}

/// `hz` from both.
#[kernel(fma)]
fn fdtd_step3(at: Index2D, ex: &[f32], ey: &[f32], mut hz: DisjointSlice2D<f32>) {
    let (ny, i, j) = (hz.width(), at.y(), at.x());
    if let Some(hz) = hz.get_mut(at) {
        let across = ex[i * (ny + 1) + j + 1] - ex[i * (ny + 1) + j];
        *hz -= 0.7 * (across + ey[(i + 1) * ny + j] - ey[i * ny + j]);
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (nx, ny, t) = ([60, 2048][scale as usize], [70, 4096][scale as usize], 3);
    let source = noise(10, 1);
    let (ex, ey) = (noise(nx * (ny + 1), 2), noise((nx + 1) * ny, 3));
    let hz = noise(nx * ny, 4);
    let (mut expected_ex, mut expected_ey) = (ex.clone(), ey.clone());
    let mut expected_hz = hz.clone();
    for i in 0..nx {
        for j in 0..ny {
            let at = i * ny + j;
            if i == 0 {
                expected_ey[at] = source[t];
            } else {
                expected_ey[at] -= 0.5 * (hz[at] - hz[at - ny]);
            }
            if j > 0 {
                expected_ex[i * (ny + 1) + j] -= 0.5 * (hz[at] - hz[at - 1]);
            }
        }
    }
    for i in 0..nx {
        for j in 0..ny {
            let along = i * (ny + 1) + j;
            let (x, y) = (&expected_ex, &expected_ey);
            let turn = x[along + 1] - x[along] + y[(i + 1) * ny + j] - y[i * ny + j];
            expected_hz[i * ny + j] -= 0.7 * turn;
        }
    }

    let (d_source, d_hz) = (side.upload(&source)?, side.upload(&hz)?);
    let mut ey = side.output(&ey, expected_ey, 1e-6)?;
    let mut ex = side.output(&ex, expected_ex, 1e-6)?;
    let mut hz = side.output(&hz, expected_hz, 1e-6)?;
    let (grid, block) = ((ny.div_ceil(32) as u32, nx.div_ceil(8) as u32), (32, 8));
    let shape = Launch::new(grid, block);
    let size = (nx as i32, ny as i32);

    let arguments = arguments![&d_source, &d_hz, &ey.buffer, t as i32, size.0, size.1];
    // SAFETY: a source, two fields, the time, and their size.
    let twin = unsafe { Call::new("fdtd_step1", grid, block, arguments) };
    side.kernel("fdtd_step1", vec![twin], &mut ey, |stream, ey| {
        let rows = ey.buffer.slice_mut(..nx * ny)?.into_rows(ny)?;
        Ok(fdtd_step1::launch(
            stream, shape, t, &d_source, &d_hz, rows,
        )?)
    })?;
    let arguments = arguments![&d_hz, &ex.buffer, size.0, size.1];
    // SAFETY: two fields and their size.
    let twin = unsafe { Call::new("fdtd_step2", grid, block, arguments) };
    side.kernel("fdtd_step2", vec![twin], &mut ex, |stream, ex| {
        let rows = ex.buffer.view_2d_mut(ny + 1)?;
        Ok(fdtd_step2::launch(stream, shape, ny, &d_hz, rows)?)
    })?;
    let arguments = arguments![&ex.buffer, &ey.buffer, &hz.buffer, size.0, size.1];
    // SAFETY: three fields and their size.
    let twin = unsafe { Call::new("fdtd_step3", grid, block, arguments) };
    side.kernel("fdtd_step3", vec![twin], &mut hz, |stream, hz| {
        let (ex, ey, hz) = (&ex.buffer, &ey.buffer, hz.buffer.view_2d_mut(ny)?);
        Ok(fdtd_step3::launch(stream, shape, ex, ey, hz)?)
    })
}
