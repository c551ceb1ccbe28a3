//! HeCBench `stddev`: the sums of squares of the columns of a matrix, by atomics.

use std::sync::atomic::Ordering::Relaxed;

use warploom::device_std::atomic;
use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::uniform;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "stddev",
    run,
};

const THREADS: usize = 256;
const COLUMNS: usize = 32;
const ROWS: usize = THREADS / COLUMNS;

#[kernel(fma, block(256))]
fn sum_of_squares(block: Block, columns: usize, data: &[f32], sums: &[Atomic<f32>]) {
    let (t, group) = (block.thread(), block_idx());
    let column = group.y as usize * COLUMNS + t % COLUMNS;
    let row = group.x as usize * ROWS + t / COLUMNS;
    let mut sum = 0.0;
    if column < columns {
        let rows = data.chunks_exact(columns).skip(row);
        for row in rows.step_by(ROWS * grid_dim().x as usize) {
            sum += row[column] * row[column];
        }
    }
    let all = shared_array!(f32, COLUMNS);
    if t < COLUMNS {
        all.atomic(t).store(0.0, Relaxed);
    }
    block.sync();
    all.atomic(t % COLUMNS).fetch_add(sum);
    block.sync();
    if t < COLUMNS {
        sums[column].fetch_add(all.atomic(t).load(Relaxed), atomic::Relaxed);
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (columns, rows) = [(64, 130), (512, 16384)][scale as usize];
    let data = uniform(columns * rows, 1);
    let mut expected = vec![0.0f64; columns];
    for (at, x) in data.iter().enumerate() {
        expected[at % columns] += f64::from(*x) * f64::from(*x);
    }
    let expected = expected.into_iter().map(|x| x as f32).collect();
    let mut sums = side.output(&vec![0.0; columns], expected, 1e-4)?;
    let d_data = side.upload(&data)?;
    let grid = (
        rows.div_ceil(4 * ROWS) as u32,
        columns.div_ceil(COLUMNS) as u32,
    );
    let arguments = arguments![&sums.buffer, &d_data, columns as i32, rows as i32];
    // SAFETY: a sum for each column, a matrix.
    let twin = unsafe { Call::new("sum_of_squares", grid, 256, arguments) };
    side.kernel("sum_of_squares", vec![twin], &mut sums, |stream, sums| {
        let shape = Launch::new(grid, 256);
        Ok(sum_of_squares::launch(
            stream,
            shape,
            columns,
            &d_data,
            sums.buffer.as_atomics(),
        )?)
    })
}
