//! HeCBench `morphology`: dilation of an image by a square, from a tile with a border in shared memory.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::bytes;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "morphology",
    run,
};

const BLOCK: usize = 16;
const RADIUS: usize = 2;
const SIDE: usize = BLOCK + 2 * RADIUS;

#[kernel(block(16, 16))]
fn dilate(
    i: Index2D,
    block: Block,
    width: u32,
    height: u32,
    image: &[u8],
    mut tile: SharedTile<u8, { SIDE * SIDE }>,
    mut result: DisjointSlice2D<u8>,
) {
    let (width, height) = (width as i32, height as i32);
    let left = (block_idx().x as usize * BLOCK) as i32 - RADIUS as i32;
    let top = (block_idx().y as usize * BLOCK) as i32 - RADIUS as i32;
    tile.fill(|slot| {
        let (x, y) = (left + (slot % SIDE) as i32, top + (slot / SIDE) as i32);
        if (0..width).contains(&x) && (0..height).contains(&y) {
            image[(y * width + x) as usize]
        } else {
            0
        }
    });
    let tile = tile.publish(&block);
    let (tx, ty) = (thread_idx().x as usize, thread_idx().y as usize);
    let mut largest = 0;
    for row in tile.chunks_exact(SIDE).skip(ty).take(2 * RADIUS + 1) {
        for &pixel in &row[tx..=tx + 2 * RADIUS] {
            largest = largest.max(pixel);
        }
    }
    if let Some(result) = result.get_mut(i) {
        *result = largest;
    }
}

#[kernel(block(16, 16))]
fn erode(i: Index2D, width: u32, height: u32, image: &[u8], mut result: DisjointSlice2D<u8>) {
    let (width, height) = (width as usize, height as usize);
    if let Some(result) = result.get_mut(i) {
        let rows = i.y().saturating_sub(RADIUS)..=(i.y() + RADIUS).min(height - 1);
        let columns = i.x().saturating_sub(RADIUS)..=(i.x() + RADIUS).min(width - 1);
        *result = rows
            .flat_map(|y| columns.clone().map(move |x| image[y * width + x]))
            .min()
            .unwrap_or(u8::MAX);
    }
}

fn reference(
    width: usize,
    height: usize,
    image: &[u8],
    choose: fn(u8, u8) -> u8,
) -> impl Fn(usize) -> u8 {
    move |at| {
        let (x, y) = (at % width, at / width);
        let mut chosen = image[at];
        for row in y.saturating_sub(RADIUS)..(y + RADIUS + 1).min(height) {
            for column in x.saturating_sub(RADIUS)..(x + RADIUS + 1).min(width) {
                chosen = choose(chosen, image[row * width + column]);
            }
        }
        chosen
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (width, height) = [(70, 50), (4096, 4096)][scale as usize];
    let n = width * height;
    let image = bytes(n, 1);
    let d_image = side.upload(&image)?;
    let (grid, block) = (
        (width.div_ceil(16) as u32, height.div_ceil(16) as u32),
        (16, 16),
    );
    let (w, h) = (width as u32, height as u32);
    let shape = Launch::new(grid, block);

    let mut dilated = side.sampled(&vec![0; n], reference(width, height, &image, u8::max), 0.0)?;
    let arguments = arguments![w as i32, h as i32, &d_image, &dilated.buffer];
    // SAFETY: width and height, two images of that size.
    let twin = unsafe { Call::new("dilate", grid, block, arguments) };
    side.kernel("dilate", vec![twin], &mut dilated, |stream, dilated| {
        let dilated = dilated.buffer.view_2d_mut(width)?;
        Ok(dilate::launch(stream, shape, w, h, &d_image, dilated)?)
    })?;

    let mut eroded = side.sampled(&vec![0; n], reference(width, height, &image, u8::min), 0.0)?;
    let arguments = arguments![w as i32, h as i32, &d_image, &eroded.buffer];
    // SAFETY: as above.
    let twin = unsafe { Call::new("erode", grid, block, arguments) };
    side.kernel("erode", vec![twin], &mut eroded, |stream, eroded| {
        let eroded = eroded.buffer.view_2d_mut(width)?;
        Ok(erode::launch(stream, shape, w, h, &d_image, eroded)?)
    })
}
