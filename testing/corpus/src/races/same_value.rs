//! Several threads write the same value: harmless on today's GPUs, and not what the model promises.

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// `found = 1`, by every thread that finds it.
#[kernel]
fn found_by_several<const BUG: bool>(i: Index1D, x: &[u32], found: &[Atomic<u32>]) {
    if x[i.get()] > 50 {
        if BUG {
            let found = found.as_ptr().cast_mut().cast::<u32>();
            // SAFETY: the bug is intended.
            unsafe { *found = 1 }; //~ WL0114
        } else {
            found[0].store(1, Relaxed);
        }
    }
}

/// The same in shared memory, by several warps.
#[kernel]
fn shared_flag<const BUG: bool>(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let flag = shared_array!(u32, 1);
    let t = block.thread();
    // SAFETY: one thread writes, with barriers before and after. The bug is the point.
    unsafe {
        if t == 0 {
            flag.set(0, 0);
        }
        block.sync();
        let any = if BUG {
            x[i.get()] > 50
        } else {
            block.sync_any(x[i.get()] > 50) && t == 0
        };
        if any {
            flag.set(0, 1); //~ WL0114
        }
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = flag.get(0);
        }
    }
}

/// Two blocks zero parts that overlap.
#[kernel]
fn zeroed_by_two<const BUG: bool>(block: Block, mut y: DisjointSlice<u64>) {
    let (b, t, y) = (block.index(), block.thread(), y.raw());
    let first = if BUG { 30 * b } else { 32 * b };
    // SAFETY: each element has one thread. The bug is the point.
    unsafe { *y.add(first + t) = 0 }; //~ WL0114
}

cases!("same_value.rs":
    case!(found_by_several, "", |run| {
        let (x, mut found) = (run.upload(&noise(192))?, run.zeroed::<u32>(1)?);
        launch!(run, found_by_several, (3, 64), &x, found.as_atomics());
        run.expect(&found, |_| 1)
    }),
    case!(shared_flag, "", |run| {
        let (x, mut y) = (run.upload(&noise(192))?, run.zeroed::<u32>(192)?);
        launch!(run, shared_flag, (2, 96), &x, &mut y);
        run.expect(&y, |_| 1)
    }),
    case!(zeroed_by_two, "", |run| {
        let mut y = run.upload(&[7u64; 64])?;
        launch!(run, zeroed_by_two, (2, 32), &mut y);
        run.expect(&y, |_| 0)
    }),
);
