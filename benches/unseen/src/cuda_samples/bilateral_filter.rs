//! A bilateral filter of a colour image: weights by distance and by the difference of colours.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{uniform, words};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "bilateral_filter",
    run,
};

const MOST_RADIUS: usize = 5;

/// Red, green and blue of a pixel, 0 to 1.
fn colours(pixel: u32) -> [f32; 3] {
    [0, 8, 16].map(|shift| (pixel >> shift & 0xff) as f32 / 255.0)
}

fn pixel_of([red, green, blue]: [f32; 3]) -> [u8; 4] {
    let byte = |c: f32| (c.clamp(0.0, 1.0) * 255.0) as u8;
    [byte(red), byte(green), byte(blue), 0]
}

/// The weight of a colour beside another one.
fn likeness(a: [f32; 3], b: [f32; 3], delta: f32) -> f32 {
    let mut square = 0.0;
    for (a, b) in a.iter().zip(&b) {
        square += (b - a) * (b - a);
    }
    (-square / (2.0 * delta * delta)).exp()
}

/// A thread per pixel; pixels beyond the border are those at it.
#[kernel(fma)]
fn bilateral_filter(
    at: Index2D,
    delta: f32,
    radius: i32,
    gaussian: [f32; 2 * MOST_RADIUS + 1],
    input: &[u32],
    mut output: DisjointSlice2D<[u8; 4]>,
) {
    let (width, height) = (output.width() as i32, output.height() as i32);
    let (x, y) = (at.x() as i32, at.y() as i32);
    if let Some(output) = output.get_mut(at) {
        let centre = colours(input[(y * width + x) as usize]);
        let (mut sum, mut mean) = (0.0, [0.0; 3]);
        for i in -radius..=radius {
            for j in -radius..=radius {
                let row = (y + i).clamp(0, height - 1);
                let column = (x + j).clamp(0, width - 1);
                let colour = colours(input[(row * width + column) as usize]);
                let near = gaussian[(i + radius) as usize] * gaussian[(j + radius) as usize];
                let factor = near * likeness(colour, centre, delta);
                for (mean, colour) in mean.iter_mut().zip(colour) {
                    *mean += factor * colour;
                }
                sum += factor;
            }
        }
        *output = pixel_of(mean.map(|m| m / sum));
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (width, height, radius) = [(60, 40, 3), (2048, 2048, 5)][scale as usize];
    // Neighbours are alike, as in pictures, with some noise.
    let shades = uniform(width * height, 1);
    let noise = words(width * height, 2);
    let pixel = |at: usize| {
        let (x, y) = ((at % width) as f32, (at / width) as f32);
        let shade = 0.5 + 0.3 * (x * 0.05).sin() * (y * 0.03).cos() + 0.1 * shades[at];
        u32::from_le_bytes(pixel_of([shade, shade * 0.8, 1.0 - shade])) ^ (noise[at] & 0x0003_0303)
    };
    let input: Vec<u32> = (0..width * height).map(pixel).collect();
    let delta = 0.1f32;
    let mut gaussian = [0.0; 2 * MOST_RADIUS + 1];
    for (i, weight) in gaussian.iter_mut().enumerate().take(2 * radius + 1) {
        let distance = i as f32 - radius as f32;
        *weight = (-distance * distance / (2.0 * 4.0 * 4.0)).exp();
    }
    let expected = |at: usize| {
        let (x, y) = (at % width, at / width);
        let (centre, mut sum, mut mean) = (colours(input[at]), 0.0, [0.0; 3]);
        for i in 0..=2 * radius {
            for j in 0..=2 * radius {
                let row = (y + i).saturating_sub(radius).min(height - 1);
                let column = (x + j).saturating_sub(radius).min(width - 1);
                let colour = colours(input[row * width + column]);
                let factor = gaussian[i] * gaussian[j] * likeness(colour, centre, delta);
                for k in 0..3 {
                    mean[k] += factor * colour[k];
                }
                sum += factor;
            }
        }
        pixel_of(mean.map(|m| m / sum))
    };
    let d_input = side.upload(&input)?;
    // Rounding may choose the next shade.
    let nothing = vec![[7; 4]; width * height];
    let mut output = side.sampled(&nothing, expected, 1.01 / 255.0)?;
    let (grid, block) = (
        (width.div_ceil(16) as u32, height.div_ceil(16) as u32),
        (16, 16),
    );
    let d_gaussian = side.upload(&gaussian)?;
    let (w, h, r) = (width as i32, height as i32, radius as i32);
    let out = &output.buffer;
    let arguments = arguments![delta, r, &d_gaussian, &d_input, out, w, h];
    // SAFETY: a width of the weights, the radius, 11 weights, two images, and their size.
    let twin = unsafe { Call::new("bilateral_filter", grid, block, arguments) };
    side.kernel(
        "bilateral_filter",
        vec![twin],
        &mut output,
        |stream, output| {
            let (shape, output) = (Launch::new(grid, block), output.buffer.view_2d_mut(width)?);
            Ok(bilateral_filter::launch(
                stream, shape, delta, r, gaussian, &d_input, output,
            )?)
        },
    )
}
