//! The Rust side: the same algorithms as in `benches/cuda`, as safe kernels with bounds checks.
//!
//! `fma` on all of them: nvcc contracts `a * b + c` by default too.

use warploom::prelude::*;

/// Threads of a block, in all kernels but `matmul`.
pub(crate) const THREADS: u32 = 256;
/// Rows and columns of a tile, and of a block, in `matmul`.
pub(crate) const TILE: usize = 32;

/// `y += a * x`.
#[kernel(fma)]
pub(crate) fn saxpy(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y += a * x[i.get()];
    }
}

/// One partial sum per block: a grid-stride loop, shuffles within each warp, then the first warp over one value per warp.
#[kernel(fma, block(256))]
pub(crate) fn sum(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[f32],
    mut tile: SharedTile<f32, 256>,
    mut partial: DisjointSlice<f32, PerBlock>,
) {
    let mut total = 0.0;
    let mut at = i.get();
    while let Some(value) = x.get(at) {
        total += value;
        at += i.count();
    }
    tile.set_own(0, warp_sum(&warp, total));
    let totals = tile.publish(&block);
    let thread = block.thread();
    if thread < 32 {
        let of_warp = totals.get(thread * 32).copied().unwrap_or(0.0);
        let of_block = warp_sum(&warp, of_warp);
        if let Some(leader) = block.leader()
            && let Some(partial) = partial.get_mut(leader)
        {
            *partial = of_block;
        }
    }
}

/// The sum over the lanes of the warp, in lane 0.
fn warp_sum(warp: &Warp, mut value: f32) -> f32 {
    for delta in [16, 8, 4, 2, 1] {
        value += warp.shuffle_down(value, delta);
    }
    value
}

/// `c = a * b`, square matrices of `n` rows (a multiple of 32), one element per thread, one tile of each at a time.
#[kernel(fma, block(32, 32))]
pub(crate) fn matmul(
    at: Index2D,
    block: Block,
    a: &[f32],
    b: &[f32],
    n: u32,
    mut tile: SharedTile<f32, { 2 * TILE * TILE }>,
    mut c: DisjointSlice2D<f32>,
) {
    let n = n as usize;
    // What the block's shape says already, in a form from which the compiler sees that no index below leaves the tile.
    let (column, row) = (block.thread() % TILE, block.thread() / TILE % TILE);
    let mut product = 0.0;
    for start in (0..n).step_by(TILE) {
        // Both loads before the first store, so that they are under way together.
        let (of_a, of_b) = (
            a[at.y() * n + start + column],
            b[(start + row) * n + at.x()],
        );
        tile.set_own(0, of_a);
        tile.set_own(1, of_b);
        let tiles = tile.publish(&block);
        for k in 0..TILE {
            product += tiles[row * TILE + k] * tiles[TILE * TILE + k * TILE + column];
        }
        tile = tiles.reclaim(&block);
    }
    if let Some(c) = c.get_mut(at) {
        *c = product;
    }
}

/// Position and mass, or acceleration and nothing.
#[derive(Clone, Copy, Debug, Default, Plain)]
#[repr(C, align(16))]
pub(crate) struct Body {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) z: f32,
    pub(crate) mass: f32,
}

/// Acceleration of each body by all bodies, 256 of them at a time in shared memory. Their number is a multiple of 256.
#[kernel(fma, block(256))]
pub(crate) fn nbody(
    i: Index1D,
    block: Block,
    bodies: &[Body],
    softening: f32,
    mut tile: SharedTile<Body, 256>,
    mut acceleration: DisjointSlice<Body>,
) {
    let own = bodies[i.get()];
    let (mut x, mut y, mut z) = (0.0, 0.0, 0.0);
    for start in (0..bodies.len()).step_by(256) {
        tile.set_own(0, bodies[start + block.thread()]);
        let others = tile.publish(&block);
        for other in others.iter() {
            let (dx, dy, dz) = (other.x - own.x, other.y - own.y, other.z - own.z);
            let squared = dx * dx + dy * dy + dz * dz + softening;
            let inverse = 1.0 / squared.sqrt();
            let pull = other.mass * inverse * inverse * inverse;
            x += pull * dx;
            y += pull * dy;
            z += pull * dz;
        }
        tile = others.reclaim(&block);
    }
    if let Some(acceleration) = acceleration.get_mut(i) {
        *acceleration = Body { x, y, z, mass: 0.0 };
    }
}

/// Next to nothing, with a usual set of arguments: what is measured is the launch.
#[kernel(fma)]
pub(crate) fn touch(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = a + x[i.get()];
    }
}
