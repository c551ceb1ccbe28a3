//! Rodinia `backprop`: a layer of a neural network forward, with the partial sums of 16 by 16 weights per block, and the adjustment of the weights.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{noise, uniform};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "backprop",
    run,
};

/// Inputs of a block, and units of the hidden layer.
const SIDE: usize = 16;
const ETA: f32 = 0.3;
const MOMENTUM: f32 = 0.3;

// Outputs are raw: weights have a row and a column more than the launch has threads, in front.
#[kernel(fma, block(16, 16))]
fn layer_forward(
    block: Block,
    input: &[f32],
    mut weights: DisjointSlice<f32>,
    mut node: SharedTile<f32, SIDE>,
    mut matrix: SharedTile<f32, { SIDE * SIDE }>,
    mut partial: DisjointSlice<f32>,
) {
    let (tx, ty) = (thread_idx().x as usize, thread_idx().y as usize);
    let by = block_idx().y as usize;
    let index = (SIDE + 1) * (SIDE * by + ty + 1) + tx + 1;
    node.fill(|slot| input[SIDE * by + slot + 1]);
    let node = node.publish(&block);
    let mut own = 0.0;
    if index < weights.len() {
        // SAFETY: within the slice; the element is this thread's.
        own = unsafe { weights.raw().add(index).read() } * node[ty];
    }
    for level in 1..=4 {
        let step = 1 << level;
        matrix.set_own(0, own);
        let all = matrix.publish(&block);
        if ty % step == 0 {
            own += all[(ty + step / 2) * SIDE + tx];
        }
        matrix = all.reclaim(&block);
    }
    matrix.set_own(0, own);
    let sums = matrix.publish(&block);
    if index < weights.len() {
        // SAFETY: as above.
        unsafe { weights.raw().add(index).write(sums[ty * SIDE + tx]) };
    }
    let place = by * SIDE + ty;
    if tx == 0 && place < partial.len() {
        // SAFETY: within the slice; one thread for each block and `ty`. The sum over the inputs stands in the first row.
        unsafe { partial.raw().add(place).write(sums[ty]) };
    }
}

// Outputs are raw, as above; thread row 0 of block 0 also changes the weights of the bias.
#[kernel(fma, block(16, 16))]
fn adjust_weights(
    delta: &[f32],
    units: &[f32],
    mut weights: DisjointSlice<f32>,
    mut old: DisjointSlice<f32>,
) {
    let (tx, ty) = (thread_idx().x as usize, thread_idx().y as usize);
    let by = block_idx().y as usize;
    let (column, row) = (tx + 1, SIDE * by + ty + 1);
    let mut adjust = |index: usize, change: f32| {
        if index < weights.len() && index < old.len() {
            // SAFETY: within both slices; the elements are this thread's.
            unsafe {
                let momentum = MOMENTUM * *old.raw().add(index);
                *weights.raw().add(index) += change + momentum;
                *old.raw().add(index) = change + momentum;
            }
        }
    };
    adjust(row * (SIDE + 1) + column, ETA * delta[column] * units[row]);
    if by == 0 && ty == 0 {
        adjust(column, ETA * delta[column]);
    }
}

/// Weights times inputs, added up by the tree of the kernel (also where sums are not complete), and the complete sums of each block.
fn reference_forward(input: &[f32], weights: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let (mut weights, mut partial) = (weights.to_vec(), Vec::new());
    for by in 0..(input.len() - 1) / SIDE {
        let mut matrix = [[0.0f32; SIDE]; SIDE];
        for (ty, row) in matrix.iter_mut().enumerate() {
            let r = SIDE * by + ty + 1;
            for (tx, value) in row.iter_mut().enumerate() {
                *value = weights[r * (SIDE + 1) + tx + 1] * input[r];
            }
        }
        for step in [2, 4, 8, 16] {
            for ty in (0..SIDE).step_by(step) {
                for tx in 0..SIDE {
                    matrix[ty][tx] += matrix[ty + step / 2][tx];
                }
            }
        }
        for (ty, row) in matrix.iter().enumerate() {
            let start = (SIDE * by + ty + 1) * (SIDE + 1) + 1;
            weights[start..start + SIDE].copy_from_slice(row);
        }
        partial.extend(matrix[0]);
    }
    (weights, partial)
}

fn reference_adjust(
    delta: &[f32],
    units: &[f32],
    weights: &[f32],
    old: &[f32],
) -> (Vec<f32>, Vec<f32>) {
    let (mut weights, mut old) = (weights.to_vec(), old.to_vec());
    for row in 0..units.len() {
        for column in 1..=SIDE {
            let index = row * (SIDE + 1) + column;
            let unit = if row == 0 { 1.0 } else { units[row] };
            let change = ETA * delta[column] * unit + MOMENTUM * old[index];
            weights[index] += change;
            old[index] = change;
        }
    }
    (weights, old)
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [5 * SIDE, 1 << 19][scale as usize];
    let (units, weights) = (uniform(n + 1, 1), noise((n + 1) * (SIDE + 1), 2));
    let (delta, old) = (noise(SIDE + 1, 3), noise(weights.len(), 4));
    let (products, partial) = reference_forward(&units, &weights);
    let (adjusted, changes) = reference_adjust(&delta, &units, &weights, &old);
    let (units, delta) = (side.upload(&units)?, side.upload(&delta)?);
    let grid = (1, (n / SIDE) as u32);

    let mut outputs = (
        side.output(&weights, products, 1e-5)?,
        side.output(&vec![f32::NAN; n], partial, 1e-5)?,
    );
    let len = weights.len() as u32;
    let arguments = arguments![&units, &outputs.0.buffer, len, &outputs.1.buffer];
    // SAFETY: inputs, weights and how many they are, a sum for each block and unit.
    let twin = unsafe { Call::new("layer_forward", grid, (16, 16), arguments) };
    let shape = Launch::new(grid, (16, 16));
    side.kernel(
        "layer_forward",
        vec![twin],
        &mut outputs,
        |stream, (weights, partial)| {
            let (weights, partial) = (&mut weights.buffer, &mut partial.buffer);
            Ok(layer_forward::launch(
                stream, shape, &units, weights, partial,
            )?)
        },
    )?;

    let mut outputs = (
        side.output(&weights, adjusted, 1e-5)?,
        side.output(&old, changes, 1e-5)?,
    );
    let arguments = arguments![&delta, &units, len, &outputs.0.buffer, &outputs.1.buffer];
    // SAFETY: differences, inputs, how many weights there are, the weights and their last changes.
    let twin = unsafe { Call::new("adjust_weights", grid, (16, 16), arguments) };
    side.kernel(
        "adjust_weights",
        vec![twin],
        &mut outputs,
        |stream, (weights, old)| {
            let (weights, old) = (&mut weights.buffer, &mut old.buffer);
            Ok(adjust_weights::launch(
                stream, shape, &delta, &units, weights, old,
            )?)
        },
    )
}
