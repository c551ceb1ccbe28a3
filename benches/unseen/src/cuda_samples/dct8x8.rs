//! The discrete cosine transform of blocks of 8 by 8 pixels, as two products of matrices in shared memory.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "dct8x8",
    run,
};

/// The matrix of the transform: a row per frequency.
const COSINES: [[f32; 8]; 8] = [
    [
        0.3535534, 0.3535534, 0.3535534, 0.3535534, 0.3535534, 0.3535534, 0.3535534, 0.3535534,
    ],
    [
        0.4903926, 0.4157348, 0.2777851, 0.0975452, -0.0975452, -0.2777851, -0.4157348, -0.4903926,
    ],
    [
        0.4619398, 0.1913417, -0.1913417, -0.4619398, -0.4619398, -0.1913417, 0.1913417, 0.4619398,
    ],
    [
        0.4157348, -0.0975452, -0.4903926, -0.2777851, 0.2777851, 0.4903926, 0.0975452, -0.4157348,
    ],
    [
        0.3535534, -0.3535534, -0.3535534, 0.3535534, 0.3535534, -0.3535534, -0.3535534, 0.3535534,
    ],
    [
        0.2777851, -0.4903926, 0.0975452, 0.4157348, -0.4157348, -0.0975452, 0.4903926, -0.2777851,
    ],
    [
        0.1913417, -0.4619398, 0.4619398, -0.1913417, -0.1913417, 0.4619398, -0.4619398, 0.1913417,
    ],
    [
        0.0975452, -0.2777851, 0.4157348, -0.4903926, 0.4903926, -0.4157348, 0.2777851, -0.0975452,
    ],
];

/// A block of threads per block of pixels.
#[kernel(fma, block(8, 8))]
fn dct_8x8(
    at: Index2D,
    block: Block,
    width: usize,
    image: &[f32],
    mut pixels: SharedTile<f32, 64>,
    mut half: SharedTile<f32, 64>,
    mut output: DisjointSlice2D<f32>,
) {
    let (x, y) = (thread_idx().x as usize, thread_idx().y as usize);
    pixels.set_own(0, image[at.y() * width + at.x()]);
    let pixels = pixels.publish(&block);
    // Along columns.
    let column = COSINES[y].iter().zip(pixels[x..].iter().step_by(8));
    half.set_own(0, column.map(|(c, p)| c * p).sum());
    let half = half.publish(&block);
    // Along rows.
    let mut sum = 0.0;
    for k in 0..8 {
        sum += half[y * 8 + k] * COSINES[x][k];
    }
    if let Some(output) = output.get_mut(at) {
        *output = sum;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (width, height) = [(64, 24), (4096, 4096)][scale as usize];
    let image = noise(width * height, 1);
    let expected = |at: usize| {
        let (x, y) = (at % width, at / width);
        let corner = (y / 8 * 8) * width + x / 8 * 8;
        let mut sum = 0.0;
        for i in 0..8 {
            for j in 0..8 {
                sum += COSINES[y % 8][i] * image[corner + i * width + j] * COSINES[x % 8][j];
            }
        }
        sum
    };
    let mut output = side.sampled(&vec![f32::NAN; width * height], expected, 1e-5)?;
    let d_image = side.upload(&image)?;
    let grid = ((width / 8) as u32, (height / 8) as u32);
    let arguments = arguments![&d_image, &output.buffer, width as i32];
    // SAFETY: two images that the grid covers, and their width.
    let twin = unsafe { Call::new("dct_8x8", grid, (8, 8), arguments) };
    side.kernel("dct_8x8", vec![twin], &mut output, |stream, output| {
        let (shape, output) = (Launch::new(grid, (8, 8)), output.buffer.view_2d_mut(width)?);
        Ok(dct_8x8::launch(stream, shape, width, &d_image, output)?)
    })
}
