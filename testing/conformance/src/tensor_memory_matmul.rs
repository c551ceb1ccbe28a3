//! A matrix product whose sums are in tensor memory: C = A · Bᵀ, of `bf16` with C of `f32`. Compiled and assembled for compute capability 10.0, and not run on a GPU.
//!
//! A block computes a tile of 128 rows and 128 columns. Its first thread lets bulk copies fill a ring of four stages, 64 columns of A and B each, and gives the products; a stage
//! is filled again when the products that read it are done. All threads then move the sums to C, a row each.

use warploom::device_std::shared::{Swizzle128, SwizzledTiles};
use warploom::device_std::tcgen05::{Accumulator, Batch, Shape32x32b, TensorMemory};
use warploom::device_std::wgmma::WarpGroup;
use warploom::device_std::{Mbarrier, SharedArray, SharedLayout, intrinsics, shared_array};
use warploom::prelude::*;
use warploom::tensor::Swizzle;
use warploom::{Error, TensorMap};

/// Rows and columns of a tile of C, and columns of A and B in a stage. Sizes of matrices are multiples of them.
pub const TILE: [usize; 3] = [M, N, K];
const M: usize = 128;
const N: usize = 128;
const K: usize = 64;
const STAGES: usize = 4;
/// Columns of C that a thread moves at a time.
const AT_A_TIME: usize = 32;

/// Dynamic shared memory of a block.
pub const SHARED_BYTES: u32 = SharedLayout::new()
    .with_tiles::<Bf16, M, K, Swizzle128, STAGES>()
    .with_tiles::<Bf16, N, K, Swizzle128, STAGES>()
    .bytes();
/// Bytes that copies write to a stage.
const STAGE_BYTES: u32 = ((M + N) * K * size_of::<Bf16>()) as u32;

/// The stages of a block: barriers of full ones, of empty ones, and that of the sums; and what is in them.
#[derive(Clone, Copy)]
struct Stages<'r, 'k> {
    barriers: SharedArray<'r, u64, { 2 * STAGES + 1 }>,
    a: SwizzledTiles<'k, Bf16, M, K, Swizzle128, STAGES>,
    b: SwizzledTiles<'k, Bf16, N, K, Swizzle128, STAGES>,
}

impl<'r> Stages<'r, '_> {
    #[inline(always)]
    fn barrier(self, i: usize) -> Mbarrier<'r> {
        // SAFETY: nothing else uses the array.
        unsafe { Mbarrier::new(self.barriers, i) }
    }

    #[inline(always)]
    fn full(self, stage: usize) -> Mbarrier<'r> {
        self.barrier(stage)
    }

    #[inline(always)]
    fn empty(self, stage: usize) -> Mbarrier<'r> {
        self.barrier(STAGES + stage)
    }

    #[inline(always)]
    fn done(self) -> Mbarrier<'r> {
        self.barrier(2 * STAGES)
    }
}

/// `c = a · bᵀ`: `a` has as many rows as the grid has in tiles, `b` as many as its tiles have columns; both have `steps` stages of columns.
#[kernel(block(128))]
pub fn tile_product(
    block: Block,
    memory: DynamicShared<u8>,
    a: TensorSource<Bf16, 2>,
    b: TensorSource<Bf16, 2>,
    mut c: DisjointSlice<f32>,
    steps: u32,
) {
    let mut carve = memory.carve();
    let stages = Stages {
        barriers: shared_array!(u64, 2 * STAGES + 1),
        a: carve.take_tiles(),
        b: carve.take_tiles(),
    };
    // SAFETY: all 128 threads make the same calls on it, and release it; sizes were checked by the host.
    let mut columns = unsafe { TensorMemory::<'_, N>::allocate(block) };
    columns.relinquish();
    if block.thread() == 0 {
        for i in 0..2 * STAGES + 1 {
            // SAFETY: one thread, in front of the block's barrier.
            unsafe { stages.barrier(i).init(1) };
        }
        intrinsics::fence_mbarrier_init();
    }
    block.sync();
    let (row, column) = (block_idx().y as usize * M, block_idx().x as usize * N);
    let fill = |step: usize| fill(stages, (a, b), (row, column), step);
    let steps = steps as usize;
    if block.thread() == 0 {
        for step in 0..STAGES.min(steps) {
            fill(step);
        }
    }
    // SAFETY: initialised above; nothing else arrives there.
    let sums: Accumulator<'_, M, N> = unsafe { Accumulator::new(columns.columns(), stages.done()) };
    let mut batch = add_stage::<true>(stages, sums.begin(block), 0);
    for step in 1..steps {
        batch = add_stage::<false>(stages, batch, step);
        let next = step - 1 + STAGES;
        if block.thread() == 0 && next < steps {
            fill(next); // when the products of the step before are done; those of this one go on
        }
    }
    let sums = batch.commit().wait();
    let group = WarpGroup::new(block);
    let width = grid_dim().x as usize * N;
    let start = row * width + column;
    if start + (M - 1) * width + N <= c.len() {
        let to = c.raw();
        for first in (0..N).step_by(AT_A_TIME) {
            let own = sums.load::<Shape32x32b, AT_A_TIME>(group, 0, first).wait();
            own.for_each(|row, column, sum| {
                let to = to.wrapping_add(start.wrapping_add(row.wrapping_mul(width)));
                let to = to.wrapping_add(column);
                // SAFETY: within the slice (checked); each element of C belongs to one thread of one block.
                unsafe { to.write(sum) };
            });
        }
    }
    columns.release(block);
}

/// Lets bulk copies fill the stage of `step`, when the products that read it before are done. For one thread.
#[inline(always)]
fn fill(
    stages: Stages<'_, '_>,
    (a, b): (TensorSource<'_, Bf16, 2>, TensorSource<'_, Bf16, 2>),
    (row, column): (usize, usize),
    step: usize,
) {
    let (stage, round) = (step % STAGES, step / STAGES);
    if round > 0 {
        // SAFETY: initialised; its phases end one after the other, and this thread waits for each.
        unsafe { stages.empty(stage).wait_parity((round - 1) as u32) };
    }
    let full = stages.full(stage);
    // SAFETY: as above; the copies below write as many bytes.
    let _ = unsafe { full.arrive_expecting(STAGE_BYTES) };
    let x = (step * K) as i32;
    let (to_a, to_b) = (stages.a.stage(stage), stages.b.stage(stage));
    // SAFETY: no product reads the stage, which is empty, before its barrier says that it is full; a box is one panel.
    unsafe { a.load(to_a.panel(0), [x, row as i32], full) };
    // SAFETY: as above.
    unsafe { b.load(to_b.panel(0), [x, column as i32], full) };
}

/// Adds the products of the stage of `step`, when it is full, and lets its barrier say when they are done. For all threads.
#[inline(always)]
fn add_stage<'m, 'v, const FIRST: bool>(
    stages: Stages<'_, 'v>,
    batch: Batch<'m, 'v, M, N, f32>,
    step: usize,
) -> Batch<'m, 'v, M, N, f32> {
    let (stage, round) = (step % STAGES, step / STAGES);
    // SAFETY: initialised; each thread waits for each phase.
    unsafe { stages.full(stage).wait_parity(round as u32) };
    // SAFETY: the copies that filled the stage have been waited for; it is filled again when its products are done.
    let a = unsafe { stages.a.stage(stage).view() };
    // SAFETY: as above.
    let b = unsafe { stages.b.stage(stage).view() };
    let batch = match FIRST {
        true => batch.multiply(a.rows(0, 0), b.rows(0, 0)),
        false => batch.multiply_add(a.rows(0, 0), b.rows(0, 0)),
    };
    let batch = batch
        .multiply_add(a.rows(0, 16), b.rows(0, 16))
        .multiply_add(a.rows(0, 32), b.rows(0, 32))
        .multiply_add(a.rows(0, 48), b.rows(0, 48));
    // SAFETY: a barrier with a count of 1, at which nothing else arrives.
    unsafe { batch.arrive_after(stages.empty(stage)) };
    batch
}

/// `c = a · bᵀ` on a stream: `sizes` are the rows of `a`, the rows of `b`, and the columns of both.
///
/// # Errors
/// Those of maps and launches: the device has compute capability 10.0, or there is no image for it.
///
/// # Panics
/// When a size is 0 or no multiple of that of [`TILE`], or a matrix has another one.
pub fn matmul_on(
    stream: &Stream,
    (a, b): (&DeviceBuffer<Bf16>, &DeviceBuffer<Bf16>),
    c: &mut DeviceBuffer<f32>,
    [m, n, k]: [usize; 3],
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
    let map = |matrix, rows: usize, lines: usize| {
        TensorMap::builder(matrix, [k as _, rows as _])
            .block([K as _, lines as _])
            .swizzle(Swizzle::B128)
            .build()
    };
    let (a, b) = (map(a.as_slice(), m, M)?, map(b.as_slice(), n, N)?);
    let grid = ((n / N) as u32, (m / M) as u32);
    let shape = Launch::new(grid, 128).dynamic_shared(SHARED_BYTES);
    tile_product::launch(stream, shape, &a, &b, c, (k / K) as u32)?;
    Ok(())
}
