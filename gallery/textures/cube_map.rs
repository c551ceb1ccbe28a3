//! A mirror in a room: six pictures around it are one texture, which is looked up by directions.
//!
//! In no document (more). Note: a direction need not have the length 1, and its largest part chooses the face. `seamless_cube` mixes
//! neighbours across the edges of faces; without it the edges would be seen in the mirror.
//!
//! `cargo run --release -p warploom-gallery --example cube_map`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::ArrayShape;
use warploom::prelude::*;
use warploom::texture::{Filter, Sampler};
use warploom_gallery::{Program, Result};

/// Elements along the side of a face.
const N: usize = 16;
const SIDE: usize = 240;

/// The direction to a place on a face, which goes from -1 to 1 to the right and downwards.
fn direction(face: usize, right: f32, down: f32) -> [f32; 3] {
    match face {
        0 => [1.0, -down, -right],
        1 => [-1.0, -down, right],
        2 => [right, 1.0, down],
        3 => [right, -1.0, -down],
        4 => [right, -down, 1.0],
        _ => [-right, -down, -1.0],
    }
}

#[kernel]
fn look(i: Index1D, room: TextureCube<u32>, to: &[[f32; 3]], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        let [dx, dy, dz] = to[i.get()];
        *y = room.sample(dx, dy, dz);
    }
}

/// A ball in the middle of the picture mirrors the room; beside it the room is seen.
#[kernel]
fn mirror(at: Index2D, room: TextureCube<[u8; 4], Normalized>, mut y: DisjointSlice2D<[u8; 4]>) {
    let scale = 2.0 / SIDE as f32;
    let (u, v) = (
        (at.x() as f32 + 0.5) * scale - 1.0,
        1.0 - (at.y() as f32 + 0.5) * scale,
    );
    let Some(y) = y.get_mut(at) else { return };
    let inside = 0.64 - u * u - v * v;
    let [dx, dy, dz] = if inside > 0.0 {
        // The eye looks along z; the ray (0, 0, 1) is thrown back by the ball's surface.
        let normal = [u * 1.25, v * 1.25, -inside.sqrt() * 1.25];
        [
            -2.0 * normal[2] * normal[0],
            -2.0 * normal[2] * normal[1],
            1.0 - 2.0 * normal[2] * normal[2],
        ]
    } else {
        [u, v, 1.0]
    };
    let colour = room.sample(dx, dy, dz);
    *y = colour.map(|c| (c * 255.0 + 0.5) as u8);
}

/// The faces' colours, with squares on the walls and a window in one.
fn wall(face: usize, x: usize, y: usize) -> [u8; 4] {
    let colours: [[u8; 3]; 6] = [
        [220, 90, 70],
        [80, 160, 90],
        [235, 235, 245],
        [110, 85, 60],
        [90, 120, 200],
        [210, 180, 90],
    ];
    let [r, g, b] = colours[face];
    let window = face == 0 && (4..12).contains(&x) && (3..9).contains(&y);
    match (window, (x / 2 + y / 2) % 2) {
        (true, _) => [255, 255, 220, 255],
        (_, 0) => [r, g, b, 255],
        _ => [r / 4 * 3, g / 4 * 3, b / 4 * 3, 255],
    }
}

fn draw(device: &Device) -> Result<Vec<[u8; 3]>> {
    let stream = device.stream()?;
    let texels: Vec<[u8; 4]> = (0..6 * N * N)
        .map(|i| wall(i / (N * N), i % N, i / N % N))
        .collect();
    let room = device.array_from(ArrayShape::Cube { side: N }, &texels)?;
    let smooth = Sampler::new()
        .normalized()
        .filter(Filter::Linear)
        .seamless_cube();
    let mut y = device.zeroed::<[u8; 4]>(SIDE * SIDE)?;
    let shape = Launch::covering_2d(SIDE, SIDE);
    mirror::launch(&stream, shape, &room.texture(smooth)?, y.view_2d_mut(SIDE)?)?;
    let pixels = y.to_vec(&stream)?.into_iter();
    Ok(pixels.map(|[r, g, b, _]| [r, g, b]).collect())
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    // Each element has its number: looking towards its middle, from however far, gives it.
    let numbers: Vec<u32> = (0..6 * (N * N) as u32).collect();
    let room = device.array_from(ArrayShape::Cube { side: N }, &numbers)?;
    let to: Vec<[f32; 3]> = (0..numbers.len())
        .map(|i| {
            let place = |k: usize| (2 * k + 1) as f32 / N as f32 - 1.0;
            let far = 2f32.powi((i % 7) as i32 - 3);
            direction(i / (N * N), place(i % N), place(i / N % N)).map(|d| d * far)
        })
        .collect();
    let (input, mut y) = (device.upload(&to)?, device.zeroed::<u32>(to.len())?);
    look::launch(
        &stream,
        Launch::covering(to.len()),
        &room.texture(Sampler::new().normalized())?,
        &input,
        &mut y,
    )?;
    println!(
        "{} directions, to the middle of each element of six faces",
        to.len()
    );
    program.equal("elements by direction", &y.to_vec(&stream)?, &numbers);
    let picture = program.drawn("cube_map.png", SIDE, draw)?;
    let middle = picture[SIDE / 2 * SIDE + SIDE / 2];
    // Straight back: the last face, where squares meet.
    let behind = wall(5, 0, 0);
    program.holds(
        "the middle of the mirror is what is behind the eye",
        (0..3).all(|c| (behind[c] / 4 * 3..=behind[c]).contains(&middle[c])),
    );
    Ok(())
}
