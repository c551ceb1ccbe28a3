//! Rodinia `lud`: decomposition of a matrix into triangles, by blocks of 16 by 16: the block on the diagonal, the blocks beside and below it, the rest.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "lud",
    run,
};

const BLOCK: usize = 16;

/// An element of the matrix, which other blocks only read at places that this launch does not change.
fn read(m: *mut f32, at: usize, len: usize) -> f32 {
    assert!(at < len);
    // SAFETY: within the matrix; no thread writes the element, or this one alone.
    unsafe { m.add(at).read() }
}

fn write(m: *mut f32, at: usize, len: usize, value: f32) {
    assert!(at < len);
    // SAFETY: within the matrix; no other thread accesses the element.
    unsafe { m.add(at).write(value) }
}

// All three change a part of the matrix by other parts of it: outputs are raw, and so is shared memory that threads write out of turn.
#[kernel(fma, block(16))]
fn diagonal(block: Block, dim: u32, offset: u32, mut m: DisjointSlice<f32>) {
    let shadow = shared_array!(f32, BLOCK * BLOCK);
    let (dim, offset, tx) = (dim as usize, offset as usize, block.thread());
    let (start, len, m) = (offset * dim + offset, m.len(), m.raw());
    // SAFETY: until the barriers below each thread writes and reads its own column, or what was written before a barrier.
    let get = |row: usize, column: usize| unsafe { shadow.get(row * BLOCK + column) };
    // SAFETY: as above.
    let set = |row: usize, column: usize, x| unsafe { shadow.set(row * BLOCK + column, x) };
    for row in 0..BLOCK {
        set(row, tx, read(m, start + row * dim + tx, len));
    }
    block.sync();
    for i in 0..BLOCK - 1 {
        if tx > i {
            let mut value = get(tx, i);
            for j in 0..i {
                value -= get(tx, j) * get(j, i);
            }
            set(tx, i, value / get(i, i));
        }
        block.sync();
        if tx > i {
            let mut value = get(i + 1, tx);
            for j in 0..=i {
                value -= get(i + 1, j) * get(j, tx);
            }
            set(i + 1, tx, value);
        }
        block.sync();
    }
    for row in 1..BLOCK {
        write(m, start + row * dim + tx, len, get(row, tx));
    }
}

#[kernel(fma, block(32))]
fn perimeter(block: Block, dim: u32, offset: u32, mut m: DisjointSlice<f32>) {
    let corner = shared_array!(f32, BLOCK * BLOCK);
    let beside = shared_array!(f32, BLOCK * BLOCK);
    let below = shared_array!(f32, BLOCK * BLOCK);
    let (dim, offset) = (dim as usize, offset as usize);
    let (len, m) = (m.len(), m.raw());
    let distance = (block.index() + 1) * BLOCK;
    let first = |row: usize| (offset + row) * dim + offset;
    let left = block.thread() < BLOCK;
    let own = block.thread() % BLOCK;
    // SAFETY: each thread writes places of its own before a barrier; later its own row or column alone.
    unsafe {
        let rows = if left { 0..BLOCK / 2 } else { BLOCK / 2..BLOCK };
        for row in rows {
            corner.set(row * BLOCK + own, read(m, first(row) + own, len));
        }
        for row in 0..BLOCK {
            if left {
                let at = first(row) + distance + own;
                beside.set(row * BLOCK + own, read(m, at, len));
            } else {
                let at = first(row + distance) + own;
                below.set(row * BLOCK + own, read(m, at, len));
            }
        }
    }
    block.sync();
    // SAFETY: behind the barrier each thread writes its own column of `beside` or row of `below`; `corner` is only read.
    unsafe {
        if left {
            for i in 1..BLOCK {
                let mut value = beside.get(i * BLOCK + own);
                for j in 0..i {
                    value -= corner.get(i * BLOCK + j) * beside.get(j * BLOCK + own);
                }
                beside.set(i * BLOCK + own, value);
            }
        } else {
            for i in 0..BLOCK {
                let mut value = below.get(own * BLOCK + i);
                for j in 0..i {
                    value -= below.get(own * BLOCK + j) * corner.get(j * BLOCK + i);
                }
                below.set(own * BLOCK + i, value / corner.get(i * BLOCK + i));
            }
        }
    }
    block.sync();
    // SAFETY: no thread writes shared memory behind the barrier.
    unsafe {
        for row in 0..BLOCK {
            if left {
                let at = first(row) + distance + own;
                write(m, at, len, beside.get(row * BLOCK + own));
            } else {
                let at = first(row + distance) + own;
                write(m, at, len, below.get(row * BLOCK + own));
            }
        }
    }
}

#[kernel(fma, block(16, 16))]
fn internal(
    block: Block,
    dim: u32,
    offset: u32,
    mut beside: SharedTile<f32, { BLOCK * BLOCK }>,
    mut below: SharedTile<f32, { BLOCK * BLOCK }>,
    mut m: DisjointSlice<f32>,
) {
    let (dim, offset) = (dim as usize, offset as usize);
    let (tx, ty) = (thread_idx().x as usize, thread_idx().y as usize);
    let (len, m) = (m.len(), m.raw());
    let row = offset + (block_idx().y as usize + 1) * BLOCK;
    let column = offset + (block_idx().x as usize + 1) * BLOCK;
    beside.set_own(0, read(m, (offset + ty) * dim + column + tx, len));
    below.set_own(0, read(m, (row + ty) * dim + offset + tx, len));
    let (beside, below) = (beside.publish(&block), below.publish(&block));
    let mut sum = 0.0;
    for i in 0..BLOCK {
        sum += below[ty * BLOCK + i] * beside[i * BLOCK + tx];
    }
    let at = (row + ty) * dim + column + tx;
    write(m, at, len, read(m, at, len) - sum);
}

/// The matrix after the diagonal block at `offset`, after the perimeter, after the rest.
fn reference(n: usize, offset: usize, matrix: &[f32]) -> [Vec<f32>; 3] {
    let mut m = matrix.to_vec();
    let (first, end) = (offset, offset + BLOCK);
    for i in first..end {
        for row in i + 1..end {
            m[row * n + i] /= m[i * n + i];
            for column in i + 1..end {
                m[row * n + column] -= m[row * n + i] * m[i * n + column];
            }
        }
    }
    let diagonal = m.clone();
    for i in first..end {
        for other in end..n {
            for j in first..i {
                m[i * n + other] -= m[i * n + j] * m[j * n + other];
                m[other * n + i] -= m[other * n + j] * m[j * n + i];
            }
            m[other * n + i] /= m[i * n + i];
        }
    }
    let perimeter = m.clone();
    for row in end..n {
        for column in end..n {
            let sum: f32 = (first..end)
                .map(|j| m[row * n + j] * m[j * n + column])
                .sum();
            m[row * n + column] -= sum;
        }
    }
    [diagonal, perimeter, m]
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (n, offset) = [(80, 16), (4096, 64)][scale as usize];
    let mut matrix = noise(n * n, 1);
    (0..n).for_each(|k| matrix[k * n + k] += 20.0);
    let [after_diagonal, after_perimeter, after_internal] = reference(n, offset, &matrix);
    let blocks = ((n - offset) / BLOCK - 1) as u32;
    let (dim, offset) = (n as u32, offset as u32);

    let mut m = side.output(&matrix, after_diagonal.clone(), 1e-4)?;
    // SAFETY: a matrix, its size, and where the first block of the rest lies.
    let twin = unsafe { Call::new("diagonal", 1, 16, arguments![&m.buffer, dim, offset]) };
    side.kernel("diagonal", vec![twin], &mut m, |stream, m| {
        Ok(diagonal::launch(
            stream,
            Launch::new(1, 16),
            dim,
            offset,
            &mut m.buffer,
        )?)
    })?;

    let mut m = side.output(&after_diagonal, after_perimeter.clone(), 1e-4)?;
    // SAFETY: as above.
    let twin = unsafe { Call::new("perimeter", blocks, 32, arguments![&m.buffer, dim, offset]) };
    side.kernel("perimeter", vec![twin], &mut m, |stream, m| {
        Ok(perimeter::launch(
            stream,
            Launch::new(blocks, 32),
            dim,
            offset,
            &mut m.buffer,
        )?)
    })?;

    let mut m = side.output(&after_perimeter, after_internal, 1e-4)?;
    let grid = (blocks, blocks);
    // SAFETY: as above.
    let twin = unsafe {
        Call::new(
            "internal",
            grid,
            (16, 16),
            arguments![&m.buffer, dim, offset],
        )
    };
    side.kernel("internal", vec![twin], &mut m, |stream, m| {
        let shape = Launch::new(grid, (16, 16));
        Ok(internal::launch(stream, shape, dim, offset, &mut m.buffer)?)
    })
}
