//! HeCBench `flip`: a tensor whose order along some dimensions is reversed; the dimensions are data.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "flip",
    run,
};

#[kernel]
fn flip(
    i: Index1D,
    flipped: &[i64],
    strides: &[i64],
    strides_contiguous: &[i64],
    shape: &[i64],
    input: &[f32],
    mut output: DisjointSlice<f32>,
) {
    let Some(output) = output.get_mut(i) else {
        return;
    };
    let mut rest = i.get() as i64;
    let mut from = 0;
    for (dimension, &size) in shape.iter().enumerate() {
        let mut index = rest / strides_contiguous[dimension];
        rest -= index * strides_contiguous[dimension];
        for &d in flipped {
            if d == dimension as i64 {
                index = size - 1 - index;
            }
        }
        from += index * strides[dimension];
    }
    *output = input[from as usize];
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let size: usize = [12, 160][scale as usize];
    let n = size.pow(3);
    let input = noise(n, 1);
    // All dimensions are reversed: so is the order of the elements.
    let expected = input.iter().rev().copied().collect();
    let mut output = side.output(&vec![f32::NAN; n], expected, 0.0)?;
    let size = size as i64;
    let d_input = side.upload(&input)?;
    let (d_flipped, d_shape) = (side.upload(&[0i64, 1, 2])?, side.upload(&[size; 3])?);
    let d_strides = side.upload(&[size * size, size, 1])?;
    let grid = n.div_ceil(256) as u32;
    let arguments = arguments![
        &d_input,
        &output.buffer,
        n as u64,
        &d_flipped,
        3u64,
        &d_strides,
        &d_strides,
        &d_shape,
        3u64
    ];
    // SAFETY: two tensors of n elements, the dimensions to reverse, strides and shape of three dimensions.
    let twin = unsafe { Call::new("flip", grid, 256, arguments) };
    side.kernel("flip", vec![twin], &mut output, |stream, output| {
        let shape = Launch::new(grid, 256);
        Ok(flip::launch(
            stream,
            shape,
            &d_flipped,
            &d_strides,
            &d_strides,
            &d_shape,
            &d_input,
            &mut output.buffer,
        )?)
    })
}
