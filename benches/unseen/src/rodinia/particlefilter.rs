//! Rodinia `particlefilter`: how likely each particle is by the pixels around it, and resampling by a search in the cumulated weights.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{below, uniform};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "particlefilter",
    run,
};

const ONES: usize = 69;
/// Side of the image, a frame of a video.
const SIDE: i32 = 256;

#[kernel(fma)]
fn likelihood(
    i: Index1D,
    array_x: &[f64],
    array_y: &[f64],
    offsets: &[[i32; 2]],
    image: &[u8],
    mut likelihood: DisjointSlice<f64>,
    mut weights: DisjointSlice<f64>,
) {
    let (Some(likelihood), Some(weight)) = (likelihood.get_mut(i), weights.get_mut(i)) else {
        return;
    };
    let x = array_x[i.get()].round() as i32;
    let y = array_y[i.get()].round() as i32;
    let mut sum = 0.0;
    for [dy, dx] in offsets {
        let index = ((y + dy) * SIDE + x + dx).unsigned_abs() as usize;
        let pixel = f64::from(image.get(index).or(image.first()).copied().unwrap_or(0));
        let (back, fore) = (pixel - 100.0, pixel - 228.0);
        sum += (back * back - fore * fore) / 50.0;
    }
    *likelihood = sum / offsets.len() as f64;
    *weight *= (*likelihood - 300.0).exp();
}

#[kernel]
fn find_index(
    i: Index1D,
    array_x: &[f64],
    array_y: &[f64],
    cumulated: &[f64],
    u: &[f64],
    mut new_x: DisjointSlice<f64>,
    mut new_y: DisjointSlice<f64>,
) {
    let (Some(new_x), Some(new_y)) = (new_x.get_mut(i), new_y.get_mut(i)) else {
        return;
    };
    let own = u[i.get()];
    let found = cumulated.iter().position(|&c| c >= own);
    let index = found.unwrap_or(cumulated.len() - 1);
    *new_x = array_x[index];
    *new_y = array_y[index];
}

/// Likelihood and weight of each particle.
fn reference_likelihood(
    x: &[f64],
    y: &[f64],
    offsets: &[[i32; 2]],
    image: &[u8],
    weights: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let of = |i: usize| {
        let (x, y) = (x[i].round() as i32, y[i].round() as i32);
        let terms = offsets.iter().map(|[dy, dx]| {
            let index = ((y + dy) * SIDE + x + dx).unsigned_abs() as usize;
            let pixel = f64::from(if index < image.len() {
                image[index]
            } else {
                image[0]
            });
            ((pixel - 100.0).powi(2) - (pixel - 228.0).powi(2)) / 50.0
        });
        let level = terms.sum::<f64>() / ONES as f64;
        (level, weights[i] * (level - 300.0).exp())
    };
    (0..x.len()).map(of).unzip()
}

/// Places of a disc around a particle, row and column.
fn disc() -> Vec<[i32; 2]> {
    let places = (-4..=4).flat_map(|y: i32| (-4..=4).map(move |x: i32| [y, x]));
    places.filter(|[y, x]| x * x + y * y <= 21).collect()
}

fn reference_index(cumulated: &[f64], u: &[f64], values: &[f64]) -> Vec<f64> {
    u.iter()
        .map(|u| values[cumulated.partition_point(|c| c < u).min(values.len() - 1)])
        .collect()
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [600, 1 << 17][scale as usize];
    let near = |seed| -> Vec<f64> {
        uniform(n, seed)
            .iter()
            .map(|x| 120.0 + 16.0 * f64::from(*x))
            .collect()
    };
    let (x, y) = (near(1), near(2));
    let image: Vec<u8> = below((SIDE * SIDE) as usize, 64, 3)
        .iter()
        .map(|x| 190 + *x as u8)
        .collect();
    let offsets = disc();
    assert_eq!(offsets.len(), ONES);
    let weights: Vec<f64> = uniform(n, 4).iter().map(|x| 1e20 * f64::from(*x)).collect();
    let (levels, expected) = reference_likelihood(&x, &y, &offsets, &image, &weights);

    let (d_x, d_y) = (side.upload(&x)?, side.upload(&y)?);
    let (offsets, image) = (side.upload(&offsets)?, side.upload(&image)?);
    let mut outputs = (
        side.output(&vec![f64::NAN; n], levels, 1e-12)?,
        side.output(&weights, expected, 1e-9)?,
    );
    let (blocks, len) = (n.div_ceil(512) as u32, n as i32);
    let shape = Launch::new(blocks, 512);
    let (levels, weights) = (&outputs.0.buffer, &outputs.1.buffer);
    let (ones, pixels) = (ONES as i32, SIDE * SIDE);
    let arguments = arguments![
        &d_x, &d_y, &offsets, ones, &image, pixels, levels, weights, len
    ];
    // SAFETY: coordinates, offsets and how many, pixels and how many, two numbers for each particle, and how many of those there are.
    let twin = unsafe { Call::new("likelihood", blocks, 512, arguments) };
    side.kernel(
        "likelihood",
        vec![twin],
        &mut outputs,
        |stream, (levels, weights)| {
            let (levels, weights) = (&mut levels.buffer, &mut weights.buffer);
            Ok(likelihood::launch(
                stream, shape, &d_x, &d_y, &offsets, &image, levels, weights,
            )?)
        },
    )?;

    // The search of the original goes through the weights one by one.
    let n = [600, 1 << 13][scale as usize];
    let cumulated: Vec<f64> = (1..=n).map(|i| i as f64 / n as f64).collect();
    let u: Vec<f64> = (0..n).map(|i| (i as f64 + 0.3) / n as f64).collect();
    let mut outputs = (
        side.output(&vec![f64::NAN; n], reference_index(&cumulated, &u, &x), 0.0)?,
        side.output(&vec![f64::NAN; n], reference_index(&cumulated, &u, &y), 0.0)?,
    );
    let (cumulated, u) = (side.upload(&cumulated)?, side.upload(&u)?);
    let (blocks, len) = (n.div_ceil(512) as u32, n as i32);
    let shape = Launch::new(blocks, 512);
    let (new_x, new_y) = (&outputs.0.buffer, &outputs.1.buffer);
    let arguments = arguments![&d_x, &d_y, &cumulated, &u, new_x, new_y, len];
    // SAFETY: coordinates, cumulated weights, numbers to look for, new coordinates, and how many of each there are at least.
    let twin = unsafe { Call::new("find_index", blocks, 512, arguments) };
    side.kernel(
        "find_index",
        vec![twin],
        &mut outputs,
        |stream, (new_x, new_y)| {
            let (new_x, new_y) = (&mut new_x.buffer, &mut new_y.buffer);
            Ok(find_index::launch(
                stream, shape, &d_x, &d_y, &cumulated, &u, new_x, new_y,
            )?)
        },
    )
}
