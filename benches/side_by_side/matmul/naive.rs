//! One result in each thread, straight from global memory.

use warploom::prelude::*;
use warploom_harness::benchmark::{Bound, Twin};

use super::{BenchError, Matmul, Rung, launch};

/// `c = a * b`, square matrices of `n` rows, one element per thread.
#[kernel(fma)]
fn matmul_naive(at: Index2D, a: &[f32], b: &[f32], n: u32, mut c: DisjointSlice2D<f32>) {
    let n = n as usize;
    if let Some(c) = c.get_mut(at) {
        let mut product = 0.0;
        for k in 0..n {
            product += a[at.y() * n + k] * b[k * n + at.x()];
        }
        *c = product;
    }
}

#[kernel(fma)]
fn matmul_naive_unchecked(at: Index2D, a: &[f32], b: &[f32], n: u32, mut c: DisjointSlice2D<f32>) {
    let n = n as usize;
    if let Some(c) = c.get_mut(at) {
        let mut product = 0.0;
        for k in 0..n {
            // SAFETY: row, column and `k` are below `n`, and both matrices have `n * n` elements.
            let a = unsafe { a.get_unchecked(at.y() * n + k) };
            // SAFETY: as above.
            let b = unsafe { b.get_unchecked(k * n + at.x()) };
            product += a * b;
        }
        *c = product;
    }
}

pub(crate) struct Naive;

impl Rung for Naive {
    const NAME: &'static str = "matmul_naive";
    const TWIN: Twin = Twin::of("matmul_ladder", "matmul_naive");
    const BOUND: Bound =
        Bound::SharedMemory("two loads through the read-only cache for each multiplication");
    const PREDICTION: &'static str =
        "0.95 or more: two bounds checks in each round, beside two loads on which it waits";
    type Element = f32;
    const BLOCK: (u32, u32) = (32, 32);
    const RESULTS: u32 = 32;
    const UNCHECKED: Option<fn(&mut Matmul<Self>, &Stream) -> Result<(), BenchError>> =
        Some(|sides, stream| launch!(matmul_naive_unchecked, sides, stream));

    fn ours(sides: &mut Matmul<Self>, stream: &Stream) -> Result<(), BenchError> {
        launch!(matmul_naive, sides, stream)
    }
}
