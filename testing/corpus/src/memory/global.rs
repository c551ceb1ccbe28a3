//! Out of bounds in global memory: the index is wrong.

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::prelude::*;

use crate::case::{case, cases, count, doubles, floats, launch, noise};

/// No guard for the threads behind the end.
#[kernel]
fn guard_dropped<const BUG: bool>(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    let (n, at) = (y.len(), i.get());
    if BUG || at < n {
        // SAFETY: `x` has an element for each thread, `y` one for those below `n`; the bug is intended.
        unsafe { *y.raw().add(at) = 2.0 * *x.as_ptr().add(at) }; //~ WL0001
    }
}

/// The right neighbour of the last element.
#[kernel]
fn right_neighbour<const BUG: bool>(i: Index1D, x: &[f64], mut y: DisjointSlice<f64>) {
    let (last, at) = (x.len() - 1, i.get());
    if let Some(y) = y.get_mut(i) {
        let right = if BUG { at + 1 } else { (at + 1).min(last) };
        // SAFETY: `right` is at most `last`; the bug is intended.
        *y = unsafe { *x.as_ptr().add(right) } - x[at]; //~ WL0001
    }
}

/// The left neighbour of the first element.
#[kernel]
fn left_neighbour<const BUG: bool>(i: Index1D, x: &[u16], mut y: DisjointSlice<u16>) {
    if let Some(y) = y.get_mut(i) {
        let at = i.get();
        let left = if BUG {
            at.wrapping_sub(1)
        } else {
            at.saturating_sub(1)
        };
        // SAFETY: at least 0; the bug is intended.
        *y = unsafe { *x.as_ptr().wrapping_add(left) }; //~ WL0001
    }
}

/// Four elements at a time, of which the last are only two.
#[kernel]
fn vector_over_the_end<const BUG: bool>(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let at = i.get();
    if let Some(y) = y.get_mut(i) {
        let mut sum = 0;
        if BUG || 4 * at + 4 <= x.len() {
            // SAFETY: four elements from here on; the buffer starts at a multiple of 256. The bug is the point.
            let four = unsafe { *x.as_ptr().cast::<u128>().add(at) }; //~ WL0001
            for k in 0..4 {
                sum += (four >> (32 * k)) as u32;
            }
        }
        *y = sum;
    }
}

/// A value of 256 in a histogram of 256 bins.
#[kernel]
fn bin_of_input<const BUG: bool>(i: Index1D, x: &[u32], bins: &[Atomic<u32>]) {
    if let Some(&v) = x.get(i.get()) {
        let bin = if BUG { v } else { v.min(255) } as usize;
        // SAFETY: below 256; the bug is intended.
        let bin = unsafe { &*bins.as_ptr().add(bin) };
        bin.fetch_add(1, Relaxed); //~ WL0001
    }
}

/// A list of neighbours in which -1 says that there is none.
#[kernel]
fn no_neighbour<const BUG: bool>(i: Index1D, next: &[i32], x: &[i64], mut y: DisjointSlice<i64>) {
    if let (Some(y), Some(&next)) = (y.get_mut(i), next.get(i.get())) {
        *y = 0;
        if BUG || next >= 0 {
            // SAFETY: an index of `x`, if it is not negative; the bug is intended.
            *y = unsafe { *x.as_ptr().offset(next as isize) }; //~ WL0001
        }
    }
}

/// A loop with `<=` where `<` belongs.
#[kernel]
fn one_round_too_many<const BUG: bool>(i: Index1D, mut y: DisjointSlice<u32>) {
    let (n, y) = (y.len(), y.raw());
    let mut at = i.get();
    while at < n || (BUG && at == n) {
        // SAFETY: below `n`, and each element has one thread; the bug is intended.
        unsafe { *y.add(at) = 3 * at as u32 }; //~ WL0001
        at += i.count();
    }
}

/// The access is in a function that the kernel calls, with an index that is one too large.
#[kernel]
fn in_a_function<const BUG: bool>(i: Index1D, x: &[u64], mut y: DisjointSlice<u64>) {
    if let Some(y) = y.get_mut(i) {
        let from_the_end = x.len() - i.get() - usize::from(!BUG);
        // SAFETY: below the length; the bug is intended.
        *y = unsafe { element_of(x.as_ptr(), from_the_end) };
    }
}

/// A function of the user's own that nothing inlines.
#[inline(never)]
unsafe fn element_of(x: *const u64, at: usize) -> u64 {
    let next = x.wrapping_add(at);
    // SAFETY: the caller's promise.
    unsafe { *next } //~ WL0001
}

/// A field of a record behind the last one.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Particle {
    position: [f32; 3],
    mass: f32,
    id: u64,
}

#[kernel]
fn field_behind_the_end<const BUG: bool>(i: Index1D, x: &[Particle], mut y: DisjointSlice<u64>) {
    if let Some(y) = y.get_mut(i) {
        let next = if BUG {
            i.get() + 1
        } else {
            (i.get() + 1) % x.len()
        };
        // SAFETY: below the length; the bug is intended.
        *y = unsafe { (*x.as_ptr().add(next)).id }; //~ WL0001
    }
}

/// Bytes, one behind the last.
#[kernel]
fn byte_behind_the_text<const BUG: bool>(i: Index1D, text: &[u8], mut y: DisjointSlice<u8>) {
    let (at, n) = (i.get(), text.len());
    if let Some(y) = y.get_mut(i) {
        *y = text[at];
        if BUG || at + 1 < n {
            // SAFETY: below the length; the bug is intended.
            *y ^= unsafe { *text.as_ptr().add(at + 1) }; //~ WL0001
        }
    }
}

/// A distance in bytes where one in elements belongs.
#[kernel]
fn bytes_for_elements<const BUG: bool>(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        let distance = if BUG { 4 * i.get() } else { i.get() };
        // SAFETY: below the length; the bug is intended.
        *y = unsafe { *x.as_ptr().add(distance) } + 1.0; //~ WL0001
    }
}

/// An optional input that is not there.
#[kernel]
unsafe fn null_for_nothing<const BUG: bool>(
    i: Index1D,
    weights: *const f32,
    mut y: DisjointSlice<f32>,
) {
    if let Some(y) = y.get_mut(i) {
        let mut weight = 1.0;
        if BUG || !weights.is_null() {
            // SAFETY: an element for each thread, unless the pointer is null; the bug is intended.
            weight = unsafe { *weights.add(i.get()) }; //~ WL0001
        }
        *y = 3.0 * weight;
    }
}

cases!("global.rs":
    case!(guard_dropped, "P-04", |run| {
        let (x, mut y) = (run.upload(&floats(1024))?, run.zeroed::<f32>(997)?);
        launch!(run, guard_dropped, (4, 256), &x, &mut y);
        run.expect(&y, |i| 2.0 * floats(1024)[i])
    }),
    case!(right_neighbour, "stencil", |run| {
        let (x, mut y) = (run.upload(&doubles(1000))?, run.zeroed::<f64>(1000)?);
        launch!(run, right_neighbour, (5, 200), &x, &mut y);
        run.expect(&y, |i| doubles(1000)[(i + 1).min(999)] - doubles(1000)[i])
    }),
    case!(left_neighbour, "stencil", |run| {
        let (x, mut y) = (run.upload(&count::<u16>(333))?, run.zeroed::<u16>(333)?);
        launch!(run, left_neighbour, (4, 96), &x, &mut y);
        run.expect(&y, |i| i.saturating_sub(1) as u16)
    }),
    case!(vector_over_the_end, "", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(102))?, run.zeroed::<u32>(26)?);
        launch!(run, vector_over_the_end, (1, 32), &x, &mut y);
        run.expect(&y, |i| if i < 25 { 16 * i as u32 + 6 } else { 0 })
    }),
    case!(bin_of_input, "P-29 histogram", |run| {
        let x: Vec<u32> = noise(500).into_iter().map(|v| if v == 7 { 256 } else { 2 * v }).collect();
        let (values, mut bins) = (run.upload(&x)?, run.zeroed::<u32>(256)?);
        launch!(run, bin_of_input, (5, 100), &values, bins.as_atomics());
        run.expect(&bins, |bin| x.iter().filter(|&&v| v.min(255) as usize == bin).count() as u32)
    }),
    case!(no_neighbour, "", |run| {
        let next = Vec::from_iter((0..200).map(|i| if i % 50 == 3 { -1 } else { (i * 7) % 200 }));
        let (list, x, mut y) = (run.upload(&next)?, run.upload(&count::<i64>(200))?, run.zeroed::<i64>(200)?);
        launch!(run, no_neighbour, (2, 100), &list, &x, &mut y);
        run.expect(&y, |i| i64::from(next[i].max(0)))
    }),
    case!(one_round_too_many, "P-04", |run| {
        let mut y = run.zeroed::<u32>(1000)?;
        launch!(run, one_round_too_many, (3, 100), &mut y);
        run.expect(&y, |i| 3 * i as u32)
    }),
    case!(in_a_function, "", |run| {
        let (x, mut y) = (run.upload(&count::<u64>(128))?, run.zeroed::<u64>(128)?);
        launch!(run, in_a_function, (2, 64), &x, &mut y);
        run.expect(&y, |i| 127 - i as u64)
    }),
    case!(field_behind_the_end, "", |run| {
        let x = Vec::from_iter((0..90).map(|id| Particle { position: [0.0; 3], mass: 1.0, id }));
        let (x, mut y) = (run.upload(&x)?, run.zeroed::<u64>(90)?);
        launch!(run, field_behind_the_end, (1, 96), &x, &mut y);
        run.expect(&y, |i| (i as u64 + 1) % 90)
    }),
    case!(byte_behind_the_text, "", |run| {
        let (x, mut y) = (run.upload(&count::<u8>(101))?, run.zeroed::<u8>(101)?);
        launch!(run, byte_behind_the_text, (1, 128), &x, &mut y);
        run.expect(&y, |i| i as u8 ^ if i < 100 { i as u8 + 1 } else { 0 })
    }),
    case!(bytes_for_elements, "", |run| {
        let (x, mut y) = (run.upload(&floats(64))?, run.zeroed::<f32>(64)?);
        launch!(run, bytes_for_elements, (1, 64), &x, &mut y);
        run.expect(&y, |i| floats(64)[i] + 1.0)
    }),
    case!(null_for_nothing, "", |run| {
        let mut y = run.zeroed::<f32>(64)?;
        // SAFETY: null says that there is nothing; the bug is intended.
        unsafe { launch!(run, null_for_nothing, (2, 32), std::ptr::null(), &mut y) };
        run.expect(&y, |_| 3.0)
    }),
);
