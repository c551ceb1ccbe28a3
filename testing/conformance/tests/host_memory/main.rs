//! Kinds of memory, and the copies between them.

mod arrays;
mod fill;
mod managed;
mod parts;
mod pinned;
mod pitched;
mod pools;

use warploom::prelude::*;

/// `y[i] = 2 * x[i.get()] + 1`.
#[kernel]
pub(crate) fn step(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()].wrapping_mul(2).wrapping_add(1);
    }
}

/// [`step`] on the host.
pub(crate) fn stepped(x: &[u32]) -> Vec<u32> {
    x.iter()
        .map(|x| x.wrapping_mul(2).wrapping_add(1))
        .collect()
}

/// 0, 7, 14, …
pub(crate) fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(7)).collect()
}
