//! HeCBench `jaccard`: common neighbours of the two ends of each edge, by bisection in sorted rows, and the weights made of them.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{below, mix};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "jaccard",
    run,
};

// Threads along x share an edge's count: atomics.
#[kernel]
fn intersections(
    starts: &[i32],
    targets: &[i32],
    common: &[AtomicF32],
    mut sums: DisjointSlice<f32>,
) {
    let n = starts.len() - 1;
    let stride = |k: fn(Dim3) -> u32| (k(grid_dim()) * k(block_dim())) as usize;
    let first = |k: fn(Dim3) -> u32| (k(block_idx()) * k(block_dim()) + k(thread_idx())) as usize;
    let range = |row: usize| starts[row] as usize..starts[row + 1] as usize;
    for row in (first(|d| d.z)..n).step_by(stride(|d| d.z)) {
        for j in range(row).skip(first(|d| d.y)).step_by(stride(|d| d.y)) {
            let column = targets[j] as usize;
            let (ni, nj) = (range(row).len(), range(column).len());
            let (shorter, longer) = if ni < nj {
                (row, column)
            } else {
                (column, row)
            };
            if first(|d| d.x) == 0 && j < sums.len() {
                // SAFETY: within the slice; one thread along y and z has the edge, and this is the first along x.
                unsafe { sums.raw().add(j).write((ni + nj) as f32) };
            }
            for i in range(shorter).skip(first(|d| d.x)).step_by(stride(|d| d.x)) {
                if targets[range(longer)].binary_search(&targets[i]).is_ok() {
                    common[j].fetch_add(1.0);
                }
            }
        }
    }
}

#[kernel]
fn weights(i: Index1D, common: &[f32], sums: &[f32], mut weights: DisjointSlice<f32, GridStride>) {
    for (at, weight) in weights.iter_mut(i) {
        let (common, sum) = (common[at], sums[at]);
        *weight = common / (sum - common);
    }
}

/// Common neighbours and sums of degrees for each edge.
fn reference(starts: &[i32], targets: &[i32]) -> (Vec<f32>, Vec<f32>) {
    let row = |v: usize| &targets[starts[v] as usize..starts[v + 1] as usize];
    let mut result = (Vec::new(), Vec::new());
    for v in 0..starts.len() - 1 {
        for &target in row(v) {
            let other = row(target as usize);
            let common = row(v).iter().filter(|t| other.contains(t)).count();
            result.0.push(common as f32);
            result.1.push((row(v).len() + other.len()) as f32);
        }
    }
    result
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [200, 1 << 15][scale as usize];
    let (mut starts, mut targets) = (vec![0], Vec::new());
    for v in 0..n {
        let mut row: Vec<i32> = below(4 + mix(v, 1) as usize % 25, n as u32, v as u32 + 2)
            .iter()
            .map(|&t| t as i32)
            .collect();
        row.sort_unstable();
        row.dedup();
        targets.extend(row);
        starts.push(targets.len() as i32);
    }
    let (common, degrees) = reference(&starts, &targets);
    let edges = targets.len();
    let expected = common
        .iter()
        .zip(&degrees)
        .map(|(c, s)| c / (s - c))
        .collect();
    let (starts, targets) = (side.upload(&starts)?, side.upload(&targets)?);
    let mut outputs = (
        side.output(&vec![0.0; edges], common, 0.0)?,
        side.output(&vec![f32::NAN; edges], degrees, 0.0)?,
    );
    let (grid, block) = ((1, 1, n.div_ceil(8).min(8192) as u32), (32, 4, 8));
    let arguments = arguments![
        n as i32,
        &starts,
        &targets,
        &outputs.0.buffer,
        &outputs.1.buffer
    ];
    // SAFETY: vertices, their edges in compressed rows, two numbers for each edge.
    let twin = unsafe { Call::new("intersections", grid, block, arguments) };
    side.kernel(
        "intersections",
        vec![twin],
        &mut outputs,
        |stream, (common, degrees)| {
            let shape = Launch::new(grid, block);
            let (common, degrees) = (common.buffer.as_atomic(), &mut degrees.buffer);
            Ok(intersections::launch(
                stream, shape, &starts, &targets, common, degrees,
            )?)
        },
    )?;

    let (common, degrees) = (&outputs.0.buffer, &outputs.1.buffer);
    let mut result = side.output(&vec![f32::NAN; edges], expected, 1e-6)?;
    let blocks = edges.div_ceil(256) as u32;
    let arguments = arguments![edges as i32, common, degrees, &result.buffer];
    // SAFETY: edges, and three numbers for each.
    let twin = unsafe { Call::new("weights", blocks, 256, arguments) };
    side.kernel("weights", vec![twin], &mut result, |stream, result| {
        let shape = Launch::new(blocks, 256);
        Ok(weights::launch(
            stream,
            shape,
            common,
            degrees,
            &mut result.buffer,
        )?)
    })
}
