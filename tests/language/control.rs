//! Loops, labels, shadowing, memory on the stack.

use crate::{N, agree, floats, noise};

fn labels(x: &[u32], i: usize) -> [u32; 4] {
    let mut visited = 0;
    let found = 'search: loop {
        for a in 1..30u32 {
            for b in a..30 {
                visited += 1;
                if (a * a + b * b) % 97 == x[i] % 97 {
                    break 'search Some(a * 100 + b);
                }
                if visited > 300 {
                    break 'search None;
                }
            }
        }
    };
    let mut skipped = 0;
    'rows: for row in 0..9 {
        for column in 0..9 {
            if x[(i + row * 9 + column) % x.len()].is_multiple_of(13) {
                skipped += 1;
                continue 'rows;
            }
        }
    }
    let block = 'value: {
        if x[i].is_multiple_of(2) {
            break 'value 5;
        }
        if x[i].is_multiple_of(3) {
            break 'value 6;
        }
        x[i] >> 20
    };
    [found.unwrap_or(0), visited, skipped, block]
}

//@ rows: GPM-13
#[test]
fn labeled_breaks() {
    agree(&noise(N), labels);
}

fn loops(x: &[u32], i: usize) -> [u32; 4] {
    let (mut a, mut b) = (x[i], x[x.len() - 1 - i]);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let mut stack = [0u32; 40];
    let (mut depth, mut sum) = (1usize, 0);
    stack[0] = x[i] % 20;
    while let Some(top) = depth.checked_sub(1) {
        let v = stack[top];
        depth = top;
        sum += v;
        for child in [v / 3, v / 2] {
            if child > 0 {
                stack[depth] = child;
                depth += 1;
            }
        }
    }
    let x = x[i];
    let x = {
        let x = x >> 3;
        x ^ x << 1
    };
    let turns = {
        let mut turns = 0;
        let mut x = x;
        loop {
            if x < 10 {
                break turns;
            }
            x /= 7;
            turns += 1
        }
    };
    [a, sum, x, turns]
}

//@ rows: GPM-13
#[test]
fn while_loops_and_shadowing() {
    agree(&noise(N), loops);
}

fn matrices(x: &[f32], i: usize) -> [f32; 4] {
    const SIZE: usize = 6;
    let mut m = [[0.0f32; SIZE]; SIZE];
    for (r, row) in m.iter_mut().enumerate() {
        for (c, v) in row.iter_mut().enumerate() {
            *v = x[(i + r * SIZE + c) % x.len()] + if r == c { 40.0 } else { 0.0 };
        }
    }
    let mut determinant = 1.0;
    for k in 0..SIZE {
        let pivot = (k..SIZE).fold(k, |best, r| {
            if m[r][k].abs() > m[best][k].abs() {
                r
            } else {
                best
            }
        });
        if pivot != k {
            m.swap(pivot, k);
            determinant = -determinant;
        }
        determinant *= m[k][k];
        for r in k + 1..SIZE {
            let factor = m[r][k] / m[k][k];
            let (above, below) = m.split_at_mut(r);
            for (v, pivot) in below[0].iter_mut().zip(&above[k]).skip(k) {
                *v -= factor * pivot;
            }
        }
    }
    let (row, column) = (i % SIZE, (i * i) % SIZE);
    [
        determinant,
        m[row][column],
        m[column][row],
        m[0].iter().sum(),
    ]
}

#[test]
fn matrices_with_dynamic_indices() {
    agree(&floats(N), matrices);
}

/// 4 KiB of stack in each thread.
fn sieve(x: &[u32], i: usize) -> [u32; 2] {
    let mut composite = [false; 4096];
    let limit = 1000 + x[i] as usize % 3000;
    let mut primes = 0;
    for n in 2..limit {
        if composite[n] {
            continue;
        }
        primes += 1;
        for multiple in (n * n..limit).step_by(n) {
            composite[multiple] = true;
        }
    }
    [primes, composite[x[i] as usize % 4096].into()]
}

#[test]
fn kilobytes_of_stack() {
    agree(&noise(67), sieve);
}
