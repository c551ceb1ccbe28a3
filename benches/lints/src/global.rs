//! Patterns of accesses to global memory: a load and a store per thread, unless the name says more.

use warploom::prelude::*;

use crate::Case;
use crate::case::{N, Pair, Vector, case, put, random, shuffled};

/// Kernels that write element `i` of thread `i`.
macro_rules! maps {
    ($($kernel:ident($i:ident, $x:ident: &[$element:ty]) $value:expr;)*) => {$(
        #[kernel]
        fn $kernel(i: Index1D, $x: &[$element], mut y: DisjointSlice<$element>) {
            let $i = i.get();
            if let Some(y) = y.get_mut(i) {
                *y = $value;
            }
        }
    )*};
}
maps! {
    contiguous(i, x: &[f32]) x[i];
    reversed(i, x: &[f32]) x[N - 1 - i];
    bytes(i, x: &[u8]) x[i];
    doubles(i, x: &[f64]) x[i];
    pairs(i, x: &[Pair]) x[i];
    vectors(i, x: &[Vector]) x[i];
    pair_of_doubled_index(i, x: &[Pair]) x[2 * i];
    vector_of_doubled_index(i, x: &[Vector]) x[2 * i];
    broadcast(i, x: &[f32]) x[i / 32];
    broadcast_of_doubles(i, x: &[f64]) x[i / 32];
    broadcast_of_vectors(i, x: &[Vector]) x[i / 32];
    vector_of_two_lanes(i, x: &[Vector]) x[i / 2];
    structures(i, x: &[[f32; 3]]) x[i];
    quadruples(i, x: &[[f32; 4]]) x[i];
    stencil(i, x: &[f32]) x[i] + x[i + 1] + x[i + 2];
    columns(i, x: &[f32]) x[i % 128 * 128 + i / 128];
}

/// Kernels that read and write the same element, `at`, which belongs to one thread.
macro_rules! moves {
    ($($kernel:ident($i:ident) $at:expr;)*) => {$(
        #[kernel]
        fn $kernel(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
            let $i = i.get();
            let at = $at;
            // SAFETY: each thread has an element of its own.
            unsafe { put(&mut y, at, x[at]) }
        }
    )*};
}
moves! {
    stride_2(i) 2 * i;
    stride_3(i) 3 * i;
    stride_32(i) 32 * i;
    misaligned(i) i + 1;
}

/// The last warps have nothing to do, and the one before them not for all of its lanes.
#[kernel]
fn tail(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let (Some(x), Some(y)) = (x.get(i.get()), y.get_mut(i)) {
        *y = *x;
    }
}

/// Half of the lanes of each warp.
#[kernel]
fn every_second_lane(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if i.get().is_multiple_of(2)
        && let Some(y) = y.get_mut(i)
    {
        *y = x[i.get()];
    }
}

#[kernel]
fn gather(i: Index1D, from: &[u32], x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[from[i.get()] as usize];
    }
}

#[kernel]
fn gather_of_vectors(i: Index1D, from: &[u32], x: &[Vector], mut y: DisjointSlice<Vector>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[from[i.get()] as usize];
    }
}

#[kernel]
fn scatter(i: Index1D, to: &[u32], x: &[f32], mut y: DisjointSlice<f32>) {
    // SAFETY: `to` has no number twice.
    unsafe { put(&mut y, to[i.get()] as usize, x[i.get()]) }
}

/// Elements of the input of a gather: some sectors are read by several lanes of a warp.
const GATHERED: usize = 256;

/// The cases of this file.
pub const CASES: &[Case] = &[
    case!(contiguous: f32, (N, N), "`x[i]` to `y[i]`, 4 bytes", |x, y| y = x),
    case!(reversed: f32, (N, N), "`x[n - 1 - i]`", |x, y| y = x.into_iter().rev().collect()),
    case!(bytes: u8, (N, N), "1 byte", |x, y| y = x),
    case!(doubles: f64, (N, N), "8 bytes", |x, y| y = x),
    case!(pairs: Pair, (N, N), "two `f32` aligned to 8 bytes", |x, y| y = x),
    case!(vectors: Vector, (N, N), "four `f32` aligned to 16 bytes", |x, y| y = x),
    case!(pair_of_doubled_index: Pair, (2 * N, N), "`x[2 * i]`, 8 bytes", |x, y| {
        y = x.into_iter().step_by(2).collect();
    }),
    case!(vector_of_doubled_index: Vector, (2 * N, N), "`x[2 * i]`, 16 bytes", |x, y| {
        y = x.into_iter().step_by(2).collect();
    }),
    case!(broadcast: f32, (N / 32, N), "`x[i / 32]`: one element for a warp", |x, y| {
        (0..N).for_each(|i| y[i] = x[i / 32]);
    }),
    case!(broadcast_of_doubles: f64, (N / 32, N), "the same, 8 bytes", |x, y| {
        (0..N).for_each(|i| y[i] = x[i / 32]);
    }),
    case!(broadcast_of_vectors: Vector, (N / 32, N), "the same, 16 bytes", |x, y| {
        (0..N).for_each(|i| y[i] = x[i / 32]);
    }),
    case!(vector_of_two_lanes: Vector, (N / 2, N), "`x[i / 2]`, 16 bytes", |x, y| {
        (0..N).for_each(|i| y[i] = x[i / 2]);
    }),
    case!(structures: [f32; 3], (N, N), "three `f32`, aligned to 4 bytes", |x, y| y = x),
    case!(quadruples: [f32; 4], (N, N), "four `f32`, aligned to 4 bytes", |x, y| y = x),
    case!(stencil: f32, (N + 2, N), "`x[i] + x[i + 1] + x[i + 2]`", |x, y| {
        (0..N).for_each(|i| y[i] = x[i] + x[i + 1] + x[i + 2]);
    }),
    case!(columns: f32, (N, N), "columns of a matrix with rows of 128", |x, y| {
        (0..N).for_each(|i| y[i] = x[i % 128 * 128 + i / 128]);
    }),
    case!(stride_2: f32, (2 * N, 2 * N), "`x[2 * i]` to `y[2 * i]`", |x, y| {
        (0..N).for_each(|i| y[2 * i] = x[2 * i]);
    }),
    case!(stride_3: f32, (3 * N, 3 * N), "`x[3 * i]` to `y[3 * i]`", |x, y| {
        (0..N).for_each(|i| y[3 * i] = x[3 * i]);
    }),
    case!(stride_32: f32, (32 * N, 32 * N), "`x[32 * i]` to `y[32 * i]`", |x, y| {
        (0..N).for_each(|i| y[32 * i] = x[32 * i]);
    }),
    case!(misaligned: f32, (N + 1, N + 1), "`x[i + 1]` to `y[i + 1]`", |x, y| {
        (1..=N).for_each(|i| y[i] = x[i]);
    }),
    case!(tail: f32, (N - 77, N), "`x[i]` with 77 elements less than threads", |x, y| {
        (0..N - 77).for_each(|i| y[i] = x[i]);
    }),
    case!(every_second_lane: f32, (N, N), "`x[i]` to `y[i]` for even `i`", |x, y| {
        (0..N).step_by(2).for_each(|i| y[i] = x[i]);
    }),
    case!(gather: f32, (GATHERED, N) by random(GATHERED), "`x[from[i]]`, random, 4 bytes", |x, y| {
        (0..N).for_each(|i| y[i] = x[random(GATHERED)[i] as usize]);
    }),
    case!(gather_of_vectors: Vector, (GATHERED, N) by random(GATHERED), "`x[from[i]]`, random, 16 bytes", |x, y| {
        (0..N).for_each(|i| y[i] = x[random(GATHERED)[i] as usize]);
    }),
    case!(scatter: f32, (N, N) by shuffled(), "`y[to[i]]`, random", |x, y| {
        shuffled().iter().zip(&x).for_each(|(to, x)| y[*to as usize] = *x);
    }),
];
