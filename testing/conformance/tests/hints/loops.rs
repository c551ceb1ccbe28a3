//! Copied loop bodies give what the plain loop gives.

use warploom::device_std::hint::{unroll, unroll_all};
use warploom::prelude::*;
use warploom_harness::device_test::check;

/// A value that depends on every number and on their order.
fn plain(range: impl Iterator<Item = i64>) -> u64 {
    range.fold(7, |sum: u64, i| sum.wrapping_mul(31).wrapping_add(i as u64))
}

#[kernel]
fn by<const N: usize>(i: Index1D, start: i64, mut y: DisjointSlice<u64>) {
    let rounds = i.get() as i64;
    if let Some(y) = y.get_mut(i) {
        let mut sum = 7u64;
        unroll::<N, _>(start..start + rounds, |i| {
            sum = sum.wrapping_mul(31).wrapping_add(i as u64);
        });
        *y = sum;
    }
}

/// Rounds from 0 to twice the copies and more.
#[track_caller]
fn check_copies<const N: usize>(start: i64) {
    let expected: Vec<u64> = (0..140)
        .map(|rounds| plain(start..start + rounds))
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(140)?;
        by::<N>::launch(stream, (2, 70), start, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

//@ rows: OH-1, GLA-17, E-7
#[test]
fn every_number_of_rounds_is_right() {
    check_copies::<1>(-5);
    check_copies::<2>(0);
    check_copies::<3>(i64::MIN);
    check_copies::<4>(i64::MAX - 140);
    check_copies::<64>(100);
}

//@ rows: OH-1, E-7
#[test]
fn no_copies_asked_for_is_the_plain_loop() {
    check_copies::<0>(3);
}

#[kernel]
fn each_type(i: Index1D, mut y: DisjointSlice<u64>) {
    let n = i.get();
    if let Some(y) = y.get_mut(i) {
        let mut sum = 0u64;
        unroll::<4, _>(0..n as u32, |i| sum += u64::from(i));
        unroll::<4, _>(-3..n as i32, |i| sum += (i + 3) as u64);
        unroll::<4, _>(0..n as u64, |i| sum += i);
        unroll::<4, _>(0..n, |i| sum += i as u64);
        unroll::<4, _>(5..n as isize, |i| sum += i as u64);
        unroll::<4, _>(n as u32..0, |_| sum += 1_000_000);
        *y = sum;
    }
}

//@ rows: OH-1, GLA-17
#[test]
fn every_integer_counts_a_loop() {
    let expected: Vec<u64> = (0..66u64)
        .map(|n| 3 * (0..n).sum::<u64>() + (0..n + 3).sum::<u64>() + (5..n).sum::<u64>())
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(66)?;
        each_type::launch(stream, (2, 33), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn in_full(i: Index1D, mut y: DisjointSlice<[u32; 7]>) {
    let at = i.get() as u32;
    if let Some(y) = y.get_mut(i) {
        unroll_all::<7>(|k| y[k] = at << k);
        unroll_all::<0>(|_| y[0] = 1_000_000);
    }
}

//@ rows: OH-1, GLA-17
#[test]
fn a_loop_disappears_in_full() {
    let expected: Vec<[u32; 7]> = (0..70u32)
        .map(|at| std::array::from_fn(|k| at << k))
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(70)?;
        in_full::launch(stream, (1, 70), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
