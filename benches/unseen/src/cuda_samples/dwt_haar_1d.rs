//! Levels of the Haar wavelet transform: a block turns 512 numbers into one and 511 details, in shared memory.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "dwt_haar_1d",
    run,
};

const FACTOR: f32 = 0.707_106_77;

/// A block of 256 threads: nine levels, each with half of the threads of the one before.
#[kernel(fma, block(256))]
fn dwt_haar_1d(
    block: Block,
    input: &[f32],
    mut tile: SharedTile<f32, 256>,
    mut approximations: DisjointSlice<f32, PerBlock>,
    mut details: DisjointSlice<f32>,
) {
    let (thread, number) = (block.thread(), block.index());
    let (len, details) = (input.len(), details.raw());
    let first = number * 512 + 2 * thread;
    let (a, b) = (input[first], input[first + 1]);
    let mut own = (a + b) * FACTOR;
    // SAFETY: level l has len / 2^l details from place len / 2^l on, and each thread writes its own. No output type deals them out.
    unsafe { *details.add(len / 2 + number * 256 + thread) = (a - b) * FACTOR };
    let mut active = 128;
    let mut place = len / 4;
    while active > 0 {
        tile.set_own(0, own);
        let all = tile.publish(&block);
        if thread < active {
            let (a, b) = (all[2 * thread], all[2 * thread + 1]);
            own = (a + b) * FACTOR;
            // SAFETY: as above.
            unsafe { *details.add(place + number * active + thread) = (a - b) * FACTOR };
        }
        tile = all.reclaim(&block);
        active /= 2;
        place /= 2;
    }
    if let Some(leader) = block.leader()
        && let Some(approximation) = approximations.get_mut(leader)
    {
        *approximation = own;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [2048, 1 << 24][scale as usize];
    let input = noise(n, 1);
    // Places below the number of blocks belong to further levels.
    let mut expected = vec![7.0; n];
    let mut level = input.clone();
    for _ in 0..9 {
        let half = level.len() / 2;
        let pairs = level.as_chunks::<2>().0;
        for (at, [a, b]) in pairs.iter().enumerate() {
            expected[half + at] = (a - b) * FACTOR;
        }
        level = pairs.iter().map(|[a, b]| (a + b) * FACTOR).collect();
    }
    let blocks = n / 512;
    let approximations = side.output(&vec![7.0; blocks], level, 1e-5)?;
    let details = side.output(&vec![7.0; n], expected, 1e-5)?;
    let mut both = (approximations, details);
    let d_input = side.upload(&input)?;
    let arguments = arguments![&d_input, &both.0.buffer, &both.1.buffer, n as i32];
    // SAFETY: a vector, a number per block, as many details as numbers, and the length.
    let twin = unsafe { Call::new("dwt_haar_1d", blocks as u32, 256, arguments) };
    side.kernel(
        "dwt_haar_1d",
        vec![twin],
        &mut both,
        |stream, (approximations, details)| {
            let shape = Launch::new(blocks as u32, 256);
            let (a, d) = (&mut approximations.buffer, &mut details.buffer);
            Ok(dwt_haar_1d::launch(stream, shape, &d_input, a, d)?)
        },
    )
}
