//! llama.cpp `dequantize_mul_mat_vec` for `q4_0`: a matrix of weights of four bits by a vector, a warp per row.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{bytes, noise, uniform};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "llama_cpp",
    name: "mul_mat_vec",
    run,
};

/// Weights of a block.
const BLOCK: usize = 32;

/// 32 weights of four bits: byte `k` has weight `k` in its lower and weight `k + 16` in its upper half.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Q4 {
    scale: F16,
    quants: [u8; BLOCK / 2],
}

/// A lane takes two weights of a block at a time; 16 lanes take a block, the others the next one.
#[kernel(fma)]
fn mul_mat_vec_q4_0(
    warp: Warp,
    columns: u32,
    matrix: &[Q4],
    x: &[f32],
    mut y: DisjointSlice<f32, PerWarp>,
) {
    let blocks_per_row = columns as usize / BLOCK;
    let Some(row) = matrix.chunks_exact(blocks_per_row).nth(row_of(&warp)) else {
        return;
    };
    let (half, k) = (warp.lane() as usize / 16, warp.lane() as usize % 16);
    let mut sum = 0.0;
    for (block, x) in row.iter().zip(x.chunks_exact(BLOCK)).skip(half).step_by(2) {
        let scale = block.scale.to_f32();
        let quant = block.quants[k];
        let low = (i32::from(quant & 15) - 8) as f32 * scale;
        let high = (i32::from(quant >> 4) - 8) as f32 * scale;
        sum += low * x[k] + high * x[k + BLOCK / 2];
    }
    let sum = warp.reduce(sum, |a, b| a + b);
    if let Some(y) = warp.leader().and_then(|leader| y.get_mut(leader)) {
        *y = sum;
    }
}

fn row_of(warp: &Warp<'_>) -> usize {
    (block_idx().x * (block_dim().x / 32) + warp.index()) as usize
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (rows, columns) = [(30, 160), (8192, 4096)][scale as usize];
    let n = rows * columns / BLOCK;
    let values = bytes(n * 16, 1);
    let scales = uniform(n, 2);
    let matrix: Vec<Q4> = (0..n)
        .map(|at| Q4 {
            scale: F16::from_f32(scales[at]),
            quants: std::array::from_fn(|k| values[16 * at + k]),
        })
        .collect();
    let x = noise(columns, 3);
    let expected = |row: usize| {
        let term = |c: usize| {
            let (block, k) = (&matrix[(row * columns + c) / BLOCK], c % BLOCK);
            let quant = block.quants[k % 16] >> (4 * (k / 16)) & 15;
            (f64::from(quant) - 8.0) * f64::from(block.scale.to_f32()) * f64::from(x[c])
        };
        (0..columns).map(term).sum::<f64>() as f32
    };
    let mut y = side.sampled(&vec![f32::NAN; rows], expected, 1e-3)?;
    let (d_matrix, d_x) = (side.upload(&matrix)?, side.upload(&x)?);
    let blocks = rows.div_ceil(4) as u32;
    let arguments = arguments![&d_matrix, &d_x, &y.buffer, columns as i32, rows as i32];
    // SAFETY: a matrix of blocks, two vectors, columns and rows.
    let twin = unsafe { Call::new("mul_mat_vec_q4_0", blocks, 128, arguments) };
    side.kernel("mul_mat_vec_q4_0", vec![twin], &mut y, |stream, y| {
        let shape = Launch::new(blocks, 128);
        let y = &mut y.buffer;
        Ok(mul_mat_vec_q4_0::launch(
            stream,
            shape,
            columns as u32,
            &d_matrix,
            &d_x,
            y,
        )?)
    })
}
