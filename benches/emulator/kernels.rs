//! The kernels, as a GPU programmer writes them. `by_hand.rs` and `peers/` have the same algorithms, step by step.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom::prelude::*;

/// Threads of a block, in all kernels but `matmul`.
pub(crate) const THREADS: usize = 256;
/// Rows and columns of a tile, and of a block, in `matmul`.
pub(crate) const TILE: usize = 16;
/// Elements that a thread of `histogram` counts.
pub(crate) const COUNTED: usize = 16;
/// Bins of `histogram`.
pub(crate) const BINS: usize = 256;
/// Elements that a thread of `median` sorts.
pub(crate) const MEDIAN: usize = 9;
/// Values that a thread of `commonest` tells apart.
pub(crate) const KINDS: usize = 8;
/// From one sample of `sample_f32` to the next, in elements, and the place of the first: weights are multiples of 1/8.
pub(crate) const SAMPLES: (f32, f32) = (0.75, 0.625);
/// Barriers of `rounds`.
pub(crate) const ROUNDS: usize = 10;

/// `y += a * x`. No thread waits for another.
#[kernel]
pub(crate) fn saxpy(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y += a * x[i.get()];
    }
}

/// [`saxpy`] on bare addresses: no lengths, so no bounds checks, and in checked runs what the launch accessed is compared with launches of other streams.
///
/// # Safety
/// As many elements as threads at `x` and `y`, which nothing else writes.
#[kernel]
pub(crate) unsafe fn saxpy_raw(i: Index1D, a: f32, x: *const f32, y: *mut f32) {
    // SAFETY: the caller's promise.
    let x = unsafe { *x.wrapping_add(i.get()) };
    // SAFETY: as above; each thread has its own element.
    let y = unsafe { &mut *y.wrapping_add(i.get()) };
    *y += a * x;
}

/// The sum of each block: a tree in shared memory. One barrier after the loads, one after each of the eight steps.
#[kernel(block(256))]
pub(crate) fn reduce(i: Index1D, block: Block, x: &[f32], mut y: DisjointSlice<f32, PerBlock>) {
    let tile = shared_array!(f32, THREADS);
    let thread = block.thread();
    // SAFETY: each thread writes its own element. In each step the lower half writes its own and reads the upper half's, which
    // no thread writes in this step; a barrier is between the steps.
    let get = |at| unsafe { tile.get(at) };
    // SAFETY: as above.
    let set = |value| unsafe { tile.set(thread, value) };
    set(x[i.get()]);
    block.sync();
    let mut half = THREADS / 2;
    while half > 0 {
        if thread < half {
            set(get(thread) + get(thread + half));
        }
        block.sync();
        half /= 2;
    }
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = get(0);
    }
}

/// The sum over the warp, in all of its lanes: five shuffles.
#[kernel(block(256))]
pub(crate) fn shuffle(i: Index1D, warp: Warp, x: &[f32], mut y: DisjointSlice<f32>) {
    let mut sum = x[i.get()];
    for flip in [16, 8, 4, 2, 1] {
        sum += warp.shuffle_xor(sum, flip);
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// The inclusive scan of each block's elements, after Hillis and Steele: eight steps between two arrays, nine barriers.
#[kernel(block(256))]
pub(crate) fn scan(i: Index1D, block: Block, x: &[f32], mut y: DisjointSlice<f32>) {
    let tile = shared_array!(f32, 2 * THREADS);
    let thread = block.thread();
    let (mut from, mut to) = (0, THREADS);
    // SAFETY: each thread writes its own element of the array that no thread reads in this step; a barrier is between the steps.
    let get = |at| unsafe { tile.get(at) };
    // SAFETY: as above.
    let set = |at, value| unsafe { tile.set(at, value) };
    set(thread, x[i.get()]);
    block.sync();
    let mut distance = 1;
    while distance < THREADS {
        let mut sum = get(from + thread);
        if thread >= distance {
            sum += get(from + thread - distance);
        }
        set(to + thread, sum);
        block.sync();
        (from, to) = (to, from);
        distance *= 2;
    }
    if let Some(y) = y.get_mut(i) {
        *y = get(from + thread);
    }
}

/// `c = a * b`, square matrices of `n` rows (a multiple of 16): two barriers for each pair of tiles.
#[kernel(block(16, 16))]
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
        tile.set_own(0, a[at.y() * n + start + column]);
        tile.set_own(1, b[(start + row) * n + at.x()]);
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

/// How often each byte occurs: shared counts of each block, then added up. Two barriers, atomic additions between them.
#[kernel(block(256))]
pub(crate) fn histogram(i: Index1D, block: Block, x: &[u32], counts: &[AtomicU32]) {
    let bins = shared_array!(u32, BINS);
    let own = bins.atomic(block.thread());
    own.store(0, Relaxed);
    block.sync();
    for k in 0..COUNTED {
        let value = x[i.get() + k * i.count()];
        bins.atomic(value as usize % BINS).fetch_add(1, Relaxed);
    }
    block.sync();
    counts[block.thread()].fetch_add(own.load(Relaxed), Relaxed);
}

/// Ten barriers, and between them next to nothing: each thread passes a number to its neighbour.
#[kernel(block(256))]
pub(crate) fn rounds(i: Index1D, block: Block, mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 2 * THREADS);
    let thread = block.thread();
    let mut value = i.get() as u32;
    for round in 0..ROUNDS {
        let half = round % 2 * THREADS;
        // SAFETY: each thread writes its own element of one half; the half that is read was written before the barrier, and is
        // written again only after the next.
        unsafe { tile.set(half + thread, value) };
        block.sync();
        // SAFETY: as above.
        value = unsafe { tile.get(half + (thread + 1) % THREADS) } + 1;
    }
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

/// One step of heat conduction in a plane of `n` rows and columns: five reads of global memory and a write per thread. The border stays.
#[kernel(block(16, 16))]
pub(crate) fn stencil(at: Index2D, x: &[f32], n: u32, mut y: DisjointSlice2D<f32>) {
    let (n, column, row) = (n as usize, at.x(), at.y());
    let Some(y) = y.get_mut(at) else { return };
    let here = row * n + column;
    *y = if column == 0 || row == 0 || column == n - 1 || row == n - 1 {
        x[here]
    } else {
        x[here] + 0.25 * (x[here - 1] + x[here + 1] + x[here - n] + x[here + n] - 4.0 * x[here])
    };
}

/// A sample between the four nearest elements of a picture per thread, by the filter of the texture units.
#[kernel(block(16, 16))]
pub(crate) fn sample_f32(at: Index2D, image: Texture2d<f32>, mut y: DisjointSlice2D<f32>) {
    let (step, first) = SAMPLES;
    let place = |k: usize| k as u32 as f32 * step + first;
    if let Some(y) = y.get_mut(at) {
        *y = image.sample(place(at.x()), place(at.y()));
    }
}

/// `y` is the transpose of `x`, a matrix of `n` rows and columns: through a tile of shared memory with a column that keeps its banks apart. One barrier.
#[kernel(block(16, 16))]
pub(crate) fn transpose(at: Index2D, block: Block, x: &[f32], n: u32, mut y: DisjointSlice2D<f32>) {
    const WIDTH: usize = TILE + 1;
    let tile = shared_array!(f32, TILE * WIDTH);
    let (n, thread) = (n as usize, block.thread());
    let (column, row) = (thread % TILE, thread / TILE);
    let (left, top) = (at.x() - column, at.y() - row);
    // The tile at the mirrored place.
    // SAFETY: each thread writes its own element, and a barrier is between writes and reads.
    unsafe { tile.set(row * WIDTH + column, x[(left + row) * n + top + column]) };
    block.sync();
    if let Some(y) = y.get_mut(at) {
        // SAFETY: as above.
        *y = unsafe { tile.get(column * WIDTH + row) };
    }
}

/// The median of nine neighbours in a row, by insertion into an array of the thread: places are known at run time only.
#[kernel(block(256))]
pub(crate) fn median(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    let mut window = [0.0; MEDIAN];
    for k in 0..MEDIAN {
        let value = x[(i.get() + k) % i.count()];
        let mut place = k;
        while place > 0 && window[place - 1] > value {
            window[place] = window[place - 1];
            place -= 1;
        }
        window[place] = value;
    }
    if let Some(y) = y.get_mut(i) {
        *y = window[MEDIAN / 2];
    }
}

/// How often the commonest of eight values occurs among sixteen: counts in an array of the thread.
#[kernel(block(256))]
pub(crate) fn commonest(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let mut counts = [0; KINDS];
    for k in 0..COUNTED {
        counts[x[i.get() + k * i.count()] as usize % KINDS] += 1;
    }
    if let Some(y) = y.get_mut(i) {
        *y = counts.iter().copied().fold(0, u32::max);
    }
}

/// Nothing at all: what is measured is the launch.
#[kernel]
pub(crate) fn empty(_i: Index1D) {}

/// A race that any check must find: each thread reads what another writes. The benchmark learns from it whether checks are on.
#[kernel(block(64))]
pub(crate) fn race(block: Block, mut y: DisjointSlice<u32, PerBlock>) {
    let tile = shared_array!(u32, 64);
    let thread = block.thread();
    // SAFETY: none of a GPU's. On the emulator one thread of a block runs at a time, so both accesses have values.
    unsafe { tile.set(thread, 1) };
    // SAFETY: as above.
    let other = unsafe { tile.get((thread + 33) % 64) };
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = other;
    }
}
