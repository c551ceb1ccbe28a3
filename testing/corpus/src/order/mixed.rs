//! An atomic and an ordinary access to one place, or two atomics of different sizes, without order.

use core::sync::atomic::Ordering;

use warploom::device_std::atomic::{Atomic, Relaxed, spin_wait};
use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// A counter that others still add to is read as an ordinary variable.
#[kernel]
fn counter_read_plainly<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let counter = shared_array!(u32, 1);
    // SAFETY: plain accesses with barriers before and after. The bug is the point.
    unsafe {
        if block.thread() == 0 {
            counter.set(0, 0);
        }
        block.sync();
        if x[i.get()] >= 50 {
            counter.atomic(0).fetch_add(1, Ordering::Relaxed); //~ WL0120 second
        }
        if !BUG {
            block.sync();
        }
        let count = counter.get(0); //~ WL0120 first
        if let Some(y) = y.get_mut(i) {
            *y = count;
        }
    }
}

/// Bins that one thread zeroes while others count.
#[kernel]
fn zeroed_while_counting<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let bins = shared_array!(u32, 128);
    let t = block.thread();
    // SAFETY: plain accesses with barriers before and after. The bug is the point.
    unsafe {
        bins.set(t, 1);
        block.sync();
        bins.set(t, 0); //~ WL0120 second
        if !BUG {
            block.sync();
        }
        bins.atomic(x[i.get()] as usize)
            .fetch_add(1, Ordering::Relaxed); //~ WL0120 first
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = bins.get(t);
        }
    }
}

/// A total that a block reads plainly, while other blocks add to it.
#[kernel]
fn total_read_plainly<const BUG: bool>(
    block: Block,
    total: &[Atomic<u32>],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    if let Some(leader) = block.leader() {
        total[0].fetch_add(1, Relaxed); //~ WL0120 second
        let now = if BUG {
            // SAFETY: the bug is intended.
            unsafe { *total[0].as_ptr() } //~ WL0120 first
        } else {
            total[0].load(Relaxed)
        };
        if let Some(y) = y.get_mut(leader) {
            *y = u32::from(now >= 1);
        }
    }
}

/// The last block resets the counter plainly, for the next launch, while others may still add.
#[kernel]
fn counter_reset_plainly<const BUG: bool>(block: Block, counter: &[Atomic<u32>], blocks: u32) {
    if block.leader().is_none() {
        return;
    }
    if BUG && block.index() == 0 {
        // SAFETY: the bug is intended.
        unsafe { *counter[0].as_ptr() = 0 }; //~ WL0120 first
    }
    let before = counter[0].fetch_add(1, Relaxed); //~ WL0120 second
    if !BUG && before + 1 == blocks {
        counter[0].store(0, Relaxed);
    }
}

/// A flag that is set by an ordinary store, and polled.
#[kernel(cooperative)]
fn flag_set_plainly<const BUG: bool>(
    block: Block,
    flag: &[Atomic<u32>],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    if block.index() == 0 {
        if BUG {
            // SAFETY: the bug is intended.
            unsafe { *flag[0].as_ptr() = 1 }; //~ WL0120 second
        } else {
            flag[0].store(1, Relaxed);
        }
    } else {
        while flag[0].load(Relaxed) == 0 {
            //~^ WL0120 first
            spin_wait(50);
        }
    }
    if let Some(y) = y.get_mut(leader) {
        *y = 1;
    }
}

/// A sum of `f64`: half of the threads add atomically, half plainly.
#[kernel]
fn half_of_them_add_atomically<const BUG: bool>(i: Index1D, x: &[f64], sum: &[AtomicF64]) {
    let (at, v) = (i.get(), x[i.get()]);
    if !BUG || at.is_multiple_of(2) {
        sum[0].fetch_add(v); //~ WL0120 first
    } else if at == 33 {
        let sum = sum.as_ptr().cast_mut().cast::<f64>();
        // SAFETY: the bug is intended.
        unsafe { *sum += v }; //~ WL0120 second
    }
}

/// Two counters in one word of 64 bits: one block counts in the upper half by the word, the others in the lower half alone.
#[kernel]
fn half_of_a_word<const BUG: bool>(block: Block, words: &[Atomic<u64>]) {
    if block.index() == 0 {
        words[0].fetch_add(1 << 32, Relaxed); //~ WL0123 second
    } else if BUG {
        // SAFETY: the word lies there, and has the alignment of its half. The bug is the point.
        let low = unsafe { &*words.as_ptr().cast::<Atomic<u32>>() };
        low.fetch_add(1, Relaxed); //~ WL0123 first
    } else {
        words[0].fetch_add(1, Relaxed);
    }
}

cases!("mixed.rs":
    case!(counter_read_plainly, "drop one barrier", |run| {
        let x = noise(192);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(192)?);
        launch!(run, counter_read_plainly, (2, 96), &input, &mut y);
        run.expect(&y, |i| x[i / 96 * 96..][..96].iter().filter(|&&v| v >= 50).count() as u32)
    }),
    case!(zeroed_while_counting, "P-15 histogram", |run| {
        let x = noise(256);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(256)?);
        launch!(run, zeroed_while_counting, (2, 128), &input, &mut y);
        run.expect(&y, |i| x[i / 128 * 128..][..128].iter().filter(|&&v| v as usize == i % 128).count() as u32)
    }),
    case!(total_read_plainly, "", |run| {
        let (mut total, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(5)?);
        launch!(run, total_read_plainly, (5, 32), total.as_atomics(), &mut y);
        run.expect(&y, |_| 1)
    }),
    case!(counter_reset_plainly, "last block done", |run| {
        let mut counter = run.zeroed::<u32>(1)?;
        launch!(run, counter_reset_plainly, (6, 32), counter.as_atomics(), 6);
        run.expect(&counter, |_| 0)
    }),
    case!(flag_set_plainly, "", |run| {
        let (mut flag, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(3)?);
        launch!(run, flag_set_plainly, (3, 32), flag.as_atomics(), &mut y);
        run.expect(&y, |_| 1)
    }),
    case!(half_of_them_add_atomically, "P-01", |run| {
        let x = crate::case::doubles(128);
        let (input, mut sum) = (run.upload(&x)?, run.zeroed::<f64>(1)?);
        launch!(run, half_of_them_add_atomically, (2, 64), &input, sum.as_atomic());
        run.expect(&sum, |_| x.iter().sum())
    }),
    case!(half_of_a_word, "", |run| {
        let mut words = run.zeroed::<u64>(1)?;
        launch!(run, half_of_a_word, (3, 32), words.as_atomics());
        run.expect(&words, |_| 32 << 32 | 64)
    }),
);
