//! A sheet of points that a wave runs through: each thread computes one vertex of four floats, the last of which is a colour in disguise.
//!
//! The CUDA programming guide, sections 3.2.7 and 3.3.10 (EX-15, EX-16). There the vertices go to OpenGL or Direct3D, without which they
//! stay in an ordinary buffer here, and become a picture. Note: four floats are one value that is stored at once, and `f32::from_bits`
//! makes a float of the colour's bits without changing them.
//!
//! `cargo run --release -p warploom-gallery --example wave_vertices`
//@ rows: GGX-5

use std::process::ExitCode;

use warploom::device_std::vector::Float4;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

const WIDTH: usize = 256;
const HEIGHT: usize = 192;
/// Alpha, blue, green, red of a byte each.
const COLOUR: u32 = 0xff00_ff00;

/// Vertex (x, y) at the time `t`: its place on the sheet from -1 to 1, and the height of the wave there.
#[kernel]
fn vertices(at: Index2D, t: f32, mut positions: DisjointSlice2D<Float4>) {
    let (width, height) = (positions.width(), positions.height());
    if let Some(position) = positions.get_mut(at) {
        let [x, y, z] = vertex(at.x(), at.y(), width, height, t);
        *position = Float4::new(x, z, y, f32::from_bits(COLOUR));
    }
}

fn vertex(x: usize, y: usize, width: usize, height: usize, t: f32) -> [f32; 3] {
    let u = x as f32 / width as f32 * 2.0 - 1.0;
    let v = y as f32 / height as f32 * 2.0 - 1.0;
    let frequency = 4.0;
    let wave = (u * frequency + t).sin() * (v * frequency + t).cos() * 0.5;
    [u, v, wave]
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let stream = program.device().stream()?;
    let mut positions = program.device().zeroed::<Float4>(WIDTH * HEIGHT)?;
    for t in [0.0, 0.7] {
        let shape = Launch::new(
            (WIDTH.div_ceil(16) as u32, HEIGHT.div_ceil(16) as u32),
            (16, 16),
        );
        vertices::launch(&stream, shape, t, positions.view_2d_mut(WIDTH)?)?;
        let found = positions.to_vec(&stream)?;
        // The host's sine may differ from the device's in the last bits.
        let near = |i: usize| {
            let [u, v, wave] = vertex(i % WIDTH, i / WIDTH, WIDTH, HEIGHT, t);
            let p = found[i];
            p.x == u && p.z == v && (p.y - wave).abs() <= 1e-6
        };
        program.is(
            "vertices that are elsewhere",
            (0..found.len()).filter(|i| !near(*i)).count(),
            0,
        );
        let colours = found.iter().all(|p| p.w.to_bits() == COLOUR);
        program.holds("the colour's bits", colours);
    }
    let grey = |p: &Float4| {
        [
            ((p.y + 0.5) * 255.0) as u8,
            160,
            ((0.5 - p.y) * 255.0) as u8,
        ]
    };
    let rgb: Vec<[u8; 3]> = positions.to_vec(&stream)?.iter().map(grey).collect();
    program.picture("wave_vertices.png", WIDTH, &rgb)
}
