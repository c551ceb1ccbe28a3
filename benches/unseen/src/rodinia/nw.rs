//! Rodinia `nw`: alignment of two sequences (Needleman and Wunsch): the tiles of 16 by 16 on one diagonal of the matrix, each with a thread per column.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::below;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "nw",
    run,
};

const BLOCK: usize = 16;
/// Columns of a tile with the column and the row before it.
const WIDTH: usize = BLOCK + 1;

// The matrix is raw: a tile reads its neighbours' borders and writes its own elements; shared memory is written diagonal by diagonal.
#[kernel(block(16))]
fn diagonal_of_tiles(
    block: Block,
    columns: u32,
    penalty: i32,
    diagonal: u32,
    similarity: &[i32],
    mut items: DisjointSlice<i32>,
) {
    let scores = shared_array!(i32, WIDTH * WIDTH);
    let rewards = shared_array!(i32, BLOCK * BLOCK);
    let (columns, tx) = (columns as usize, block.thread());
    let (tile_x, tile_y) = (block.index(), diagonal as usize - 1 - block.index());
    let corner = columns * BLOCK * tile_y + BLOCK * tile_x;
    assert!(corner + columns * BLOCK + BLOCK < items.len());
    let items = items.raw();
    // SAFETY: the tile and its border lie within the matrix (asserted); the border is written by earlier launches only. Each thread writes
    // places of its own in shared memory.
    unsafe {
        if tx == 0 {
            scores.set(0, *items.add(corner));
        }
        for y in 0..BLOCK {
            let at = corner + columns * (y + 1) + tx + 1;
            rewards.set(y * BLOCK + tx, similarity[at]);
        }
        scores.set((tx + 1) * WIDTH, *items.add(corner + columns * (tx + 1)));
        scores.set(tx + 1, *items.add(corner + tx + 1));
    }
    block.sync();
    let cell = |x: usize, y: usize| {
        // SAFETY: the three neighbours were written before the latest barrier; the cell is this thread's.
        unsafe {
            let match_or_not =
                scores.get((y - 1) * WIDTH + x - 1) + rewards.get((y - 1) * BLOCK + x - 1);
            let gap_in_row = scores.get(y * WIDTH + x - 1) - penalty;
            let gap_in_column = scores.get((y - 1) * WIDTH + x) - penalty;
            scores.set(
                y * WIDTH + x,
                match_or_not.max(gap_in_row).max(gap_in_column),
            );
        }
    };
    for m in 0..BLOCK {
        if tx <= m {
            cell(tx + 1, m - tx + 1);
        }
        block.sync();
    }
    for m in (0..=BLOCK - 2).rev() {
        if tx <= m {
            cell(tx + BLOCK - m, BLOCK - tx);
        }
        block.sync();
    }
    for y in 0..BLOCK {
        // SAFETY: no thread writes shared memory behind the last barrier; the element is this thread's.
        unsafe {
            let value = scores.get((y + 1) * WIDTH + tx + 1);
            *items.add(corner + columns * (y + 1) + tx + 1) = value;
        }
    }
}

const PENALTY: i32 = 10;

/// Computes the tiles on a diagonal, in a matrix with a row and a column in front of the tiles.
fn reference(columns: usize, diagonal: usize, similarity: &[i32], items: &mut [i32]) {
    for tile in 0..diagonal {
        let (x, y) = (tile * BLOCK, (diagonal - 1 - tile) * BLOCK);
        for row in y + 1..=y + BLOCK {
            for column in x + 1..=x + BLOCK {
                let at = row * columns + column;
                items[at] = (items[at - columns - 1] + similarity[at])
                    .max(items[at - 1] - PENALTY)
                    .max(items[at - columns] - PENALTY);
            }
        }
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (tiles, diagonal) = [(5, 4), (256, 256)][scale as usize];
    let columns = tiles * BLOCK + 1;
    let scores = below(columns * columns, 15, 1);
    let similarity: Vec<i32> = scores.iter().map(|&x| x as i32 - 5).collect();
    let mut items: Vec<i32> = vec![0; columns * columns];
    for k in 0..columns {
        items[k] = -(k as i32) * PENALTY;
        items[k * columns] = -(k as i32) * PENALTY;
    }
    for earlier in 1..diagonal {
        reference(columns, earlier, &similarity, &mut items);
    }
    let mut expected = items.clone();
    reference(columns, diagonal, &similarity, &mut expected);

    let similarity = side.upload(&similarity)?;
    let mut items = side.output(&items, expected, 0.0)?;
    let (blocks, columns) = (diagonal as u32, columns as u32);
    let arguments = arguments![
        &similarity,
        &items.buffer,
        columns as i32,
        PENALTY,
        diagonal as i32
    ];
    // SAFETY: two matrices with so many columns and rows, a price, and a diagonal of tiles in them.
    let twin = unsafe { Call::new("diagonal_of_tiles", blocks, 16, arguments) };
    side.kernel(
        "diagonal_of_tiles",
        vec![twin],
        &mut items,
        |stream, items| {
            let shape = Launch::new(blocks, 16);
            let items = &mut items.buffer;
            Ok(diagonal_of_tiles::launch(
                stream,
                shape,
                columns,
                PENALTY,
                blocks,
                &similarity,
                items,
            )?)
        },
    )
}
