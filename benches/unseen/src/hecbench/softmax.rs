//! HeCBench `softmax`: softmax of rows, one row per thread.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "softmax",
    run,
};

/// Elements of a row.
const SLICE: usize = 96;

#[kernel(fma, block(128))]
fn softmax(i: Index1D, input: &[f32], mut output: DisjointSlice<f32, Chunks<SLICE>>) {
    if let Some(output) = output.get_mut(i) {
        let row = &input[i.get() * SLICE..][..SLICE];
        let largest = row.iter().fold(f32::MIN, |largest, &x| largest.max(x));
        let sum: f32 = row.iter().map(|x| (x - largest).exp()).sum();
        for (output, x) in output.iter_mut().zip(row) {
            *output = (x - largest).exp() / sum;
        }
    }
}

fn reference(input: &[f32]) -> Vec<f32> {
    let softmax = |row: &[f32]| {
        let powers: Vec<f64> = row.iter().map(|&x| f64::from(x).exp()).collect();
        let sum: f64 = powers.iter().sum();
        powers.into_iter().map(move |p| (p / sum) as f32)
    };
    input.chunks(SLICE).flat_map(softmax).collect()
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let rows = [300, 1 << 17][scale as usize];
    let input: Vec<f32> = noise(rows * SLICE, 1).iter().map(|x| 4.0 * x).collect();
    let expected = reference(&input);
    let input = side.upload(&input)?;
    let mut output = side.output(&vec![f32::NAN; rows * SLICE], expected, 1e-6)?;
    let blocks = rows.div_ceil(128) as u32;
    let arguments = arguments![&input, &output.buffer, rows as i32, SLICE as i32];
    // SAFETY: two matrices, how many rows they have, and how long rows are.
    let twin = unsafe { Call::new("softmax", blocks, 128, arguments) };
    side.kernel("softmax", vec![twin], &mut output, |stream, output| {
        let shape = Launch::new(blocks, 128);
        Ok(softmax::launch(stream, shape, &input, &mut output.buffer)?)
    })
}
