//! llama.cpp `quantize_q8_1`: floats become bytes with a scale and a sum for each 32; and `soft_max` with a mask and a scale, a block per row.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{below, noise};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "llama_cpp",
    name: "quantize",
    run,
};

/// Numbers of a block.
const BLOCK: usize = 32;

// Of the original's struct of a block each part is an array of its own: no output gives a lane one byte of a struct. Bytes have a sign.
#[kernel(block(256))]
fn quantize_q8_1(
    i: Index1D,
    warp: Warp,
    x: &[f32],
    mut quants: DisjointSlice<u8>,
    mut scales: DisjointSlice<f32, PerWarp>,
    mut sums: DisjointSlice<f32, PerWarp>,
) {
    let x = x.get(i.get()).copied().unwrap_or(0.0);
    let largest = warp.reduce(x.abs(), f32::max);
    let sum = warp.reduce(x, |a, b| a + b);
    let scale = largest / 127.0;
    if let Some(quant) = quants.get_mut(i) {
        *quant = if largest == 0.0 {
            0
        } else {
            (x / scale).round() as i8 as u8
        };
    }
    if let Some(leader) = warp.leader() {
        if let Some(to) = scales.get_mut(leader) {
            *to = scale;
        }
        if let Some(to) = sums.get_mut(leader) {
            *to = sum;
        }
    }
}

// A block has a row, whose elements its threads take in turn: raw.
#[kernel(fma, block(256))]
fn soft_max(
    block: Block,
    columns: u32,
    mask_rows: u32,
    scale: f32,
    x: &[f32],
    mask: &[f32],
    mut y: DisjointSlice<f32>,
) {
    let columns = columns as usize;
    let row = block.index();
    let x = &x[row * columns..(row + 1) * columns];
    let mask = &mask[row % mask_rows as usize * columns..][..columns];
    let own = || {
        x.iter()
            .zip(mask)
            .enumerate()
            .skip(block.thread())
            .step_by(block.threads())
    };
    let largest = own().fold(f32::NEG_INFINITY, |most, (_, (x, mask))| {
        most.max(x * scale + mask)
    });
    let largest = block.reduce(largest, f32::max);
    let sum: f32 = own()
        .map(|(_, (x, mask))| (x * scale + mask - largest).exp())
        .sum();
    let factor = 1.0 / block.reduce(sum, |a, b| a + b);
    assert!((row + 1) * columns <= y.len());
    for (column, (x, mask)) in own() {
        let value = (x * scale + mask - largest).exp() * factor;
        // SAFETY: within the slice; no other thread has this element.
        unsafe { *y.raw().add(row * columns + column) = value };
    }
}

const SCALE: f32 = 0.125;

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let blocks_of_32 = [50, 1 << 18][scale as usize];
    let n = blocks_of_32 * BLOCK;
    let x = noise(n, 1);
    let largest = |block: usize| {
        x[block * BLOCK..(block + 1) * BLOCK]
            .iter()
            .fold(0f32, |most, x| most.max(x.abs()))
    };
    let sum = |block: usize| {
        x[block * BLOCK..(block + 1) * BLOCK]
            .iter()
            .map(|&x| f64::from(x))
            .sum::<f64>() as f32
    };
    let quant = |at: usize| (x[at] / (largest(at / BLOCK) / 127.0)).round() as i8 as u8;
    let blank = vec![f32::NAN; blocks_of_32];
    let mut outputs = (
        side.sampled(&vec![99; n], quant, 0.0)?,
        side.sampled(&blank, |block| largest(block) / 127.0, 1e-6)?,
        side.sampled(&blank, sum, 1e-5)?,
    );
    let d_x = side.upload(&x)?;
    let blocks = n.div_ceil(256) as u32;
    let (quants, scales, sums) = (&outputs.0.buffer, &outputs.1.buffer, &outputs.2.buffer);
    let arguments = arguments![&d_x, quants, scales, sums, n as i32];
    // SAFETY: numbers, a byte for each, two numbers for each 32 of them, how many there are.
    let twin = unsafe { Call::new("quantize_q8_1", blocks, 256, arguments) };
    side.kernel(
        "quantize_q8_1",
        vec![twin],
        &mut outputs,
        |stream, (quants, scales, sums)| {
            let shape = Launch::new(blocks, 256);
            let (quants, scales) = (&mut quants.buffer, &mut scales.buffer);
            Ok(quantize_q8_1::launch(
                stream,
                shape,
                &d_x,
                quants,
                scales,
                &mut sums.buffer,
            )?)
        },
    )?;

    let (rows, mask_rows, columns) = [(12, 4, 300), (8192, 512, 1024)][scale as usize];
    let x: Vec<f32> = noise(rows * columns, 2).iter().map(|x| 30.0 * x).collect();
    let mask: Vec<f32> = below(mask_rows * columns, 4, 3)
        .iter()
        .map(|&k| if k == 0 { -1000.0 } else { 0.0 })
        .collect();
    let expected = |at: usize| {
        let row = at / columns;
        let power = |c: usize| {
            let value = f64::from(x[row * columns + c]) * f64::from(SCALE);
            (value + f64::from(mask[row % mask_rows * columns + c])).exp()
        };
        (power(at % columns) / (0..columns).map(power).sum::<f64>()) as f32
    };
    let mut y = side.sampled(&vec![f32::NAN; rows * columns], expected, 1e-6)?;
    let (d_x, d_mask) = (side.upload(&x)?, side.upload(&mask)?);
    let (c, m) = (columns as u32, mask_rows as u32);
    let arguments = arguments![&d_x, &d_mask, &y.buffer, c as i32, m as i32, SCALE];
    // SAFETY: a row for each block, a mask of fewer rows, rows; how long they are, how many the mask has, a factor.
    let twin = unsafe { Call::new("soft_max", rows as u32, 256, arguments) };
    side.kernel("soft_max", vec![twin], &mut y, |stream, y| {
        let shape = Launch::new(rows as u32, 256);
        Ok(soft_max::launch(
            stream,
            shape,
            c,
            m,
            SCALE,
            &d_x,
            &d_mask,
            &mut y.buffer,
        )?)
    })
}
