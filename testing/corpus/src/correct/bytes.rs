//! Accesses to different bytes of one word, or of different widths to one place at different times.

use core::sync::atomic::Ordering;

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::prelude::*;

use crate::case::{cases, correct, count, noise, start};

/// Neighbouring threads write bytes of one word.
#[kernel]
fn bytes_of_a_word(i: Index1D, x: &[u32], mut y: DisjointSlice<u8>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] as u8;
    }
}

/// Threads of different warps, and of different blocks, write the four bytes of each word.
#[kernel]
fn bytes_by_four_blocks(block: Block, x: &[u32], mut y: DisjointSlice<u8>) {
    let at = 4 * block.thread() + block.index();
    // SAFETY: each thread of each block has its own byte.
    unsafe { *y.raw().add(at) = x[at] as u8 };
}

/// Even lanes write the lower half of a shared word, odd ones the upper half of the same, and read their own back.
#[kernel]
fn halves_of_shared_words(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let words = shared_array!(u32, 32);
    let t = block.thread();
    let own = words.as_ptr().cast::<u16>().wrapping_add(t);
    // SAFETY: each thread has its own half of a word.
    unsafe {
        *own = x[i.get()] as u16;
        let back = u32::from(*own);
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = back + 1000 * (words.get(t / 2) >> 16);
        }
    }
}

/// Bytes first, then a barrier, then whole words.
#[kernel]
fn bytes_then_words(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let bytes = shared_array!(u32, 32);
    let (t, p) = (block.thread(), bytes.as_ptr().cast::<u8>());
    // SAFETY: each thread has four bytes that are 32 apart; a barrier before others read.
    unsafe {
        for k in 0..4 {
            *p.add(32 * k + t) = x[i.get()] as u8 + k as u8;
        }
        block.sync();
        let word = bytes.get(t);
        if let Some(y) = y.get_mut(i) {
            *y = word;
        }
    }
}

/// Vectors of 16 bytes next to each other, written by one half of the block while the other reads scalars between them.
#[kernel]
fn vectors_beside_scalars(
    block: Block,
    i: Index1D,
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let (t, data) = (block.thread(), data.raw());
    // SAFETY: of every eight elements one thread writes the first four, another reads the last.
    unsafe {
        if t < 32 {
            *data.add(8 * t).cast::<u128>() = t as u128;
        } else if let Some(y) = y.get_mut(i) {
            *y = *data.add(8 * (t - 32) + 7);
        }
    }
}

/// Fields of one record, each by another thread.
#[kernel]
fn fields_by_threads(i: Index1D, mut records: DisjointSlice<u64>) {
    let (record, field) = (i.get() / 3, i.get() % 3);
    let start = records.raw().wrapping_add(record).cast::<u8>();
    // SAFETY: bytes 0..4 for field 0, 4..6 for field 1, 6..8 for field 2.
    unsafe {
        match field {
            0 => *start.cast::<u32>() = 7,
            1 => *start.add(4).cast::<u16>() = record as u16,
            _ => *start.add(6).cast::<u16>() = 9,
        }
    }
}

/// Atomic additions, a barrier, ordinary reads, a barrier, atomic additions again.
#[kernel]
fn atomics_and_plain_in_turn(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let bins = shared_array!(u32, 16);
    let t = block.thread();
    let mut seen = 0;
    // SAFETY: barriers between atomics and ordinary accesses.
    unsafe {
        if t < 16 {
            bins.set(t, 0);
        }
        block.sync();
        for round in 0..3 {
            let bin = (x[i.get()] as usize + round) % 16;
            bins.atomic(bin).fetch_add(1, Ordering::Relaxed);
            block.sync();
            seen += bins.get(bin);
            block.sync();
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = u32::from(seen >= 3);
    }
}

/// A counter that threads add to, and read by the value that the addition gives back.
#[kernel]
fn addition_gives_the_place(i: Index1D, next: &[Atomic<u32>], mut seen: DisjointSlice<u32>) {
    let place = next[i.get() % 2].fetch_add(1, Relaxed) as usize;
    // SAFETY: each place of each half was given out once.
    unsafe { *seen.raw().add(32 * (i.get() % 2) + place) = 1 };
}

/// Atomics of 64 bits beside atomics of 32 bits in the neighbouring word.
#[kernel]
fn neighbouring_sizes(i: Index1D, mut words: DisjointSlice<u64>) {
    let start = words.raw();
    // SAFETY: the first eight bytes for one counter, the next four for another.
    unsafe {
        Atomic::<u64>::from_ptr(start).fetch_add(i.get() as u64, Relaxed);
        Atomic::<u32>::from_ptr(start.add(1).cast()).fetch_add(1, Relaxed);
    }
}

/// One thread reads words that its own bytes and those of others before a barrier make up, unaligned.
#[kernel]
fn unaligned_behind_a_barrier(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let bytes = shared_array!(u8, 132);
    let t = block.thread();
    // SAFETY: all bytes are written before the barrier, and only read after it.
    unsafe {
        for k in (t..132).step_by(32) {
            bytes.set(k, x[k] as u8);
        }
        block.sync();
        let word = bytes.as_ptr().add(4 * t + 1).cast::<u32>().read_unaligned();
        if let Some(y) = y.get_mut(i) {
            *y = word;
        }
    }
}

cases!("bytes.rs":
    correct!(bytes_of_a_word, |run| {
        let x = noise(100);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u8>(100)?);
        start!(run, bytes_of_a_word, (2, 64), &input, &mut y);
        run.expect(&y, |i| x[i] as u8)
    }),
    correct!(bytes_by_four_blocks, |run| {
        let x = noise(256);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u8>(256)?);
        start!(run, bytes_by_four_blocks, (4, 64), &input, &mut y);
        run.expect(&y, |i| x[i] as u8)
    }),
    correct!(halves_of_shared_words, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, halves_of_shared_words, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[i] + 1000 * x[i / 2 * 2 + 1])
    }),
    correct!(bytes_then_words, |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, bytes_then_words, (1, 32), &input, &mut y);
        run.expect(&y, |i| u32::from_le_bytes([0, 1, 2, 3].map(|k| x[(4 * i + k) % 32] as u8 + (i / 8) as u8)))
    }),
    correct!(vectors_beside_scalars, |run| {
        let (mut data, mut y) = (run.upload(&count::<u32>(256))?, run.zeroed::<u32>(64)?);
        start!(run, vectors_beside_scalars, (1, 64), &mut data, &mut y);
        run.expect(&y, |i| if i < 32 { 0 } else { 8 * (i as u32 - 32) + 7 })
    }),
    correct!(fields_by_threads, |run| {
        let mut records = run.zeroed::<u64>(32)?;
        start!(run, fields_by_threads, (3, 32), &mut records);
        run.expect(&records, |k| 7 | (k as u64) << 32 | 9 << 48)
    }),
    correct!(atomics_and_plain_in_turn, |run| {
        let (x, mut y) = (run.upload(&noise(64))?, run.zeroed::<u32>(64)?);
        start!(run, atomics_and_plain_in_turn, (1, 64), &x, &mut y);
        run.expect(&y, |_| 1)
    }),
    correct!(addition_gives_the_place, |run| {
        let (mut next, mut seen) = (run.zeroed::<u32>(2)?, run.zeroed::<u32>(64)?);
        start!(run, addition_gives_the_place, (2, 32), next.as_atomics(), &mut seen);
        run.expect(&seen, |_| 1)
    }),
    correct!(neighbouring_sizes, |run| {
        let mut words = run.zeroed::<u64>(2)?;
        start!(run, neighbouring_sizes, (2, 32), &mut words);
        run.expect(&words, |k| [2016, 64][k])
    }),
    correct!(unaligned_behind_a_barrier, |run| {
        let x = noise(132);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, unaligned_behind_a_barrier, (1, 32), &input, &mut y);
        run.expect(&y, |i| u32::from_le_bytes([1, 2, 3, 4].map(|k| x[4 * i + k] as u8)))
    }),
);
