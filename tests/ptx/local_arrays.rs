//! A loop over a small array by value is unrolled, and the array stays in registers.
//@ release

use std::sync::atomic::AtomicU32;
use warploom::device_std::atomic_add;
use warploom::device_std::vector::Float4;
use warploom::prelude::*;

#[kernel(requires(bins.len() == 256))]
fn bytes(i: Index1D, words: &[u32], bins: &[AtomicU32]) {
    if let Some(word) = words.get(i.get()) {
        for byte in word.to_le_bytes() {
            atomic_add(&bins[usize::from(byte)], 1);
        }
    }
}
// ptx-count: 4 red.relaxed.gpu.global.add
// ptx-not: .local

/// The index comes from the iterator too.
#[kernel]
fn largest(i: Index1D, x: &[Float4], mut y: DisjointSlice<u32>) {
    if let (Some(y), Some(four)) = (y.get_mut(i), x.get(i.get())) {
        let (mut most, mut place) = (f32::NEG_INFINITY, 0);
        for (k, value) in four.to_array().into_iter().enumerate() {
            if value > most {
                (most, place) = (value, k as u32);
            }
        }
        *y = place;
    }
}
// ptx: ld.global.nc.v4
// ptx-count: 4 setp
// ptx-not: .local

/// An iterator that skips elements is one loop over the array.
#[kernel]
fn present(i: Index1D, n: usize, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        let (a, b, c) = (x.get(i.get()), x.get(i.get() + n), x.get(i.get() + 8 * n));
        for value in [a, b, c].into_iter().flatten() {
            *y = *y * 0.5 + value;
        }
    }
}
// ptx-count: 3 ld.global.nc.b32
// ptx-not: .local

/// An array that is indexed by what memory holds has no other place.
#[kernel]
fn picked(i: Index1D, x: &[Float4], which: &[u32], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(four), Some(which)) = (y.get_mut(i), x.get(i.get()), which.get(i.get())) {
        for value in four.to_array() {
            *y += value;
        }
        *y *= four.to_array()[*which as usize & 3];
    }
}
// ptx: .local

#[test]
fn iterated_arrays_are_in_registers() {
    warploom_harness::ptx_file!("local_arrays.rs");
}
