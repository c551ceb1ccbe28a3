//! Levels of detail that a kernel makes: each is the one before, half as large, through surfaces.
//!
//! In no document. Note: a side of 2n + 1 elements becomes one of n, so that each of these covers a little more than two; a box filter takes the
//! part of the elements that is covered. Two elements of three would be left out, or the picture would move, if every coarse element were the
//! mean of two. The picture shows a floor to the horizon: without levels on the left, with levels and a filter between them on the right.
//!
//! `cargo run --release -p warploom-gallery --example mip_levels [width] [height]`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::device_std::surface::ReadOnly;
use warploom::device_std::texture::Texel;
use warploom::prelude::*;
use warploom::{ArrayElement, ArrayOptions, MipmappedArray};
use warploom_gallery::{Program, Result};

mod horizon; // the picture

/// Elements that have a mean.
trait Pixel: Texel + ArrayElement {
    fn numbers(self) -> [f32; 4];
    fn nearest(numbers: [f32; 4]) -> Self;
}

impl Pixel for f32 {
    fn numbers(self) -> [f32; 4] {
        [self, 0.0, 0.0, 0.0]
    }
    fn nearest([x, ..]: [f32; 4]) -> f32 {
        x
    }
}

impl Pixel for [u8; 4] {
    fn numbers(self) -> [f32; 4] {
        self.map(f32::from)
    }
    fn nearest(numbers: [f32; 4]) -> [u8; 4] {
        numbers.map(|x| (x + 0.5) as u8)
    }
}

/// How much of the elements `2 * at` to `2 * at + 2` of `fine` belongs to the element `at` of `coarse`: one half of two, or of an odd side of
/// 2n + 1 elements parts of three, which add up to (2n + 1) / n elements.
fn weights(at: u32, coarse: u32, fine: u32) -> [f32; 3] {
    if fine == coarse {
        return [1.0, 0.0, 0.0]; // a side of one element stays
    }
    if fine == coarse * 2 {
        return [0.5, 0.5, 0.0];
    }
    let all = fine as f32;
    [
        (coarse - at) as f32 / all,
        coarse as f32 / all,
        (at + 1) as f32 / all,
    ]
}

#[kernel]
fn halve<T: Pixel>(at: Index2D, fine: Surface2d<T, ReadOnly>, mut coarse: Surface2d<T>) {
    let ([from_width, from_height], [width, height]) = (fine.size(), coarse.size());
    let (x, y) = (at.x() as u32, at.y() as u32);
    if x >= width || y >= height {
        return;
    }
    let across = weights(x, width, from_width);
    let down = weights(y, height, from_height);
    let mut sum = [0.0f32; 4];
    for (j, part) in (0i32..).zip(down) {
        for (i, part_of_row) in (0i32..).zip(across) {
            // What lies behind the edge has no weight.
            let numbers = fine.read(2 * x as i32 + i, 2 * y as i32 + j).numbers();
            for (sum, number) in sum.iter_mut().zip(numbers) {
                *sum += part * part_of_row * number;
            }
        }
    }
    coarse.write(at, T::nearest(sum));
}

/// Makes all levels of an array out of its finest, each by one launch.
fn generate<T: Pixel>(stream: &Stream, image: &mut MipmappedArray<T>) -> Result {
    let mut levels = image.levels_mut();
    for k in 1..levels.len() {
        let (finer, coarser) = levels.split_at_mut(k);
        let extent = coarser[0].shape().extent();
        let shape = Launch::covering_2d(extent.width, extent.height);
        let fine = finer[k - 1].as_level();
        halve::<T>::launch(
            stream,
            shape,
            &fine.surface()?,
            &mut coarser[0].surface_mut()?,
        )?;
    }
    Ok(())
}

/// The mean of the part of a row of `n` elements that belongs to `at` of `n / 2` elements, by its ends: plain, for comparison.
fn part_of(at: usize, n: usize) -> Vec<(usize, f64)> {
    let coarse = (n / 2).max(1);
    let side = n as f64 / coarse as f64;
    let (start, end) = (at as f64 * side, (at + 1) as f64 * side);
    let covered = |i: usize| ((i + 1) as f64).min(end) - (i as f64).max(start);
    (0..n)
        .map(|i| (i, covered(i) / side))
        .filter(|(_, part)| *part > 0.0)
        .collect()
}

/// A level half as large as this one of `width` by `height` elements.
fn model(fine: &[f32], [width, height]: [usize; 2]) -> Vec<f32> {
    let [w, h] = [width, height].map(|side| (side / 2).max(1));
    let element = |k: usize| {
        let rows = part_of(k / w, height);
        let sum = rows.iter().map(|(y, down)| {
            let row = part_of(k % w, width).into_iter();
            down * row
                .map(|(x, across)| across * f64::from(fine[y * width + x]))
                .sum::<f64>()
        });
        sum.sum::<f64>() as f32
    };
    (0..w * h).map(element).collect()
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let (width, height) = (program.argument(1, 75usize)?, program.argument(2, 38usize)?);
    for [width, height] in [[width, height], [64, 64], [1, 13], [7, 1]] {
        let shape = ArrayOptions::new((width, height)).with_surface();
        let n_levels = shape.shape().most_levels();
        let mut image = device.mipmapped_uninit::<f32>(shape, n_levels)?;
        let mut finer: Vec<f32> = (0..width * height).map(|i| (i * i % 251) as f32).collect();
        let mean = |of: &[f32]| of.iter().map(|x| f64::from(*x)).sum::<f64>() / of.len() as f64;
        let whole = mean(&finer);
        let finest = &mut image.level_mut(0)?;
        finest.as_slice_mut().copy_from(&finer, &stream)?;
        generate(&stream, &mut image)?;
        println!("{width} x {height} elements: {n_levels} levels");
        for k in 1..n_levels {
            let sides = [width, height].map(|side| (side >> (k - 1)).max(1));
            let coarse = image.level(k)?.as_slice().to_vec(&stream)?;
            let expected = model(&finer, sides);
            let wrong = coarse.iter().zip(&expected);
            let wrong = wrong.filter(|(found, plain)| (**found - **plain).abs() > 1e-3);
            program.is("elements unlike the model's", wrong.count(), 0);
            program.is("elements of a level", coarse.len(), expected.len());
            program.holds("the mean stays", (mean(&coarse) - whole).abs() < 1e-3);
            finer = coarse;
        }
    }
    program.drawn("mip_levels.png", 480, |device| {
        horizon::horizon(device, [480, 160])
    })?;
    Ok(())
}
