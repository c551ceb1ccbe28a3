//! Outputs by windows: stencils of several steps in overlapping tiles, of which each block writes its core.

use warploom::prelude::*;
use warploom_harness::device_test::{check, on_each_device};

use crate::noise;

/// The cheapest ways down a wall of stones, four rows for each launch: from a stone to one of the three below it.
#[kernel(block(58))]
fn descend(
    i: Index1D,
    block: Block,
    rows: &[u32],
    from: &[u32],
    mut tile: DoubleTile<u32, 58>,
    mut to: DisjointSlice<u32, Windows<50, 4>>,
) {
    let n = to.len();
    let (t, place) = (block.thread(), to.position(i, block.thread()));
    let column = usize::try_from(place).ok().filter(|column| *column < n);
    tile.set_own(0, column.map_or(u32::MAX, |column| from[column]));
    let mut tile = tile.publish(&block);
    for row in rows.chunks_exact(n) {
        let (left, right) = (tile[t.saturating_sub(1)], tile[(t + 1).min(57)]);
        let cheapest = tile[t].min(left).min(right);
        tile.set_own(0, column.map_or(u32::MAX, |column| cheapest + row[column]));
        tile.publish(&block);
    }
    if let Some(to) = to.get_mut(i) {
        *to = tile[t];
    }
}

#[test]
fn ways_down_a_wall() {
    for n in [1, 49, 50, 51, 333] {
        let wall: Vec<u32> = noise(9 * n).iter().map(|stone| stone % 10).collect();
        let mut expected = wall[..n].to_vec();
        for row in wall[n..].chunks(n) {
            let cheapest = |at: usize| expected[at.saturating_sub(1)..(at + 2).min(n)].iter().min();
            expected = (0..n).map(|at| cheapest(at).unwrap() + row[at]).collect();
        }
        check(&expected, |device, stream| {
            let (stones, mut from) = (device.upload(&wall[n..])?, device.upload(&wall[..n])?);
            let mut to = device.zeroed::<u32>(n)?;
            for k in 0..2 {
                let rows = stones.slice(4 * n * k..4 * n * (k + 1))?;
                let shape = Launch::new(n.div_ceil(50) as u32, 58);
                descend::launch(stream, shape, rows, &from, &mut to)?;
                (from, to) = (to, from);
            }
            Ok(from.to_vec(stream)?)
        });
    }
}

const SIDE: usize = 16;

/// Two steps of heat on a plate whose edges are isolated.
#[kernel(block(16, 16))]
fn warm(
    i: Index2D,
    block: Block,
    power: &[f32],
    from: &[f32],
    mut tile: DoubleTile<f32, { SIDE * SIDE }>,
    mut to: DisjointSlice2D<f32, Windows2D<12, 12, 2, 2>>,
) {
    let (width, height) = (to.width() as isize, to.height() as isize);
    let (x, y) = to.position(i);
    let at = (y.clamp(0, height - 1) * width + x.clamp(0, width - 1)) as usize;
    let t = block.thread();
    tile.set_own(0, from[at]);
    let mut tile = tile.publish(&block);
    // The neighbour in a direction: the cell itself at an edge of the plate, and where the tile ends, whose outer cells are not written.
    let neighbour =
        |at_edge: bool, at_end: bool, slot: usize| if at_edge || at_end { t } else { slot };
    let (column, row) = (t % SIDE, t / SIDE);
    let left = neighbour(x <= 0, column == 0, t.wrapping_sub(1));
    let right = neighbour(x >= width - 1, column == SIDE - 1, t + 1);
    let up = neighbour(y <= 0, row == 0, t.wrapping_sub(SIDE));
    let down = neighbour(y >= height - 1, row == SIDE - 1, t + SIDE);
    for _ in 0..2 {
        let around = (tile[left] + tile[right]) + (tile[up] + tile[down]);
        tile.set_own(0, (tile[t] * 4.0 + around) * 0.125 + power[at]);
        tile.publish(&block);
    }
    if let Some(to) = to.get_mut(i) {
        *to = tile[t];
    }
}

#[test]
fn heat_on_a_plate() {
    for (width, height) in [(1, 1), (12, 13), (50, 31)] {
        let n = width * height;
        let x: Vec<f32> = noise(2 * n).iter().map(|v| (v % 1024) as f32).collect();
        let (start, power) = x.split_at(n);
        let mut expected = start.to_vec();
        for _ in 0..2 {
            let cell = |at: usize| {
                let (x, y) = (at % width, at / width);
                let of = |x: usize, y: usize| expected[y * width + x];
                let (left, right) = (of(x.saturating_sub(1), y), of((x + 1).min(width - 1), y));
                let (up, down) = (of(x, y.saturating_sub(1)), of(x, (y + 1).min(height - 1)));
                (of(x, y) * 4.0 + ((left + right) + (up + down))) * 0.125 + power[at]
            };
            expected = (0..n).map(cell).collect();
        }
        check(&expected, |device, stream| {
            let (from, power) = (device.upload(start)?, device.upload(power)?);
            let mut to = device.zeroed::<f32>(n)?;
            let blocks = (width.div_ceil(12) as u32, height.div_ceil(12) as u32);
            let shape = Launch::new(blocks, (16, 16));
            warm::launch(stream, shape, &power, &from, to.view_2d_mut(width)?)?;
            Ok(to.to_vec(stream)?)
        });
    }
}

/// More elements than threads: each thread writes several of its block's window.
#[kernel]
fn second_differences(
    i: Index1D,
    block: Block,
    x: &[i32],
    mut tile: SharedTile<i32, 402>,
    mut y: DisjointSlice<i32, Windows<400, 1>>,
) {
    tile.fill(|slot| {
        usize::try_from(y.position(i, slot))
            .ok()
            .and_then(|at| x.get(at))
            .copied()
            .unwrap_or(0)
    });
    let tile = tile.publish(&block);
    for (slot, y) in y.iter_mut(i) {
        *y = tile[slot - 1] - 2 * tile[slot] + tile[slot + 1];
    }
}

#[test]
fn a_window_of_more_elements_than_threads() {
    let x: Vec<i32> = noise(1777).iter().map(|v| (v % 1000) as i32).collect();
    let of = |at: usize| x.get(at).copied().unwrap_or(0);
    let expected: Vec<i32> = (0..x.len())
        .map(|at| of(at.wrapping_sub(1)) - 2 * of(at) + of(at + 1))
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed::<i32>(x.len())?;
        let shape = Launch::new(5, 96);
        second_differences::launch(stream, shape, &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// Whether a launch repeats the one before or not: an element that no block writes would keep its old value.
#[test]
fn too_few_blocks_for_the_windows_are_refused() {
    on_each_device(|device, stream| {
        let x = device.zeroed::<i32>(2000)?;
        for (len, blocks, is_enough) in [
            (800, 2, true),
            (801, 2, false),
            (799, 2, true),
            (2000, 2, false),
            (2000, 5, true),
        ] {
            let mut y = device.zeroed::<i32>(len)?;
            let result = second_differences::launch(stream, Launch::new(blocks, 96), &x, &mut y);
            assert_eq!(
                result.is_ok(),
                is_enough,
                "{len} elements by {blocks} blocks"
            );
            if let Err(error) = result {
                let text = error.to_string();
                let needed = format!("launch at least {} blocks", len.div_ceil(400));
                assert!(
                    text.contains("400 elements of `y`") && text.contains(&needed),
                    "{text}"
                );
            }
        }
        let (power, from) = (device.zeroed::<f32>(600)?, device.zeroed::<f32>(600)?);
        let mut plate = device.zeroed::<f32>(600)?;
        for (blocks, axis) in [((2, 2), "grid.x = 2"), ((3, 1), "grid.y = 1")] {
            let shape = Launch::new(blocks, (16, 16));
            let error =
                warm::launch(stream, shape, &power, &from, plate.view_2d_mut(30)?).unwrap_err();
            assert!(error.to_string().contains(axis), "{error}");
        }
        Ok(())
    });
}
