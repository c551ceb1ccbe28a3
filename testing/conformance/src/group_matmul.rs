//! A matrix product on warp groups: C = A · Bᵀ, of `bf16`, with C of `bf16` or `f32`.
//!
//! A block computes tiles of 128 rows and 256 columns, one after the other. Its three groups of four warps have a role each: one thread of the first lets bulk
//! copies fill a ring of four stages, 64 columns of A and B each; the two others multiply, 64 rows each, and give a stage back when the next one is being
//! multiplied. Barriers in memory say which stages are full, and which are empty.

use warploom::device_std::pipeline::{Ring, Turn};
use warploom::device_std::shared::{Swizzle128, SwizzledTiles};
use warploom::device_std::wgmma::{Accumulator, Batch, WarpGroup};
use warploom::device_std::{SharedLayout, shared_array};
use warploom::prelude::*;
use warploom::tensor::{L2Promotion, Swizzle};
use warploom::{Error, TensorMap};

/// Rows and columns of a tile of C, and columns of A and B in a stage. Sizes of matrices are multiples of them.
pub const TILE: [usize; 3] = [M, N, K];
const M: usize = 128;
const N: usize = 256;
const K: usize = 64;
const STAGES: usize = 4;
/// Tile rows that are computed together, so that their parts of B stay in the cache.
const ROWS_TOGETHER: u32 = 8;

/// Dynamic shared memory of a block.
pub const SHARED_BYTES: u32 = SharedLayout::new()
    .with_tiles::<Bf16, M, K, Swizzle128, STAGES>()
    .with_tiles::<Bf16, N, K, Swizzle128, STAGES>()
    .bytes();
/// Bytes that are copied for a stage.
const STAGE_BYTES: u32 = SHARED_BYTES / STAGES as u32;
/// Warps that multiply.
const WARPS: u32 = 8;

/// The stages of a block: their barriers, and what is in them.
#[derive(Clone, Copy)]
struct Stages<'r, 'k> {
    ring: Ring<'r, STAGES>,
    a: SwizzledTiles<'k, Bf16, M, K, Swizzle128, STAGES>,
    b: SwizzledTiles<'k, Bf16, N, K, Swizzle128, STAGES>,
}

/// Row and column of tile `number`: some rows of tiles together, column by column.
#[inline(always)]
fn place(number: u32, rows: u32, columns: u32) -> (usize, usize) {
    let (together, within) = (
        number / (ROWS_TOGETHER * columns),
        number % (ROWS_TOGETHER * columns),
    );
    let first = together * ROWS_TOGETHER;
    let height = ROWS_TOGETHER.min(rows - first);
    (
        (first + within % height) as usize,
        (within / height) as usize,
    )
}

/// Elements of C.
pub trait Output: Plain {
    /// Writes two neighbours in a row at once.
    ///
    /// # Safety
    /// `to` is valid for two elements, aligned to both together, and no other thread accesses them.
    unsafe fn write(to: *mut Self, pair: [f32; 2]);
}

impl Output for f32 {
    #[inline(always)]
    unsafe fn write(to: *mut Self, pair: [f32; 2]) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<Pair>().write(Pair(pair)) };
    }
}

impl Output for Bf16 {
    #[inline(always)]
    unsafe fn write(to: *mut Self, [left, right]: [f32; 2]) {
        let bits = |x: f32| u32::from(Bf16::from_f32(x).to_bits());
        // SAFETY: the caller's promise.
        unsafe { to.cast::<u32>().write(bits(left) | bits(right) << 16) };
    }
}

/// Two neighbours in a row, for one store.
#[repr(C, align(8))]
struct Pair([f32; 2]);

/// `c = a · bᵀ`: `a` has `m` rows, `b` has `n` rows, both of `k` columns.
#[kernel(launch_bounds(384, 1))]
pub fn matmul<T: Output>(
    block: Block,
    warp: Warp,
    memory: DynamicShared<u8>,
    a: TensorSource<Bf16, 2>,
    b: TensorSource<Bf16, 2>,
    mut c: DisjointSlice<T>,
    m: u32,
    n: u32,
    k: u32,
) {
    let mut carve = memory.carve();
    let barriers = shared_array!([u64; 2], STAGES);
    let stages = Stages {
        // SAFETY: initialised below, in front of the block's barrier.
        ring: unsafe { Ring::new(barriers) },
        a: carve.take_tiles(),
        b: carve.take_tiles(),
    };
    if block.thread() == 0 {
        // SAFETY: one thread, in front of the block's barrier.
        unsafe { stages.ring.init(WARPS) };
    }
    block.sync();
    let group = WarpGroup::new(block);
    let (rows, columns, steps) = (m / M as u32, n / N as u32, k / K as u32);
    let tiles = (block.index() as u32..rows * columns).step_by(grid_dim().x as usize);
    if group.index() == 0 {
        // SAFETY: all of this group; a block of 384 threads has 168 registers for each.
        unsafe { group.decrease_registers::<40>() };
        if group.thread() < 32 && group.elected() {
            let places = tiles.map(|t| place(t, rows, columns));
            copy(stages, (a, b), places, steps);
        }
    } else {
        // SAFETY: all of this group; 128 · 40 + 256 · 232 registers are no more than 384 · 168.
        unsafe { group.increase_registers::<232>() };
        let own = if group.index() == 1 { 0 } else { 64 };
        let mut turn = Turn::FIRST;
        for tile in tiles {
            let (row, column) = place(tile, rows, columns);
            let (sums, next) = multiply(stages, (group, warp), own, steps, turn);
            turn = next;
            let start = (row * M + own) * n as usize + column * N;
            if start + 63 * n as usize + N > c.len() {
                continue; // the host checks the sizes
            }
            let to = c.raw().wrapping_add(start);
            sums.for_each_pair(group, |row, column, pair| {
                let to = to.wrapping_add(row * n as usize + column);
                // SAFETY: within the slice (checked); each element of C belongs to one thread of one block.
                unsafe { T::write(to, pair) };
            });
        }
    }
}

/// Lets bulk copies fill the stages, tile by tile.
#[inline(always)]
fn copy(
    stages: Stages<'_, '_>,
    (a, b): (TensorSource<'_, Bf16, 2>, TensorSource<'_, Bf16, 2>),
    tiles: impl Iterator<Item = (usize, usize)>,
    steps: u32,
) {
    let mut turn = Turn::FIRST;
    for (row, column) in tiles {
        for step in 0..steps {
            // SAFETY: this thread alone fills the ring; the copies below write as many bytes.
            let full = unsafe { stages.ring.fill(turn, STAGE_BYTES) };
            let x = step as i32 * K as i32;
            let (to_a, to_b) = (stages.a.stage(turn.stage()), stages.b.stage(turn.stage()));
            // SAFETY: no thread reads the stage, which is empty, before its barrier says that it is full; a box is one panel.
            unsafe { a.load(to_a.panel(0), [x, (row * M) as i32], full) };
            // SAFETY: as above.
            unsafe { b.load(to_b.panel(0), [x, (column * N) as i32], full) };
            turn = turn.next();
        }
    }
}

/// The products of one tile: rows `own` and following of A with all of B, and the turn behind the last stage.
#[inline(always)]
fn multiply(
    stages: Stages<'_, '_>,
    (group, warp): (WarpGroup<'_>, Warp<'_>),
    own: usize,
    steps: u32,
    mut turn: Turn<STAGES>,
) -> (Accumulator<N, f32>, Turn<STAGES>) {
    let ring = stages.ring;
    // Waiting comes before the fence of a batch: ptxas would add another one behind it. The first product replaces what is in the registers.
    ring.wait_full(turn);
    let batch = group.begin(Accumulator::zero());
    let mut flight = add_stage::<true>(stages, batch, own, turn).commit();
    for _ in 1..steps {
        let before = turn;
        turn = turn.next();
        ring.wait_full(turn);
        flight = add_stage::<false>(stages, flight.go_on(), own, turn)
            .commit()
            .wait_but::<1>();
        // SAFETY: once for each turn; its products have been waited for.
        unsafe { ring.release(before, warp) };
    }
    let sums = flight.wait();
    // SAFETY: as above.
    unsafe { ring.release(turn, warp) };
    (sums, turn.next())
}

/// Adds the products of a stage, which is full.
#[inline(always)]
fn add_stage<'v, const FIRST: bool>(
    stages: Stages<'_, 'v>,
    batch: Batch<'v, N, f32>,
    own: usize,
    turn: Turn<STAGES>,
) -> Batch<'v, N, f32> {
    // SAFETY: the copies that filled the stage have been waited for; it is given back when its products have been.
    let a = unsafe { stages.a.stage(turn.stage()).view() };
    // SAFETY: as above.
    let b = unsafe { stages.b.stage(turn.stage()).view() };
    let batch = match FIRST {
        true => batch.multiply(a.rows(own, 0), b.rows(0, 0)),
        false => batch.multiply_add(a.rows(own, 0), b.rows(0, 0)),
    };
    batch
        .multiply_add(a.rows(own, 16), b.rows(0, 16))
        .multiply_add(a.rows(own, 32), b.rows(0, 32))
        .multiply_add(a.rows(own, 48), b.rows(0, 48))
}

/// `c = a · bᵀ` on a stream: `sizes` are the rows of `a`, the rows of `b`, and the columns of both.
///
/// # Errors
/// Those of maps and launches.
///
/// # Panics
/// When a size is 0 or no multiple of that of [`TILE`], or a matrix has another one.
pub fn matmul_on<T: Output>(
    stream: &Stream,
    (a, b): (&DeviceBuffer<Bf16>, &DeviceBuffer<Bf16>),
    c: &mut DeviceBuffer<T>,
    [m, n, k]: [usize; 3],
    blocks: u32,
) -> Result<(), Error> {
    assert_eq!(
        (a.len(), b.len(), c.len()),
        (m * k, n * k, m * n),
        "elements of the matrices"
    );
    let fits = |(size, tile): (usize, usize)| size > 0 && size.is_multiple_of(tile);
    assert!(
        [m, n, k].into_iter().zip(TILE).all(fits),
        "multiples of {TILE:?}"
    );
    let a = TensorMap::builder(a.as_slice(), [k as _, m as _])
        .block([K as _, M as _])
        .swizzle(Swizzle::B128)
        .l2_promotion(L2Promotion::B256)
        .build()?;
    let b = TensorMap::builder(b.as_slice(), [k as _, n as _])
        .block([K as _, N as _])
        .swizzle(Swizzle::B128)
        .l2_promotion(L2Promotion::B256)
        .build()?;
    let shape = Launch::new(blocks, 384).dynamic_shared(SHARED_BYTES);
    matmul::<T>::launch(stream, shape, &a, &b, c, m as u32, n as u32, k as u32)?;
    Ok(())
}
