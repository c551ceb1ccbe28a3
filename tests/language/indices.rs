//! Indices in one to three dimensions, and the outputs that they open.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use warploom::prelude::*;
use warploom_harness::device_test::check;

use crate::noise;

#[kernel]
fn transpose(i: Index2D, width: usize, x: &[u32], mut y: DisjointSlice2D<u32>) {
    let height = y.height();
    if let Some(y) = y.get_mut(i) {
        *y = x[i.x() * height + i.y()] + (width * 1_000_000) as u32;
    }
}

#[test]
fn two_dimensions() {
    // Wide, tall, one column, one row: none a multiple of the block.
    for (width, height) in [(37, 19), (5, 203), (1, 77), (130, 1)] {
        let x: Vec<u32> = (0..width * height).map(|v| v as u32).collect();
        let expected: Vec<u32> = (0..width * height)
            .map(|k| x[k % width * height + k / width] + (width * 1_000_000) as u32)
            .collect();
        for shape in [
            Launch::covering_2d(width, height),
            Launch::new((66, 68), (2, 3)),
        ] {
            check(&expected, |device, stream| {
                let mut y = device.zeroed(width * height)?;
                transpose::launch(
                    stream,
                    shape,
                    width,
                    &device.upload(&x)?,
                    y.view_2d_mut(width)?,
                )?;
                Ok(y.to_vec(stream)?)
            });
        }
    }
}

#[kernel]
fn coordinates(i: Index3D, block: Block, grid: Grid, seen: &[AtomicU32]) {
    let (g, b) = (grid_dim(), block_dim());
    let (width, height) = ((g.x * b.x) as usize, (g.y * b.y) as usize);
    let place = i.x() + width * (i.y() + height * i.z());
    let (t, at) = (thread_idx(), block_idx());
    let agree = i.x() == (at.x * b.x + t.x) as usize
        && i.y() == (at.y * b.y + t.y) as usize
        && i.z() == (at.z * b.z + t.z) as usize
        && block.threads() * grid.blocks() == grid.threads()
        && block.thread() == (t.x + b.x * (t.y + b.y * t.z)) as usize
        && block.index() == (at.x + g.x * (at.y + g.y * at.z)) as usize
        && warp_id() == block.thread() as u32 / 32
        && lane() == block.thread() as u32 % 32;
    seen[place].fetch_add(if agree { 1 } else { 1000 }, Relaxed);
}

#[test]
fn three_dimensions() {
    for (grid, block) in [
        ((3, 2, 4), (5, 3, 7)),
        ((1, 7, 1), (1, 1, 64)),
        ((9, 1, 3), (1, 50, 1)),
    ] {
        let threads = grid.0 * grid.1 * grid.2 * block.0 * block.1 * block.2;
        check(&vec![1; threads as usize], |device, stream| {
            let mut seen = device.zeroed::<u32>(threads as usize)?;
            coordinates::launch(stream, Launch::new(grid, block), seen.as_atomic())?;
            Ok(seen.to_vec(stream)?)
        });
    }
}

#[kernel]
fn chunks(i: Index1D, x: &[u32], mut y: DisjointSlice<u32, Chunks<7>>) {
    if let Some(chunk) = y.get_mut(i) {
        for (k, y) in chunk.iter_mut().enumerate() {
            *y = x[i.get()].wrapping_add(k as u32);
        }
        chunk.reverse();
    }
}

#[test]
fn outputs_in_chunks() {
    // The last five elements are no whole chunk.
    let x = noise(200);
    let expected: Vec<u32> = (0..1405)
        .map(|k| {
            if k < 1400 {
                x[k / 7].wrapping_add(6 - k as u32 % 7)
            } else {
                0
            }
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(1405)?;
        chunks::launch(stream, Launch::new(5, 43), &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn grid_stride(i: Index1D, x: &[u32], mut y: DisjointSlice<u32, GridStride>) {
    for (k, y) in y.iter_mut(i) {
        *y = x[k] ^ k as u32;
    }
}

#[test]
fn outputs_in_strides_of_the_grid() {
    let x = noise(1003);
    let expected: Vec<u32> = (0..).zip(&x).map(|(k, v)| v ^ k).collect();
    for (grid, block) in [(1, 32), (3, 50), (9, 256)] {
        check(&expected, |device, stream| {
            let mut y = device.zeroed(1003)?;
            grid_stride::launch(
                stream,
                Launch::new(grid, block),
                &device.upload(&x)?,
                &mut y,
            )?;
            Ok(y.to_vec(stream)?)
        });
    }
}

#[kernel]
fn two_outputs(
    i: Index1D,
    block: Block,
    x: &[u32],
    mut each: DisjointSlice<u16>,
    mut first: DisjointSlice<u64, PerBlock>,
) {
    let v = x.get(i.get()).copied().unwrap_or(5);
    if let Some(y) = each.get_mut(i) {
        *y = v as u16;
    }
    if let Some(leader) = block.leader()
        && let Some(y) = first.get_mut(leader)
    {
        *y = u64::from(v) << 8 | leader.block() as u64;
    }
}

#[test]
fn an_output_per_block_and_two_parts_of_one_buffer() {
    let x = noise(500);
    let mut expected: Vec<u64> = (0..10)
        .map(|b| u64::from(x[b * 50]) << 8 | b as u64)
        .collect();
    expected.extend(x.iter().chain(&x).map(|v| u64::from(*v as u16)));
    check(&expected, |device, stream| {
        let x = device.upload(&x)?;
        let (mut both, mut first) = (device.zeroed::<u16>(1000)?, device.zeroed::<u64>(10)?);
        let (left, right) = both.split_at_mut(500)?;
        for half in [left, right] {
            two_outputs::launch(stream, Launch::new(10, 50), &x, half, &mut first)?;
        }
        let both = both.to_vec(stream)?.into_iter().map(u64::from);
        Ok(first.to_vec(stream)?.into_iter().chain(both).collect())
    });
}
