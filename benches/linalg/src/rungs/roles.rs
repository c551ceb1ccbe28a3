//! Rungs in which warps have roles: one thread begins copies, two groups of four warps multiply.

use warploom::device_std::shared::{Swizzle128, SwizzledTiles};
use warploom::device_std::wgmma::{Accumulator, WarpGroup};
use warploom::device_std::{Mbarrier, SharedArray, SharedLayout, shared_array, tma};
use warploom::prelude::*;

use super::tiles::{
    K, M, N, Order, PIECE, STAGE_BYTES, Tiles, add_stage, store_in_bulk, store_pairs,
};

const STAGES: usize = 4;

/// Dynamic shared memory of a block: the stages, and what the groups stage of their results.
pub(crate) const BYTES: u32 = SharedLayout::new()
    .with_tiles::<Bf16, M, K, Swizzle128, STAGES>()
    .with_tiles::<Bf16, N, K, Swizzle128, STAGES>()
    .with_tiles::<Bf16, 64, PIECE, Swizzle128, 4>()
    .bytes();

/// A ring of stages as `Ring`, but of all `BLOCKS` blocks of a cluster: a stage is empty when the warps of all of them have read it, since each block fills a part of all.
#[derive(Clone, Copy)]
struct Barriers<'k, const BLOCKS: usize> {
    memory: SharedArray<'k, u64, { 2 * STAGES }>,
}

impl<'k, const BLOCKS: usize> Barriers<'k, BLOCKS> {
    #[inline(always)]
    fn full(self, step: u32) -> Mbarrier<'k> {
        // SAFETY: initialised in front of the barrier of the block or cluster, and used for nothing else.
        unsafe { Mbarrier::new(self.memory, stage(step)) }
    }

    #[inline(always)]
    fn empty(self, step: u32) -> Mbarrier<'k> {
        // SAFETY: as above.
        unsafe { Mbarrier::new(self.memory, STAGES + stage(step)) }
    }

    /// # Safety
    /// One thread, once, in front of the barrier of the block or cluster.
    #[inline(always)]
    unsafe fn init(self) {
        for step in 0..STAGES as u32 {
            // SAFETY: the caller's promise.
            unsafe { self.full(step).init(1) };
            // SAFETY: as above; one arrival of each warp that multiplies.
            unsafe { self.empty(step).init(8 * BLOCKS as u32) };
        }
        tma::fence_mbarrier_init();
    }

    /// Says for a warp that it has read the stage, to all blocks that fill it.
    ///
    /// # Safety
    /// Each warp once for each step, when its products have been waited for. The blocks are there.
    #[inline(always)]
    unsafe fn release(self, step: u32, warp: Warp<'_>) {
        warp.sync();
        if BLOCKS == 1 && warp.lane() == 0 {
            // SAFETY: one of the arrivals that are counted (the caller's promise).
            let _ = unsafe { self.empty(step).arrive() };
        }
        if BLOCKS > 1 && (warp.lane() as usize) < BLOCKS {
            // SAFETY: as above, of each block.
            unsafe { self.empty(step).arrive_at_block(warp.lane()) };
        }
    }
}

#[inline(always)]
fn stage(step: u32) -> usize {
    step as usize % STAGES
}

/// The parity of the phase of a stage at a step.
#[inline(always)]
fn parity(step: u32) -> u32 {
    (step / STAGES as u32) & 1
}

/// What a block computes: with the others of its cluster, neighbouring rows of tiles.
#[derive(Clone, Copy)]
struct Share {
    order: Order,
    steps: u32,
    /// The first tile of the cluster, and how many clusters there are; in units of `BLOCKS` rows of tiles.
    first: u32,
    stride: u32,
    /// The block's number in its cluster.
    rank: u32,
}

impl Share {
    /// Row and column of the elements of the block's tile `number`, if there is one.
    #[inline(always)]
    fn place<const BLOCKS: usize>(self, number: u32) -> (usize, usize) {
        let (row, column) = self.order.place(number);
        ((row * BLOCKS + self.rank as usize) * M, column * N)
    }
}

/// Lets bulk copies fill stages: all of the block's rows of A; of B a part for each block of the cluster, which goes to all of them.
#[inline(always)]
fn copy<const BLOCKS: usize>(
    barriers: Barriers<'_, BLOCKS>,
    tiles: Tiles<'_, STAGES>,
    (a, b): (TensorSource<'_, Bf16, 2>, TensorSource<'_, Bf16, 2>),
    share: Share,
) {
    let (mut number, mut at) = (share.first, 0);
    while number < share.order.rows * share.order.columns {
        let (row, column) = share.place::<BLOCKS>(number);
        for step in 0..share.steps {
            // In the first round it has the parity of the phase before the first, which has ended.
            // SAFETY: initialised.
            unsafe { barriers.empty(at).wait_parity(parity(at) ^ 1) };
            let full = barriers.full(at);
            // SAFETY: the one arrival that the barrier counts; copies of so many bytes end at it.
            let _ = unsafe { full.arrive_expecting(STAGE_BYTES) };
            let x = step as i32 * K as i32;
            let (to_a, to_b) = (tiles.a.stage(stage(at)), tiles.b.stage(stage(at)));
            // SAFETY: no thread reads the stage, which is empty, before its barrier says that it is full.
            unsafe { a.load(to_a.panel(0), [x, row as i32], full) };
            if BLOCKS == 1 {
                // SAFETY: as above.
                unsafe { b.load(to_b.panel(0), [x, column as i32], full) };
            } else {
                let part = share.rank as usize * (N / BLOCKS);
                let to = to_b.panel(0).wrapping_add(part * K * 2);
                // SAFETY: as above, in all blocks, whose warps have all released the stage.
                unsafe {
                    b.load_multicast(to, [x, (column + part) as i32], full, (1 << BLOCKS) - 1)
                };
            }
            at += 1;
        }
        number += share.stride;
    }
}

/// The products of one tile from step `at` on: 64 rows from `own` on.
#[inline(always)]
fn multiply<const BLOCKS: usize>(
    barriers: Barriers<'_, BLOCKS>,
    tiles: Tiles<'_, STAGES>,
    (group, warp, own): (WarpGroup<'_>, Warp<'_>, usize),
    steps: u32,
    at: u32,
) -> Accumulator<N, f32> {
    // Waiting comes before the fence of a batch: ptxas would add another one behind it.
    // SAFETY: initialised.
    unsafe { barriers.full(at).wait_parity(parity(at)) };
    // SAFETY: the stage is full, and released behind its products.
    let batch = unsafe { add_stage(tiles, group.begin(Accumulator::zero()), own, stage(at)) };
    let mut flight = batch.commit();
    for at in at + 1..at + steps {
        // SAFETY: as above.
        unsafe { barriers.full(at).wait_parity(parity(at)) };
        // SAFETY: as above.
        let batch = unsafe { add_stage(tiles, flight.go_on(), own, stage(at)) };
        flight = batch.commit().wait_but::<1>();
        // SAFETY: the products of the step before have been waited for.
        unsafe { barriers.release(at - 1, warp) };
    }
    let sums = flight.wait();
    // SAFETY: as above.
    unsafe { barriers.release(at + steps - 1, warp) };
    sums
}

/// Where results go. A trait, whose functions are always inlined: with a call between them, products would wait for each other.
trait Results: Copy {
    /// Stores a group's sums.
    ///
    /// # Safety
    /// All threads of the group; the 64 rows and 256 columns are its alone, within a result whose extents are multiples of tiles.
    unsafe fn store(self, group: WarpGroup<'_>, sums: &Accumulator<N, f32>, place: (usize, usize));
}

/// Each lane stores its pairs of neighbours.
#[derive(Clone, Copy)]
struct Pairs {
    to: *mut Bf16,
    len: usize,
    n: usize,
}

impl Results for Pairs {
    #[inline(always)]
    unsafe fn store(self, group: WarpGroup<'_>, sums: &Accumulator<N, f32>, place: (usize, usize)) {
        if (place.0 + 63) * self.n + place.1 + N <= self.len {
            // SAFETY: within the slice (checked); the caller's promise.
            unsafe { store_pairs(group, sums, self.to, place, self.n) };
        }
    }
}

/// Bulk copies store boxes, which the two groups stage.
#[derive(Clone, Copy)]
struct Boxes<'c, 'k> {
    c: TensorTarget<'c, Bf16, 2>,
    staged: [SwizzledTiles<'k, Bf16, 64, PIECE, Swizzle128, 2>; 2],
}

impl Results for Boxes<'_, '_> {
    #[inline(always)]
    unsafe fn store(self, group: WarpGroup<'_>, sums: &Accumulator<N, f32>, place: (usize, usize)) {
        let [first, second] = self.staged;
        if group.index() == 1 {
            // SAFETY: the caller's promise; what it stages and the barrier are this group's alone.
            unsafe { store_in_bulk::<1>(group, sums, self.c, place, first) };
        } else {
            // SAFETY: as above.
            unsafe { store_in_bulk::<2>(group, sums, self.c, place, second) };
        }
    }
}

/// What all of the rungs do behind the first barrier.
#[inline(always)]
fn compute<const BLOCKS: usize>(
    block: Block<'_>,
    warp: Warp<'_>,
    (barriers, tiles): (Barriers<'_, BLOCKS>, Tiles<'_, STAGES>),
    operands: (TensorSource<'_, Bf16, 2>, TensorSource<'_, Bf16, 2>),
    share: Share,
    results: impl Results,
) {
    let group = WarpGroup::new(block);
    if group.index() == 0 {
        // SAFETY: all of this group; a block of 384 threads has 168 registers for each.
        unsafe { group.decrease_registers::<40>() };
        if group.thread() < 32 && group.elected() {
            copy(barriers, tiles, operands, share);
        }
        return;
    }
    // SAFETY: all of this group; 128 · 40 + 256 · 232 registers are no more than 384 · 168.
    unsafe { group.increase_registers::<232>() };
    let own = if group.index() == 1 { 0 } else { 64 };
    let (mut number, mut at) = (share.first, 0);
    while number < share.order.rows * share.order.columns {
        let (row, column) = share.place::<BLOCKS>(number);
        let sums = multiply(barriers, tiles, (group, warp, own), share.steps, at);
        at += share.steps;
        // SAFETY: the tile is this group's alone.
        unsafe { results.store(group, &sums, (row + own, column)) };
        number += share.stride;
    }
}

/// A block computes the tiles from its number on, as many apart as there are blocks; each lane stores its own results.
#[kernel(block(384), launch_bounds(384, 1))]
pub(crate) fn roles(
    block: Block,
    warp: Warp,
    memory: DynamicShared<u8>,
    a: TensorSource<Bf16, 2>,
    b: TensorSource<Bf16, 2>,
    m: u32,
    n: u32,
    k: u32,
    together: u32,
    mut c: DisjointSlice<Bf16>,
) {
    let mut carve = memory.carve();
    let tiles = Tiles {
        a: carve.take_tiles(),
        b: carve.take_tiles(),
    };
    let barriers = Barriers::<1> {
        memory: shared_array!(u64, 2 * STAGES),
    };
    if block.thread() == 0 {
        // SAFETY: one thread, in front of the block's barrier.
        unsafe { barriers.init() };
    }
    block.sync();
    let order = Order {
        rows: m / M as u32,
        columns: n / N as u32,
        together,
    };
    let share = Share {
        order,
        steps: k / K as u32,
        first: block.index() as u32,
        stride: grid_dim().x,
        rank: 0,
    };
    let results = Pairs {
        to: c.raw(),
        len: c.len(),
        n: n as usize,
    };
    compute(block, warp, (barriers, tiles), (a, b), share, results);
}

/// The same, with results stored by bulk copies.
#[kernel(block(384), launch_bounds(384, 1))]
pub(crate) fn bulk_stores(
    block: Block,
    warp: Warp,
    memory: DynamicShared<u8>,
    a: TensorSource<Bf16, 2>,
    b: TensorSource<Bf16, 2>,
    m: u32,
    n: u32,
    k: u32,
    together: u32,
    c: TensorTarget<Bf16, 2>,
) {
    let mut carve = memory.carve();
    let tiles = Tiles {
        a: carve.take_tiles(),
        b: carve.take_tiles(),
    };
    let staged = [carve.take_tiles(), carve.take_tiles()];
    let barriers = Barriers::<1> {
        memory: shared_array!(u64, 2 * STAGES),
    };
    if block.thread() == 0 {
        // SAFETY: one thread, in front of the block's barrier.
        unsafe { barriers.init() };
    }
    block.sync();
    let order = Order {
        rows: m / M as u32,
        columns: n / N as u32,
        together,
    };
    let share = Share {
        order,
        steps: k / K as u32,
        first: block.index() as u32,
        stride: grid_dim().x,
        rank: 0,
    };
    compute(
        block,
        warp,
        (barriers, tiles),
        (a, b),
        share,
        Boxes { c, staged },
    );
    // SAFETY: copies of this thread, promised where they begin.
    unsafe { tma::wait_group::<0>() };
}

/// The same in clusters of two blocks, whose tiles have the same columns: each loads half of B for both.
#[kernel(cluster(2, 1, 1), block(384), launch_bounds(384, 1))]
pub(crate) fn clusters(
    block: Block,
    warp: Warp,
    mut cluster: Cluster,
    memory: DynamicShared<u8>,
    a: TensorSource<Bf16, 2>,
    b: TensorSource<Bf16, 2>,
    m: u32,
    n: u32,
    k: u32,
    together: u32,
    c: TensorTarget<Bf16, 2>,
) {
    let mut carve = memory.carve();
    let tiles = Tiles {
        a: carve.take_tiles(),
        b: carve.take_tiles(),
    };
    let staged = [carve.take_tiles(), carve.take_tiles()];
    let barriers = Barriers::<2> {
        memory: shared_array!(u64, 2 * STAGES),
    };
    if block.thread() == 0 {
        // SAFETY: one thread, in front of the cluster's barrier.
        unsafe { barriers.init() };
    }
    cluster.sync();
    let order = Order {
        rows: m / (2 * M) as u32,
        columns: n / N as u32,
        together,
    };
    let rank = cluster.rank() as u32;
    let share = Share {
        order,
        steps: k / K as u32,
        first: block.index() as u32 / 2,
        stride: grid_dim().x / 2,
        rank,
    };
    compute(
        block,
        warp,
        (barriers, tiles),
        (a, b),
        share,
        Boxes { c, staged },
    );
    // SAFETY: copies of this thread, promised where they begin.
    unsafe { tma::wait_group::<0>() };
    // Warps arrive at barriers of the other block until its last step.
    cluster.sync();
}
