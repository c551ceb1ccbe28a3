//! Exclusive sums of parts of 1024 elements: four per thread, the threads in shared memory.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::below;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "scan_shared",
    run,
};

/// A block of 256 threads scans 1024 elements.
#[kernel(block(256))]
fn scan_exclusive_shared(
    i: Index1D,
    block: Block,
    input: &[[u32; 4]],
    mut tile: SharedTile<u32, 512>,
    mut output: DisjointSlice<[u32; 4]>,
) {
    let own = input[i.get()];
    let mut inclusive = own;
    for k in 1..4 {
        inclusive[k] += inclusive[k - 1];
    }
    // The first half stays zero, so that no thread asks whether there is one before it.
    let position = block.thread() + 256;
    let mut sum = inclusive[3];
    tile.set_own(0, 0);
    tile.set_own(1, sum);
    let mut offset = 1;
    while offset < 256 {
        let all = tile.publish(&block);
        sum += all[position - offset];
        tile = all.reclaim(&block);
        tile.set_own(1, sum);
        offset <<= 1;
    }
    let before = sum - inclusive[3];
    if let Some(output) = output.get_mut(i) {
        for k in 0..4 {
            output[k] = before + inclusive[k] - own[k];
        }
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [4096, 1 << 24][scale as usize];
    let input = below(n, 1000, 1);
    let mut expected = Vec::with_capacity(n);
    for part in input.chunks(1024) {
        let mut sum = 0;
        for value in part {
            expected.push(sum);
            sum += value;
        }
    }
    let in_fours = |values: &[u32]| -> Vec<[u32; 4]> { values.as_chunks::<4>().0.to_vec() };
    let d_input = side.upload(&in_fours(&input))?;
    let mut output = side.output(&vec![[u32::MAX; 4]; n / 4], in_fours(&expected), 0.0)?;
    let blocks = (n / 1024) as u32;
    // SAFETY: two arrays that the grid covers.
    let twin = unsafe {
        Call::new(
            "scan_exclusive_shared",
            blocks,
            256,
            arguments![&d_input, &output.buffer],
        )
    };
    side.kernel(
        "scan_exclusive_shared",
        vec![twin],
        &mut output,
        |stream, output| {
            let shape = Launch::new(blocks, 256);
            Ok(scan_exclusive_shared::launch(
                stream,
                shape,
                &d_input,
                &mut output.buffer,
            )?)
        },
    )
}
