//! What a thread knows of its place.

use warploom::device_std::vector::UInt3;
use warploom::device_std::{block_dim, block_idx, grid_dim, lane, thread_idx, warp_id};
use warploom::prelude::*;
use warploom_harness::device_test::check;

const GRID: [u32; 3] = [3, 2, 2];
const BLOCK: [u32; 3] = [7, 3, 4];

/// Where the thread is, where its block is, both extents, lane, warp, lanes of a warp.
#[kernel]
fn places(mut y: DisjointSlice<[u32; 15]>) {
    let (thread, block, threads, blocks) = (thread_idx(), block_idx(), block_dim(), grid_dim());
    let of_block = thread.x + threads.x * (thread.y + threads.y * thread.z);
    let number = block.x + blocks.x * (block.y + blocks.y * block.z);
    let at = (number * threads.count() as u32 + of_block) as usize;
    assert!(at < y.len());
    let UInt3 { x, y: row, z } = UInt3::from(block);
    let place = [
        [thread.x, thread.y, thread.z],
        [x, row, z],
        [threads.x, threads.y, threads.z],
        [blocks.x, blocks.y, blocks.z],
        [lane(), warp_id(), Warp::LANES],
    ];
    let place = std::array::from_fn(|k| place[k / 3][k % 3]);
    // SAFETY: within, as asserted.
    let element = unsafe { y.raw().add(at) };
    // SAFETY: the number of the thread in the grid is another one in each thread.
    unsafe { element.write(place) };
}

//@ rows: BV-1, BV-2, BV-3, BV-4, BV-5, GBI-1, GBI-2, GBI-3, GBI-4, GBI-5, GPM-1, GPM-2, GPM-3
#[test]
fn each_thread_knows_its_place() {
    let point = |number: u32, extents: [u32; 3]| {
        let [width, height, _] = extents;
        [
            number % width,
            number / width % height,
            number / width / height,
        ]
    };
    let count = |extents: [u32; 3]| extents.iter().product::<u32>();
    let threads = count(BLOCK);
    let expected: Vec<[u32; 15]> = (0..count(GRID) * threads)
        .map(|number| {
            let (block, thread) = (number / threads, number % threads);
            let last = [thread % 32, thread / 32, 32];
            let all = [point(thread, BLOCK), point(block, GRID), BLOCK, GRID, last];
            std::array::from_fn(|k| all[k / 3][k % 3])
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        let shape = Launch::new((GRID[0], GRID[1], GRID[2]), (BLOCK[0], BLOCK[1], BLOCK[2]));
        places::launch(stream, shape, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
