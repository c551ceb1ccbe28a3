//! Rodinia `pathfinder`: dynamic programming along the rows of a grid; each cell adds the least of the three cells below it. A block takes several rows
//! on a part of a row that shrinks by one cell at each side per row.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::below;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "pathfinder",
    run,
};

const BLOCK: i32 = 256;

// The output is raw: parts of neighbouring blocks overlap.
#[kernel(block(256))]
fn dynproc(
    block: Block,
    iterations: i32,
    first_row: i32,
    columns: i32,
    wall: &[i32],
    source: &[i32],
    mut row: SharedTile<i32, 256>,
    mut target: DisjointSlice<i32>,
) {
    let tx = block.thread() as i32;
    let start = (BLOCK - 2 * iterations) * block.index() as i32 - iterations;
    let x = start + tx;
    let valid = (-start).max(0)..=(columns - 1 - start).min(BLOCK - 1);
    let west = (tx - 1).max(*valid.start());
    let east = (tx + 1).min(*valid.end());
    let is_valid = valid.contains(&tx);
    if (0..columns).contains(&x) {
        row.set_own(0, source[x as usize]);
    }
    let mut result = None;
    for i in 0..iterations {
        let below = row.publish(&block);
        result = None;
        if (i + 1..=BLOCK - i - 2).contains(&tx) && is_valid {
            let (left, up, right) = (
                below[west as usize],
                below[tx as usize],
                below[east as usize],
            );
            let shortest = left.min(up).min(right);
            result = Some(shortest + wall[(columns * (first_row + i) + x) as usize]);
        }
        row = below.reclaim(&block);
        if let Some(result) = result {
            row.set_own(0, result);
        }
    }
    if let Some(result) = result {
        // SAFETY: the cell is a column of the row, and the inner parts of blocks do not overlap.
        unsafe { target.raw().add(x as usize).write(result) };
    }
}

const ROWS: i32 = 20;
const FIRST_ROW: i32 = 1;

fn reference(n: usize, wall: &[i32], source: &[i32]) -> Vec<i32> {
    let mut row = source.to_vec();
    for y in 0..ROWS {
        let walls = &wall[(FIRST_ROW + y) as usize * n..];
        row = (0..n)
            .map(|x| {
                let least = row[x]
                    .min(row[x.saturating_sub(1)])
                    .min(row[(x + 1).min(n - 1)]);
                least + walls[x]
            })
            .collect();
    }
    row
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [1000, 1 << 20][scale as usize];
    let numbers =
        |len, seed| -> Vec<i32> { below(len, 10, seed).iter().map(|&x| x as i32).collect() };
    let (wall, source) = (numbers(n * (FIRST_ROW + ROWS) as usize, 1), numbers(n, 2));
    let expected = reference(n, &wall, &source);
    let (wall, source) = (side.upload(&wall)?, side.upload(&source)?);
    let mut target = side.output(&vec![-1; n], expected, 0.0)?;

    let blocks = n.div_ceil((BLOCK - 2 * ROWS) as usize) as u32;
    let n = n as i32;
    let arguments = arguments![ROWS, FIRST_ROW, n, &wall, &source, &target.buffer];
    // SAFETY: rows, where they start, columns; a matrix with a row more, and two rows.
    let twin = unsafe { Call::new("dynproc", blocks, 256, arguments) };
    side.kernel("dynproc", vec![twin], &mut target, |stream, target| {
        let shape = Launch::new(blocks, 256);
        let target = &mut target.buffer;
        Ok(dynproc::launch(
            stream, shape, ROWS, FIRST_ROW, n, &wall, &source, target,
        )?)
    })
}
