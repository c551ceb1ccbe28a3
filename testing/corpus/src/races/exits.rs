//! Threads that write and return: the barrier that the others reach does not order what they wrote.

use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// The second warp fills its half of the tile and returns.
#[kernel]
fn returns_after_writing<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: each thread has its own element, a barrier before others read. The bug is the point.
    unsafe {
        tile.set(t, x[i.get()]); //~ WL0101 first
        if BUG && t >= 32 {
            return; //~? WL0201
        }
        block.sync(); //~? WL0201
        if t < 32
            && let Some(y) = y.get_mut(i)
        {
            *y = tile.get(t + 32); //~ WL0101 second
        }
    }
}

/// The same after several barriers, the last with a question.
#[kernel]
fn returns_before_the_last_barrier<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 96);
    let t = block.thread();
    // SAFETY: each thread has its own element, a barrier before others read. The bug is the point.
    unsafe {
        tile.set(t, x[i.get()]);
        block.sync();
        let other = tile.get(95 - t);
        block.sync();
        tile.set(t, other + 1); //~ WL0101 first
        if BUG && t == 70 {
            return; //~? WL0201
        }
        block.sync(); //~? WL0201
        let any = block.sync_any(other > 200); //~? WL0201
        if !any
            && t < 48
            && let Some(y) = y.get_mut(i)
        {
            *y = tile.get(95 - t); //~ WL0101 second
        }
    }
}

/// Threads write global memory, return, and the others of the block change it.
#[kernel]
fn returns_after_a_global_write<const BUG: bool>(
    block: Block,
    i: Index1D,
    mut y: DisjointSlice<u32>,
) {
    let (t, y) = (block.thread(), y.raw());
    // SAFETY: one thread writes an element, a barrier before another does. The bug is the point.
    unsafe {
        *y.add(i.get()) = t as u32; //~ WL0110 first
        if BUG && t % 2 == 1 {
            return; //~? WL0201
        }
        block.sync(); //~? WL0201
        if t % 2 == 0 {
            *y.add(i.get() + 1) = 70; //~ WL0110 second
        }
    }
}

/// Half of a warp returns after it wrote what a barrier ordered, which is no bug; the other half after it wrote again.
#[kernel]
fn returns_between_two_barriers<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: each thread has its own element, a barrier before others read. The bug is the point.
    unsafe {
        tile.set(t, x[i.get()]);
        block.sync();
        if BUG && t >= 48 {
            return; //~? WL0201
        }
        if (32..48).contains(&t) {
            tile.set(t, 5); //~ WL0101 first
            if BUG {
                return; //~? WL0201
            }
        }
        block.sync(); //~? WL0201
        if let Some(y) = y.get_mut(i) {
            *y = match t {
                0..16 => tile.get(t + 32),  //~ WL0101 second
                16..32 => tile.get(t + 32), // written before the first barrier
                _ => 0,
            };
        }
    }
}

cases!(
    "exits.rs":
    case!(returns_after_writing, "", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, returns_after_writing, (2, 64), &input, &mut y);
        run.expect(&y, |i| if i % 64 < 32 { x[i + 32] } else { 0 })
    }),
    case!(returns_before_the_last_barrier, "", |run| {
        let x = noise(192);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(192)?);
        launch!(run, returns_before_the_last_barrier, (2, 96), &input, &mut y);
        run.expect(&y, |i| if i % 96 < 48 { x[i] + 1 } else { 0 })
    }),
    case!(returns_after_a_global_write, "", |run| {
        let mut y = run.zeroed::<u32>(128)?;
        launch!(run, returns_after_a_global_write, (2, 64), &mut y);
        run.expect(&y, |i| if i % 2 == 0 { i as u32 % 64 } else { 70 })
    }),
    case!(returns_between_two_barriers, "", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, returns_between_two_barriers, (2, 64), &input, &mut y);
        run.expect(&y, |i| match i % 64 {
            0..16 => 5,
            16..32 => x[i + 32],
            _ => 0,
        })
    }),
);
