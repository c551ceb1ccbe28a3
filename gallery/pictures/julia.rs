//! The Julia set of `z² + c`: how many steps it takes each point of the plane to run away.
//!
//! In no document (more). Note: a thread for each pixel, and no memory but that of its result. Host and device round each operation in
//! the same way, so that all counts are equal; with `#[kernel(fma)]` some at the edge would differ.
//!
//! `cargo run --release -p warploom-gallery --example julia [re] [im]`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

const MOST: u32 = 200;

/// What is drawn: the middle is 0, the picture is 3.2 wide.
#[derive(Clone, Copy, Debug, KernelArg)]
struct View {
    width: u32,
    height: u32,
    re: f32,
    im: f32,
}

/// Steps until the point of this pixel is further than 2 from the middle; `MOST` if it stays.
fn steps(view: View, x: usize, y: usize) -> u32 {
    let scale = 3.2 / view.width as f32;
    let mut re = (x as f32 + 0.5 - 0.5 * view.width as f32) * scale;
    let mut im = (y as f32 + 0.5 - 0.5 * view.height as f32) * scale;
    let mut steps = 0;
    while steps < MOST && re * re + im * im <= 4.0 {
        (re, im) = (re * re - im * im + view.re, 2.0 * re * im + view.im);
        steps += 1;
    }
    steps
}

#[kernel]
fn julia(at: Index2D, view: View, mut counts: DisjointSlice2D<u32>) {
    if let Some(count) = counts.get_mut(at) {
        *count = steps(view, at.x(), at.y());
    }
}

/// Three waves of different lengths; black for points that stay.
fn colour(count: u32) -> [u8; 3] {
    if count == MOST {
        return [0; 3];
    }
    let t = (count as f32 / MOST as f32).sqrt() * std::f32::consts::TAU;
    [1.0, 1.5, 2.5].map(|wave| (128.0 - 120.0 * (t * wave).cos()) as u8)
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (width, height) = program.sized((360, 240), (1920, 1280));
    let view = View {
        width: width as u32,
        height: height as u32,
        re: program.argument(1, -0.8)?,
        im: program.argument(2, 0.156)?,
    };
    let stream = program.device().stream()?;
    let mut counts = program.device().zeroed::<u32>(width * height)?;
    let ms = program.shortest_ms(&stream, || {
        let rows = counts.view_2d_mut(width)?;
        Ok(julia::launch(
            &stream,
            Launch::covering_2d(width, height),
            view,
            rows,
        )?)
    })?;
    println!("{width} x {height} points: {ms:.3} ms");
    let found = counts.to_vec(&stream)?;
    let expected: Vec<u32> = (0..width * height)
        .map(|i| steps(view, i % width, i / width))
        .collect();
    program.equal("steps", &found, &expected);
    // z and -z have the same square.
    let turned: Vec<u32> = found.iter().rev().copied().collect();
    program.equal("turned by half", &found, &turned);
    let rgb: Vec<[u8; 3]> = found.iter().map(|&count| colour(count)).collect();
    program.picture("julia.png", width, &rgb)
}
