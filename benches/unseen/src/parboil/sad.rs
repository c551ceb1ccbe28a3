//! Sums of absolute differences of blocks of 4 by 4 pixels, for all displacements of a search window.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::bytes;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "parboil",
    name: "sad",
    run,
};

const RANGE: usize = 16;
const SIDE: usize = 2 * RANGE + 1;

/// A block of threads per block of pixels; each thread takes displacements 64 apart.
#[kernel(block(64))]
fn sad_4x4(
    block: Block,
    width: usize,
    height: usize,
    current: &[u16],
    reference: &[u16],
    mut sums: DisjointSlice<u16>,
) {
    let number = block.index();
    let (column, row) = (number % (width / 4) * 4, number / (width / 4) * 4);
    let sums = sums.raw();
    for displacement in (block.thread()..SIDE * SIDE).step_by(64) {
        let (dx, dy) = (displacement % SIDE, displacement / SIDE);
        let mut sum = 0u16;
        for y in 0..4 {
            for x in 0..4 {
                // Beyond the border is the pixel at it.
                let from_x = (column + x + dx).saturating_sub(RANGE).min(width - 1);
                let from_y = (row + y + dy).saturating_sub(RANGE).min(height - 1);
                let here = current[(row + y) * width + column + x];
                sum += here.abs_diff(reference[from_y * width + from_x]);
            }
        }
        // SAFETY: each block has SIDE * SIDE places of its own, each thread every 64th. No output type deals them out.
        unsafe { *sums.add(number * SIDE * SIDE + displacement) = sum };
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (width, height) = [(24, 16), (704, 576)][scale as usize];
    let image = |seed| -> Vec<u16> {
        let pixels = bytes(width * height, seed);
        pixels.into_iter().map(u16::from).collect()
    };
    let (current, reference) = (image(1), image(2));
    let blocks = width / 4 * (height / 4);
    let expected = |at: usize| {
        let (number, displacement) = (at / (SIDE * SIDE), at % (SIDE * SIDE));
        let (dx, dy) = (displacement % SIDE, displacement / SIDE);
        let pixels = (0..16).map(|k| {
            let (x, y) = (
                number % (width / 4) * 4 + k % 4,
                number / (width / 4) * 4 + k / 4,
            );
            let clamped = |p: usize, d: usize, len: usize| {
                ((p + d) as i64 - RANGE as i64).clamp(0, len as i64 - 1) as usize
            };
            let from = clamped(y, dy, height) * width + clamped(x, dx, width);
            current[y * width + x].abs_diff(reference[from])
        });
        pixels.sum()
    };
    let mut sums = side.sampled(&vec![u16::MAX; blocks * SIDE * SIDE], expected, 0.0)?;
    let (d_current, d_reference) = (side.upload(&current)?, side.upload(&reference)?);
    let (w, h) = (width as i32, height as i32);
    let arguments = arguments![&d_current, &d_reference, &sums.buffer, w, h];
    // SAFETY: two images, a sum for each block and displacement, and the size.
    let twin = unsafe { Call::new("sad_4x4", blocks as u32, 64, arguments) };
    side.kernel("sad_4x4", vec![twin], &mut sums, |stream, sums| {
        let (shape, sums) = (Launch::new(blocks as u32, 64), &mut sums.buffer);
        Ok(sad_4x4::launch(
            stream,
            shape,
            width,
            height,
            &d_current,
            &d_reference,
            sums,
        )?)
    })
}
