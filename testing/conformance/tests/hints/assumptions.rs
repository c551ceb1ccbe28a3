//! Assumptions that hold change no result.

use std::hint::{assert_unchecked, unreachable_unchecked};

use warploom::device_std::hint::{
    assume_aligned, assume_aligned_mut, assume_aligned_offset, likely, unlikely,
};
use warploom::prelude::*;
use warploom_harness::device_test::check;

#[kernel]
fn branches(i: Index1D, mut y: DisjointSlice<u32>) {
    let at = i.get() as u32;
    if let Some(y) = y.get_mut(i) {
        *y = u32::from(likely(at < 50)) + 2 * u32::from(unlikely(at.is_multiple_of(7)));
        if unlikely(at == 69) {
            *y += 100;
        }
    }
}

//@ rows: OH-4
#[test]
fn expectations_keep_the_value() {
    let expected: Vec<u32> = (0..70u32)
        .map(|at| u32::from(at < 50) + 2 * u32::from(at % 7 == 0) + 100 * u32::from(at == 69))
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(70)?;
        branches::launch(stream, (2, 35), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn promises(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let at = i.get();
    if let Some(y) = y.get_mut(i) {
        // SAFETY: the test's buffer has 96 elements.
        unsafe { assert_unchecked(at < x.len()) };
        *y = match x[at] {
            0 => 10,
            1 => 11,
            2 => 12,
            // SAFETY: all elements are below 3.
            _ => unsafe { unreachable_unchecked() },
        };
    }
}

//@ rows: OH-3, OH-5
#[test]
fn promises_that_hold_change_nothing() {
    let x: Vec<u32> = (0..96).map(|i| i % 3).collect();
    let expected: Vec<u32> = x.iter().map(|x| x + 10).collect();
    check(&expected, |device, stream| {
        let x = device.upload(&x)?;
        let mut y = device.zeroed(96)?;
        promises::launch(stream, (1, 96), &x, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn aligned(i: Index1D, x: &[f32], mut y: DisjointSlice<[f32; 4]>) {
    let at = i.get();
    if let Some(y) = y.get_mut(i) {
        // SAFETY: `x` has four elements per thread, and one more.
        let from = unsafe { x.as_ptr().add(4 * at) };
        // SAFETY: buffers start at multiples of 256 bytes.
        let four = unsafe { assume_aligned::<16, f32>(from) };
        // SAFETY: as above, one element further.
        let next = unsafe { assume_aligned_offset::<16, 4, f32>(from.wrapping_add(1)) };
        // SAFETY: buffers start at multiples of 256 bytes, and a thread's element has 16.
        let to = unsafe { assume_aligned_mut::<16, f32>(y.as_mut_ptr()) };
        for k in 0..4 {
            // SAFETY: within the four elements.
            let a = unsafe { *four.wrapping_add(k) };
            // SAFETY: within the four elements that begin with the second.
            let b = unsafe { *next.wrapping_add(k) };
            // SAFETY: within the thread's own element.
            unsafe { *to.wrapping_add(k) = a + b };
        }
    }
}

//@ rows: OH-2, E-9
#[test]
fn aligned_pointers_reach_the_same_elements() {
    let x: Vec<f32> = (0..=280).map(|i| i as f32).collect();
    let sum = |i: usize, k: usize| x[4 * i + k] + x[4 * i + 1 + k];
    let expected: Vec<[f32; 4]> = (0..70)
        .map(|i| std::array::from_fn(|k| sum(i, k)))
        .collect();
    check(&expected, |device, stream| {
        let input = device.upload(&x)?;
        let mut y = device.zeroed(70)?;
        aligned::launch(stream, (2, 35), &input, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
