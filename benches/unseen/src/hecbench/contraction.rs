//! HeCBench-like `ccsd`: a contraction of two small tensors over two indices, as in quantum chemistry: `r[a,b,i,j] = Σ t[c,d,i,j] v[a,c,b,d]`.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "contraction",
    run,
};

/// Extents of the indices that are summed, and of those that stay.
const N: usize = 16;

/// A thread has an element of the result; a block those with the same `a` and `b`.
#[kernel(fma, block(256))]
fn contract(i: Index1D, block: Block, t: &[f64], v: &[f64], mut r: DisjointSlice<f64>) {
    if let Some(r) = r.get_mut(i) {
        let (a, b) = (block.index() / N, block.index() % N);
        let mut sum = 0.0;
        for (c, t_of_c) in t.chunks_exact(N * N * N).enumerate() {
            for (d, t_of_cd) in t_of_c.chunks_exact(N * N).enumerate() {
                sum += t_of_cd[block.thread()] * v[((a * N + c) * N + b) * N + d];
            }
        }
        *r = sum;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    // Of the first index of the result.
    let extent = [2, 128][scale as usize];
    let doubles = |n, seed| -> Vec<f64> { noise(n, seed).into_iter().map(f64::from).collect() };
    let (t, v) = (doubles(N * N * N * N, 1), doubles(extent * N * N * N, 2));
    let expected = |at: usize| {
        let (a, b, ij) = (at / (N * N * N), at / (N * N) % N, at % (N * N));
        let term =
            |cd: usize| t[cd * N * N + ij] * v[a * N * N * N + cd / N * N * N + b * N + cd % N];
        (0..N * N).map(term).sum()
    };
    let mut r = side.sampled(&vec![f64::NAN; extent * N * N * N], expected, 1e-11)?;
    let (d_t, d_v) = (side.upload(&t)?, side.upload(&v)?);
    let blocks = (extent * N) as u32;
    let arguments = arguments![&d_t, &d_v, &r.buffer];
    // SAFETY: tensors of as many elements as 16 to the fourth, and 16 for each block and 16, and 256 for each block.
    let twin = unsafe { Call::new("contract", blocks, 256, arguments) };
    side.kernel("contract", vec![twin], &mut r, |stream, r| {
        let shape = Launch::new(blocks, 256);
        Ok(contract::launch(stream, shape, &d_t, &d_v, &mut r.buffer)?)
    })
}
