//! Rodinia `streamcluster`: what opening a further centre would change: each point compares its distance to the candidate with what it pays now.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::below;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "streamcluster",
    run,
};

const DIMENSIONS: usize = 16;

// Each point adds to a row of its own, at a column that the data gives: raw.
#[kernel(fma, block(256))]
fn compute_cost(
    i: Index1D,
    block: Block,
    candidate: u32,
    centres: u32,
    weights: &[f32],
    costs: &[f32],
    assigned: &[i32],
    coordinates: &[f32],
    table: &[i32],
    mut candidate_tile: SharedTile<f32, DIMENSIONS>,
    mut switches: DisjointSlice<u8>,
    mut work: DisjointSlice<f32>,
) {
    let points = costs.len();
    candidate_tile.fill(|dimension| coordinates[dimension * points + candidate as usize]);
    let centre = candidate_tile.publish(&block);
    let Some(switches) = switches.get_mut(i) else {
        return;
    };
    let mut distance = 0.0;
    for (dimension, &c) in centre.iter().enumerate() {
        let difference = coordinates[dimension * points + i.get()] - c;
        distance += difference * difference;
    }
    let weight = weights[i.get()];
    let current = costs[i.get()];
    let row = i.get() * (centres as usize + 1);
    let (column, change) = if distance * weight < current {
        *switches = 1;
        (centres as usize, distance * weight - current)
    } else {
        let column = table[assigned[i.get()] as usize] as usize;
        (column, current - distance * weight)
    };
    assert!(row + column < work.len());
    // SAFETY: within the slice; a row belongs to one thread.
    unsafe { *work.raw().add(row + column) += change };
}

const CENTRES: usize = 12;
const CANDIDATE: usize = 5;

/// What points pay more, row by row.
fn reference(
    weights: &[f32],
    costs: &[f32],
    assigned: &[i32],
    coordinates: &[f32],
    table: &[i32],
) -> Vec<f32> {
    let points = costs.len();
    let mut work = vec![0.0; points * (CENTRES + 1)];
    for (i, row) in work.chunks_mut(CENTRES + 1).enumerate() {
        let square = |k: usize| {
            let d = coordinates[k * points + i] - coordinates[k * points + CANDIDATE];
            d * d
        };
        let change = (0..DIMENSIONS).map(square).sum::<f32>() * weights[i] - costs[i];
        let column = if change < 0.0 {
            CENTRES
        } else {
            table[assigned[i] as usize] as usize
        };
        row[column] = if change < 0.0 { change } else { -change };
    }
    work
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [700, 1 << 20][scale as usize];
    let whole = |len, most, seed| -> Vec<f32> {
        below(len, most, seed).iter().map(|&x| x as f32).collect()
    };
    // Whole numbers, so that all sums are exact.
    let (weights, costs) = (whole(n, 4, 1), whole(n, 4000, 2));
    let coordinates = whole(n * DIMENSIONS, 16, 3);
    let assigned: Vec<i32> = below(n, CENTRES as u32, 4)
        .iter()
        .map(|&c| c as i32)
        .collect();
    let table: Vec<i32> = (0..CENTRES as i32).rev().collect();
    let work = reference(&weights, &costs, &assigned, &coordinates, &table);
    let switches = work
        .chunks(CENTRES + 1)
        .map(|row| u8::from(row[CENTRES] < 0.0))
        .collect();
    let mut outputs = (
        side.output(&vec![0; n], switches, 0.0)?,
        side.output(&vec![0.0; work.len()], work, 0.0)?,
    );
    let (weights, costs) = (side.upload(&weights)?, side.upload(&costs)?);
    let (assigned, table) = (side.upload(&assigned)?, side.upload(&table)?);
    let coordinates = side.upload(&coordinates)?;
    let (blocks, candidate, centres) = (n.div_ceil(256) as u32, CANDIDATE as u32, CENTRES as u32);
    let (switches, work) = (&outputs.0.buffer, &outputs.1.buffer);
    let arguments = arguments![
        n as i32,
        candidate as i32,
        centres as i32,
        &weights,
        &costs,
        &assigned,
        &coordinates,
        &table,
        switches,
        work
    ];
    // SAFETY: points, one of them, centres; what each point has, its coordinates, a column for each centre; the outputs of each point.
    let twin = unsafe { Call::new("compute_cost", blocks, 256, arguments) };
    side.kernel(
        "compute_cost",
        vec![twin],
        &mut outputs,
        |stream, (switches, work)| {
            let shape = Launch::new(blocks, 256);
            let (switches, work) = (&mut switches.buffer, &mut work.buffer);
            Ok(compute_cost::launch(
                stream,
                shape,
                candidate,
                centres,
                &weights,
                &costs,
                &assigned,
                &coordinates,
                &table,
                switches,
                work,
            )?)
        },
    )
}
