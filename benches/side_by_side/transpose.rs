//! Transposes of a square matrix: without shared memory, through tiles, and through tiles whose columns lie in different banks.

use std::marker::PhantomData;

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{noise, noise_on_device};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, Unchecked, arguments, run};
use super::{Run, TRANSPOSES};

/// Rows and columns of a tile, and of a block.
const TILE: usize = 32;

/// Writes rows, reads columns.
#[kernel]
fn transpose_naive(at: Index2D, n: u32, a: &[f32], mut b: DisjointSlice2D<f32>) {
    if let Some(b) = b.get_mut(at) {
        *b = a[at.x() * n as usize + at.y()];
    }
}

#[kernel]
fn transpose_naive_unchecked(at: Index2D, n: u32, a: &[f32], mut b: DisjointSlice2D<f32>) {
    if let Some(b) = b.get_mut(at) {
        // SAFETY: both matrices have `n` rows and columns.
        *b = unsafe { *a.get_unchecked(at.x() * n as usize + at.y()) };
    }
}

/// Rows are read into a tile, and written from its columns, which lie in one bank each.
#[kernel(block(32, 32))]
fn transpose_tiled(
    at: Index2D,
    block: Block,
    n: u32,
    a: &[f32],
    mut tile: SharedTile<f32, { TILE * TILE }>,
    mut b: DisjointSlice2D<f32>,
) {
    let (column, row) = (block.thread() % TILE, block.thread() / TILE % TILE);
    // The block writes the tile at (x, y), and reads that at (y, x).
    let (first_column, first_row) = (at.y() - row, at.x() - column);
    tile.set_own(0, a[(first_row + row) * n as usize + first_column + column]);
    let tile = tile.publish(&block);
    if let Some(b) = b.get_mut(at) {
        *b = tile[column * TILE + row];
    }
}

/// Each row of the tile is turned by its number: the elements of a column lie in 32 banks, and the tile has no gaps.
#[kernel(block(32, 32))]
fn transpose_swizzled(
    at: Index2D,
    block: Block,
    n: u32,
    a: &[f32],
    mut tile: SharedTile<f32, { TILE * TILE }>,
    mut b: DisjointSlice2D<f32>,
) {
    let (column, row) = (block.thread() % TILE, block.thread() / TILE % TILE);
    let (first_column, first_row) = (at.y() - row, at.x() - column);
    tile.set_own(
        0,
        a[(first_row + row) * n as usize + first_column + (column ^ row)],
    );
    let tile = tile.publish(&block);
    if let Some(b) = b.get_mut(at) {
        *b = tile[column * TILE + (row ^ column)];
    }
}

/// Rows of the tile have one element more: the elements of a column lie in 32 banks.
///
/// A `SharedTile` has no gaps between the threads' slots, so this is a raw array.
#[kernel(block(32, 32))]
fn transpose_padded(at: Index2D, block: Block, n: u32, a: &[f32], mut b: DisjointSlice2D<f32>) {
    let tile = shared_array!(f32, TILE * (TILE + 1));
    let (column, row) = (block.thread() % TILE, block.thread() / TILE % TILE);
    let (first_column, first_row) = (at.y() - row, at.x() - column);
    let value = a[(first_row + row) * n as usize + first_column + column];
    // SAFETY: each thread writes its own slot, and no thread reads before the barrier.
    unsafe { tile.set(row * (TILE + 1) + column, value) };
    block.sync();
    if let Some(b) = b.get_mut(at) {
        // SAFETY: no thread writes after the barrier.
        *b = unsafe { tile.get(column * (TILE + 1) + row) };
    }
}

/// One of the kernels.
pub(crate) trait Kind: Sized + 'static {
    const NAME: &'static str;
    const BOUND: Bound;
    const PREDICTION: &'static str;
    const UNCHECKED: Unchecked<Transpose<Self>> = None;
    fn ours(sides: &mut Transpose<Self>, stream: &Stream) -> Result<(), BenchError>;
}

pub(crate) struct Transpose<K> {
    n: usize,
    a: DeviceBuffer<f32>,
    b: DeviceBuffer<f32>,
    kind: PhantomData<K>,
}

impl<K> Transpose<K> {
    fn blocks(&self) -> u32 {
        (self.n / TILE) as u32
    }
}

macro_rules! kinds {
    ($($kind:ident: $kernel:ident $(beside $unchecked:ident)?, $bound:ident($why:literal), $prediction:literal;)*) => {$(
        pub(crate) struct $kind;

        impl Kind for $kind {
            const NAME: &'static str = stringify!($kernel);
            const BOUND: Bound = Bound::$bound($why);
            const PREDICTION: &'static str = $prediction;
            $(const UNCHECKED: Option<fn(&mut Transpose<Self>, &Stream) -> Result<(), BenchError>> =
                Some(|sides, stream| launch!($unchecked, sides, stream));)?

            fn ours(sides: &mut Transpose<Self>, stream: &Stream) -> Result<(), BenchError> {
                launch!($kernel, sides, stream)
            }
        }
    )*};
}
macro_rules! launch {
    ($kernel:ident, $sides:ident, $stream:ident) => {{
        let (blocks, threads) = ($sides.blocks(), TILE as u32);
        let shape = Launch::new((blocks, blocks), (threads, threads));
        let (n, b) = ($sides.n as u32, $sides.b.view_2d_mut($sides.n)?);
        Ok($kernel::launch($stream, shape, n, &$sides.a, b)?)
    }};
}
kinds! {
    Naive: transpose_naive beside transpose_naive_unchecked,
        Irregular("each warp writes 32 columns, 4 bytes of a sector of 32 each"),
        "0.98 or more: one bounds check, hidden by memory";
    Tiled: transpose_tiled,
        SharedMemory("32 lanes read one bank of shared memory, one after the other"),
        "0.98 or more: one bounds check, hidden by the conflicts of banks";
    Swizzled: transpose_swizzled,
        Latency("one element of 4 bytes per thread, and a barrier between its load and its store"),
        "0.97 or more: one bounds check before the load";
    Padded: transpose_padded,
        Latency("one element of 4 bytes per thread, and a barrier between its load and its store"),
        "0.97 or more: one bounds check before the load";
}

impl<K: Kind> Sides for Transpose<K> {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: K::NAME,
        group: TRANSPOSES,
        twin: Twin::of("transpose", K::NAME),
        unit: "rows",
        sizes: &[16384],
        small: 64,
        traffic: |n| Traffic::Bytes(8 * n * n),
        bound: K::BOUND,
        prediction: K::PREDICTION,
        run: run::<Self>,
    };
    const UNCHECKED: Option<fn(&mut Self, &Stream) -> Result<(), BenchError>> = K::UNCHECKED;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        Ok(Self {
            n,
            a: noise_on_device(session, n * n, 1)?,
            b: session.device.alloc_uninit(n * n)?,
            kind: PhantomData,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.b.fill(f32::NAN, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        K::ours(self, stream)
    }

    fn twin(&self) -> Vec<Call> {
        let (blocks, threads) = (self.blocks(), TILE as u32);
        let arguments = arguments![self.n as u32, &self.a, &self.b];
        // SAFETY: the twins take `n`, a multiple of the block's sides, and two pointers to `n * n` floats.
        vec![unsafe { Call::new(K::NAME, (blocks, blocks), (threads, threads), arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.b.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        Reference::of(f64::from(noise(i % self.n * self.n + i / self.n, 1)))
    }
}
