//! HeCBench `knn`: the distances of all pairs of points through tiles, and the nearest points of each by insertion.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::uniform;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "knn",
    run,
};

const BLOCK: usize = 16;
const DIMENSIONS: usize = 68;
const NEAREST: usize = 20;

#[kernel(fma, block(16, 16))]
fn compute_distance(
    i: Index2D,
    block: Block,
    references: &[f32],
    reference_count: usize,
    queries: &[f32],
    query_count: usize,
    dimensions: usize,
    mut tile_a: SharedTile<f32, { BLOCK * BLOCK }>,
    mut tile_b: SharedTile<f32, { BLOCK * BLOCK }>,
    mut distances: DisjointSlice2D<f32>,
) {
    let (tx, ty) = (thread_idx().x as usize, thread_idx().y as usize);
    let first_a = block_idx().y as usize * BLOCK;
    let first_b = block_idx().x as usize * BLOCK;
    let mut sum = 0.0;
    for first in (0..dimensions).step_by(BLOCK) {
        let row = first + ty;
        let element = |points: &[f32], count: usize, column: usize| {
            if row < dimensions && column < count {
                points[row * count + column]
            } else {
                0.0
            }
        };
        tile_a.set_own(0, element(references, reference_count, first_a + tx));
        tile_b.set_own(0, element(queries, query_count, first_b + tx));
        let (a, b) = (tile_a, tile_b).publish(&block);
        for k in 0..BLOCK {
            let difference = a[k * BLOCK + ty] - b[k * BLOCK + tx];
            sum += difference * difference;
        }
        (tile_a, tile_b) = (a, b).reclaim(&block);
    }
    if let Some(distance) = distances.get_mut(i) {
        *distance = sum;
    }
}

// A thread sorts into the first rows of its column: raw.
#[kernel(block(256))]
fn insertion_sort(
    i: Index1D,
    width: usize,
    height: usize,
    k: usize,
    mut distances: DisjointSlice<f32>,
    mut numbers: DisjointSlice<i32>,
) {
    let x = i.get();
    if x >= width {
        return;
    }
    assert!(width * height <= distances.len() && width * k <= numbers.len());
    let (distances, numbers) = (distances.raw(), numbers.raw());
    // SAFETY: the column of this thread, within the slice, as asserted.
    let distance = |row: usize| unsafe { &mut *distances.add(row * width + x) };
    // SAFETY: as above, of fewer rows.
    let number = |row: usize| unsafe { &mut *numbers.add(row * width + x) };

    *number(0) = 0;
    for row in 1..height {
        let now = *distance(row);
        let last = row.min(k) - 1;
        if row >= k && now >= *distance(last) {
            continue;
        }
        let place = (0..=last).find(|&r| *distance(r) > now).unwrap_or(row);
        for r in (place + 1..=row.min(k - 1)).rev() {
            *distance(r) = *distance(r - 1);
            *number(r) = *number(r - 1);
        }
        *distance(place) = now;
        *number(place) = row as i32;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [70, 4096][scale as usize];
    let (references, queries) = (uniform(n * DIMENSIONS, 1), uniform(n * DIMENSIONS, 2));
    let of = |at: usize| {
        let (row, column) = (at / n, at % n);
        let squares = (0..DIMENSIONS).map(|d| {
            let off = f64::from(references[d * n + row]) - f64::from(queries[d * n + column]);
            off * off
        });
        squares.sum::<f64>() as f32
    };
    let mut distances = side.sampled(&vec![f32::NAN; n * n], of, 1e-5)?;
    let (d_references, d_queries) = (side.upload(&references)?, side.upload(&queries)?);
    let grid = (n.div_ceil(BLOCK) as u32, n.div_ceil(BLOCK) as u32);
    let arguments = arguments![
        &d_references,
        n as i32,
        &d_queries,
        n as i32,
        DIMENSIONS as i32,
        &distances.buffer
    ];
    // SAFETY: two sets of n points, a matrix of n rows and columns.
    let twin = unsafe { Call::new("compute_distance", grid, (16, 16), arguments) };
    side.kernel(
        "compute_distance",
        vec![twin],
        &mut distances,
        |stream, d| {
            let shape = Launch::new(grid, (16, 16));
            let d = d.buffer.view_2d_mut(n)?;
            Ok(compute_distance::launch(
                stream,
                shape,
                &d_references,
                n,
                &d_queries,
                n,
                DIMENSIONS,
                d,
            )?)
        },
    )?;

    let matrix = side.download(&distances.buffer)?;
    let mut numbers = vec![0; n * NEAREST];
    let mut sorted = matrix.clone();
    for x in 0..n {
        let mut rows: Vec<usize> = (0..n).collect();
        rows.sort_by(|a, b| matrix[a * n + x].total_cmp(&matrix[b * n + x]));
        for (place, row) in rows.into_iter().take(NEAREST).enumerate() {
            numbers[place * n + x] = row as i32;
            sorted[place * n + x] = matrix[row * n + x];
        }
    }
    let numbers = side.output(&vec![-1; n * NEAREST], numbers, 0.0)?;
    let sorted = side.output(&matrix, sorted, 0.0)?;
    let mut outputs = (sorted, numbers);
    let arguments = arguments![
        &outputs.0.buffer,
        &outputs.1.buffer,
        n as i32,
        n as i32,
        NEAREST as i32
    ];
    let grid = n.div_ceil(256) as u32;
    // SAFETY: a matrix of n rows and columns, one of NEAREST rows.
    let twin = unsafe { Call::new("insertion_sort", grid, 256, arguments) };
    side.kernel(
        "insertion_sort",
        vec![twin],
        &mut outputs,
        |stream, (d, numbers)| {
            let shape = Launch::new(grid, 256);
            Ok(insertion_sort::launch(
                stream,
                shape,
                n,
                n,
                NEAREST,
                &mut d.buffer,
                &mut numbers.buffer,
            )?)
        },
    )
}
