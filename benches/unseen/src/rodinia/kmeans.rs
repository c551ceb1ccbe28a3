//! Rodinia `kmeans`: the nearest of some cluster centres for each point, whose features lie by columns; and the transposition that puts them so.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::below;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "kmeans",
    run,
};

const FEATURES: usize = 34;
const CLUSTERS: usize = 5;

#[kernel(fma, block(256))]
fn nearest_centre(
    i: Index1D,
    features: &[f32],
    centres: &[f32],
    mut membership: DisjointSlice<i32>,
) {
    let points = membership.len();
    if let Some(membership) = membership.get_mut(i) {
        let mut best = (f32::MAX, -1);
        for (number, centre) in centres.chunks_exact(FEATURES).enumerate() {
            let mut distance = 0.0;
            for (feature, &c) in centre.iter().enumerate() {
                let difference = features[i.get() + feature * points] - c;
                distance += difference * difference;
            }
            if distance < best.0 {
                best = (distance, number as i32);
            }
        }
        *membership = best.1;
    }
}

// A thread writes an element of each column; the launch has as many threads as there are points, or more: raw.
#[kernel(block(256))]
fn invert_mapping(i: Index1D, points: u32, input: &[f32], mut output: DisjointSlice<f32>) {
    let points = points as usize;
    if i.get() >= points {
        return;
    }
    for feature in 0..FEATURES {
        let value = input[i.get() * FEATURES + feature];
        let place = i.get() + points * feature;
        assert!(place < output.len());
        // SAFETY: within the slice; no two threads have a point in common.
        unsafe { output.raw().add(place).write(value) };
    }
}

fn reference(points: usize, features: &[f32], centres: &[f32]) -> Vec<i32> {
    let distance = |point: usize, centre: usize| -> f32 {
        let terms = (0..FEATURES).map(|feature| {
            let d = features[point + feature * points] - centres[centre * FEATURES + feature];
            d * d
        });
        terms.sum()
    };
    (0..points)
        .map(|point| {
            let distances: Vec<f32> = (0..CLUSTERS).map(|c| distance(point, c)).collect();
            (0..CLUSTERS).fold(0, |best, c| {
                if distances[c] < distances[best] {
                    c
                } else {
                    best
                }
            }) as i32
        })
        .collect()
}

fn reference_inverted(points: usize, input: &[f32]) -> Vec<f32> {
    (0..points * FEATURES)
        .map(|at| input[at % points * FEATURES + at / points])
        .collect()
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [700, 1 << 19][scale as usize];
    // Small whole numbers, so that all distances are exact.
    let numbers =
        |len, seed| -> Vec<f32> { below(len, 16, seed).iter().map(|&x| x as f32).collect() };
    let (input, centres) = (numbers(n * FEATURES, 1), numbers(CLUSTERS * FEATURES, 2));
    let features = reference_inverted(n, &input);
    let membership = reference(n, &features, &centres);
    let (input, centres) = (side.upload(&input)?, side.upload(&centres)?);
    let (blocks, len) = (n.div_ceil(256) as u32, n as u32);
    let shape = Launch::new(blocks, 256);

    let mut inverted = side.output(&vec![f32::NAN; n * FEATURES], features, 0.0)?;
    let arguments = arguments![&input, &inverted.buffer, len];
    // SAFETY: two matrices with a row, or column, of features for each point, and how many points there are.
    let twin = unsafe { Call::new("invert_mapping", blocks, 256, arguments) };
    side.kernel(
        "invert_mapping",
        vec![twin],
        &mut inverted,
        |stream, inverted| {
            Ok(invert_mapping::launch(
                stream,
                shape,
                len,
                &input,
                &mut inverted.buffer,
            )?)
        },
    )?;

    let mut membership = side.output(&vec![-1; n], membership, 0.0)?;
    let (features, clusters) = (&inverted.buffer, CLUSTERS as i32);
    let arguments = arguments![features, &centres, clusters, len, &membership.buffer];
    // SAFETY: the features by columns, the centres and how many they are, and a number for each point.
    let twin = unsafe { Call::new("nearest_centre", blocks, 256, arguments) };
    side.kernel(
        "nearest_centre",
        vec![twin],
        &mut membership,
        |stream, membership| {
            let membership = &mut membership.buffer;
            Ok(nearest_centre::launch(
                stream, shape, features, &centres, membership,
            )?)
        },
    )
}
