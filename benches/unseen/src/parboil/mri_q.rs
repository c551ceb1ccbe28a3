//! The matrix Q of a reconstruction: for each point the sum over all samples of the spectrum.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "parboil",
    name: "mri_q",
    run,
};

/// A sample: its place in the spectrum, and its magnitude.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Sample {
    place: [f32; 3],
    magnitude: f32,
}

const TWO_PI: f32 = std::f32::consts::TAU;

/// A thread per sample: magnitudes.
#[kernel(fma)]
fn compute_phi_mag(i: Index1D, real: &[f32], imaginary: &[f32], mut phi_mag: DisjointSlice<f32>) {
    if let Some(phi_mag) = phi_mag.get_mut(i) {
        let (real, imaginary) = (real[i.get()], imaginary[i.get()]);
        *phi_mag = real * real + imaginary * imaginary;
    }
}

/// A thread per point.
#[kernel(fma)]
fn compute_q(
    i: Index1D,
    samples: &[Sample],
    x: &[f32],
    y: &[f32],
    z: &[f32],
    mut q_real: DisjointSlice<f32>,
    mut q_imaginary: DisjointSlice<f32>,
) {
    let point = i.get();
    if point >= x.len() {
        return;
    }
    let (x, y, z) = (x[point], y[point], z[point]);
    let (mut real, mut imaginary) = (0.0, 0.0);
    for Sample { place, magnitude } in samples {
        let angle = TWO_PI * (place[0] * x + place[1] * y + place[2] * z);
        real += magnitude * angle.cos();
        imaginary += magnitude * angle.sin();
    }
    if let Some(q_real) = q_real.get_mut(i) {
        *q_real = real;
    }
    if let Some(q_imaginary) = q_imaginary.get_mut(i) {
        *q_imaginary = imaginary;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (points, count) = [(300, 60), (1 << 17, 2048)][scale as usize];
    let (real, imaginary) = (noise(count, 1), noise(count, 2));
    let magnitudes = real.iter().zip(&imaginary).map(|(r, i)| r * r + i * i);
    let magnitudes: Vec<f32> = magnitudes.collect();
    let (d_real, d_imaginary) = (side.upload(&real)?, side.upload(&imaginary)?);
    let mut phi_mag = side.output(&vec![f32::NAN; count], magnitudes.clone(), 1e-6)?;
    let blocks = count.div_ceil(512) as u32;
    let arguments = arguments![&d_real, &d_imaginary, &phi_mag.buffer, count as i32];
    // SAFETY: three vectors and their length.
    let twin = unsafe { Call::new("compute_phi_mag", blocks, 512, arguments) };
    side.kernel(
        "compute_phi_mag",
        vec![twin],
        &mut phi_mag,
        |stream, phi_mag| {
            let (shape, phi_mag) = (Launch::new(blocks, 512), &mut phi_mag.buffer);
            Ok(compute_phi_mag::launch(
                stream,
                shape,
                &d_real,
                &d_imaginary,
                phi_mag,
            )?)
        },
    )?;

    let [kx, ky, kz] = [3, 4, 5].map(|seed| noise(count, seed));
    let sample = |at: usize| Sample {
        place: [kx[at], ky[at], kz[at]],
        magnitude: magnitudes[at],
    };
    let samples: Vec<Sample> = (0..count).map(sample).collect();
    let [x, y, z] = [6, 7, 8].map(|seed| noise(points, seed));
    let sum = |point: usize, part: fn(f64) -> f64| {
        let terms = samples.iter().map(|Sample { place, magnitude }| {
            let turns = f64::from(place[0] * x[point] + place[1] * y[point] + place[2] * z[point]);
            f64::from(*magnitude) * part(std::f64::consts::TAU * turns)
        });
        terms.sum::<f64>() as f32
    };
    let nothing = vec![f32::NAN; points];
    let q_real = side.sampled(&nothing, |at| sum(at, f64::cos), 2e-3)?;
    let mut q = (
        q_real,
        side.sampled(&nothing, |at| sum(at, f64::sin), 2e-3)?,
    );
    let d_samples = side.upload(&samples)?;
    let (d_x, d_y, d_z) = (side.upload(&x)?, side.upload(&y)?, side.upload(&z)?);
    let blocks = points.div_ceil(256) as u32;
    let (re, im) = (&q.0.buffer, &q.1.buffer);
    let arguments = arguments![
        &d_samples,
        &d_x,
        &d_y,
        &d_z,
        re,
        im,
        count as i32,
        points as i32
    ];
    // SAFETY: samples of four floats, five vectors of the points, and how many of each there are.
    let twin = unsafe { Call::new("compute_q", blocks, 256, arguments) };
    side.kernel(
        "compute_q",
        vec![twin],
        &mut q,
        |stream, (real, imaginary)| {
            let shape = Launch::new(blocks, 256);
            let (real, imaginary) = (&mut real.buffer, &mut imaginary.buffer);
            Ok(compute_q::launch(
                stream, shape, &d_samples, &d_x, &d_y, &d_z, real, imaginary,
            )?)
        },
    )
}
