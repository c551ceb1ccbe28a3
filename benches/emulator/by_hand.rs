//! The same algorithms as plain Rust: block by block, and within a block one loop over its threads for each stretch between two
//! barriers. This is what a compiler could make of a kernel at best, and what all results are compared with.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

use super::kernels::{BINS, COUNTED, KINDS, MEDIAN, ROUNDS, SAMPLES, THREADS, TILE};

/// Lanes of a warp.
const LANES: usize = 32;

/// Calls `work` with the number and the part of each unit of `per_unit` elements, spread over `cores` threads.
fn spread<T: Send>(
    cores: usize,
    out: &mut [T],
    per_unit: usize,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let run = |first: usize, part: &mut [T]| {
        for (unit, part) in part.chunks_exact_mut(per_unit).enumerate() {
            work(first + unit, part);
        }
    };
    let each = (out.len() / per_unit).div_ceil(cores).max(1);
    let mut parts = out.chunks_mut(each * per_unit).enumerate();
    let own = parts.next();
    thread::scope(|scope| {
        for (index, part) in parts {
            let run = &run;
            scope.spawn(move || run(index * each, part));
        }
        if let Some((_, part)) = own {
            run(0, part);
        }
    });
}

pub(crate) fn saxpy(cores: usize, a: f32, x: &[f32], y: &mut [f32]) {
    spread(cores, y, THREADS, |block, y| {
        for (y, x) in y.iter_mut().zip(&x[block * THREADS..]) {
            *y += a * x;
        }
    });
}

pub(crate) fn reduce(cores: usize, x: &[f32], y: &mut [f32]) {
    spread(cores, y, 1, |block, y| {
        let mut tile = [0.0; THREADS];
        tile.copy_from_slice(&x[block * THREADS..][..THREADS]);
        let mut half = THREADS / 2;
        while half > 0 {
            let (lower, upper) = tile.split_at_mut(half);
            for (a, b) in lower.iter_mut().zip(upper) {
                *a += *b;
            }
            half /= 2;
        }
        y[0] = tile[0];
    });
}

pub(crate) fn shuffle(cores: usize, x: &[f32], y: &mut [f32]) {
    spread(cores, y, LANES, |warp, y| {
        let mut sums = [0.0; LANES];
        sums.copy_from_slice(&x[warp * LANES..][..LANES]);
        for flip in [16, 8, 4, 2, 1] {
            let before = sums;
            for (lane, sum) in sums.iter_mut().enumerate() {
                *sum += before[lane ^ flip];
            }
        }
        y.copy_from_slice(&sums);
    });
}

pub(crate) fn scan(cores: usize, x: &[f32], y: &mut [f32]) {
    spread(cores, y, THREADS, |block, y| {
        let (mut from, mut to) = ([0.0; THREADS], [0.0; THREADS]);
        from.copy_from_slice(&x[block * THREADS..][..THREADS]);
        let mut distance = 1;
        while distance < THREADS {
            to[..distance].copy_from_slice(&from[..distance]);
            for thread in distance..THREADS {
                to[thread] = from[thread] + from[thread - distance];
            }
            std::mem::swap(&mut from, &mut to);
            distance *= 2;
        }
        y.copy_from_slice(&from);
    });
}

pub(crate) fn matmul(cores: usize, a: &[f32], b: &[f32], n: usize, c: &mut [f32]) {
    // A unit is a row of blocks: its part of `c` is in one piece.
    spread(cores, c, TILE * n, |of_blocks, c| {
        for left in (0..n).step_by(TILE) {
            let mut products = [[0.0; TILE]; TILE];
            for start in (0..n).step_by(TILE) {
                let (mut of_a, mut of_b) = ([[0.0; TILE]; TILE], [[0.0; TILE]; TILE]);
                for row in 0..TILE {
                    of_a[row].copy_from_slice(&a[(of_blocks * TILE + row) * n + start..][..TILE]);
                    of_b[row].copy_from_slice(&b[(start + row) * n + left..][..TILE]);
                }
                for (products, of_a) in products.iter_mut().zip(&of_a) {
                    for (a, of_b) in of_a.iter().zip(&of_b) {
                        for (product, b) in products.iter_mut().zip(of_b) {
                            *product += a * b;
                        }
                    }
                }
            }
            for (row, products) in products.iter().enumerate() {
                c[row * n + left..][..TILE].copy_from_slice(products);
            }
        }
    });
}

/// `counts` starts with zeros.
pub(crate) fn histogram(cores: usize, x: &[u32], blocks: usize, counts: &[AtomicU32]) {
    let count = blocks * THREADS;
    let mut unused = vec![(); blocks];
    spread(cores, &mut unused, 1, |block, _| {
        let mut bins = [0; BINS];
        for k in 0..COUNTED {
            for value in &x[block * THREADS + k * count..][..THREADS] {
                bins[*value as usize % BINS] += 1;
            }
        }
        for (total, bin) in counts.iter().zip(bins) {
            total.fetch_add(bin, Relaxed);
        }
    });
}

pub(crate) fn rounds(cores: usize, y: &mut [u32]) {
    spread(cores, y, THREADS, |block, y| {
        for (thread, value) in y.iter_mut().enumerate() {
            *value = (block * THREADS + thread) as u32;
        }
        let mut tile = [0; THREADS];
        for _ in 0..ROUNDS {
            tile.copy_from_slice(y);
            for (thread, value) in y.iter_mut().enumerate() {
                *value = tile[(thread + 1) % THREADS] + 1;
            }
        }
    });
}

pub(crate) fn stencil(cores: usize, x: &[f32], n: usize, y: &mut [f32]) {
    spread(cores, y, n, |row, y| {
        y.copy_from_slice(&x[row * n..][..n]);
        if row == 0 || row == n - 1 {
            return;
        }
        for (column, y) in y.iter_mut().enumerate().take(n - 1).skip(1) {
            let here = row * n + column;
            let around = x[here - 1] + x[here + 1] + x[here - n] + x[here + n];
            *y = x[here] + 0.25 * (around - 4.0 * x[here]);
        }
    });
}

/// The middle of an element is at one half.
pub(crate) fn sample_f32(cores: usize, x: &[f32], n: usize, y: &mut [f32]) {
    let (step, first) = SAMPLES;
    let place = |k: usize| {
        let from_middle = k as f32 * step + first - 0.5;
        (from_middle as usize, from_middle.fract())
    };
    spread(cores, y, n, |row, y| {
        let (top, down) = place(row);
        let (above, below) = x[top * n..][..2 * n].split_at(n);
        for (column, y) in y.iter_mut().enumerate() {
            let (left, right) = place(column);
            let between = |row: &[f32]| row[left] * (1.0 - right) + row[left + 1] * right;
            *y = between(above) * (1.0 - down) + between(below) * down;
        }
    });
}

pub(crate) fn transpose(cores: usize, x: &[f32], n: usize, y: &mut [f32]) {
    spread(cores, y, n * TILE, |rows, y| {
        for left in (0..n).step_by(TILE) {
            for row in 0..TILE {
                for column in 0..TILE {
                    y[row * n + left + column] = x[(left + column) * n + rows * TILE + row];
                }
            }
        }
    });
}

pub(crate) fn median(cores: usize, x: &[f32], y: &mut [f32]) {
    let count = x.len();
    spread(cores, y, THREADS, |block, y| {
        for (thread, y) in y.iter_mut().enumerate() {
            let mut window = [0.0; MEDIAN];
            for k in 0..MEDIAN {
                let value = x[(block * THREADS + thread + k) % count];
                let mut place = k;
                while place > 0 && window[place - 1] > value {
                    window[place] = window[place - 1];
                    place -= 1;
                }
                window[place] = value;
            }
            *y = window[MEDIAN / 2];
        }
    });
}

pub(crate) fn commonest(cores: usize, x: &[u32], y: &mut [u32]) {
    let count = y.len();
    spread(cores, y, THREADS, |block, y| {
        for (thread, y) in y.iter_mut().enumerate() {
            let mut counts = [0; KINDS];
            for k in 0..COUNTED {
                counts[x[block * THREADS + thread + k * count] as usize % KINDS] += 1;
            }
            *y = counts.iter().copied().fold(0, u32::max);
        }
    });
}
