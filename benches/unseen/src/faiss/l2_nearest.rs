//! The nearest of many vectors to each query: squared distances, and where the least of a row is; a block per query.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{below, noise};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "faiss",
    name: "l2_nearest",
    run,
};

const DIMENSIONS: usize = 64;

#[kernel(fma, block(16, 16))]
fn l2_distances(
    i: Index2D,
    block: Block,
    queries: &[f32],
    vectors: &[f32],
    mut query_tile: SharedTile<f32, 256>,
    mut vector_tile: SharedTile<f32, 256>,
    mut distances: DisjointSlice2D<f32>,
) {
    let (tx, ty) = (thread_idx().x as usize, thread_idx().y as usize);
    let (first_query, first_vector) = (block_idx().y as usize * 16, block_idx().x as usize * 16);
    let mut distance = 0.0;
    for start in (0..DIMENSIONS).step_by(16) {
        query_tile.set_own(0, queries[(first_query + ty) * DIMENSIONS + start + tx]);
        vector_tile.set_own(0, vectors[(first_vector + ty) * DIMENSIONS + start + tx]);
        let (q, v) = (query_tile.publish(&block), vector_tile.publish(&block));
        for k in 0..16 {
            let difference = q[ty * 16 + k] - v[tx * 16 + k];
            distance += difference * difference;
        }
        (query_tile, vector_tile) = (q.reclaim(&block), v.reclaim(&block));
    }
    if let Some(result) = distances.get_mut(i) {
        *result = distance;
    }
}

/// A distance and where it is.
type Found = (f32, u32);

fn nearer(a: Found, b: Found) -> Found {
    if b.0 < a.0 || (b.0 == a.0 && b.1 < a.1) {
        b
    } else {
        a
    }
}

#[kernel(block(128))]
fn least_of_rows(
    block: Block,
    columns: u32,
    distances: &[f32],
    mut tile: SharedTile<[u32; 2], 128>,
    mut nearest: DisjointSlice<u32, PerBlock>,
    mut least: DisjointSlice<f32, PerBlock>,
) {
    let row = &distances[block.index() * columns as usize..][..columns as usize];
    let mut own = (f32::INFINITY, u32::MAX);
    for (at, &distance) in row
        .iter()
        .enumerate()
        .skip(block.thread())
        .step_by(block.threads())
    {
        own = nearer(own, (distance, at as u32));
    }
    let mut half = block.threads() / 2;
    while half > 0 {
        tile.set_own(0, [own.0.to_bits(), own.1]);
        let all = tile.publish(&block);
        if block.thread() < half {
            let [distance, at] = all[block.thread() + half];
            own = nearer(own, (f32::from_bits(distance), at));
        }
        tile = all.reclaim(&block);
        half /= 2;
    }
    if let Some(leader) = block.leader() {
        if let Some(nearest) = nearest.get_mut(leader) {
            *nearest = own.1;
        }
        if let Some(least) = least.get_mut(leader) {
            *least = own.0;
        }
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (queries, vectors) = [(16, 160), (1024, 1 << 15)][scale as usize];
    // Multiples of a sixteenth, so that all distances are exact.
    let numbers = |n, seed| -> Vec<f32> {
        below(n, 32, seed)
            .iter()
            .map(|&x| x as f32 / 16.0)
            .collect()
    };
    let (q, v) = (
        numbers(queries * DIMENSIONS, 1),
        numbers(vectors * DIMENSIONS, 2),
    );
    let distance = |at: usize| -> f32 {
        let (a, b) = (
            &q[at / vectors * DIMENSIONS..],
            &v[at % vectors * DIMENSIONS..],
        );
        a.iter()
            .zip(b)
            .take(DIMENSIONS)
            .map(|(a, b)| (a - b) * (a - b))
            .sum()
    };
    let (d_q, d_v) = (side.upload(&q)?, side.upload(&v)?);
    let n = queries * vectors;
    let mut distances = side.sampled(&vec![f32::NAN; n], distance, 0.0)?;
    let grid = ((vectors / 16) as u32, (queries / 16) as u32);
    let arguments = arguments![&d_q, &d_v, &distances.buffer, vectors as i32];
    // SAFETY: queries and vectors, multiples of 16 each, a distance for each pair, how many vectors there are.
    let twin = unsafe { Call::new("l2_distances", grid, (16, 16), arguments) };
    side.kernel(
        "l2_distances",
        vec![twin],
        &mut distances,
        |stream, distances| {
            let shape = Launch::new(grid, (16, 16));
            let distances = distances.buffer.view_2d_mut(vectors)?;
            Ok(l2_distances::launch(stream, shape, &d_q, &d_v, distances)?)
        },
    )?;

    // Of rows made for the purpose: the reference would need all distances.
    let rows = noise(n, 3);
    let best = |row: usize| {
        let row = rows[row * vectors..(row + 1) * vectors]
            .iter()
            .copied()
            .zip(0..);
        row.fold((f32::INFINITY, u32::MAX), nearer)
    };
    let d_rows = side.upload(&rows)?;
    let mut outputs = (
        side.sampled(&vec![u32::MAX; queries], |row| best(row).1, 0.0)?,
        side.sampled(&vec![f32::NAN; queries], |row| best(row).0, 0.0)?,
    );
    let (nearest, least) = (&outputs.0.buffer, &outputs.1.buffer);
    let arguments = arguments![&d_rows, vectors as i32, nearest, least];
    // SAFETY: a row for each block, how long rows are, two numbers for each block.
    let twin = unsafe { Call::new("least_of_rows", queries as u32, 128, arguments) };
    side.kernel(
        "least_of_rows",
        vec![twin],
        &mut outputs,
        |stream, (nearest, least)| {
            let shape = Launch::new(queries as u32, 128);
            let (nearest, least) = (&mut nearest.buffer, &mut least.buffer);
            Ok(least_of_rows::launch(
                stream,
                shape,
                vectors as u32,
                &d_rows,
                nearest,
                least,
            )?)
        },
    )
}
