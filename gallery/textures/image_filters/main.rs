//! Two filters on top of the texture unit's: a cubic one that magnifies, and a bilateral one that takes noise away and leaves edges.
//!
//! In no document (more). Note: a cubic filter weighs 16 elements; four samples between elements give the same sums, since the texture unit
//! mixes four elements in one. The bilateral filter reads its weights from a second texture. The picture shows, above, a detail from
//! nearest elements, by the linear and by the cubic filter; below, the drawing, the same with noise, and without it again.
//!
//! `cargo run --release -p warploom-gallery --example image_filters`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

mod plain; // the drawing, noise, and the cubic filter of the host

use std::process::ExitCode;

use warploom::prelude::*;
use warploom::texture::{Filter, Sampler};
use warploom_gallery::{Program, Result};

use plain::{drawing, noisy, plain_bicubic, spline};

/// The side of a panel.
const SIDE: usize = 160;
/// Pixels of the picture for an element of the detail.
const ZOOM: f32 = 10.0;
const RADIUS: i32 = 3;

/// Two places whose samples, with these weights, are a sum of four neighbours.
fn two_places(x: f32) -> [(f32, f32); 2] {
    let left = (x - 0.5).floor();
    let [a, b, c, d] = spline(x - 0.5 - left);
    [
        (left - 0.5 + b / (a + b), a + b),
        (left + 1.5 + d / (c + d), c + d),
    ]
}

fn bicubic(image: Texture2d<[u8; 4], Normalized>, x: f32, y: f32) -> [f32; 4] {
    let mut sum = [0.0; 4];
    for (y, down) in two_places(y) {
        for (x, right) in two_places(x) {
            let colour = image.sample(x, y);
            for c in 0..4 {
                sum[c] += right * down * colour[c];
            }
        }
    }
    sum
}

fn bytes(colour: [f32; 4]) -> [u8; 4] {
    colour.map(|c| (c * 255.0 + 0.5) as u8)
}

/// A detail, magnified by what `image` samples with, and by the cubic filter if `CUBIC`.
#[kernel]
fn magnify<const CUBIC: bool>(
    at: Index2D,
    image: Texture2d<[u8; 4], Normalized>,
    from: [f32; 2],
    mut y: DisjointSlice2D<[u8; 4]>,
) {
    let (u, v) = (
        from[0] + (at.x() as f32 + 0.5) / ZOOM,
        from[1] + (at.y() as f32 + 0.5) / ZOOM,
    );
    if let Some(y) = y.get_mut(at) {
        *y = bytes(if CUBIC {
            bicubic(image, u, v)
        } else {
            image.sample(u, v)
        });
    }
}

/// The mean of the neighbours, weighed by distance and by how much alike they are; `likeness` is over differences of 0 to 1.
#[kernel]
fn bilateral(
    at: Index2D,
    image: Texture2d<[u8; 4], Normalized>,
    likeness: Texture1d<f32>,
    distance: &[f32],
    mut y: DisjointSlice2D<[u8; 4]>,
) {
    let (u, v) = (at.x() as f32 + 0.5, at.y() as f32 + 0.5);
    let Some(y) = y.get_mut(at) else { return };
    let middle = image.sample(u, v);
    let (mut sum, mut weights) = ([0.0; 4], 0.0);
    for dy in -RADIUS..=RADIUS {
        for dx in -RADIUS..=RADIUS {
            let colour = image.sample(u + dx as f32, v + dy as f32);
            let difference = (0..3).fold(0.0, |sum, c| sum + (colour[c] - middle[c]).abs());
            let weight =
                likeness.sample(difference * (1.0 / 3.0)) * distance[(dx * dx + dy * dy) as usize];
            weights += weight;
            for c in 0..4 {
                sum[c] += weight * colour[c];
            }
        }
    }
    *y = bytes(sum.map(|c| c / weights));
}

const DETAIL: [f32; 2] = [88.0, 88.0];

/// The six panels, row by row.
fn panels(device: &Device) -> Result<Vec<Vec<[u8; 4]>>> {
    let stream = device.stream()?;
    let clean: Vec<[u8; 4]> = (0..SIDE * SIDE).map(drawing).collect();
    let with_noise: Vec<[u8; 4]> = (0..SIDE * SIDE).map(|i| noisy(i, clean[i])).collect();
    let (image, noise) = (
        device.array_from((SIDE, SIDE), &clean)?,
        device.array_from((SIDE, SIDE), &with_noise)?,
    );
    let (nearest, linear) = (Sampler::new(), Sampler::new().filter(Filter::Linear));
    let (shape, mut y) = (
        Launch::covering_2d(SIDE, SIDE),
        device.zeroed::<[u8; 4]>(SIDE * SIDE)?,
    );
    let mut found = Vec::new();
    for sampler in [nearest, linear] {
        let texture = image.texture(sampler)?;
        magnify::<false>::launch(&stream, shape, &texture, DETAIL, y.view_2d_mut(SIDE)?)?;
        found.push(y.to_vec(&stream)?);
    }
    magnify::<true>::launch(
        &stream,
        shape,
        &image.texture(linear)?,
        DETAIL,
        y.view_2d_mut(SIDE)?,
    )?;
    found.push(y.to_vec(&stream)?);

    let bell = |x: f32, width: f32| (-0.5 * (x / width) * (x / width)).exp();
    let likeness: Vec<f32> = (0..64).map(|i| bell(i as f32 / 63.0, 0.08)).collect();
    let distance: Vec<f32> = (0..=2 * RADIUS * RADIUS)
        .map(|d| bell((d as f32).sqrt(), 2.0))
        .collect();
    let (likeness, distance) = (device.array_from(64, &likeness)?, device.upload(&distance)?);
    let likeness = likeness.texture(linear.normalized())?;
    bilateral::launch(
        &stream,
        shape,
        &noise.texture(nearest)?,
        &likeness,
        &distance,
        y.view_2d_mut(SIDE)?,
    )?;
    found.extend([clean, with_noise, y.to_vec(&stream)?]);
    Ok(found)
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let found = panels(program.device())?;
    let wrong = (0..SIDE * SIDE).filter(|i| {
        let place = |start: f32, at: usize| start + (at as f32 + 0.5) / ZOOM;
        let clean = &found[3];
        let plain = plain_bicubic(
            clean,
            place(DETAIL[0], i % SIDE),
            place(DETAIL[1], i / SIDE),
        );
        // The texture unit's weights have eight bits: half a 256th of a difference of 255, along x and y, and the rounding to a byte.
        (0..4).any(|c| (f32::from(found[2][*i][c]) - plain[c]).abs() > 1.6)
    });
    program.is(
        "pixels of the cubic filter unlike 16 elements'",
        wrong.count(),
        0,
    );
    let far = |image: &[[u8; 4]]| -> u32 {
        let both = image.as_flattened().iter().zip(found[3].as_flattened());
        both.map(|(a, b)| u32::from(a.abs_diff(*b))).sum()
    };
    let (before, after) = (far(&found[4]), far(&found[5]));
    println!("differences from the drawing, in all: {before} with noise, {after} after the filter");
    program.holds(
        "the filter takes most of the noise away",
        4 * after < before,
    );
    program.drawn("image_filters.png", 3 * SIDE, |device| {
        let panels = panels(device)?;
        let pixel = |i: usize| {
            let (x, y) = (i % (3 * SIDE), i / (3 * SIDE));
            let [r, g, b, _] = panels[y / SIDE * 3 + x / SIDE][y % SIDE * SIDE + x % SIDE];
            [r, g, b]
        };
        Ok((0..6 * SIDE * SIDE).map(pixel).collect())
    })?;
    Ok(())
}
