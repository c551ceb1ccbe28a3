//! HeCBench `medianfilter`: the median of nine pixels, channel by channel.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::bytes;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "median_filter",
    run,
};

#[kernel(block(16, 16))]
fn median_3x3(
    i: Index2D,
    width: u32,
    height: u32,
    image: &[[u8; 4]],
    mut result: DisjointSlice2D<u32>,
) {
    let (width, height) = (width as usize, height as usize);
    if let Some(result) = result.get_mut(i) {
        let mut pixel = [0; 4];
        for (channel, median) in pixel.iter_mut().enumerate() {
            let mut window = [0; 9];
            for (k, value) in window.iter_mut().enumerate() {
                let x = (i.x() + k % 3).saturating_sub(1).min(width - 1);
                let y = (i.y() + k / 3).saturating_sub(1).min(height - 1);
                *value = image[y * width + x][channel];
            }
            // The five least are enough.
            for first in 0..5 {
                for other in first + 1..9 {
                    if window[other] < window[first] {
                        window.swap(first, other);
                    }
                }
            }
            *median = window[4];
        }
        *result = u32::from_le_bytes(pixel);
    }
}

fn reference(width: usize, height: usize, image: &[[u8; 4]], at: usize) -> u32 {
    let medians = [0, 1, 2, 3].map(|channel| {
        let mut window = Vec::new();
        for dy in [-1, 0, 1] {
            for dx in [-1, 0, 1] {
                let x = ((at % width) as i32 + dx).clamp(0, width as i32 - 1) as usize;
                let y = ((at / width) as i32 + dy).clamp(0, height as i32 - 1) as usize;
                window.push(image[y * width + x][channel]);
            }
        }
        window.sort_unstable();
        window[4]
    });
    u32::from_le_bytes(medians)
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (width, height) = [(60, 50), (2048, 2048)][scale as usize];
    let n = width * height;
    let values = bytes(4 * n, 1);
    let image: Vec<[u8; 4]> = values.chunks(4).map(|p| [p[0], p[1], p[2], p[3]]).collect();
    let mut result = side.sampled(&vec![0; n], |at| reference(width, height, &image, at), 0.0)?;
    let d_image = side.upload(&image)?;
    let (grid, block) = (
        (width.div_ceil(16) as u32, height.div_ceil(16) as u32),
        (16, 16),
    );
    let (w, h) = (width as u32, height as u32);
    let arguments = arguments![w as i32, h as i32, &d_image, &result.buffer];
    // SAFETY: width and height, two images of that size.
    let twin = unsafe { Call::new("median_3x3", grid, block, arguments) };
    side.kernel("median_3x3", vec![twin], &mut result, |stream, result| {
        let shape = Launch::new(grid, block);
        let result = result.buffer.view_2d_mut(width)?;
        Ok(median_3x3::launch(stream, shape, w, h, &d_image, result)?)
    })
}
