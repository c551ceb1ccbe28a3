//! Patterns of accesses to shared memory: each thread stores an element, and loads another one after a barrier.

use warploom::prelude::*;

use crate::Case;
use crate::case::{N, THREADS, Vector, case, put, random};

/// Kernels that store element `to` of an array of `len` elements and load element `from`; both may depend on the thread's number `t` in its block.
macro_rules! exchanges {
    ($($kernel:ident: $element:ty, $len:expr, |$t:ident| $to:expr, $from:expr;)*) => {$(
        #[kernel(block(256))]
        fn $kernel(i: Index1D, block: Block, x: &[$element], mut y: DisjointSlice<$element>) {
            let tile = shared_array!($element, $len);
            let $t = block.thread();
            // SAFETY: `to` is another element for each thread.
            unsafe { tile.set($to, x[i.get()]) };
            block.sync();
            if let Some(y) = y.get_mut(i) {
                // SAFETY: nothing is written behind the barrier.
                *y = unsafe { tile.get($from) };
            }
        }
    )*};
}
const LAST: usize = THREADS - 1;
exchanges! {
    shared_contiguous: f32, THREADS, |t| t, LAST - t;
    shared_bytes: u8, THREADS, |t| t, LAST - t;
    shared_stride_2: f32, 2 * THREADS, |t| 2 * t, 2 * (LAST - t);
    shared_stride_3: f32, 3 * THREADS, |t| 3 * t, 3 * (LAST - t);
    shared_stride_4: f32, 4 * THREADS, |t| 4 * t, 4 * (LAST - t);
    shared_stride_32: f32, 32 * THREADS, |t| 32 * t, 32 * (LAST - t);
    shared_stride_33: f32, 33 * THREADS, |t| 33 * t, 33 * (LAST - t);
    shared_broadcast: f32, THREADS, |t| t, t / 32;
    shared_doubles: f64, THREADS, |t| t, LAST - t;
    shared_doubles_stride_2: f64, 2 * THREADS, |t| 2 * t, 2 * (LAST - t);
    shared_doubles_stride_16: f64, 16 * THREADS, |t| 16 * t, 16 * (LAST - t);
    shared_doubles_broadcast: f64, THREADS, |t| t, t / 32;
    shared_doubles_of_two_lanes: f64, THREADS, |t| t, t / 2;
    shared_vectors: Vector, THREADS, |t| t, LAST - t;
    shared_vectors_stride_2: Vector, 2 * THREADS, |t| 2 * t, 2 * (LAST - t);
    shared_vectors_broadcast: Vector, THREADS, |t| t, t / 32;
    shared_vectors_of_two_lanes: Vector, THREADS, |t| t, t / 2;
}

/// Kernels that load what a list says.
macro_rules! gathers {
    ($($kernel:ident: $element:ty;)*) => {$(
        #[kernel(block(256))]
        fn $kernel(i: Index1D, block: Block, from: &[u32], x: &[$element], mut y: DisjointSlice<$element>) {
            let tile = shared_array!($element, THREADS);
            // SAFETY: each thread writes an element of its own.
            unsafe { tile.set(block.thread(), x[i.get()]) };
            block.sync();
            let from = from[i.get()] as usize;
            if let Some(y) = y.get_mut(i) {
                // SAFETY: nothing is written behind the barrier.
                *y = unsafe { tile.get(from) };
            }
        }
    )*};
}
gathers! {
    shared_gather: f32;
    shared_gather_of_doubles: f64;
    shared_gather_of_vectors: Vector;
}

/// Rows and columns of the matrix that is transposed, of 8 by 8 tiles.
const SIDE: usize = 256;
const TILE: usize = 32;
/// A row of the padded tile.
const ROW: usize = TILE + 1;

/// Kernels that transpose a matrix by tiles whose rows are `width` elements long, 8 rows at a time.
macro_rules! transposes {
    ($($kernel:ident: $width:expr;)*) => {$(
        #[kernel(block(256))]
        fn $kernel(block: Block, x: &[f32], mut y: DisjointSlice<f32>) {
            let tile = shared_array!(f32, TILE * $width);
            let (column, first) = (block.thread() % TILE, block.thread() / TILE);
            let (tile_x, tile_y) = (block.index() % (SIDE / TILE), block.index() / (SIDE / TILE));
            for row in (first..TILE).step_by(8) {
                let value = x[(tile_y * TILE + row) * SIDE + tile_x * TILE + column];
                // SAFETY: rows and columns are those of one thread.
                unsafe { tile.set(row * $width + column, value) };
            }
            block.sync();
            for row in (first..TILE).step_by(8) {
                // SAFETY: nothing is written behind the barrier.
                let value = unsafe { tile.get(column * $width + row) };
                let at = (tile_x * TILE + row) * SIDE + tile_y * TILE + column;
                // SAFETY: as each tile has its place, each thread writes elements of its own.
                unsafe { put(&mut y, at, value) };
            }
        }
    )*};
}
transposes! {
    transpose: TILE;
    transpose_padded: ROW;
}

/// Sums of three neighbours, from a tile with an element of each neighbouring block; two threads load these.
#[kernel(block(256))]
fn shared_stencil(i: Index1D, block: Block, x: &[f32], mut y: DisjointSlice<f32>) {
    let tile = shared_array!(f32, THREADS + 2);
    let t = block.thread();
    // SAFETY: each thread writes elements of its own.
    unsafe { tile.set(t + 1, x[i.get() + 1]) };
    if t == 0 {
        // SAFETY: only this thread writes the first one.
        unsafe { tile.set(0, x[i.get()]) };
    }
    if t == LAST {
        // SAFETY: only this thread writes the last one.
        unsafe { tile.set(THREADS + 1, x[i.get() + 2]) };
    }
    block.sync();
    // SAFETY: nothing is written behind the barrier.
    let before = unsafe { tile.get(t) };
    // SAFETY: as above.
    let here = unsafe { tile.get(t + 1) };
    // SAFETY: as above.
    let behind = unsafe { tile.get(t + 2) };
    if let Some(y) = y.get_mut(i) {
        *y = before + here + behind;
    }
}

/// What threads get that load the element of thread `from(t)` of their block.
fn exchanged<T: Copy>(x: &[T], from: impl Fn(usize) -> usize) -> Vec<T> {
    let of = |i| x[i / THREADS * THREADS + from(i % THREADS)];
    (0..N).map(of).collect()
}

fn transposed(x: &[f32]) -> Vec<f32> {
    let of = |i| x[i % SIDE * SIDE + i / SIDE];
    (0..SIDE * SIDE).map(of).collect()
}

/// A case of an exchange: what thread `t` gets is what thread `from` stored.
macro_rules! exchange {
    ($kernel:ident: $element:ty, $about:literal) => {
        exchange!($kernel: $element, $about, |t| LAST - t)
    };
    ($kernel:ident: $element:ty, $about:literal, |$t:ident| $from:expr) => {
        case!($kernel: $element, (N, N), $about, |x, y| y = exchanged(&x, |$t| $from))
    };
}
macro_rules! gathered {
    ($kernel:ident: $element:ty, $about:literal) => {
        case!($kernel: $element, (N, N) by random(THREADS), $about, |x, y| {
            let from = random(THREADS);
            (0..N).for_each(|i| y[i] = x[i / THREADS * THREADS + from[i] as usize]);
        })
    };
}

/// The cases of this file.
pub const CASES: &[Case] = &[
    exchange!(shared_contiguous: f32, "4 bytes, lane after lane"),
    exchange!(shared_bytes: u8, "1 byte, lane after lane"),
    exchange!(shared_stride_2: f32, "every second `f32`"),
    exchange!(shared_stride_3: f32, "every third `f32`"),
    exchange!(shared_stride_4: f32, "every fourth `f32`"),
    exchange!(shared_stride_32: f32, "every 32nd `f32`"),
    exchange!(shared_stride_33: f32, "every 33rd `f32`"),
    exchange!(shared_broadcast: f32, "one `f32` for a warp", |t| t / 32),
    exchange!(shared_doubles: f64, "8 bytes, lane after lane"),
    exchange!(shared_doubles_stride_2: f64, "every second `f64`"),
    exchange!(shared_doubles_stride_16: f64, "every 16th `f64`"),
    exchange!(shared_doubles_broadcast: f64, "one `f64` for a warp", |t| t / 32),
    exchange!(shared_doubles_of_two_lanes: f64, "one `f64` for two lanes", |t| t / 2),
    exchange!(shared_vectors: Vector, "16 bytes, lane after lane"),
    exchange!(shared_vectors_stride_2: Vector, "every second vector of 16 bytes"),
    exchange!(shared_vectors_broadcast: Vector, "one vector for a warp", |t| t / 32),
    exchange!(shared_vectors_of_two_lanes: Vector, "one vector for two lanes", |t| t / 2),
    gathered!(shared_gather: f32, "random, 4 bytes"),
    gathered!(shared_gather_of_doubles: f64, "random, 8 bytes"),
    gathered!(shared_gather_of_vectors: Vector, "random, 16 bytes"),
    case!(transpose: f32, (SIDE * SIDE, SIDE * SIDE), "a tile of 32 columns, read by columns", |x, y| y = transposed(&x)),
    case!(transpose_padded: f32, (SIDE * SIDE, SIDE * SIDE), "the same with rows of 33 elements", |x, y| y = transposed(&x)),
    case!(shared_stencil: f32, (N + 2, N), "three neighbours; two threads load the halo", |x, y| {
        (0..N).for_each(|i| y[i] = x[i] + x[i + 1] + x[i + 2]);
    }),
];
