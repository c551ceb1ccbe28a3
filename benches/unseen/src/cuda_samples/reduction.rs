//! The sum of a vector: two elements per thread, then a tree in shared memory.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "reduction",
    run,
};

/// A block adds 512 elements.
#[kernel(fma, block(256))]
fn reduce3(
    block: Block,
    input: &[f32],
    mut tile: SharedTile<f32, 256>,
    mut sums: DisjointSlice<f32, PerBlock>,
) {
    let (thread, at) = (block.thread(), block.index() * 512 + block.thread());
    let mut sum = input.get(at).copied().unwrap_or(0.0);
    if let Some(second) = input.get(at + 256) {
        sum += second;
    }
    let mut stride = 128;
    while stride > 0 {
        tile.set_own(0, sum);
        let sums = tile.publish(&block);
        if thread < stride {
            sum += sums[thread + stride];
        }
        tile = sums.reclaim(&block);
        stride >>= 1;
    }
    if let Some(total) = block.leader().and_then(|leader| sums.get_mut(leader)) {
        *total = sum;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n: usize = [5000, 1 << 24][scale as usize];
    let blocks = n.div_ceil(512);
    let input = noise(n, 1);
    let expected = input.chunks(512).map(|part| part.iter().sum()).collect();
    let d_input = side.upload(&input)?;
    let mut sums = side.output(&vec![f32::NAN; blocks], expected, 1e-4)?;
    let arguments = arguments![&d_input, &sums.buffer, n as u32];
    // SAFETY: a vector, a number per block, and the vector's length.
    let twin = unsafe { Call::new("reduce3", blocks as u32, 256, arguments) };
    side.kernel("reduce3", vec![twin], &mut sums, |stream, sums| {
        let shape = Launch::new(blocks as u32, 256);
        Ok(reduce3::launch(stream, shape, &d_input, &mut sums.buffer)?)
    })
}
