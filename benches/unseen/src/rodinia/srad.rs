//! Rodinia `srad` (version 1): speckle-reducing anisotropic diffusion of an image that lies column by column: derivatives and coefficient, then the update;
//! and the sums that give both their parameter.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::uniform;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "srad",
    run,
};

#[kernel(fma)]
fn srad(
    i: Index1D,
    rows: u32,
    north: &[i32],
    south: &[i32],
    east: &[i32],
    west: &[i32],
    image: &[f32],
    q0_squared: f32,
    mut d_north: DisjointSlice<f32>,
    mut d_south: DisjointSlice<f32>,
    mut d_west: DisjointSlice<f32>,
    mut d_east: DisjointSlice<f32>,
    mut coefficient: DisjointSlice<f32>,
) {
    let Some(&here) = image.get(i.get()) else {
        return;
    };
    let rows = rows as usize;
    let (row, column) = (i.get() % rows, i.get() / rows);
    let at = |row: usize, column: usize| image[row + rows * column];
    let n = at(north[row] as usize, column) - here;
    let s = at(south[row] as usize, column) - here;
    let w = at(row, west[column] as usize) - here;
    let e = at(row, east[column] as usize) - here;

    let g2 = (n * n + s * s + w * w + e * e) / (here * here);
    let l = (n + s + w + e) / here;
    let num = 0.5 * g2 - (1.0 / 16.0) * (l * l);
    let den = 1.0 + 0.25 * l;
    let q_squared = num / (den * den);
    let den = (q_squared - q0_squared) / (q0_squared * (1.0 + q0_squared));
    let c = (1.0 / (1.0 + den)).clamp(0.0, 1.0);

    if let (Some(d_n), Some(d_s), Some(d_w), Some(d_e), Some(coefficient)) = (
        d_north.get_mut(i),
        d_south.get_mut(i),
        d_west.get_mut(i),
        d_east.get_mut(i),
        coefficient.get_mut(i),
    ) {
        (*d_n, *d_s, *d_w, *d_e, *coefficient) = (n, s, w, e, c);
    }
}

#[kernel(fma)]
fn srad2(
    i: Index1D,
    rows: u32,
    lambda: f32,
    south: &[i32],
    east: &[i32],
    d_north: &[f32],
    d_south: &[f32],
    d_west: &[f32],
    d_east: &[f32],
    coefficient: &[f32],
    mut image: DisjointSlice<f32>,
) {
    let Some(pixel) = image.get_mut(i) else {
        return;
    };
    let rows = rows as usize;
    let (here, row, column) = (i.get(), i.get() % rows, i.get() / rows);
    let c = coefficient[here];
    let c_south = coefficient[south[row] as usize + rows * column];
    let c_east = coefficient[row + rows * east[column] as usize];
    let divergence =
        c * d_north[here] + c_south * d_south[here] + c * d_west[here] + c_east * d_east[here];
    *pixel += 0.25 * lambda * divergence;
}

/// Sums of each block of 512 pixels and of their squares, by halves.
#[kernel(block(512))]
fn sums(
    i: Index1D,
    block: Block,
    image: &[f32],
    mut tile: SharedTile<[f32; 2], 512>,
    mut sums: DisjointSlice<[f32; 2], PerBlock>,
) {
    let pixel = image.get(i.get()).copied().unwrap_or(0.0);
    let mut own = [pixel, pixel * pixel];
    let mut half = 256;
    while half > 0 {
        tile.set_own(0, own);
        let all = tile.publish(&block);
        if block.thread() < half {
            for (own, other) in own.iter_mut().zip(all[block.thread() + half]) {
                *own += other;
            }
        }
        tile = all.reclaim(&block);
        half /= 2;
    }
    if let Some(sum) = block.leader().and_then(|leader| sums.get_mut(leader)) {
        *sum = own;
    }
}

const LAMBDA: f32 = 0.5;
const Q0_SQUARED: f32 = 0.05;

/// The neighbours' numbers in a line of `n`: before and behind, at the ends themselves.
fn neighbours(n: usize) -> (Vec<i32>, Vec<i32>) {
    let before = (0..n).map(|i| i.saturating_sub(1) as i32).collect();
    let behind = (0..n).map(|i| (i + 1).min(n - 1) as i32).collect();
    (before, behind)
}

/// Differences to the north, south, west and east, and the coefficient.
fn reference_srad(rows: usize, image: &[f32]) -> [Vec<f32>; 5] {
    let columns = image.len() / rows;
    let mut result = [const { Vec::new() }; 5];
    for column in 0..columns {
        for row in 0..rows {
            let at = |row: usize, column: usize| f64::from(image[row + rows * column]);
            let here = at(row, column);
            let n = at(row.saturating_sub(1), column) - here;
            let s = at((row + 1).min(rows - 1), column) - here;
            let w = at(row, column.saturating_sub(1)) - here;
            let e = at(row, (column + 1).min(columns - 1)) - here;
            let g2 = (n * n + s * s + w * w + e * e) / (here * here);
            let l = (n + s + w + e) / here;
            let den = 1.0 + 0.25 * l;
            let q = (0.5 * g2 - l * l / 16.0) / (den * den);
            let q0 = f64::from(Q0_SQUARED);
            let c = 1.0 / (1.0 + (q - q0) / (q0 * (1.0 + q0)));
            for (result, value) in result.iter_mut().zip([n, s, w, e, c.clamp(0.0, 1.0)]) {
                result.push(value as f32);
            }
        }
    }
    result
}

fn reference_srad2(rows: usize, image: &[f32], [n, s, w, e, c]: &[Vec<f32>; 5]) -> Vec<f32> {
    let columns = image.len() / rows;
    let update = |i: usize| {
        let (row, column) = (i % rows, i / rows);
        let south = c[(row + 1).min(rows - 1) + rows * column];
        let east = c[row + rows * (column + 1).min(columns - 1)];
        let divergence = c[i] * n[i] + south * s[i] + c[i] * w[i] + east * e[i];
        image[i] + 0.25 * LAMBDA * divergence
    };
    (0..image.len()).map(update).collect()
}

fn reference_sums(image: &[f32]) -> Vec<[f32; 2]> {
    let sums = |block: &[f32]| {
        let sum: f64 = block.iter().map(|&x| f64::from(x)).sum();
        let squares: f64 = block.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        [sum as f32, squares as f32]
    };
    image.chunks(512).map(sums).collect()
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (rows, columns) = [(60, 70), (2048, 2048)][scale as usize];
    let n = rows * columns;
    let image: Vec<f32> = uniform(n, 1).iter().map(|x| 1.0 + x).collect();
    let expected = reference_srad(rows, &image);
    let updated = reference_srad2(rows, &image, &expected);
    let sums_of_blocks = reference_sums(&image);
    let ((north, south), (west, east)) = (neighbours(rows), neighbours(columns));
    let (north, south) = (side.upload(&north)?, side.upload(&south)?);
    let (west, east) = (side.upload(&west)?, side.upload(&east)?);
    let d_image = side.upload(&image)?;
    let blank = vec![f32::NAN; n];
    let [d_north, d_south, d_west, d_east, c] = expected;
    let mut outputs = (
        (
            side.output(&blank, d_north, 1e-5)?,
            side.output(&blank, d_south, 1e-5)?,
        ),
        (
            side.output(&blank, d_west, 1e-5)?,
            side.output(&blank, d_east, 1e-5)?,
            side.output(&blank, c, 1e-3)?,
        ),
    );
    let (blocks, rows, len) = (n.div_ceil(512) as u32, rows as u32, n as u32);
    let shape = Launch::new(blocks, 512);
    let ((d_n, d_s), (d_w, d_e, c)) = &outputs;
    let arguments = arguments![
        rows,
        len,
        &north,
        &south,
        &east,
        &west,
        &d_image,
        Q0_SQUARED,
        &d_n.buffer,
        &d_s.buffer,
        &d_w.buffer,
        &d_e.buffer,
        &c.buffer
    ];
    // SAFETY: rows and pixels, two numbers for each row, two for each column, six arrays of pixels.
    let twin = unsafe { Call::new("srad", blocks, 512, arguments) };
    side.kernel(
        "srad",
        vec![twin],
        &mut outputs,
        |stream, ((n, s), (w, e, c))| {
            let (n, s, w, e, c) = (
                &mut n.buffer,
                &mut s.buffer,
                &mut w.buffer,
                &mut e.buffer,
                &mut c.buffer,
            );
            Ok(srad::launch(
                stream, shape, rows, &north, &south, &east, &west, &d_image, Q0_SQUARED, n, s, w,
                e, c,
            )?)
        },
    )?;

    let ((d_n, d_s), (d_w, d_e, c)) = &outputs;
    let (d_n, d_s, d_w, d_e, c) = (
        &d_n.buffer,
        &d_s.buffer,
        &d_w.buffer,
        &d_e.buffer,
        &c.buffer,
    );
    let mut result = side.output(&image, updated, 1e-3)?;
    let arguments = arguments![
        rows,
        len,
        LAMBDA,
        &south,
        &east,
        d_n,
        d_s,
        d_w,
        d_e,
        c,
        &result.buffer
    ];
    // SAFETY: rows and pixels, a factor, a number for each row and column, six arrays of pixels.
    let twin = unsafe { Call::new("srad2", blocks, 512, arguments) };
    side.kernel("srad2", vec![twin], &mut result, |stream, result| {
        let image = &mut result.buffer;
        Ok(srad2::launch(
            stream, shape, rows, LAMBDA, &south, &east, d_n, d_s, d_w, d_e, c, image,
        )?)
    })?;

    let mut result = side.output(&vec![[f32::NAN; 2]; blocks as usize], sums_of_blocks, 1e-5)?;
    let arguments = arguments![len, &d_image, &result.buffer];
    // SAFETY: pixels, and two numbers for each block.
    let twin = unsafe { Call::new("sums", blocks, 512, arguments) };
    side.kernel("sums", vec![twin], &mut result, |stream, result| {
        Ok(sums::launch(stream, shape, &d_image, &mut result.buffer)?)
    })
}
