//! HeCBench `iso2dfd`: a step of the wave equation in two dimensions.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{noise, uniform};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "iso2dfd",
    run,
};

#[kernel(fma, block(16, 16))]
fn iso_2dfd(
    i: Index2D,
    factor: f32,
    previous: &[f32],
    velocity: &[f32],
    mut next: DisjointSlice2D<f32>,
) {
    let (rows, columns) = (next.height(), next.width());
    let (x, y) = (i.x(), i.y());
    if let Some(next) = next.get_mut(i)
        && (1..columns - 1).contains(&x)
        && (1..rows - 1).contains(&y)
    {
        let at = y * columns + x;
        let here = previous[at];
        let mut value = previous[at + 1] - 2.0 * here + previous[at - 1];
        value += previous[at + columns] - 2.0 * here + previous[at - columns];
        value *= factor * velocity[at];
        *next = 2.0 * here - *next + value;
    }
}

const FACTOR: f32 = 0.1;

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (width, height) = [(70, 50), (4096, 2048)][scale as usize];
    let n = width * height;
    let (before, previous, velocity) = (noise(n, 1), noise(n, 2), uniform(n, 3));
    let expected = |at: usize| {
        let (x, y) = (at % width, at / width);
        if x == 0 || y == 0 || x == width - 1 || y == height - 1 {
            return before[at];
        }
        let p = |at: usize| f64::from(previous[at]);
        let around = p(at + 1) + p(at - 1) + p(at + width) + p(at - width) - 4.0 * p(at);
        let value = around * f64::from(FACTOR) * f64::from(velocity[at]);
        (2.0 * p(at) - f64::from(before[at]) + value) as f32
    };
    let mut next = side.sampled(&before, expected, 1e-5)?;
    let (d_previous, d_velocity) = (side.upload(&previous)?, side.upload(&velocity)?);
    let grid = (width.div_ceil(16) as u32, height.div_ceil(16) as u32);
    let arguments = arguments![
        &next.buffer,
        &d_previous,
        &d_velocity,
        FACTOR,
        height as i32,
        width as i32
    ];
    // SAFETY: three images of that size.
    let twin = unsafe { Call::new("iso_2dfd", grid, (16, 16), arguments) };
    side.kernel("iso_2dfd", vec![twin], &mut next, |stream, next| {
        let shape = Launch::new(grid, (16, 16));
        let next = next.buffer.view_2d_mut(width)?;
        Ok(iso_2dfd::launch(
            stream,
            shape,
            FACTOR,
            &d_previous,
            &d_velocity,
            next,
        )?)
    })
}
