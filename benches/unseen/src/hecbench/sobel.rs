//! HeCBench `sobel`: the gradient of an image by two masks of nine factors.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::bytes;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "sobel",
    run,
};

const MASK_X: [[f32; 3]; 3] = [[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]];
const MASK_Y: [[f32; 3]; 3] = [[1.0, 2.0, 1.0], [0.0, 0.0, 0.0], [-1.0, -2.0, -1.0]];

/// Pixels of the border stay as they are.
#[kernel(fma, block(16, 16))]
fn sobel(i: Index2D, width: u32, image: &[[u8; 4]], mut result: DisjointSlice2D<[f32; 4]>) {
    let (width, height) = (width as usize, image.len() / width as usize);
    if i.x() == 0 || i.y() == 0 || i.x() + 1 >= width || i.y() + 1 >= height {
        return;
    }
    if let Some(result) = result.get_mut(i) {
        let (mut gx, mut gy) = ([0.0; 4], [0.0; 4]);
        for (dy, (row_x, row_y)) in MASK_X.iter().zip(&MASK_Y).enumerate() {
            let start = (i.y() + dy - 1) * width + i.x() - 1;
            for ((pixel, mx), my) in image[start..start + 3].iter().zip(row_x).zip(row_y) {
                for channel in 0..4 {
                    gx[channel] += mx * f32::from(pixel[channel]);
                    gy[channel] += my * f32::from(pixel[channel]);
                }
            }
        }
        for channel in 0..4 {
            result[channel] = gx[channel].hypot(gy[channel]) / 2.0;
        }
    }
}

fn reference(width: usize, image: &[[u8; 4]], at: usize) -> [f32; 4] {
    let (x, y, height) = (at % width, at / width, image.len() / width);
    if x == 0 || y == 0 || x == width - 1 || y == height - 1 {
        return [0.0; 4];
    }
    [0, 1, 2, 3].map(|channel| {
        let p = |dx: usize, dy: usize| f64::from(image[(y + dy - 1) * width + x + dx - 1][channel]);
        let gx = p(0, 0) + 2.0 * p(0, 1) + p(0, 2) - p(2, 0) - 2.0 * p(2, 1) - p(2, 2);
        let gy = p(0, 0) + 2.0 * p(1, 0) + p(2, 0) - p(0, 2) - 2.0 * p(1, 2) - p(2, 2);
        (gx.hypot(gy) / 2.0) as f32
    })
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (width, height) = [(60, 50), (4096, 2048)][scale as usize];
    let n = width * height;
    let values = bytes(4 * n, 1);
    let image: Vec<[u8; 4]> = values.chunks(4).map(|p| [p[0], p[1], p[2], p[3]]).collect();
    let mut result = side.sampled(&vec![[0.0; 4]; n], |at| reference(width, &image, at), 1e-6)?;
    let d_image = side.upload(&image)?;
    let (grid, block) = (
        (width.div_ceil(16) as u32, height.div_ceil(16) as u32),
        (16, 16),
    );
    let arguments = arguments![width as i32, height as i32, &d_image, &result.buffer];
    // SAFETY: width and height, two images of that size.
    let twin = unsafe { Call::new("sobel", grid, block, arguments) };
    side.kernel("sobel", vec![twin], &mut result, |stream, result| {
        let shape = Launch::new(grid, block);
        let result = result.buffer.view_2d_mut(width)?;
        Ok(sobel::launch(
            stream,
            shape,
            width as u32,
            &d_image,
            result,
        )?)
    })
}
