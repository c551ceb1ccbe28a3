//! Numbers of a Sobol sequence: a row of blocks per dimension, each thread goes on in steps of a power of two.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::mix;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "sobol_qrng",
    run,
};

const DIRECTIONS: usize = 32;

/// Each thread's first number comes from the bits of its Gray code, each next one from two directions.
#[kernel(fma, block(64))]
fn sobol_gpu(
    block: Block,
    vectors: usize,
    directions: &[u32],
    mut v: SharedTile<u32, DIRECTIONS>,
    mut output: DisjointSlice<f32>,
) {
    let dimension = block_idx().y as usize;
    v.fill(|k| directions[dimension * DIRECTIONS + k]);
    let v = v.publish(&block);
    let first = block_idx().x as usize * 64 + block.thread();
    let stride = grid_dim().x as usize * 64;
    let gray = first ^ (first >> 1);
    let mut x = 0;
    for k in 0..DIRECTIONS - 1 {
        if gray >> k & 1 == 1 {
            x ^= v[k];
        }
    }
    let to_unit = |x: u32| x as f32 * 2.328_306_4e-10;
    let output = output.raw();
    if first < vectors {
        // SAFETY: each dimension has `vectors` numbers, and this thread every stride-th. No output type is a row of blocks per row.
        unsafe { *output.add(dimension * vectors + first) = to_unit(x) };
    }
    let changed = v[(stride.ilog2() - 1) as usize];
    let mut number = first + stride;
    while number < vectors {
        // The lowest zero among the higher bits says which other direction changes.
        let other = ((number - stride) | (stride - 1)).trailing_ones();
        x ^= changed ^ v[other as usize];
        // SAFETY: as above.
        unsafe { *output.add(dimension * vectors + number) = to_unit(x) };
        number += stride;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (vectors, dimensions, blocks) = [(1000, 3, 2), (1 << 18, 100, 64)][scale as usize];
    // Upper triangular numbers, as real directions are; any others serve as well.
    let direction = |at: usize| {
        let k = (at % DIRECTIONS) as u32;
        (mix(at, 1) << (31 - k) | 1 << (31 - k)) & (u32::MAX << (31 - k))
    };
    let directions: Vec<u32> = (0..dimensions * DIRECTIONS).map(direction).collect();
    let expected = |at: usize| {
        let (dimension, number) = (at / vectors, at % vectors);
        let gray = number ^ (number >> 1);
        let bits = (0..DIRECTIONS - 1).filter(|k| gray >> k & 1 == 1);
        let x = bits.fold(0, |x, k| x ^ directions[dimension * DIRECTIONS + k]);
        x as f32 * 2.328_306_4e-10
    };
    let nothing = vec![f32::NAN; vectors * dimensions];
    let mut output = side.sampled(&nothing, expected, 0.0)?;
    let d_directions = side.upload(&directions)?;
    let grid = (blocks as u32, dimensions as u32);
    let arguments = arguments![&d_directions, &output.buffer, vectors as u32];
    // SAFETY: 32 directions and so many numbers for each dimension.
    let twin = unsafe { Call::new("sobol_gpu", grid, 64, arguments) };
    side.kernel("sobol_gpu", vec![twin], &mut output, |stream, output| {
        let shape = Launch::new(grid, 64);
        Ok(sobol_gpu::launch(
            stream,
            shape,
            vectors,
            &d_directions,
            &mut output.buffer,
        )?)
    })
}
