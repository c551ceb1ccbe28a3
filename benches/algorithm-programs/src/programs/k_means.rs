//! k-means: points are sorted by their nearest centre, and each run is reduced to its mean.

use warploom::prelude::*;
use warploom_algorithms::Error;
use warploom_algorithms::prelude::*;

use crate::bench::{Bench, Done, near};
use crate::noise::noise;

// ANCHOR: algorithm
type Point = [f32; 2];
type Centres = [Point; 16];

/// The sum of some points.
#[derive(Clone, Copy, Debug, Default, Plain)]
#[repr(C)]
struct Sum {
    of: Point,
    count: u32,
}

/// The number of the centre that is nearest to a point.
fn nearest(centres: &Centres, [x, y]: Point) -> u8 {
    let mut best = (f32::INFINITY, 0);
    for (number, [a, b]) in centres.iter().enumerate() {
        let distance = (x - a) * (x - a) + (y - b) * (y - b);
        if distance < best.0 {
            best = (distance, number as u8);
        }
    }
    best.1
}

/// One step: each centre moves to the mean of the points that are nearest to it.
fn next_centres(
    stream: &Stream,
    points: &DeviceBuffer<Point>,
    mut centres: Centres,
) -> Result<Centres, Error> {
    let (pool, n) = (stream.device().pool()?, points.len());
    let mut numbers = pool.alloc_uninit(n, stream)?;
    let of_points = points.input().map(move |point| nearest(&centres, point));
    stream.transform(of_points).into(&mut numbers)?;
    let mut sorted = pool.alloc_uninit(n, stream)?;
    let mut moved = pool.alloc_uninit(n, stream)?;
    let by_numbers = stream.sort_pairs(&numbers, points).bits(0..4);
    by_numbers.into(&mut sorted, &mut moved)?;
    let ones = moved.input().map(|of| Sum { of, count: 1 });
    let mut sums = pool.alloc_uninit(n, stream)?;
    let runs = stream.by_key(sorted.input().zip(ones), |a: Sum, b: Sum| Sum {
        of: [a.of[0] + b.of[0], a.of[1] + b.of[1]],
        count: a.count + b.count,
    });
    let count = runs.reduce_count(&mut numbers, &mut sums)?;
    let numbers = numbers.slice(..count)?.to_vec(stream)?;
    for (number, sum) in numbers
        .into_iter()
        .zip(sums.slice(..count)?.to_vec(stream)?)
    {
        centres[number as usize] = sum.of.map(|x| x / sum.count as f32);
    }
    Ok(centres)
}
// ANCHOR_END: algorithm

pub(crate) fn run(bench: &Bench, n: usize) -> Done {
    let start: Centres = std::array::from_fn(|k| [(k % 4) as f32 + 0.1, (k / 4) as f32 - 0.2]);
    // Around the centres, in a square of side 1.
    let point = |x: u32| {
        let part = |bits: u32| (bits & 0xfff) as f32 / 4096.0 - 0.5;
        let [a, b] = start[(x >> 28) as usize];
        [a + part(x), b + part(x >> 12)]
    };
    let points: Vec<Point> = noise(n).map(point).collect();
    let x = bench.device.upload(&points)?;
    let found = bench.time("16 centres", || next_centres(&bench.stream, &x, start))?;

    let mut sums = [[0.0f64; 3]; 16];
    for &point in &points {
        let sum = &mut sums[nearest(&start, point) as usize];
        for (sum, x) in sum.iter_mut().zip([point[0], point[1], 1.0]) {
            *sum += f64::from(x);
        }
    }
    let mut expected = start;
    for (centre, [x, y, count]) in expected.iter_mut().zip(sums) {
        if count > 0.0 {
            *centre = [(x / count) as f32, (y / count) as f32];
        }
    }
    near(
        "centres",
        found.as_flattened(),
        expected.as_flattened(),
        1e-3,
    )
}
