//! A picture turned about its middle, each pixel a mixture of the four around the place where it comes from.
//!
//! What EX-12 of the CUDA programming guide does by a texture, without one (more). Note `sample`: coordinates beyond the edge wrap around,
//! colours between four pixels are mixed by the distances, and the colour of a pixel is that of its middle. Four floats are read at once.
//!
//! `cargo run --release -p warploom-gallery --example rotation [degrees]`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::device_std::vector::Float4;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// The colour at a place of the picture, which goes on beyond its edges. All lengths are in pixels.
fn sample(image: &[Float4], side: usize, x: f32, y: f32) -> Float4 {
    let (x, y) = (x - 0.5, y - 0.5); // the middle of pixel 0 is 0.5
    let (left, top) = (x.floor(), y.floor());
    let (a, b) = (x - left, y - top);
    let at = |right: i32, down: i32| {
        let column = (left as i32 + right).rem_euclid(side as i32) as usize;
        let row = (top as i32 + down).rem_euclid(side as i32) as usize;
        image[row * side + column]
    };
    let above = at(0, 0) * (1.0 - a) + at(1, 0) * a;
    let below = at(0, 1) * (1.0 - a) + at(1, 1) * a;
    above * (1.0 - b) + below * b
}

/// The colour that comes to pixel (x, y) when the picture is turned by `angle`.
fn turned(image: &[Float4], side: usize, angle: f32, x: usize, y: usize) -> Float4 {
    let middle = side as f32 * 0.5;
    let (u, v) = (x as f32 + 0.5 - middle, y as f32 + 0.5 - middle);
    let (sin, cos) = angle.sin_cos();
    let (from_x, from_y) = (u * cos - v * sin, v * cos + u * sin);
    sample(image, side, from_x + middle, from_y + middle)
}

#[kernel]
fn rotate(at: Index2D, image: &[Float4], angle: f32, mut y: DisjointSlice2D<Float4>) {
    let side = y.width();
    if let Some(y) = y.get_mut(at) {
        *y = turned(image, side, angle, at.x(), at.y());
    }
}

/// A disc with a bar out to one side, over squares.
fn drawing(side: usize, i: usize) -> Float4 {
    let scale = 2.0 / side as f32;
    let (x, y) = (
        (i % side) as f32 * scale - 1.0,
        (i / side) as f32 * scale - 1.0,
    );
    let bar = y.abs() < 0.12 && (0.0..0.8).contains(&x);
    if x * x + y * y < 0.16 || bar {
        return Float4::new(250.0, 190.0 - 100.0 * x, 40.0, 0.0);
    }
    let dark = ((x + 1.0) * 6.0) as u32 % 2 == ((y + 1.0) * 6.0) as u32 % 2;
    let light = if dark { 60.0 } else { 130.0 };
    Float4::new(light, light + 40.0 * y, light + 80.0, 0.0)
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (device, side) = (program.device(), program.sized(240, 2048));
    let stream = device.stream()?;
    let image: Vec<Float4> = (0..side * side).map(|i| drawing(side, i)).collect();
    let (input, mut y) = (
        device.upload(&image)?,
        device.zeroed::<Float4>(side * side)?,
    );
    let degrees = program.argument(1, 30.0f32)?;
    for degrees in [0.0, 90.0, degrees] {
        let angle = degrees.to_radians();
        let ms = program.shortest_ms(&stream, || {
            let rows = y.view_2d_mut(side)?;
            Ok(rotate::launch(
                &stream,
                Launch::covering_2d(side, side),
                &input,
                angle,
                rows,
            )?)
        })?;
        println!("{side} x {side} pixels by {degrees} degrees: {ms:.3} ms");
        // The device's sine may differ from the host's in the last bit, which moves a place by less than a thousandth of a pixel.
        let near = |(a, b): (&Float4, Float4)| {
            let difference = *a - b;
            difference.to_array().iter().all(|d| d.abs() < 1.0)
        };
        let found = y.to_vec(&stream)?;
        let by_host = (0..side * side).map(|i| turned(&image, side, angle, i % side, i / side));
        let wrong = found
            .iter()
            .zip(by_host)
            .filter(|&pair| !near(pair))
            .count();
        program.is("pixels unlike the host's", wrong, 0);
        // By a quarter, pixel (x, y) comes from (side - 1 - y, x).
        let exact = |i: usize| match degrees {
            0.0 => image[i],
            90.0 => image[i % side * side + side - 1 - i / side],
            _ => found[i],
        };
        let wrong = (0..found.len())
            .filter(|&i| !near((&found[i], exact(i))))
            .count();
        program.is("pixels that came from elsewhere", wrong, 0);
    }
    let rgb: Vec<[u8; 3]> = y
        .to_vec(&stream)?
        .iter()
        .map(|p| [p.x as u8, p.y as u8, p.z as u8])
        .collect();
    program.picture("rotation.png", side, &rgb)
}
