//! Rodinia `leukocyte`: for each pixel the circle around it along which the gradient's mean is largest beside its deviation; then a dilation by a disc.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{noise, uniform};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "leukocyte",
    run,
};

/// Points of a circle, and circles that are tried.
const POINTS: usize = 150;
const CIRCLES: usize = 7;
/// Pixels at the border that have no circle, and the radius of the disc.
const BORDER: usize = 22;
const RADIUS: usize = 4;

#[kernel(fma)]
fn gicov(
    i: Index2D,
    grad_x: &[f32],
    grad_y: &[f32],
    cosines: &[f32],
    sines: &[f32],
    rows: &[[i32; POINTS]],
    columns: &[[i32; POINTS]],
    mut result: DisjointSlice2D<f32>,
) {
    let (width, height) = (result.width(), result.height());
    let inner = |at: usize, len: usize| (BORDER..len - BORDER).contains(&at);
    if !inner(i.x(), width) || !inner(i.y(), height) {
        return;
    }
    let mut best = 0.0;
    for (rows, columns) in rows.iter().zip(columns) {
        let (mut sum, mut deviations, mut mean) = (0.0, 0.0, 0.0);
        for n in 0..POINTS {
            let y = (i.y() as i32 + rows[n]) as usize;
            let x = (i.x() as i32 + columns[n]) as usize;
            let at = y * width + x;
            let along = grad_x[at] * cosines[n] + grad_y[at] * sines[n];
            sum += along;
            let delta = along - mean;
            mean += delta / (n + 1) as f32;
            deviations += delta * (along - mean);
        }
        mean = sum / POINTS as f32;
        let variance = deviations / (POINTS - 1) as f32;
        if mean * mean / variance > best {
            best = mean * mean / variance;
        }
    }
    if let Some(result) = result.get_mut(i) {
        *result = best;
    }
}

#[kernel]
fn dilate(i: Index2D, disc: &[u8], image: &[f32], mut result: DisjointSlice2D<f32>) {
    let (width, height) = (result.width(), result.height());
    if let Some(result) = result.get_mut(i) {
        let mut largest = 0.0f32;
        for (dy, row) in disc.chunks_exact(2 * RADIUS + 1).enumerate() {
            let y = (i.y() + dy).wrapping_sub(RADIUS);
            if y >= height {
                continue;
            }
            for (dx, &inside) in row.iter().enumerate() {
                let x = (i.x() + dx).wrapping_sub(RADIUS);
                if x < width && inside != 0 {
                    largest = largest.max(image[y * width + x]);
                }
            }
        }
        *result = largest;
    }
}

fn reference_gicov(
    width: usize,
    height: usize,
    gradients: [&[f32]; 2],
    directions: [&[f32]; 2],
    offsets: [&[[i32; POINTS]]; 2],
    at: usize,
) -> f32 {
    let (x, y) = (at % width, at / width);
    let inner = |at: usize, len: usize| at >= BORDER && at < len - BORDER;
    if !inner(x, width) || !inner(y, height) {
        return 0.0;
    }
    let ratio = |circle: usize| {
        let along = |n: usize| {
            let row = (y as i32 + offsets[0][circle][n]) as usize;
            let at = row * width + (x as i32 + offsets[1][circle][n]) as usize;
            let product = |k: usize| f64::from(gradients[k][at]) * f64::from(directions[k][n]);
            product(0) + product(1)
        };
        let mean = (0..POINTS).map(along).sum::<f64>() / POINTS as f64;
        let squares: f64 = (0..POINTS).map(|n| (along(n) - mean).powi(2)).sum();
        mean * mean / (squares / (POINTS - 1) as f64)
    };
    (0..CIRCLES).map(ratio).fold(0.0, f64::max) as f32
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (width, height) = [(64, 50), (1024, 512)][scale as usize];
    let n = width * height;
    let angle = |k: usize| std::f64::consts::TAU * k as f64 / POINTS as f64;
    let cosines: Vec<f32> = (0..POINTS).map(|k| angle(k).cos() as f32).collect();
    let sines: Vec<f32> = (0..POINTS).map(|k| angle(k).sin() as f32).collect();
    let offsets = |values: &[f32]| -> Vec<[i32; POINTS]> {
        let of = |c: usize| std::array::from_fn(|k| (values[k] * (8 + 2 * c) as f32) as i32);
        (0..CIRCLES).map(of).collect()
    };
    let (rows, columns) = (offsets(&sines), offsets(&cosines));
    let (grad_x, grad_y) = (noise(n, 1), noise(n, 2));
    let (gradients, directions) = ([&grad_x[..], &grad_y[..]], [&cosines[..], &sines[..]]);
    let expected =
        |at: usize| reference_gicov(width, height, gradients, directions, [&rows, &columns], at);
    let mut result = side.sampled(&vec![0.0; n], expected, 1e-4)?;
    let (d_x, d_y) = (side.upload(&grad_x)?, side.upload(&grad_y)?);
    let (d_cosines, d_sines) = (side.upload(&cosines)?, side.upload(&sines)?);
    let (d_rows, d_columns) = (side.upload(&rows)?, side.upload(&columns)?);
    let (grid, block) = (
        (width.div_ceil(32) as u32, height.div_ceil(8) as u32),
        (32, 8),
    );
    let (w, h) = (width as i32, height as i32);
    let arguments = arguments![
        w,
        h,
        &d_x,
        &d_y,
        &d_cosines,
        &d_sines,
        &d_rows,
        &d_columns,
        &result.buffer
    ];
    // SAFETY: width and height, two images, two numbers for each point of a circle, two for each point of each circle, an image.
    let twin = unsafe { Call::new("gicov", grid, block, arguments) };
    let shape = Launch::new(grid, block);
    side.kernel("gicov", vec![twin], &mut result, |stream, result| {
        let result = result.buffer.view_2d_mut(width)?;
        Ok(gicov::launch(
            stream, shape, &d_x, &d_y, &d_cosines, &d_sines, &d_rows, &d_columns, result,
        )?)
    })?;

    let side_of_disc = 2 * RADIUS + 1;
    let away = |k: usize| (k as i32 - RADIUS as i32).pow(2);
    let is_in = |k: usize| {
        u8::from(away(k % side_of_disc) + away(k / side_of_disc) <= (RADIUS * RADIUS) as i32)
    };
    let disc: Vec<u8> = (0..side_of_disc * side_of_disc).map(is_in).collect();
    let image = uniform(n, 3);
    let expected = |at: usize| {
        let (x, y) = ((at % width) as i32, (at / width) as i32);
        let of = |k: usize| {
            let column = x + (k % side_of_disc) as i32 - RADIUS as i32;
            let row = y + (k / side_of_disc) as i32 - RADIUS as i32;
            let inside = (0..w).contains(&column) && (0..h).contains(&row) && disc[k] != 0;
            if inside {
                image[(row * w + column) as usize]
            } else {
                0.0
            }
        };
        (0..disc.len()).map(of).fold(0.0, f32::max)
    };
    let mut result = side.sampled(&vec![f32::NAN; n], expected, 0.0)?;
    let (d_disc, d_image) = (side.upload(&disc)?, side.upload(&image)?);
    let arguments = arguments![w, h, &d_disc, &d_image, &result.buffer];
    // SAFETY: width and height, a byte for each place of the disc, two images.
    let twin = unsafe { Call::new("dilate", grid, block, arguments) };
    side.kernel("dilate", vec![twin], &mut result, |stream, result| {
        let result = result.buffer.view_2d_mut(width)?;
        Ok(dilate::launch(stream, shape, &d_disc, &d_image, result)?)
    })
}
