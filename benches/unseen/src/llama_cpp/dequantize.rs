//! llama.cpp `dequantize_row_q4_0` and `…_q8_0`: blocks of 32 weights with a scale of half precision become floats.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{bytes, uniform};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "llama_cpp",
    name: "dequantize",
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

/// 32 weights of eight bits.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Q8 {
    scale: F16,
    quants: [i8; BLOCK],
}

// The output is raw: a thread has two weights, half a block apart.
#[kernel(fma, block(256))]
fn dequantize_q4_0(i: Index1D, blocks: &[Q4], mut weights: DisjointSlice<f32>) {
    let (number, k) = (i.get() / (BLOCK / 2), i.get() % (BLOCK / 2));
    let Some(block) = blocks.get(number) else {
        return;
    };
    let scale = block.scale.to_f32();
    let quant = block.quants[k];
    let low = (i32::from(quant & 15) - 8) as f32 * scale;
    let high = (i32::from(quant >> 4) - 8) as f32 * scale;
    let place = number * BLOCK + k;
    assert!(place + BLOCK / 2 < weights.len());
    // SAFETY: within the slice; each thread has its own two weights.
    unsafe {
        *weights.raw().add(place) = low;
        *weights.raw().add(place + BLOCK / 2) = high;
    }
}

#[kernel(fma, block(256))]
fn dequantize_q8_0(i: Index1D, blocks: &[Q8], mut weights: DisjointSlice<f32, Chunks<2>>) {
    if let Some(weights) = weights.get_mut(i) {
        let (number, k) = (2 * i.get() / BLOCK, 2 * i.get() % BLOCK);
        let block = &blocks[number];
        let scale = block.scale.to_f32();
        for (weight, &quant) in weights.iter_mut().zip(&block.quants[k..]) {
            *weight = f32::from(quant) * scale;
        }
    }
}

/// Scales of blocks, in 0..1.
fn scales(n: usize, seed: u32) -> Vec<F16> {
    uniform(n, seed).into_iter().map(F16::from_f32).collect()
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [50, 1 << 19][scale as usize];
    let values = bytes(n * BLOCK, 1);
    let scales = scales(n, 2);
    let q4: Vec<Q4> = scales
        .iter()
        .zip(values.chunks(BLOCK))
        .map(|(&scale, quants)| Q4 {
            scale,
            quants: std::array::from_fn(|k| quants[k]),
        })
        .collect();
    let q8: Vec<Q8> = scales
        .iter()
        .zip(values.chunks(BLOCK))
        .map(|(&scale, quants)| Q8 {
            scale,
            quants: std::array::from_fn(|k| quants[k] as i8),
        })
        .collect();
    let blank = vec![f32::NAN; n * BLOCK];
    let (d_q4, d_q8) = (side.upload(&q4)?, side.upload(&q8)?);
    let threads = n * BLOCK / 2;
    let blocks = threads.div_ceil(256) as u32;
    let shape = Launch::new(blocks, 256);

    let expected = |at: usize| {
        let (block, k) = (&q4[at / BLOCK], at % BLOCK);
        let quant = block.quants[k % 16] >> (4 * (k / 16)) & 15;
        (f32::from(quant) - 8.0) * block.scale.to_f32()
    };
    let mut weights = side.sampled(&blank, expected, 0.0)?;
    let arguments = arguments![&d_q4, &weights.buffer, n as i32];
    // SAFETY: blocks, 32 weights for each, how many blocks there are.
    let twin = unsafe { Call::new("dequantize_q4_0", blocks, 256, arguments) };
    side.kernel(
        "dequantize_q4_0",
        vec![twin],
        &mut weights,
        |stream, weights| {
            Ok(dequantize_q4_0::launch(
                stream,
                shape,
                &d_q4,
                &mut weights.buffer,
            )?)
        },
    )?;

    let expected =
        |at: usize| f32::from(q8[at / BLOCK].quants[at % BLOCK]) * q8[at / BLOCK].scale.to_f32();
    let mut weights = side.sampled(&blank, expected, 0.0)?;
    let arguments = arguments![&d_q8, &weights.buffer, n as i32];
    // SAFETY: as above.
    let twin = unsafe { Call::new("dequantize_q8_0", blocks, 256, arguments) };
    side.kernel(
        "dequantize_q8_0",
        vec![twin],
        &mut weights,
        |stream, weights| {
            Ok(dequantize_q8_0::launch(
                stream,
                shape,
                &d_q8,
                &mut weights.buffer,
            )?)
        },
    )
}
