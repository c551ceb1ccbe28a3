//! A picture that is turned and scaled by the texture unit.
//!
//! The CUDA programming guide's `transformKernel`, sections 3.2.4.3 and 3.3.7 (EX-12). Note: coordinates of 0 to 1 span the picture, and
//! the address mode says how it goes on beyond. `x / width` is half an element to the left of the pixel's middle: by no angle at all,
//! the guide's kernel gives means of four neighbours. The picture shows all address modes, in colours of bytes, about pixels' middles.
//!
//! `cargo run --release -p warploom-gallery --example texture_rotation [degrees] [size in the picture]`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom::texture::{Address, Filter, Sampler};
use warploom_gallery::{Program, Result};

/// The guide's kernel; sine and cosine come from the host, so that all devices have the same.
#[kernel]
fn transform(at: Index2D, image: Texture2d<f32>, turn: [f32; 2], mut y: DisjointSlice2D<f32>) {
    let ([sin, cos], [width, height]) = (turn, image.size().map(|n| n as f32));
    let (u, v) = (at.x() as f32 / width - 0.5, at.y() as f32 / height - 0.5);
    if let Some(y) = y.get_mut(at) {
        *y = image.sample(u * cos - v * sin + 0.5, v * cos + u * sin + 0.5);
    }
}

/// Colours about the middle of each pixel; `turn` is divided by the size that the picture is to have.
#[kernel]
fn draw(
    at: Index2D,
    image: Texture2d<[u8; 4], Normalized>,
    turn: [f32; 2],
    mut y: DisjointSlice2D<[u8; 4]>,
) {
    let ([sin, cos], side) = (turn, y.width() as f32);
    let (u, v) = (
        (at.x() as f32 + 0.5) / side - 0.5,
        (at.y() as f32 + 0.5) / side - 0.5,
    );
    if let Some(y) = y.get_mut(at) {
        let colour = image.sample(u * cos - v * sin + 0.5, v * cos + u * sin + 0.5);
        *y = colour.map(|c| (c * 255.0 + 0.5) as u8);
    }
}

/// What the texture unit gives, with weights of 24 bits instead of eight.
fn model(image: &[f32], side: usize, x: f32, y: f32) -> f32 {
    let (x, y) = (x * side as f32 - 0.5, y * side as f32 - 0.5);
    let (a, b) = (x - x.floor(), y - y.floor());
    let texel = |right: i32, down: i32| {
        let wrapped =
            |at: f32, more: i32| (at.floor() as i32 + more).rem_euclid(side as i32) as usize;
        image[wrapped(y, down) * side + wrapped(x, right)]
    };
    let above = texel(0, 0) * (1.0 - a) + texel(1, 0) * a;
    above * (1.0 - b) + (texel(0, 1) * (1.0 - a) + texel(1, 1) * a) * b
}

/// A disc with a bar out to one side, over squares.
fn drawing(side: usize, i: usize) -> [u8; 4] {
    let scale = 2.0 / side as f32;
    let (x, y) = (
        (i % side) as f32 * scale - 1.0,
        (i / side) as f32 * scale - 1.0,
    );
    let bar = y.abs() < 0.12 && (0.0..0.8).contains(&x);
    if x * x + y * y < 0.16 || bar {
        return [250, (190.0 - 100.0 * x) as u8, 40, 255];
    }
    let dark = ((x + 1.0) * 6.0) as u32 % 2 == ((y + 1.0) * 6.0) as u32 % 2;
    let light = if dark { 60.0 } else { 130.0 };
    [
        light as u8,
        (light + 40.0 * y) as u8,
        (light + 80.0) as u8,
        255,
    ]
}

fn turn(degrees: f32, size: f32) -> [f32; 2] {
    let (sin, cos) = degrees.to_radians().sin_cos();
    [sin / size, cos / size]
}

/// The picture with each address mode: two beside each other, in two rows.
fn four_modes(device: &Device, side: usize, turn: [f32; 2]) -> Result<Vec<[u8; 3]>> {
    let stream = device.stream()?;
    let texels: Vec<[u8; 4]> = (0..96 * 96).map(|i| drawing(96, i)).collect();
    let image = device.array_from((96, 96), &texels)?;
    let smooth = Sampler::new()
        .normalized()
        .filter(Filter::Linear)
        .border([0.1, 0.1, 0.1, 1.0]);
    let mut y = device.zeroed::<[u8; 4]>(side * side)?;
    let mut rgb = vec![[0; 3]; 4 * side * side];
    let modes = [
        Address::Wrap,
        Address::Mirror,
        Address::Clamp,
        Address::Border,
    ];
    for (k, mode) in modes.into_iter().enumerate() {
        let texture = image.texture(smooth.address_all(mode))?;
        let shape = Launch::covering_2d(side, side);
        draw::launch(&stream, shape, &texture, turn, y.view_2d_mut(side)?)?;
        for (i, [r, g, b, _]) in y.to_vec(&stream)?.into_iter().enumerate() {
            let (x, y) = (k % 2 * side + i % side, k / 2 * side + i / side);
            rgb[y * 2 * side + x] = [r, g, b];
        }
    }
    Ok(rgb)
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (device, side) = (program.device(), program.sized(128, 2048));
    let stream = device.stream()?;
    let texels: Vec<f32> = (0..side * side)
        .map(|i| f32::from(drawing(side, i)[1]))
        .collect();
    let image = device.array_from((side, side), &texels)?;
    let smooth = Sampler::new().normalized().filter(Filter::Linear);
    let texture = image.texture(smooth.address_all(Address::Wrap))?;
    let mut y = device.zeroed::<f32>(side * side)?;
    let degrees = program.argument(1, 30.0f32)?;
    for degrees in [0.0, 90.0, degrees] {
        let [sin, cos] = turn(degrees, 1.0);
        let ms = program.shortest_ms(&stream, || {
            let (shape, y) = (Launch::covering_2d(side, side), y.view_2d_mut(side)?);
            Ok(transform::launch(&stream, shape, &texture, [sin, cos], y)?)
        })?;
        println!("{side} x {side} elements by {degrees} degrees: {ms:.3} ms");
        let found = y.to_vec(&stream)?;
        let wrong = (0..side * side).filter(|i| {
            let (x, y) = (
                (i % side) as f32 / side as f32,
                (i / side) as f32 / side as f32,
            );
            let (u, v) = (x - 0.5, y - 0.5);
            let plain = model(
                &texels,
                side,
                u * cos - v * sin + 0.5,
                v * cos + u * sin + 0.5,
            );
            // Two weights that are off by a 512th, of colours up to 255; and coordinates that are off by the last bits of 0.5.
            (found[*i] - plain).abs() > 2.0
        });
        program.is("elements unlike the model's", wrong.count(), 0);
        if degrees == 0.0 {
            let means = (0..side * side).map(|i| {
                let (x, y) = (i % side, i / side);
                let (left, above) = ((x + side - 1) % side, (y + side - 1) % side);
                let four = [
                    above * side + left,
                    above * side + x,
                    y * side + left,
                    y * side + x,
                ];
                four.map(|at| texels[at]).iter().sum::<f32>() / 4.0
            });
            program.equal("means of four", &found, &means.collect::<Vec<_>>());
        }
    }
    let turn = turn(degrees, program.argument(2, 0.6)?);
    program.drawn("texture_rotation.png", 480, |device| {
        four_modes(device, 240, turn)
    })?;
    Ok(())
}
