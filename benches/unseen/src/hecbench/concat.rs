//! HeCBench `concat`: two tensors joined along their second dimension.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "concat",
    run,
};

#[kernel]
fn concat(
    i: Index1D,
    inner: u32,
    first_rows: u32,
    second_rows: u32,
    first: &[f32],
    second: &[f32],
    mut output: DisjointSlice<f32>,
) {
    let (inner, first_rows, second_rows) =
        (inner as usize, first_rows as usize, second_rows as usize);
    if let Some(output) = output.get_mut(i) {
        let rows = first_rows + second_rows;
        let (column, row) = (i.get() % inner, i.get() / inner);
        let (row, outer) = (row % rows, row / rows);
        *output = if row < first_rows {
            first[(outer * first_rows + row) * inner + column]
        } else {
            second[(outer * second_rows + row - first_rows) * inner + column]
        };
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (outer, inner, first_rows, second_rows) =
        [(5, 16, 7, 9), (384, 128, 300, 212)][scale as usize];
    let n = outer * inner * (first_rows + second_rows);
    let first = noise(outer * inner * first_rows, 1);
    let second = noise(outer * inner * second_rows, 2);
    let parts = first
        .chunks(first_rows * inner)
        .zip(second.chunks(second_rows * inner));
    let expected = parts.flat_map(|(a, b)| [a, b].concat()).collect();
    let mut output = side.output(&vec![f32::NAN; n], expected, 0.0)?;
    let (d_first, d_second) = (side.upload(&first)?, side.upload(&second)?);
    let grid = n.div_ceil(256) as u32;
    let arguments = arguments![
        &d_first,
        &d_second,
        &output.buffer,
        outer as i32,
        inner as i32,
        first_rows as i32,
        second_rows as i32
    ];
    // SAFETY: tensors of these sizes.
    let twin = unsafe { Call::new("concat", grid, 256, arguments) };
    side.kernel("concat", vec![twin], &mut output, |stream, output| {
        let shape = Launch::new(grid, 256);
        let [inner, first_rows, second_rows] = [inner, first_rows, second_rows].map(|n| n as u32);
        Ok(concat::launch(
            stream,
            shape,
            inner,
            first_rows,
            second_rows,
            &d_first,
            &d_second,
            &mut output.buffer,
        )?)
    })
}
