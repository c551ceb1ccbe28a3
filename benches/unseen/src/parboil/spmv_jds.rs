//! A sparse matrix by a vector: rows sorted by length, stored by jagged diagonals, a thread per row.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{mix, noise};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "parboil",
    name: "spmv_jds",
    run,
};

/// A thread per sorted row; element `k` of row `r` is at `starts[k] + r`.
#[kernel(fma)]
fn spmv_jds(
    i: Index1D,
    values: &[f32],
    columns: &[u32],
    rows: &[u32],
    starts: &[u32],
    lengths: &[u32],
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    let row = i.get();
    if row >= rows.len() {
        return;
    }
    let mut sum = 0.0;
    for start in &starts[..lengths[row] as usize] {
        let at = *start as usize + row;
        sum += values[at] * x[columns[at] as usize];
    }
    let y = y.raw();
    // SAFETY: `rows` is a permutation of the rows of `y`. No output type is written at places of data.
    unsafe { *y.add(rows[row] as usize) = sum };
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [500, 1 << 18][scale as usize];
    let length_of = |row: usize| 1 + (mix(row, 1) % 48) as usize;
    let mut rows: Vec<u32> = (0..n as u32).collect();
    rows.sort_by_key(|&row| std::cmp::Reverse(length_of(row as usize)));
    let lengths: Vec<u32> = rows
        .iter()
        .map(|&row| length_of(row as usize) as u32)
        .collect();
    let (mut starts, mut total) = (Vec::new(), 0);
    for k in 0..lengths[0] {
        starts.push(total);
        total += lengths.iter().take_while(|&&length| length > k).count() as u32;
    }
    let values = noise(total as usize, 2);
    // Columns near the row, as in matrices of meshes.
    let columns: Vec<u32> = (0..total as usize)
        .map(|at| {
            let diagonal = starts.partition_point(|&start| start as usize <= at) - 1;
            let row = rows[at - starts[diagonal] as usize];
            (row + mix(at, 3) % 512) % n as u32
        })
        .collect();
    let x = noise(n, 4);
    let mut expected = vec![0.0; n];
    for (sorted, row) in rows.iter().enumerate() {
        let places = starts[..lengths[sorted] as usize]
            .iter()
            .map(|s| *s as usize + sorted);
        expected[*row as usize] = places.map(|at| values[at] * x[columns[at] as usize]).sum();
    }
    let mut y = side.output(&vec![f32::NAN; n], expected, 1e-4)?;
    let (d_values, d_columns) = (side.upload(&values)?, side.upload(&columns)?);
    let (d_rows, d_starts) = (side.upload(&rows)?, side.upload(&starts)?);
    let (d_lengths, d_x) = (side.upload(&lengths)?, side.upload(&x)?);
    let blocks = n.div_ceil(256) as u32;
    let (v, c, out) = (&d_values, &d_columns, &y.buffer);
    let arguments = arguments![v, c, &d_rows, &d_starts, &d_lengths, &d_x, out, n as i32];
    // SAFETY: a matrix by jagged diagonals, two vectors of its order, and the order.
    let twin = unsafe { Call::new("spmv_jds", blocks, 256, arguments) };
    side.kernel("spmv_jds", vec![twin], &mut y, |stream, y| {
        let (shape, y) = (Launch::new(blocks, 256), &mut y.buffer);
        let (rows, starts) = (&d_rows, &d_starts);
        Ok(spmv_jds::launch(
            stream, shape, v, c, rows, starts, &d_lengths, &d_x, y,
        )?)
    })
}
