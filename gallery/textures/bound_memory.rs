//! Memory that kernels read through textures: linear, in rows with gaps, in an array.
//!
//! The study notes' section 1.4.2 (E3-11), and of the CUDA programming guide sections 3.2.4.3 and 3.3.7 (EX-11), which bind textures to
//! memory, and 3.3.4 (EX-23), which fills an array from rows with gaps. Note: what was bound by name is an argument here, so that it
//! cannot be missing; another launch of the same kernel reads another texture.
//!
//! `cargo run --release -p warploom-gallery --example bound_memory`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom::texture::{Address, Sampler};
use warploom_gallery::{Program, Result};

const WIDTH: usize = 75;
const HEIGHT: usize = 33;

/// Linear memory by index, from two elements before its start.
#[kernel]
fn by_index(i: Index1D, x: TextureLinear<f32>, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x.fetch(i.get() as i32 - 2);
    }
}

/// Rows by place, from one column before their start. Half an element further is an element's middle.
#[kernel]
fn by_place(at: Index2D, x: Texture2d<f32>, mut y: DisjointSlice2D<f32>) {
    if let Some(y) = y.get_mut(at) {
        *y = x.sample(at.x() as f32 - 0.5, at.y() as f32 + 0.5);
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let host: Vec<f32> = (0..WIDTH * HEIGHT).map(|i| (i * i % 1000) as f32).collect();
    let n = host.len();

    let linear = device.upload(&host)?;
    let mut y = device.zeroed::<f32>(n + 4)?;
    by_index::launch(&stream, Launch::covering(n + 4), &linear.texture()?, &mut y)?;
    let outside = [0.0; 2];
    let expected = [&outside, &*host, &outside].concat();
    program.equal("linear memory by index", &y.to_vec(&stream)?, &expected);

    let mut rows = device.pitched_zeroed::<f32>((WIDTH, HEIGHT))?;
    rows.copy_from(&host, &stream)?;
    let mut array = device.array_uninit::<f32>((WIDTH, HEIGHT))?;
    array
        .as_slice_mut()
        .copy_from_device(rows.as_slice(), &stream)?;
    println!(
        "{WIDTH} x {HEIGHT} elements; rows of the pitched memory are {} bytes apart",
        rows.pitch()
    );
    program.equal("the array", &array.to_vec(&stream)?, &host);

    // One column more than there is, on the left: the sampler says what it is.
    let shifted = |left: fn(&[f32]) -> f32| -> Vec<f32> {
        let rows = host.chunks(WIDTH);
        rows.flat_map(|row| std::iter::once(left(row)).chain(row[..WIDTH - 1].iter().copied()))
            .collect()
    };
    let border = Sampler::new()
        .address_all(Address::Border)
        .border([-1.0; 4]);
    let mut y = device.zeroed::<f32>(n)?;
    for (sampler, outside, left) in [
        (
            Sampler::new(),
            "the edge",
            (|row| row[0]) as fn(&[f32]) -> f32,
        ),
        (border, "the border", |_| -1.0),
    ] {
        for (what, texture) in [
            ("rows with gaps", rows.texture(sampler)?),
            ("an array", array.texture(sampler)?),
        ] {
            by_place::launch(
                &stream,
                Launch::covering_2d(WIDTH, HEIGHT),
                &texture,
                y.view_2d_mut(WIDTH)?,
            )?;
            program.equal(
                &format!("{what}, outside is {outside}"),
                &y.to_vec(&stream)?,
                &shifted(left),
            );
        }
    }
    Ok(())
}
