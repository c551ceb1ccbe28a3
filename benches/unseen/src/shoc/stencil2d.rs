//! A nine-point stencil through a tile in shared memory: 16 rows and 16 columns, and a border of one.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "shoc",
    name: "stencil2d",
    run,
};

const SIDE: usize = 16;
const TILE: usize = SIDE + 2;

/// A block per 16 by 16 inner cells; weights for the centre, the sides and the corners.
#[kernel(fma, block(16, 16))]
fn stencil9(
    block: Block,
    width: usize,
    centre: f32,
    cardinal: f32,
    diagonal: f32,
    data: &[f32],
    mut tile: SharedTile<f32, { TILE * TILE }>,
    mut output: DisjointSlice<f32>,
) {
    let (first_x, first_y) = (block_idx().x as usize * SIDE, block_idx().y as usize * SIDE);
    tile.fill(|slot| data[(first_y + slot / TILE) * width + first_x + slot % TILE]);
    let tile = tile.publish(&block);
    let (x, y) = (thread_idx().x as usize + 1, thread_idx().y as usize + 1);
    let cell = |row: usize, column: usize| tile[row * TILE + column];
    let sides = cell(y - 1, x) + cell(y + 1, x) + cell(y, x - 1) + cell(y, x + 1);
    let mut corners = 0.0;
    for row in [y - 1, y + 1] {
        for column in [x - 1, x + 1] {
            corners += cell(row, column);
        }
    }
    let output = output.raw();
    let at = (first_y + y) * width + first_x + x;
    // SAFETY: the grid covers the inner cells, and this one is the thread's alone. A matrix without its border is no output.
    unsafe { *output.add(at) = centre * cell(y, x) + cardinal * sides + diagonal * corners };
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (columns, rows) = [(64, 32), (4096, 4096)][scale as usize];
    let (width, height) = (columns + 2, rows + 2);
    let data = noise(width * height, 1);
    let (centre, cardinal, diagonal) = (0.25f32, 0.15f32, 0.05f32);
    let expected = |at: usize| {
        let (x, y) = (at % width, at / width);
        if x == 0 || y == 0 || x == width - 1 || y == height - 1 {
            return 7.0;
        }
        let sides = data[at - 1] + data[at + 1] + data[at - width] + data[at + width];
        let corners = [
            at - width - 1,
            at - width + 1,
            at + width - 1,
            at + width + 1,
        ];
        let corners: f32 = corners.iter().map(|&at| data[at]).sum();
        centre * data[at] + cardinal * sides + diagonal * corners
    };
    let mut output = side.sampled(&vec![7.0; width * height], expected, 1e-5)?;
    let d_data = side.upload(&data)?;
    let grid = ((columns / SIDE) as u32, (rows / SIDE) as u32);
    let out = &output.buffer;
    let arguments = arguments![centre, cardinal, diagonal, &d_data, out, width as i32];
    // SAFETY: three weights, two matrices whose inner cells the grid covers, and their width.
    let twin = unsafe { Call::new("stencil9", grid, (16, 16), arguments) };
    side.kernel("stencil9", vec![twin], &mut output, |stream, output| {
        let (shape, out) = (Launch::new(grid, (16, 16)), &mut output.buffer);
        Ok(stencil9::launch(
            stream, shape, width, centre, cardinal, diagonal, &d_data, out,
        )?)
    })
}
