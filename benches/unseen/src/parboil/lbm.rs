//! A step of the lattice Boltzmann method with 19 directions: streaming, then collision, with obstacles and moved cells.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{mix, uniform};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "parboil",
    name: "lbm",
    run,
};

const DIRECTIONS: [[i32; 3]; 19] = [
    [0, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [1, 0, 0],
    [-1, 0, 0],
    [0, 0, 1],
    [0, 0, -1],
    [1, 1, 0],
    [-1, 1, 0],
    [1, -1, 0],
    [-1, -1, 0],
    [0, 1, 1],
    [0, 1, -1],
    [0, -1, 1],
    [0, -1, -1],
    [1, 0, 1],
    [1, 0, -1],
    [-1, 0, 1],
    [-1, 0, -1],
];
/// The direction against each.
const OPPOSITE: [usize; 19] = [
    0, 2, 1, 4, 3, 6, 5, 10, 9, 8, 7, 14, 13, 12, 11, 18, 17, 16, 15,
];
const OMEGA: f32 = 1.95;
const OBSTACLE: u32 = 1;
const ACCELERATED: u32 = 2;

fn weight(direction: [i32; 3]) -> f32 {
    match direction.iter().map(|c| c.abs()).sum() {
        0 => 1.0 / 3.0,
        1 => 1.0 / 18.0,
        _ => 1.0 / 36.0,
    }
}

/// What a cell has after the collision of what streams into it.
fn collide(f: [f32; 19], flag: u32) -> [f32; 19] {
    if flag & OBSTACLE != 0 {
        return OPPOSITE.map(|opposite| f[opposite]);
    }
    let rho: f32 = f.iter().sum();
    let mut speed = [0.0; 3];
    for (f, direction) in f.iter().zip(&DIRECTIONS) {
        for (speed, c) in speed.iter_mut().zip(direction) {
            *speed += *c as f32 * f;
        }
    }
    speed = speed.map(|s| s / rho);
    if flag & ACCELERATED != 0 {
        speed = [0.005, 0.002, 0.0];
    }
    let square: f32 = speed.iter().map(|s| s * s).sum();
    let mut after = [0.0; 19];
    for (i, direction) in DIRECTIONS.iter().enumerate() {
        let along: f32 = direction
            .iter()
            .zip(&speed)
            .map(|(c, s)| *c as f32 * s)
            .sum();
        let equilibrium = 1.0 + 3.0 * along + 4.5 * along * along - 1.5 * square;
        after[i] = (1.0 - OMEGA) * f[i] + OMEGA * weight(*direction) * rho * equilibrium;
    }
    after
}

/// A block per row of cells. Each direction's values are an array of `cells`, with two planes more before and after the grid.
#[kernel(fma)]
fn perform_stream_collide(
    px: usize,
    plane: usize,
    cells: usize,
    flags: &[u32],
    source: &[f32],
    mut target: DisjointSlice<f32>,
) {
    let (x, y) = (thread_idx().x as usize, block_idx().x as usize);
    let at = 2 * plane + block_idx().y as usize * plane + y * px + x;
    let mut f = [0.0; 19];
    for (e, [dx, dy, dz]) in DIRECTIONS.iter().enumerate() {
        let offset = dx + dy * px as i32 + dz * plane as i32;
        f[e] = source[e * cells + (at as i32 - offset) as usize];
    }
    let target = target.raw();
    for (e, value) in collide(f, flags[at]).into_iter().enumerate() {
        // SAFETY: the grid's cells are in the arrays, and this one is the thread's alone. No output type has elements in 19 arrays.
        unsafe { *target.add(e * cells + at) = value };
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (nx, ny, nz) = [(32, 6, 5), (128, 128, 128)][scale as usize];
    let plane = nx * ny;
    let cells = plane * (nz + 4);
    // Near the equilibrium at rest.
    let off = uniform(19 * cells, 1);
    let value = |at: usize| weight(DIRECTIONS[at / cells]) * (1.0 + 0.1 * off[at]);
    let source: Vec<f32> = (0..19 * cells).map(value).collect();
    let flag = |at: usize| match mix(at, 2) % 16 {
        0 => OBSTACLE,
        1 => ACCELERATED,
        _ => 0,
    };
    let flags: Vec<u32> = (0..cells).map(flag).collect();
    let inner = 2 * plane..2 * plane + nx * ny * nz;
    let expected = |place: usize| {
        let (e, at) = (place / cells, place % cells);
        if !inner.contains(&at) {
            return 7.0;
        }
        let f = std::array::from_fn(|k| {
            let [dx, dy, dz] = DIRECTIONS[k].map(i64::from);
            let offset = dx + dy * nx as i64 + dz * plane as i64;
            source[k * cells + (at as i64 - offset) as usize]
        });
        collide(f, flags[at])[e]
    };
    let mut target = side.sampled(&vec![7.0; 19 * cells], expected, 1e-5)?;
    let (d_flags, d_source) = (side.upload(&flags)?, side.upload(&source)?);
    let grid = (ny as u32, nz as u32);
    let (px, plane_arg, cells_arg) = (nx as i32, plane as i32, cells as i32);
    let out = &target.buffer;
    let arguments = arguments![px, plane_arg, cells_arg, &d_flags, &d_source, out];
    // SAFETY: extents, a flag per cell, and two times 19 arrays of cells.
    let twin = unsafe { Call::new("perform_stream_collide", grid, nx as u32, arguments) };
    side.kernel(
        "perform_stream_collide",
        vec![twin],
        &mut target,
        |stream, target| {
            let (shape, target) = (Launch::new(grid, nx as u32), &mut target.buffer);
            let (flags, source) = (&d_flags, &d_source);
            Ok(perform_stream_collide::launch(
                stream, shape, nx, plane, cells, flags, source, target,
            )?)
        },
    )
}
