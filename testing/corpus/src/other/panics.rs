//! Panics: what safe code does where it cannot go on. Integer overflow is one where overflow checks are on.

use warploom::prelude::*;

use crate::case::{case, cases, count, launch, noise};

/// A product of 32 bits that does not fit.
#[kernel]
fn product_overflows<const BUG: bool>(
    i: Index1D,
    width: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    if let Some(y) = y.get_mut(i) {
        let row = x[i.get()];
        let factor = if BUG { width } else { 3 };
        *y = row * factor; //~ WL0310|WL0400
    }
}

/// The left neighbour of the first element, by a subtraction.
#[kernel]
fn index_below_zero<const BUG: bool>(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let at = i.get();
    if let Some(y) = y.get_mut(i) {
        let left = if BUG { at - 1 } else { at.saturating_sub(1) }; //~ WL0310|WL0400
        *y = x[left];
    }
}

/// A sum of bytes in a byte.
#[kernel]
fn sum_in_a_byte<const BUG: bool>(i: Index1D, x: &[u8], mut y: DisjointSlice<u8>) {
    if let Some(y) = y.get_mut(i) {
        let mut sum = 0u8;
        for k in 0..if BUG { 5 } else { 2 } {
            sum += x[i.get() + k]; //~ WL0310|WL0400
        }
        *y = sum;
    }
}

/// A shift by all bits.
#[kernel]
fn shift_by_all_bits<const BUG: bool>(i: Index1D, mut y: DisjointSlice<u32>) {
    let at = i.get() as u32;
    if let Some(y) = y.get_mut(i) {
        let bits = if BUG { at } else { at % 32 };
        *y = 1 << bits; //~ WL0310|WL0400
    }
}

/// An index that is not checked before, in safe code.
#[kernel]
fn index_outside<const BUG: bool>(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        let next = i.get() + 1;
        *y = if BUG || next < x.len() { x[next] } else { 0.0 }; //~ WL0400
    }
}

/// A wish that is not fulfilled.
#[kernel]
fn nothing_to_unwrap<const BUG: bool>(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        let found = x.iter().position(|&v| v == i.get() as u32);
        *y = if BUG {
            #[expect(clippy::unwrap_used, reason = "the bug is intended")]
            let found = found.unwrap(); //~ WL0400
            found as u32
        } else {
            found.unwrap_or(99) as u32
        };
    }
}

/// An assertion that does not hold.
#[kernel]
fn assertion_fails<const BUG: bool>(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        let v = x[i.get()];
        if BUG {
            assert!(v < 90, "{v} is too much"); //~ WL0400
        }
        *y = v;
    }
}

/// A division by zero.
#[kernel]
fn divides_by_zero<const BUG: bool>(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        let v = x[i.get()] % 7;
        *y = if BUG || v > 0 { 100 / v } else { 0 }; //~ WL0400
    }
}

/// A part of a slice that ends behind it.
#[kernel]
fn range_behind_the_end<const BUG: bool>(
    block: Block,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        let start = block.index() * 40;
        let end = if BUG {
            start + 40
        } else {
            (start + 40).min(x.len())
        };
        *y = x[start..end].iter().sum(); //~ WL0400
    }
}

/// The block behind the last one of the cluster, which is the first again.
#[kernel(cluster(2, 1, 1))]
fn block_behind_the_cluster<const BUG: bool>(
    block: Block,
    mut cluster: Cluster,
    i: Index1D,
    mut y: DisjointSlice<u32>,
) {
    let slots = shared_array!(u32, 32);
    let next = cluster.rank() + 1;
    // SAFETY: barriers of the cluster around the accesses to the other block.
    unsafe {
        slots.set(block.thread(), i.get() as u32);
        cluster.sync();
        let next = if BUG { next } else { next % 2 };
        let there = cluster.map_shared_rank(slots, next); //~ WL0400
        let value = there.get(block.thread());
        cluster.sync();
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

cases!("panics.rs":
    case!(product_overflows, "", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(100))?, run.zeroed::<u32>(100)?);
        launch!(run, product_overflows, (2, 64), 1 << 27, &x, &mut y);
        run.expect(&y, |i| 3 * i as u32)
    }),
    case!(index_below_zero, "stencil", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(64))?, run.zeroed::<u32>(64)?);
        launch!(run, index_below_zero, (2, 32), &x, &mut y);
        run.expect(&y, |i| i.saturating_sub(1) as u32)
    }),
    case!(sum_in_a_byte, "", |run| {
        let x: Vec<u8> = noise(70).into_iter().map(|v| v as u8).collect();
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u8>(64)?);
        launch!(run, sum_in_a_byte, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[i] + x[i + 1])
    }),
    case!(shift_by_all_bits, "", |run| {
        let mut y = run.zeroed::<u32>(40)?;
        launch!(run, shift_by_all_bits, (1, 40), &mut y);
        run.expect(&y, |i| 1 << (i % 32))
    }),
    case!(index_outside, "P-04", |run| {
        let (x, mut y) = (run.upload(&[2.0f32; 50])?, run.zeroed::<f32>(50)?);
        launch!(run, index_outside, (1, 64), &x, &mut y);
        run.expect(&y, |i| if i < 49 { 2.0 } else { 0.0 })
    }),
    case!(nothing_to_unwrap, "", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(30))?, run.zeroed::<u32>(40)?);
        launch!(run, nothing_to_unwrap, (1, 40), &x, &mut y);
        run.expect(&y, |i| if i < 30 { i as u32 } else { 99 })
    }),
    case!(assertion_fails, "", |run| {
        let x = noise(200);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(200)?);
        launch!(run, assertion_fails, (2, 128), &input, &mut y);
        run.expect(&y, |i| x[i])
    }),
    case!(divides_by_zero, "", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(40))?, run.zeroed::<u32>(40)?);
        launch!(run, divides_by_zero, (1, 40), &x, &mut y);
        run.expect(&y, |i| if i % 7 > 0 { 100 / (i as u32 % 7) } else { 0 })
    }),
    case!(range_behind_the_end, "P-04", |run| {
        let (x, mut y) = (run.upload(&[1u32; 100])?, run.zeroed::<u32>(3)?);
        launch!(run, range_behind_the_end, (3, 32), &x, &mut y);
        run.expect(&y, |b| if b < 2 { 40 } else { 20 })
    }),
    case!(block_behind_the_cluster, "", |run| {
        let mut y = run.zeroed::<u32>(128)?;
        launch!(run, block_behind_the_cluster, (4, 32), &mut y);
        run.expect(&y, |i| i as u32 ^ 32)
    }),
);
