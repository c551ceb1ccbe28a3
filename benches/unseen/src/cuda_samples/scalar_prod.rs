//! Dot products of many pairs of vectors: 1024 partial sums in shared memory, then a tree.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "scalar_prod",
    run,
};

const PARTS: usize = 1024;

/// A block per pair of vectors, in turn.
#[kernel(fma, block(256))]
fn scalar_prod(
    block: Block,
    length: usize,
    a: &[f32],
    b: &[f32],
    mut parts: SharedTile<f32, PARTS>,
    mut products: DisjointSlice<f32, PerBlock>,
) {
    let (thread, first) = (block.thread(), block.index() * length);
    let (a, b) = (&a[first..first + length], &b[first..first + length]);
    parts.fill(|part| {
        let a = a.iter().skip(part).step_by(PARTS);
        let b = b.iter().skip(part).step_by(PARTS);
        a.zip(b).map(|(a, b)| a * b).sum()
    });
    let all = parts.publish(&block);
    // The first steps of the tree within a thread: its parts lie 256 apart.
    let mut sum: f32 = all.iter().skip(thread).step_by(256).sum();
    parts = all.reclaim(&block);
    let mut stride = 128;
    while stride > 0 {
        parts.set_own(0, sum);
        let all = parts.publish(&block);
        if thread < stride {
            sum += all[thread + stride];
        }
        parts = all.reclaim(&block);
        stride /= 2;
    }
    if let Some(product) = block.leader().and_then(|leader| products.get_mut(leader)) {
        *product = sum;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (vectors, length) = [(4, 2500), (2048, 4096)][scale as usize];
    let (a, b) = (noise(vectors * length, 1), noise(vectors * length, 2));
    let pairs = a.chunks(length).zip(b.chunks(length));
    let expected = pairs.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum());
    let mut products = side.output(&vec![f32::NAN; vectors], expected.collect(), 1e-3)?;
    let (d_a, d_b) = (side.upload(&a)?, side.upload(&b)?);
    let arguments = arguments![&d_a, &d_b, &products.buffer, length as i32];
    // SAFETY: two vectors of the length for each block, a number for each, and the length.
    let twin = unsafe { Call::new("scalar_prod", vectors as u32, 256, arguments) };
    side.kernel(
        "scalar_prod",
        vec![twin],
        &mut products,
        |stream, products| {
            let shape = Launch::new(vectors as u32, 256);
            Ok(scalar_prod::launch(
                stream,
                shape,
                length,
                &d_a,
                &d_b,
                &mut products.buffer,
            )?)
        },
    )
}
