//! HeCBench `tridiagonal`: many small tridiagonal systems, one per thread, by elimination; systems lie side by side, so that threads read neighbours.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{noise, uniform};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "tridiagonal",
    run,
};

/// Unknowns of a system.
const SIZE: usize = 64;

// A thread has an element of each row: with as many threads as systems these are its elements in strides of the grid.
#[kernel(fma)]
fn thomas(
    i: Index1D,
    systems: u32,
    below: &[f32],
    diagonal: &[f32],
    above: &[f32],
    right: &[f32],
    mut solution: DisjointSlice<f32, GridStride>,
) {
    let systems = systems as usize;
    if i.get() >= systems {
        return;
    }
    let mut factors = [0.0; SIZE];
    let mut values = [0.0; SIZE];
    factors[0] = above[i.get()] / diagonal[i.get()];
    values[0] = right[i.get()] / diagonal[i.get()];
    for row in 1..SIZE {
        let at = row * systems + i.get();
        let pivot = diagonal[at] - factors[row - 1] * below[at];
        factors[row] = above[at] / pivot;
        values[row] = (right[at] - values[row - 1] * below[at]) / pivot;
    }
    for row in (0..SIZE - 1).rev() {
        values[row] -= factors[row] * values[row + 1];
    }
    for ((_, solution), value) in solution.iter_mut(i).zip(values) {
        *solution = value;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n: usize = [128 * 5, 128 * 1024][scale as usize];
    let (below, above) = (noise(n * SIZE, 1), noise(n * SIZE, 2));
    let diagonal: Vec<f32> = uniform(n * SIZE, 3).iter().map(|x| 3.0 + x).collect();
    let right = noise(n * SIZE, 4);
    let solve = |system: usize| {
        let at = |a: &[f32], row: usize| f64::from(a[row * n + system]);
        let (mut pivots, mut values) = (vec![at(&diagonal, 0)], vec![at(&right, 0)]);
        for row in 1..SIZE {
            let factor = at(&below, row) / pivots[row - 1];
            pivots.push(at(&diagonal, row) - factor * at(&above, row - 1));
            values.push(at(&right, row) - factor * values[row - 1]);
        }
        values[SIZE - 1] /= pivots[SIZE - 1];
        for row in (0..SIZE - 1).rev() {
            values[row] = (values[row] - at(&above, row) * values[row + 1]) / pivots[row];
        }
        values
    };
    let expected = |at: usize| solve(at % n)[at / n] as f32;
    let mut solution = side.sampled(&vec![f32::NAN; n * SIZE], expected, 1e-5)?;
    let (d_below, d_diagonal) = (side.upload(&below)?, side.upload(&diagonal)?);
    let (d_above, d_right) = (side.upload(&above)?, side.upload(&right)?);
    let blocks = (n / 128) as u32;
    let arguments = arguments![
        n as i32,
        &d_below,
        &d_diagonal,
        &d_above,
        &d_right,
        &solution.buffer
    ];
    // SAFETY: how many systems there are, 64 numbers for each in four arrays, and room for as many.
    let twin = unsafe { Call::new("thomas", blocks, 128, arguments) };
    side.kernel("thomas", vec![twin], &mut solution, |stream, solution| {
        let shape = Launch::new(blocks, 128);
        let solution = &mut solution.buffer;
        Ok(thomas::launch(
            stream,
            shape,
            n as u32,
            &d_below,
            &d_diagonal,
            &d_above,
            &d_right,
            solution,
        )?)
    })
}
