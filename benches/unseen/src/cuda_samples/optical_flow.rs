//! NVIDIA's `HSOpticalFlow`: a step of Jacobi's method for the displacements between two images, through two tiles with a border.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "optical_flow",
    run,
};

const COLUMNS: usize = 32;
const ROWS: usize = 6;
const TILE_COLUMNS: usize = COLUMNS + 2;
const TILE: usize = TILE_COLUMNS * (ROWS + 2);

#[kernel(fma, block(32, 6))]
fn jacobi_iteration(
    i: Index2D,
    block: Block,
    alpha: f32,
    du: &[f32],
    dv: &[f32],
    along_x: &[f32],
    along_y: &[f32],
    in_time: &[f32],
    mut tile_u: SharedTile<f32, TILE>,
    mut tile_v: SharedTile<f32, TILE>,
    mut new_du: DisjointSlice2D<f32>,
    mut new_dv: DisjointSlice2D<f32>,
) {
    let (width, height) = (new_du.width(), new_du.height());
    let (left, top) = (
        block_idx().x as usize * COLUMNS,
        block_idx().y as usize * ROWS,
    );
    // Outside of the image the nearest pixel counts.
    let place = |slot: usize| {
        let x = (left + slot % TILE_COLUMNS)
            .saturating_sub(1)
            .min(width - 1);
        let y = (top + slot / TILE_COLUMNS)
            .saturating_sub(1)
            .min(height - 1);
        x + y * width
    };
    tile_u.fill(|slot| du[place(slot)]);
    tile_v.fill(|slot| dv[place(slot)]);
    let (u, v) = (tile_u, tile_v).publish(&block);

    let at = i.x() + i.y() * width;
    let here = thread_idx().x as usize + 1 + (thread_idx().y as usize + 1) * TILE_COLUMNS;
    let neighbours = [here - 1, here + 1, here + TILE_COLUMNS, here - TILE_COLUMNS];
    if let (Some(new_du), Some(new_dv)) = (new_du.get_mut(i), new_dv.get_mut(i)) {
        let mean_u = neighbours.iter().map(|n| u[*n]).sum::<f32>() * 0.25;
        let mean_v = neighbours.iter().map(|n| v[*n]).sum::<f32>() * 0.25;
        let (x, y, t) = (along_x[at], along_y[at], in_time[at]);
        let part = (x * mean_u + y * mean_v + t) / (x * x + y * y + alpha);
        *new_du = mean_u - x * part;
        *new_dv = mean_v - y * part;
    }
}

const ALPHA: f32 = 0.2;

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (width, height) = [(70, 50), (2048, 1536)][scale as usize];
    let n = width * height;
    let [du, dv, along_x, along_y, in_time] = [1, 2, 3, 4, 5].map(|seed| noise(n, seed));
    let step = |at: usize| {
        let (x, y) = (at % width, at / width);
        let mean = |d: &[f32]| {
            let at = |x: usize, y: usize| f64::from(d[y * width + x]);
            let sides = at(x.saturating_sub(1), y) + at((x + 1).min(width - 1), y);
            let ends = at(x, y.saturating_sub(1)) + at(x, (y + 1).min(height - 1));
            (sides + ends) / 4.0
        };
        let (u, v) = (mean(&du), mean(&dv));
        let [x, y, t] = [along_x[at], along_y[at], in_time[at]].map(f64::from);
        let part = (x * u + y * v + t) / (x * x + y * y + f64::from(ALPHA));
        [(u - x * part) as f32, (v - y * part) as f32]
    };
    let new_du = side.sampled(&vec![f32::NAN; n], |at| step(at)[0], 1e-5)?;
    let new_dv = side.sampled(&vec![f32::NAN; n], |at| step(at)[1], 1e-5)?;
    let mut outputs = (new_du, new_dv);
    let (d_du, d_dv) = (side.upload(&du)?, side.upload(&dv)?);
    let (d_x, d_y, d_t) = (
        side.upload(&along_x)?,
        side.upload(&along_y)?,
        side.upload(&in_time)?,
    );
    let grid = (width.div_ceil(COLUMNS) as u32, height.div_ceil(ROWS) as u32);
    let arguments = arguments![
        width as i32,
        height as i32,
        ALPHA,
        &d_du,
        &d_dv,
        &d_x,
        &d_y,
        &d_t,
        &outputs.0.buffer,
        &outputs.1.buffer
    ];
    // SAFETY: width and height, seven images of that size.
    let twin = unsafe { Call::new("jacobi_iteration", grid, (32, 6), arguments) };
    side.kernel(
        "jacobi_iteration",
        vec![twin],
        &mut outputs,
        |stream, (new_du, new_dv)| {
            let shape = Launch::new(grid, (32, 6));
            let new_du = new_du.buffer.view_2d_mut(width)?;
            let new_dv = new_dv.buffer.view_2d_mut(width)?;
            Ok(jacobi_iteration::launch(
                stream, shape, ALPHA, &d_du, &d_dv, &d_x, &d_y, &d_t, new_du, new_dv,
            )?)
        },
    )
}
