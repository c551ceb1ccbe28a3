//! A convolution with 17 weights along rows, then along columns, through tiles in shared memory.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "convolution_separable",
    run,
};

const RADIUS: usize = 8;
const STEPS: usize = 8;

const ROW_X: usize = 16;
const ROW_Y: usize = 4;
/// Columns of the rows' tile: eight steps and one more on either side.
const ROW_TILE: usize = (STEPS + 2) * ROW_X;

/// A thread convolves eight elements of a row, 16 apart.
#[kernel(fma, block(16, 4))]
fn convolution_rows(
    block: Block,
    width: usize,
    weights: &[f32],
    input: &[f32],
    mut tile: SharedTile<f32, { ROW_TILE * ROW_Y }>,
    mut output: DisjointSlice<f32>,
) {
    let first_x = block_idx().x as usize * STEPS * ROW_X;
    let first_y = block_idx().y as usize * ROW_Y;
    tile.fill(|slot| {
        let (x, y) = (first_x + slot % ROW_TILE, first_y + slot / ROW_TILE);
        if x >= ROW_X && x < width + ROW_X {
            input[y * width + x - ROW_X]
        } else {
            0.0
        }
    });
    let tile = tile.publish(&block);
    let (x, y) = (thread_idx().x as usize, thread_idx().y as usize);
    let output = output.raw();
    for step in 0..STEPS {
        let centre = y * ROW_TILE + x + (step + 1) * ROW_X;
        let around = &tile[centre - RADIUS..=centre + RADIUS];
        let sum: f32 = around
            .iter()
            .zip(weights.iter().rev())
            .map(|(v, w)| v * w)
            .sum();
        let at = (first_y + y) * width + first_x + step * ROW_X + x;
        // SAFETY: the grid covers the image exactly, and each thread has its own columns. No output type deals out elements 16 apart within a block.
        unsafe { *output.add(at) = sum };
    }
}

const COLUMN_X: usize = 16;
const COLUMN_Y: usize = 8;
const COLUMN_TILE: usize = (STEPS + 2) * COLUMN_Y;

/// A thread convolves eight elements of a column, eight apart.
#[kernel(fma, block(16, 8))]
fn convolution_columns(
    block: Block,
    width: usize,
    height: usize,
    weights: &[f32],
    input: &[f32],
    mut tile: SharedTile<f32, { COLUMN_TILE * COLUMN_X }>,
    mut output: DisjointSlice<f32>,
) {
    let first_x = block_idx().x as usize * COLUMN_X;
    let first_y = block_idx().y as usize * STEPS * COLUMN_Y;
    tile.fill(|slot| {
        let (x, y) = (first_x + slot % COLUMN_X, first_y + slot / COLUMN_X);
        if y >= COLUMN_Y && y < height + COLUMN_Y {
            input[(y - COLUMN_Y) * width + x]
        } else {
            0.0
        }
    });
    let tile = tile.publish(&block);
    let (x, y) = (thread_idx().x as usize, thread_idx().y as usize);
    let output = output.raw();
    for step in 0..STEPS {
        let centre = y + (step + 1) * COLUMN_Y;
        let mut sum = 0.0;
        for (k, weight) in weights.iter().rev().enumerate() {
            sum += weight * tile[(centre + k - RADIUS) * COLUMN_X + x];
        }
        let at = (first_y + step * COLUMN_Y + y) * width + first_x + x;
        // SAFETY: as above, with its own rows.
        unsafe { *output.add(at) = sum };
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (width, height) = [(256, 64), (4096, 4096)][scale as usize];
    let (input, weights) = (noise(width * height, 1), noise(2 * RADIUS + 1, 2));
    let along = |input: &[f32], at: usize, place: usize, len: usize, step: usize| -> f32 {
        let sum = (0..=2 * RADIUS).map(|k| match place + k {
            p if p < RADIUS || p >= len + RADIUS => 0.0,
            _ => weights[2 * RADIUS - k] * input[at + k * step - RADIUS * step],
        });
        sum.sum()
    };
    let (d_weights, d_input) = (side.upload(&weights)?, side.upload(&input)?);
    let nothing = vec![f32::NAN; width * height];
    let expected = |at: usize| along(&input, at, at % width, width, 1);
    let mut rows = side.sampled(&nothing, expected, 1e-4)?;
    let grid = ((width / (STEPS * ROW_X)) as u32, (height / ROW_Y) as u32);
    let arguments = arguments![&d_weights, &d_input, &rows.buffer, width as i32];
    // SAFETY: 17 weights, two images that the grid covers, and their width.
    let twin = unsafe { Call::new("convolution_rows", grid, (16, 4), arguments) };
    side.kernel("convolution_rows", vec![twin], &mut rows, |stream, rows| {
        let (shape, rows) = (Launch::new(grid, (16, 4)), &mut rows.buffer);
        Ok(convolution_rows::launch(
            stream, shape, width, &d_weights, &d_input, rows,
        )?)
    })?;

    let now = side.download(&rows.buffer)?;
    let expected = |at: usize| along(&now, at, at / width, height, width);
    let mut columns = side.sampled(&nothing, expected, 1e-4)?;
    let grid = (
        (width / COLUMN_X) as u32,
        (height / (STEPS * COLUMN_Y)) as u32,
    );
    let (w, h) = (width as i32, height as i32);
    let arguments = arguments![&d_weights, &rows.buffer, &columns.buffer, w, h];
    // SAFETY: as above, and the height.
    let twin = unsafe { Call::new("convolution_columns", grid, (16, 8), arguments) };
    side.kernel(
        "convolution_columns",
        vec![twin],
        &mut columns,
        |stream, columns| {
            let (shape, out) = (Launch::new(grid, (16, 8)), &mut columns.buffer);
            let input = &rows.buffer;
            Ok(convolution_columns::launch(
                stream, shape, width, height, &d_weights, input, out,
            )?)
        },
    )
}
