//! The fast Walsh transform in place: radix 4 in global memory, the last steps in shared memory; and the product of two transforms.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "fast_walsh",
    run,
};

/// Elements that a block transforms in shared memory.
const SHARED: usize = 2048;

/// One step of radix 4 over elements `stride` apart.
#[kernel(fma)]
fn fwt_batch2(i: Index1D, stride: usize, mut data: DisjointSlice<f32>) {
    let (len, data) = (data.len(), data.raw());
    let position = i.get();
    if position >= len / 4 {
        return;
    }
    let low = position & (stride - 1);
    let i0 = ((position - low) << 2) + low;
    let places = [i0, i0 + stride, i0 + 2 * stride, i0 + 3 * stride];
    // SAFETY: the length is a multiple of 4 strides, so all are in it, and each thread has its own four. No output type has such a pattern.
    let [d0, d1, d2, d3] = places.map(|at| unsafe { *data.add(at) });
    let (s0, s1) = (d0 + d2, d1 + d3);
    let (t0, t1) = (d0 - d2, d1 - d3);
    for (at, value) in places.into_iter().zip([s0 + s1, s0 - s1, t0 + t1, t0 - t1]) {
        // SAFETY: as above.
        unsafe { *data.add(at) = value };
    }
}

/// The steps within 2048 elements: a step of radix 2, for their number is not a power of 4, and five of radix 4.
#[kernel(fma, block(512))]
fn fwt_batch1(block: Block, mut data: DisjointSlice<f32>) {
    let shared = shared_array!(f32, SHARED);
    let (thread, first) = (block.thread(), block.index() * SHARED);
    let data = data.raw();
    for at in (thread..SHARED).step_by(512) {
        // SAFETY: the grid covers the data, and each thread has its own elements of both.
        unsafe { shared.set(at, *data.add(first + at)) };
    }
    let mut stride = SHARED / 4;
    while stride > 1 {
        block.sync();
        let low = thread & (stride - 1);
        let i0 = ((thread - low) << 2) + low;
        let places = [i0, i0 + stride, i0 + 2 * stride, i0 + 3 * stride];
        // SAFETY: in each step a thread has its own four elements, and steps are separated by barriers. A tile's phases write other slots.
        let [d0, d1, d2, d3] = places.map(|at| unsafe { shared.get(at) });
        let (s0, s1) = (d0 + d2, d1 + d3);
        let (t0, t1) = (d0 - d2, d1 - d3);
        for (at, value) in places.into_iter().zip([s0 + s1, s0 - s1, t0 + t1, t0 - t1]) {
            // SAFETY: as above.
            unsafe { shared.set(at, value) };
        }
        stride >>= 2;
    }
    // What is left is pairs of neighbours.
    block.sync();
    for pair in (thread..SHARED / 2).step_by(512) {
        let at = 2 * pair;
        // SAFETY: as above, with its own pairs.
        let (d0, d1) = unsafe { (shared.get(at), shared.get(at + 1)) };
        // SAFETY: as above.
        unsafe { shared.set(at, d0 + d1) };
        // SAFETY: as above.
        unsafe { shared.set(at + 1, d0 - d1) };
    }
    block.sync();
    for at in (thread..SHARED).step_by(512) {
        // SAFETY: as for the loads.
        unsafe { *data.add(first + at) = shared.get(at) };
    }
}

/// The product of two transforms, by the number of elements.
#[kernel(fma)]
fn modulate(i: Index1D, b: &[f32], mut a: DisjointSlice<f32, GridStride>) {
    let scale = 1.0 / b.len() as f32;
    for (at, a) in a.iter_mut(i) {
        *a *= b[at] * scale;
    }
}

/// Steps of the transform, by their strides.
fn transform(data: &mut [f32], strides: impl Iterator<Item = usize>) {
    for stride in strides {
        for at in (0..data.len()).filter(|at| at & stride == 0) {
            let (a, b) = (data[at], data[at + stride]);
            (data[at], data[at + stride]) = (a + b, a - b);
        }
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let bits = [13, 23][scale as usize];
    let n = 1 << bits;
    let (a, b) = (noise(n, 1), noise(n, 2));

    let mut expected = a.clone();
    transform(&mut expected, [n / 2, n / 4].into_iter());
    let mut data = side.output(&a, expected, 1e-5)?;
    let blocks = (n / 4 / 256) as u32;
    let arguments = arguments![&data.buffer, (n / 4) as i32, n as i32];
    // SAFETY: the data, the stride, and their number.
    let twin = unsafe { Call::new("fwt_batch2", blocks, 256, arguments) };
    side.kernel("fwt_batch2", vec![twin], &mut data, |stream, data| {
        let shape = Launch::new(blocks, 256);
        Ok(fwt_batch2::launch(stream, shape, n / 4, &mut data.buffer)?)
    })?;

    let mut expected = a.clone();
    transform(&mut expected, (0..11).rev().map(|bit| 1 << bit));
    let mut data = side.output(&a, expected, 1e-4)?;
    let blocks = (n / SHARED) as u32;
    // SAFETY: the data, which the grid covers.
    let twin = unsafe { Call::new("fwt_batch1", blocks, 512, arguments![&data.buffer]) };
    side.kernel("fwt_batch1", vec![twin], &mut data, |stream, data| {
        Ok(fwt_batch1::launch(
            stream,
            Launch::new(blocks, 512),
            &mut data.buffer,
        )?)
    })?;

    let expected = a.iter().zip(&b).map(|(a, b)| a * b * (1.0 / n as f32));
    // Products are a thousandth and less: their error counts by 1.
    let mut product = side.output(&a, expected.collect(), 1e-9)?;
    let d_b = side.upload(&b)?;
    let arguments = arguments![&d_b, &product.buffer, n as i32];
    // SAFETY: two vectors and their length.
    let twin = unsafe { Call::new("modulate", 128, 256, arguments) };
    side.kernel("modulate", vec![twin], &mut product, |stream, product| {
        let shape = Launch::new(128, 256);
        Ok(modulate::launch(stream, shape, &d_b, &mut product.buffer)?)
    })
}
