//! HeCBench `meanshift`: each point moves to the mean of the points around it, weighted by their distances.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::uniform;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "meanshift",
    run,
};

const DIMENSIONS: usize = 2;

#[kernel(fma)]
fn mean_shifting(
    i: Index1D,
    radius: f32,
    double_variance: f32,
    data: &[[f32; DIMENSIONS]],
    mut shifted: DisjointSlice<[f32; DIMENSIONS]>,
) {
    if let Some(shifted) = shifted.get_mut(i) {
        let here = data[i.get()];
        let (mut position, mut weights) = ([0.0; DIMENSIONS], 0.0);
        for point in data {
            let distance: f32 = here.iter().zip(point).map(|(a, b)| (a - b) * (a - b)).sum();
            if distance <= radius {
                let weight = (-distance / double_variance).exp();
                for (position, p) in position.iter_mut().zip(point) {
                    *position += weight * p;
                }
                weights += weight;
            }
        }
        *shifted = position.map(|p| p / weights);
    }
}

const RADIUS: f32 = 0.1;
const DOUBLE_VARIANCE: f32 = 0.02;

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [200, 8192][scale as usize];
    let values = uniform(2 * n, 1);
    let data: Vec<[f32; 2]> = values.chunks(2).map(|p| [p[0], p[1]]).collect();
    let expected = |at: usize| {
        let (mut sum, mut weights) = ([0.0f64; 2], 0.0f64);
        for point in &data {
            let [x, y] = [0, 1].map(|c| data[at][c] - point[c]);
            let distance = x.mul_add(x, y * y);
            if distance <= RADIUS {
                let weight = f64::from(-distance / DOUBLE_VARIANCE).exp();
                (0..2).for_each(|c| sum[c] += weight * f64::from(point[c]));
                weights += weight;
            }
        }
        sum.map(|s| (s / weights) as f32)
    };
    // A point on the edge of the circle may be taken or not: it weighs little.
    let mut shifted = side.sampled(&vec![[f32::NAN; 2]; n], expected, 1e-3)?;
    let d_data = side.upload(&data)?;
    let grid = n.div_ceil(64) as u32;
    let arguments = arguments![RADIUS, DOUBLE_VARIANCE, n as i32, &d_data, &shifted.buffer];
    // SAFETY: two lists of n points.
    let twin = unsafe { Call::new("mean_shifting", grid, 64, arguments) };
    side.kernel(
        "mean_shifting",
        vec![twin],
        &mut shifted,
        |stream, shifted| {
            let shape = Launch::new(grid, 64);
            Ok(mean_shifting::launch(
                stream,
                shape,
                RADIUS,
                DOUBLE_VARIANCE,
                &d_data,
                &mut shifted.buffer,
            )?)
        },
    )
}
