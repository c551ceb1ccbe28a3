//! NVIDIA's `imageDenoising`: the filter of nearest neighbours, a mean of the pixels around that are like the one in the middle.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::bytes;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "image_denoising",
    run,
};

const RADIUS: i32 = 3;
const PART: f32 = 1.0 / ((2 * RADIUS + 1) * (2 * RADIUS + 1)) as f32;
const LEAST_WEIGHT: f32 = 0.02;
const LEAST_PART: f32 = 0.79;

fn colour(pixel: [u8; 4]) -> [f32; 3] {
    [0, 1, 2].map(|c| f32::from(pixel[c]) * (1.0 / 255.0))
}

#[kernel(fma, block(8, 8))]
fn nearest_neighbours(
    i: Index2D,
    noise: f32,
    lerp: f32,
    image: &[[u8; 4]],
    mut result: DisjointSlice2D<[u8; 4]>,
) {
    let (width, height) = (result.width() as i32, result.height() as i32);
    let (x, y) = (i.x() as i32, i.y() as i32);
    if let Some(result) = result.get_mut(i) {
        let here = colour(image[(y * width + x) as usize]);
        let (mut alike, mut weights, mut sum) = (0.0, 0.0, [0.0; 3]);
        for dy in -RADIUS..=RADIUS {
            for dx in -RADIUS..=RADIUS {
                // As a texture with clamped coordinates.
                let row = (y + dy).clamp(0, height - 1);
                let column = (x + dx).clamp(0, width - 1);
                let there = colour(image[(row * width + column) as usize]);
                let distance: f32 = here.iter().zip(there).map(|(a, b)| (b - a) * (b - a)).sum();
                let weight = (-(distance * noise + (dx * dx + dy * dy) as f32 * PART)).exp();
                for (sum, there) in sum.iter_mut().zip(there) {
                    *sum += there * weight;
                }
                weights += weight;
                if weight > LEAST_WEIGHT {
                    alike += PART;
                }
            }
        }
        let part = if alike > LEAST_PART { lerp } else { 1.0 - lerp };
        let mut pixel = [0; 4];
        for ((pixel, sum), here) in pixel.iter_mut().zip(sum).zip(here) {
            let mean = sum / weights;
            *pixel = ((mean + (here - mean) * part) * 255.0) as u8;
        }
        *result = pixel;
    }
}

const NOISE: f32 = 1.0 / (0.32 * 0.32);
const LERP: f32 = 0.2;

fn reference(width: usize, height: usize, image: &[[u8; 4]], at: usize) -> [u8; 4] {
    let (x, y) = ((at % width) as i32, (at / width) as i32);
    let here = colour(image[at]);
    let (mut alike, mut weights, mut sum) = (0.0f32, 0.0f32, [0.0f32; 3]);
    for dy in -RADIUS..=RADIUS {
        for dx in -RADIUS..=RADIUS {
            let row = (y + dy).clamp(0, height as i32 - 1) as usize;
            let column = (x + dx).clamp(0, width as i32 - 1) as usize;
            let there = colour(image[row * width + column]);
            let distance: f32 = (0..3).map(|c| (there[c] - here[c]).powi(2)).sum();
            let weight = (-(distance * NOISE + (dx * dx + dy * dy) as f32 * PART)).exp();
            (0..3).for_each(|c| sum[c] += there[c] * weight);
            weights += weight;
            alike += if weight > LEAST_WEIGHT { PART } else { 0.0 };
        }
    }
    let part = if alike > LEAST_PART { LERP } else { 1.0 - LERP };
    let channel = |c: usize| {
        let mean = sum[c] / weights;
        ((mean + (here[c] - mean) * part) * 255.0) as u8
    };
    [channel(0), channel(1), channel(2), 0]
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (width, height) = [(60, 50), (1024, 768)][scale as usize];
    let n = width * height;
    let values = bytes(4 * n, 1);
    let pixels = values.chunks(4);
    let image: Vec<[u8; 4]> = pixels
        .map(|p| [p[0] / 4, p[1] / 4, p[2] / 4 + 100, 0])
        .collect();
    // A rounded sum may be on the other side of a whole number.
    let expected = |at| reference(width, height, &image, at);
    let mut result = side.sampled(&vec![[1; 4]; n], expected, 1.1 / 255.0)?;
    let d_image = side.upload(&image)?;
    let grid = (width.div_ceil(8) as u32, height.div_ceil(8) as u32);
    let arguments = arguments![
        width as i32,
        height as i32,
        NOISE,
        LERP,
        &d_image,
        &result.buffer
    ];
    // SAFETY: width and height, two images of that size.
    let twin = unsafe { Call::new("nearest_neighbours", grid, (8, 8), arguments) };
    side.kernel(
        "nearest_neighbours",
        vec![twin],
        &mut result,
        |stream, result| {
            let shape = Launch::new(grid, (8, 8));
            let result = result.buffer.view_2d_mut(width)?;
            Ok(nearest_neighbours::launch(
                stream, shape, NOISE, LERP, &d_image, result,
            )?)
        },
    )
}
