//! HeCBench `nms`: which boxes of detections overlap a box with a higher score: a bit for each pair, 64 pairs in a word.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::below;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "nms",
    run,
};

const BLOCK: usize = 64;

/// A box: left, top, right, bottom.
type Corners = [f32; 4];

#[kernel(block(64))]
fn overlaps(
    block: Block,
    threshold: f32,
    boxes: &[Corners],
    mut tile: SharedTile<Corners, BLOCK>,
    mut mask: DisjointSlice<u64>,
) {
    let (row, column) = (
        block_idx().y as usize * BLOCK,
        block_idx().x as usize * BLOCK,
    );
    tile.fill(|slot| boxes.get(column + slot).copied().unwrap_or([0.0; 4]));
    let tile = tile.publish(&block);
    let own = row + block.thread();
    let Some(&[left, top, right, bottom]) = boxes.get(own) else {
        return;
    };
    let area = (right - left) * (bottom - top);
    let count = (boxes.len() - column).min(BLOCK);
    let first = if row == column { block.thread() + 1 } else { 0 };
    let mut bits = 0;
    for (k, other) in tile.iter().enumerate().take(count).skip(first) {
        let width = (right.min(other[2]) - left.max(other[0])).max(0.0);
        let height = (bottom.min(other[3]) - top.max(other[1])).max(0.0);
        let both = width * height;
        let other_area = (other[2] - other[0]) * (other[3] - other[1]);
        if both > threshold * (area + other_area - both) {
            bits |= 1 << k;
        }
    }
    let words_per_row = boxes.len().div_ceil(BLOCK);
    let place = own * words_per_row + block_idx().x as usize;
    assert!(place < mask.len());
    // SAFETY: within the slice; one thread for each box and block of columns. Raw, because x counts columns and threads count rows.
    unsafe { *mask.raw().add(place) = bits };
}

const THRESHOLD: f32 = 0.5;

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [150, 8192][scale as usize];
    // Whole numbers, so that areas and their comparison are exact.
    let numbers = below(4 * n, 64, 1);
    let corners = |v: &[u32]| {
        let [x, y, w, h] = [v[0], v[1], 8 + v[2] % 32, 8 + v[3] % 32].map(|c| c as f32);
        [x, y, x + w, y + h]
    };
    let boxes: Vec<Corners> = numbers.chunks(4).map(corners).collect();
    let words_per_row = n.div_ceil(BLOCK);
    let expected = |at: usize| {
        let (own, first) = (at / words_per_row, at % words_per_row * BLOCK);
        let [a, b, c, d] = boxes[own];
        let mut bits = 0;
        for other in first..(first + BLOCK).min(n) {
            let [e, f, g, h] = boxes[other];
            let both = (c.min(g) - a.max(e)).max(0.0) * (d.min(h) - b.max(f)).max(0.0);
            let union = (c - a) * (d - b) + (g - e) * (h - f) - both;
            let compared = own / BLOCK != first / BLOCK || other > own;
            bits |= u64::from(compared && both > THRESHOLD * union) << (other - first);
        }
        bits
    };
    let mut mask = side.sampled(&vec![0; n * words_per_row], expected, 0.0)?;
    let d_boxes = side.upload(&boxes)?;
    let grid = (words_per_row as u32, words_per_row as u32);
    let arguments = arguments![n as i32, THRESHOLD, &d_boxes, &mask.buffer];
    // SAFETY: boxes, a threshold, the boxes, a bit for each pair of them.
    let twin = unsafe { Call::new("overlaps", grid, 64, arguments) };
    side.kernel("overlaps", vec![twin], &mut mask, |stream, mask| {
        let shape = Launch::new(grid, 64);
        Ok(overlaps::launch(
            stream,
            shape,
            THRESHOLD,
            &d_boxes,
            &mut mask.buffer,
        )?)
    })
}
