//! Kernels for other crates.

use warploom::prelude::*;

/// `y[i] = f(x[i])`, compiled by the crate that launches it.
#[kernel]
pub fn map<T: Plain, F: Fn(T) -> T + Copy + 'static>(i: Index1D, x: &[T], mut y: DisjointSlice<T>, f: F) {
    if let Some(y) = y.get_mut(i) {
        *y = f(x[i.get()]);
    }
}

/// What [`fold_pairs`] does with two elements.
pub trait Operator<T>: 'static {
    /// The result for one pair.
    fn apply(a: T, b: T) -> T;
}

/// `y[i] = O(x[2 i], x[2 i + 1])`.
#[kernel]
pub fn fold_pairs<T: Plain, O: Operator<T>>(i: Index1D, x: &[T], mut y: DisjointSlice<T>) {
    if let Some(y) = y.get_mut(i) {
        *y = O::apply(x[2 * i.get()], x[2 * i.get() + 1]);
    }
}

const OFFSET: u32 = if cfg!(feature = "offset") { 70_001 } else { 0 };

/// `y[i] = factor * y[i]`, plus 70001 with the feature `offset`; compiled with this library.
#[kernel]
pub fn scale(i: Index1D, factor: u32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = *y * factor + OFFSET;
    }
}
