//! What belongs to one thread: registers, and arrays that need addresses.

use warploom::prelude::*;
use warploom_harness::device_test::check;

/// Each thread has variables of its own.
#[kernel]
fn own_variables(i: Index1D, mut y: DisjointSlice<u64>) {
    let mut a = i.get() as u64;
    let mut b = a ^ 0x55;
    for _ in 0..a % 7 {
        (a, b) = (b.wrapping_mul(3), a.wrapping_add(b));
    }
    if let Some(y) = y.get_mut(i) {
        *y = a ^ b.rotate_left(9);
    }
}

//@ rows: MS-7
#[test]
fn variables_belong_to_one_thread() {
    let one = |i: u64| {
        let (mut a, mut b) = (i, i ^ 0x55);
        for _ in 0..i % 7 {
            (a, b) = (b.wrapping_mul(3), a.wrapping_add(b));
        }
        a ^ b.rotate_left(9)
    };
    check(&Vec::from_iter((0..350).map(one)), |device, stream| {
        let mut y = device.zeroed(350)?;
        own_variables::launch(stream, (5, 70), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// A histogram of a thread's own numbers, in an array that only run time knows the index of.
fn most_frequent(x: &[u8], offset: usize) -> (u32, u32) {
    let mut counts = [0u16; 37];
    for k in 0..60 {
        counts[usize::from(x[(offset + k * k) % x.len()]) % 37] += 1;
    }
    let mut best = 0;
    for k in 1..37 {
        if counts[k] > counts[best] {
            best = k;
        }
    }
    (best as u32, counts[best].into())
}

#[kernel]
fn local_histogram(i: Index1D, x: &[u8], mut y: DisjointSlice<[u32; 2]>) {
    if let Some(y) = y.get_mut(i) {
        *y = most_frequent(x, i.get()).into();
    }
}

//@ rows: GVAR-13, MS-7
#[test]
fn arrays_with_computed_indices() {
    let x = Vec::from_iter((0..997u32).map(|i| (i * i / 3 % 251) as u8));
    let expected = Vec::from_iter((0..190).map(|i| <[u32; 2]>::from(most_frequent(&x, i))));
    check(&expected, |device, stream| {
        let mut y = device.zeroed(190)?;
        local_histogram::launch(stream, (2, 95), &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
