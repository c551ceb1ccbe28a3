//! The picture work as GPU kernels. All of it is safe Rust; beyond the border of the picture its pixels repeat.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom::prelude::*;

/// The blur reaches this many pixels in each direction.
pub(crate) const RADIUS: usize = 6;
/// Weights of the blur: a pixel and its neighbours within [`RADIUS`] on both sides.
pub(crate) const TAPS: usize = 2 * RADIUS + 1;
/// Grey values, and threads of the one block that accumulates the histogram.
pub(crate) const LEVELS: usize = 256;

/// The block of the kernels that work on a neighbourhood, as their attribute `block(32, 8)` says.
const BLOCK_WIDTH: usize = 32;
const BLOCK_HEIGHT: usize = 8;
/// BT.709 weights of red, green and blue in 1/65536: 0.2126, 0.7152, 0.0722. Their sum is 65536.
const LUMA: [u32; 3] = [13933, 46871, 4732];

/// Grey value of each pixel: the weighted mean of its channels, rounded to the nearest level.
#[kernel]
pub(crate) fn luminance(i: Index1D, rgb: &[[u8; 3]], mut grey: DisjointSlice<u8>) {
    if let Some(grey) = grey.get_mut(i) {
        let [r, g, b] = rgb[i.get()].map(u32::from);
        *grey = ((LUMA[0] * r + LUMA[1] * g + LUMA[2] * b + 32768) >> 16) as u8;
    }
}

const ROW_TILE_WIDTH: usize = BLOCK_WIDTH + 2 * RADIUS;
const ROW_TILE: usize = ROW_TILE_WIDTH * BLOCK_HEIGHT;

/// Blurs along the rows. The tile holds the block's pixels and [`RADIUS`] more on the left and on the right.
#[kernel(block(32, 8))]
pub(crate) fn blur_rows(
    at: Index2D,
    block: Block,
    grey: &[u8],
    width: u32,
    weights: [f32; TAPS],
    mut tile: SharedTile<f32, ROW_TILE>,
    mut out: DisjointSlice2D<f32>,
) {
    let plane = Plane::new(grey, width);
    let (left, top) = block_corner();
    tile.fill(|slot| {
        let (x, y) = (left + slot % ROW_TILE_WIDTH, top + slot / ROW_TILE_WIDTH);
        f32::from(plane.at(x.saturating_sub(RADIUS), y))
    });
    let near = tile.publish(&block);
    if let Some(out) = out.get_mut(at) {
        let (column, row) = place_in_block();
        let start = row * ROW_TILE_WIDTH + column;
        *out = weighted_sum(&weights, near[start..start + TAPS].iter());
    }
}

const COLUMN_TILE: usize = BLOCK_WIDTH * (BLOCK_HEIGHT + 2 * RADIUS);

/// Blurs along the columns. The tile holds the block's pixels and [`RADIUS`] more above and below.
#[kernel(block(32, 8))]
pub(crate) fn blur_columns(
    at: Index2D,
    block: Block,
    grey: &[f32],
    width: u32,
    weights: [f32; TAPS],
    mut tile: SharedTile<f32, COLUMN_TILE>,
    mut out: DisjointSlice2D<f32>,
) {
    let plane = Plane::new(grey, width);
    let (left, top) = block_corner();
    tile.fill(|slot| {
        let (x, y) = (left + slot % BLOCK_WIDTH, top + slot / BLOCK_WIDTH);
        plane.at(x, y.saturating_sub(RADIUS))
    });
    let near = tile.publish(&block);
    if let Some(out) = out.get_mut(at) {
        let (column, row) = place_in_block();
        let below = near[row * BLOCK_WIDTH + column..].iter();
        *out = weighted_sum(&weights, below.step_by(BLOCK_WIDTH));
    }
}

const SOBEL_TILE_WIDTH: usize = BLOCK_WIDTH + 2;
const SOBEL_TILE: usize = SOBEL_TILE_WIDTH * (BLOCK_HEIGHT + 2);

/// Length of the Sobel gradient. The tile holds the block's pixels and one more on each side.
#[kernel(block(32, 8))]
pub(crate) fn sobel(
    at: Index2D,
    block: Block,
    grey: &[f32],
    width: u32,
    mut tile: SharedTile<f32, SOBEL_TILE>,
    mut out: DisjointSlice2D<f32>,
) {
    let plane = Plane::new(grey, width);
    let (left, top) = block_corner();
    tile.fill(|slot| {
        let (x, y) = (
            left + slot % SOBEL_TILE_WIDTH,
            top + slot / SOBEL_TILE_WIDTH,
        );
        plane.at(x.saturating_sub(1), y.saturating_sub(1))
    });
    let near = tile.publish(&block);
    if let Some(out) = out.get_mut(at) {
        let (column, row) = place_in_block();
        let line = |below: usize| {
            let start = (row + below) * SOBEL_TILE_WIDTH + column;
            [near[start], near[start + 1], near[start + 2]]
        };
        let (above, here, below) = (line(0), line(1), line(2));
        let across = (above[2] - above[0]) + 2.0 * (here[2] - here[0]) + (below[2] - below[0]);
        let down = (below[0] - above[0]) + 2.0 * (below[1] - above[1]) + (below[2] - above[2]);
        *out = (across * across + down * down).sqrt();
    }
}

/// Adds to `bins[v]` how many pixels have the grey value `v`. Each block counts in shared memory first; a launch may have
/// fewer threads than there are pixels.
#[kernel]
pub(crate) fn histogram(i: Index1D, block: Block, grey: &[u8], bins: &[AtomicU32]) {
    let counts = shared_array!(u32, LEVELS);
    let own_bins = || (block.thread()..LEVELS).step_by(block.threads());
    for bin in own_bins() {
        counts.atomic(bin).store(0, Relaxed);
    }
    block.sync();
    let threads = (grid_dim().x * block_dim().x) as usize;
    for &value in grey.iter().skip(i.get()).step_by(threads) {
        counts.atomic(usize::from(value)).fetch_add(1, Relaxed);
    }
    block.sync();
    for bin in own_bins() {
        bins[bin].fetch_add(counts.atomic(bin).load(Relaxed), Relaxed);
    }
}

/// `table[v]` is the grey level that `v` becomes when each value goes as far from black as its rank among all pixels.
///
/// One block of [`LEVELS`] threads: a running sum over the bins, the reach doubled between two barriers.
#[kernel(block(256))]
pub(crate) fn equalisation_table(
    i: Index1D,
    block: Block,
    bins: &[u32],
    mut tile: SharedTile<u32, LEVELS>,
    mut table: DisjointSlice<u8>,
) {
    let value = i.get();
    let mut sum = bins[value];
    tile.set_own(0, sum);
    let mut reach = 1;
    while reach < LEVELS {
        let sums = tile.publish(&block);
        if value >= reach {
            sum += sums[value - reach];
        }
        tile = sums.reclaim(&block);
        tile.set_own(0, sum);
        reach *= 2;
    }
    let up_to = tile.publish(&block);
    let darkest = up_to.iter().copied().find(|&count| count > 0).unwrap_or(0);
    let others = u64::from(up_to[LEVELS - 1] - darkest);
    if let Some(level) = table.get_mut(i) {
        *level = match others {
            0 => value as u8,
            _ => ((u64::from(sum.saturating_sub(darkest)) * 510 + others) / (2 * others)) as u8,
        };
    }
}

/// Replaces each grey value by its level in `table`.
#[kernel]
pub(crate) fn equalise(i: Index1D, grey: &[u8], table: &[u8], mut out: DisjointSlice<u8>) {
    if let Some(out) = out.get_mut(i) {
        *out = table[usize::from(grey[i.get()])];
    }
}

/// Pixels with their size, for reads that may lie beyond the right and the lower border.
#[derive(Clone, Copy)]
struct Plane<'a, T> {
    pixels: &'a [T],
    width: usize,
    height: usize,
}

impl<'a, T: Copy> Plane<'a, T> {
    fn new(pixels: &'a [T], width: u32) -> Self {
        let width = width as usize;
        let height = pixels.len() / width;
        Self {
            pixels,
            width,
            height,
        }
    }

    fn at(&self, x: usize, y: usize) -> T {
        self.pixels[y.min(self.height - 1) * self.width + x.min(self.width - 1)]
    }
}

/// Column and row of the block's first pixel.
fn block_corner() -> (usize, usize) {
    let block = block_idx();
    (
        block.x as usize * BLOCK_WIDTH,
        block.y as usize * BLOCK_HEIGHT,
    )
}

/// Column and row of this thread in its block.
fn place_in_block() -> (usize, usize) {
    let thread = thread_idx();
    (thread.x as usize, thread.y as usize)
}

fn weighted_sum<'a>(weights: &[f32; TAPS], pixels: impl Iterator<Item = &'a f32>) -> f32 {
    let mut sum = 0.0;
    for (weight, pixel) in weights.iter().zip(pixels) {
        sum += weight * pixel;
    }
    sum
}
