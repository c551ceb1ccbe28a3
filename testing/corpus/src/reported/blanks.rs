//! Sums that begin with what memory happens to hold, and copies that are read before they are there.

use warploom::device_std::intrinsics as raw;
use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// numba/numba#6076: shared memory is taken to be zero at the start of a launch.
#[kernel]
fn shared_memory_taken_for_zero<const BUG: bool>(
    block: Block,
    x: u32,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let total = shared_array!(u32, 4);
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        // SAFETY: of this thread alone. The bug is the point.
        unsafe {
            if !BUG {
                total.set(0, 0);
            }
            total.set(0, total.get(0) + x); //~ WL0020
            *y = total.get(0);
        }
    }
}

/// ORNL/HeCBench#289: the kernel adds to a buffer that was allocated and not filled.
#[kernel]
fn added_to_a_new_buffer<const BUG: bool>(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        for k in 0..4 {
            if BUG || k > 0 {
                *y += x[4 * i.get() + k]; //~ WL0021
            } else {
                *y = x[4 * i.get()];
            }
        }
    }
}

/// kynema/kynema-ugf#1381: the terms of a row are added up in scratch memory that each team gets as it is.
#[kernel]
fn added_up_in_scratch_memory<const BUG: bool>(
    block: Block,
    i: Index1D,
    terms: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let row = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: each thread has its own element. The bug is the point.
    unsafe {
        if !BUG {
            row.set(t, 0);
        }
        for term in terms {
            let before = row.get(t); //~ WL0020
            row.set(t, before + term * t as u32);
        }
        if let Some(y) = y.get_mut(i) {
            *y = row.get(t);
        }
    }
}

/// csarofeen/pytorch#2463: the wait for the stage comes before its commit, so it waits for the stage before.
#[kernel]
fn committed_after_the_wait<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (a, b) = (shared_array!(u32, 64), shared_array!(u32, 64));
    let t = block.thread();
    // SAFETY: each thread copies its own elements and waits before any thread reads. The bug is the point.
    unsafe {
        raw::copy_async_4(a.as_ptr().add(t).cast(), x.as_ptr().add(t).cast());
        raw::copy_async_commit();
        raw::copy_async_wait_0();
        raw::copy_async_4(b.as_ptr().add(t).cast(), x.as_ptr().add(64 + t).cast()); //~ WL0022 second //~? WL0101
        if BUG {
            raw::copy_async_wait_0();
            raw::copy_async_commit();
        } else {
            raw::copy_async_commit();
            raw::copy_async_wait_0();
        }
        block.sync();
        let (left, right) = (a.get(63 - t), b.get(63 - t)); //~ WL0022 first //~? WL0101
        if let Some(y) = y.get_mut(i) {
            *y = left + 100 * right;
        }
        raw::copy_async_wait_all();
    }
}

cases!("blanks.rs":
    case!(shared_memory_taken_for_zero, "numba/numba#6076", |run| {
        let mut y = run.zeroed::<u32>(3)?;
        launch!(run, shared_memory_taken_for_zero, (3, 1), 900, &mut y);
        run.expect(&y, |_| 900)
    }),
    case!(added_to_a_new_buffer, "ORNL/HeCBench#289", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.uninit::<u32>(32)?);
        launch!(run, added_to_a_new_buffer, (1, 32), &input, &mut y);
        run.expect(&y, |i| x[4 * i..][..4].iter().sum())
    }),
    case!(added_up_in_scratch_memory, "kynema/kynema-ugf#1381", |run| {
        let x = noise(5);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, added_up_in_scratch_memory, (2, 32), &input, &mut y);
        run.expect(&y, |i| x.iter().sum::<u32>() * (i as u32 % 32))
    }),
    case!(committed_after_the_wait, "csarofeen/pytorch#2463", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, committed_after_the_wait, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[63 - i] + 100 * x[127 - i])
    }),
);
