//! Addresses that are no multiple of what the access needs.

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::device_std::intrinsics as raw;
use warploom::prelude::*;

use crate::case::{case, cases, count, launch};

/// Words behind a header of one byte.
#[kernel]
fn words_behind_a_header<const BUG: bool>(i: Index1D, x: &[u8], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        let word = x.as_ptr().wrapping_add(1 + 4 * i.get()).cast::<u32>();
        // SAFETY: four bytes from here on; only the aligned read needs more. The bug is the point.
        *y = unsafe {
            if BUG {
                *word //~ WL0004
            } else {
                word.read_unaligned()
            }
        };
    }
}

/// Pairs of words that begin with the second one, read as one.
#[kernel]
fn pairs_from_the_second<const BUG: bool>(i: Index1D, x: &[u32], mut y: DisjointSlice<u64>) {
    if let Some(y) = y.get_mut(i) {
        let first = if BUG { 2 * i.get() + 1 } else { 2 * i.get() };
        let pair = x.as_ptr().wrapping_add(first).cast::<u64>();
        // SAFETY: two elements from an even one on; the buffer starts at a multiple of 256. The bug is the point.
        *y = unsafe { *pair }; //~ WL0004
    }
}

/// Rows of six floats, read four at a time.
#[kernel]
fn rows_of_six<const BUG: bool>(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        let pitch = if BUG { 6 } else { 8 };
        let row = x.as_ptr().wrapping_add(pitch * i.get());
        // SAFETY: at least four elements from here on, in rows that start at multiples of 32 bytes. The bug is the point.
        let four = unsafe { *row.cast::<u128>() }; //~ WL0004
        *y = f32::from_bits(four as u32) + f32::from_bits((four >> 96) as u32);
    }
}

/// Pairs in a shared array of words, from the second word on.
#[kernel]
fn shared_pairs<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u64>) {
    let words = shared_array!(u32, 130);
    let t = block.thread();
    let first = if BUG { 1 } else { 2 };
    let pair = words.as_ptr().wrapping_add(first + 2 * t).cast::<u64>();
    // SAFETY: each thread has its own pair, below 130; from an even one on. The bug is the point.
    unsafe { *pair = 5 * t as u64 }; //~ WL0004
    block.sync();
    if let Some(y) = y.get_mut(i) {
        // SAFETY: as above.
        *y = unsafe { pair.read_unaligned() }; //~? WL0020
    }
}

/// Two arrays in dynamic shared memory, the second behind 100 bytes.
#[kernel]
fn layout_by_hand<const BUG: bool>(
    block: Block,
    i: Index1D,
    shared: DynamicShared<u8>,
    mut y: DisjointSlice<f64>,
) {
    let t = block.thread();
    let start = if BUG { 100 } else { 104 };
    // SAFETY: each thread has its own element, behind the flags; at a multiple of 8. The bug is the point.
    unsafe {
        let numbers = shared.as_ptr().add(start).cast::<f64>();
        *shared.as_ptr().add(t) = t as u8;
        *numbers.add(t) = t as f64; //~ WL0004
        block.sync();
        if let Some(y) = y.get_mut(i) {
            let flag = f64::from(*shared.as_ptr().add((t + 1) % 96));
            *y = numbers.add(t).read_unaligned() - flag; //~? WL0020
        }
    }
}

/// A counter of 64 bits behind one of 32.
#[kernel]
unsafe fn atomic_behind_a_word<const BUG: bool>(x: *mut u32) {
    let counter = x.wrapping_add(if BUG { 1 } else { 2 }).cast::<u64>();
    // SAFETY: eight bytes of a buffer with no other accesses, aligned to 8. The bug is the point.
    let counter = unsafe { &*counter.cast::<Atomic<u64>>() };
    counter.fetch_add(3, Relaxed); //~ WL0004
}

/// Copies of 16 bytes to every 8.
#[kernel]
fn copies_to_halves<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u64],
    mut y: DisjointSlice<u64>,
) {
    let tile = shared_array!(u64, 130);
    let t = block.thread();
    let from = 2 * t;
    let to = from + usize::from(BUG);
    // SAFETY: 16 bytes for each thread, aligned to 16, waited for before they are read. The bug is the point.
    unsafe {
        let target = tile.as_ptr().add(to).cast::<u8>();
        raw::copy_async_16(target, x.as_ptr().add(from).cast()); //~ WL0004
        raw::copy_async_wait_all();
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = tile.get(2 * (63 - t)); //~? WL0020
        }
    }
}

cases!("misaligned.rs":
    case!(words_behind_a_header, "", |run| {
        let x: Vec<u8> = (0..129).map(|i| (i * 7) as u8).collect();
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        launch!(run, words_behind_a_header, (1, 32), &input, &mut y);
        run.expect(&y, |i| u32::from_le_bytes([1, 2, 3, 4].map(|k| x[4 * i + k])))
    }),
    case!(pairs_from_the_second, "", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(130))?, run.zeroed::<u64>(64)?);
        launch!(run, pairs_from_the_second, (2, 32), &x, &mut y);
        run.expect(&y, |i| (2 * i as u64) | ((2 * i as u64 + 1) << 32))
    }),
    case!(rows_of_six, "P-41", |run| {
        let x = Vec::from_iter((0..320).map(|i| i as f32));
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f32>(40)?);
        launch!(run, rows_of_six, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[8 * i] + x[8 * i + 3])
    }),
    case!(shared_pairs, "", |run| {
        let mut y = run.zeroed::<u64>(64)?;
        launch!(run, shared_pairs, (1, 64), &mut y);
        run.expect(&y, |i| 5 * i as u64)
    }),
    case!(layout_by_hand, "", |run| {
        let mut y = run.zeroed::<f64>(192)?;
        launch!(run, layout_by_hand, Launch::new(2, 96).dynamic_shared(872), &mut y);
        run.expect(&y, |i| (i % 96) as f64 - ((i + 1) % 96) as f64)
    }),
    case!(atomic_behind_a_word, "", |run| {
        let counters = run.zeroed::<u32>(4)?;
        let start = std::ptr::with_exposed_provenance_mut(counters.raw_ptr() as usize);
        // SAFETY: 16 bytes that stay allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, atomic_behind_a_word, (2, 32), start) };
        run.expect(&counters, |i| if i == 2 { 192 } else { 0 })
    }),
    case!(copies_to_halves, "cp.async", |run| {
        let (x, mut y) = (run.upload(&count::<u64>(128))?, run.zeroed::<u64>(64)?);
        launch!(run, copies_to_halves, (1, 64), &x, &mut y);
        run.expect(&y, |i| 2 * (63 - i as u64))
    }),
);
