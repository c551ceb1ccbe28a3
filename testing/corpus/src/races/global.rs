//! Between the threads of one block, in global memory.

use warploom::prelude::*;

use crate::case::{case, cases, count, doubles, launch, noise};

/// Pairs of threads that write one element.
#[kernel]
fn pairs_write_one<const BUG: bool>(block: Block, mut y: DisjointSlice<u32>) {
    let (t, y) = (block.thread(), y.raw());
    // SAFETY: each thread has its own element. The bug is the point.
    unsafe { *y.add(if BUG { t / 2 } else { t }) = 3 * t as u32 }; //~ WL0110
}

/// A histogram without atomics.
#[kernel]
fn histogram_without_atomics<const BUG: bool>(block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let (t, n) = (block.thread(), block.threads());
    let y = y.raw();
    // SAFETY: one thread at a time, or, in the twin, a bin for each thread. The bug is the point.
    unsafe {
        if BUG {
            *y.add(x[t] as usize) += 1; //~ WL0111 //~? WL0110
        } else {
            for v in &x[..n] {
                if *v as usize == t {
                    *y.add(t) += 1;
                }
            }
        }
    }
}

/// A shift by one in place.
#[kernel]
fn shift_in_place<const BUG: bool>(block: Block, mut y: DisjointSlice<u64>) {
    let (t, n) = (block.thread(), y.len());
    let y = y.raw();
    // SAFETY: a barrier between reading and writing. The bug is the point.
    unsafe {
        let next = *y.add((t + 1) % n); //~ WL0111 second
        if !BUG {
            block.sync();
        }
        *y.add(t) = next; //~ WL0111 first
    }
}

/// Threads exchange values through a buffer.
#[kernel]
fn exchange_through_a_buffer<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[f64],
    mut scratch: DisjointSlice<f64>,
    mut y: DisjointSlice<f64>,
) {
    let (t, n) = (block.thread(), block.threads());
    let own = scratch.raw().wrapping_add(block.index() * n);
    // SAFETY: each block has its part; a barrier between writing and reading. The bug is the point.
    unsafe {
        *own.add(t) = x[i.get()]; //~ WL0111 second
        if !BUG {
            block.sync();
        }
        let value = *own.add(n - 1 - t); //~ WL0111 first
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// A reduction in global memory, step by step.
#[kernel]
fn reduce_in_global_memory<const BUG: bool>(block: Block, mut x: DisjointSlice<u32>) {
    let (t, n) = (block.thread(), block.threads());
    let own = x.raw().wrapping_add(block.index() * n);
    let mut half = n / 2;
    // SAFETY: each block has its part; barriers between the steps. The bug is the point.
    unsafe {
        while half > 0 {
            if t < half {
                *own.add(t) += *own.add(t + half); //~ WL0111
            }
            if !BUG {
                block.sync();
            }
            half /= 2;
        }
    }
}

/// A bit for each thread, eight in a byte.
#[kernel]
fn bits_of_a_byte<const BUG: bool>(block: Block, warp: Warp, x: &[u32], mut y: DisjointSlice<u8>) {
    let (t, y) = (block.thread(), y.raw());
    let large = x[t] >= 50;
    let votes = warp.ballot(large).bits();
    // SAFETY: one thread for each byte. The bug is the point.
    unsafe {
        if BUG {
            if large {
                *y.add(t / 8) |= 1 << (t % 8); //~ WL0111 //~? WL0110
            }
        } else if t.is_multiple_of(8) {
            *y.add(t / 8) = (votes >> (t % 32)) as u8;
        }
    }
}

/// Elements of 16 bytes, written a half at a time by two threads, of which one is a row too far.
#[kernel]
fn halves_of_a_pair<const BUG: bool>(block: Block, mut y: DisjointSlice<[u64; 2]>) {
    let (t, n) = (block.thread(), block.threads() / 2);
    let y = y.raw().cast::<u64>();
    let half = usize::from(t >= n);
    let at = if BUG && t == n { 2 } else { 2 * (t % n) + half };
    // SAFETY: each thread has its own half. The bug is the point.
    unsafe { *y.add(at) = t as u64 }; //~ WL0110
}

cases!("global.rs":
    case!(pairs_write_one, "shift one index", |run| {
        let mut y = run.zeroed::<u32>(96)?;
        launch!(run, pairs_write_one, (1, 96), &mut y);
        run.expect(&y, |i| 3 * i as u32)
    }),
    case!(histogram_without_atomics, "P-01 P-29 histogram", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, histogram_without_atomics, (1, 128), &input, &mut y);
        run.expect(&y, |bin| x.iter().filter(|&&v| v as usize == bin).count() as u32)
    }),
    case!(shift_in_place, "P-25", |run| {
        let mut y = run.upload(&count::<u64>(100))?;
        launch!(run, shift_in_place, (1, 100), &mut y);
        run.expect(&y, |i| (i as u64 + 1) % 100)
    }),
    case!(exchange_through_a_buffer, "drop one barrier", |run| {
        let x = doubles(192);
        let (input, mut scratch, mut y) = (run.upload(&x)?, run.zeroed::<f64>(192)?, run.zeroed::<f64>(192)?);
        launch!(run, exchange_through_a_buffer, (2, 96), &input, &mut scratch, &mut y);
        run.expect(&y, |i| x[i / 96 * 96 + 95 - i % 96])
    }),
    case!(reduce_in_global_memory, "P-25 reduce", |run| {
        let mut x = run.upload(&count::<u32>(192))?;
        launch!(run, reduce_in_global_memory, (3, 64), &mut x);
        let sums = x.to_vec(run.stream)?;
        let totals = run.upload(&[sums[0], sums[64], sums[128]])?;
        run.expect(&totals, |b| 4096 * b as u32 + 2016)
    }),
    case!(bits_of_a_byte, "", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u8>(16)?);
        launch!(run, bits_of_a_byte, (1, 128), &input, &mut y);
        run.expect(&y, |i| (0..8).map(|k| u8::from(x[8 * i + k] >= 50) << k).sum())
    }),
    case!(halves_of_a_pair, "", |run| {
        let mut y = run.zeroed::<[u64; 2]>(40)?;
        launch!(run, halves_of_a_pair, (1, 80), &mut y);
        run.expect(&y, |i| [i as u64, i as u64 + 40])
    }),
);
