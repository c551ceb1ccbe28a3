//! Sorts by a comparison against those of `std`, which are stable too.

use std::cmp::Ordering;

use warploom::Graph;
use warploom::prelude::*;
use warploom_algorithms::prelude::*;
use warploom_algorithms::{Error, MergeSortPlan, counting};

use crate::{check, lengths, noise};

/// Elements of a tile of keys of at most 4 bytes.
const TILE: usize = 17 * 256;

/// Sorts on each device by `less`, and on the host by the order that belongs to it.
#[track_caller]
fn check_keys<K: Plain + PartialEq + std::fmt::Debug>(
    keys: &[K],
    less: impl Fn(K, K) -> bool + Copy + Send + Sync + 'static,
) {
    let mut expected = keys.to_vec();
    expected.sort_by(|&a, &b| match (less(a, b), less(b, a)) {
        (true, _) => Ordering::Less,
        (_, true) => Ordering::Greater,
        _ => Ordering::Equal,
    });
    check(&expected, |device, stream| {
        let x = device.upload(keys)?;
        let mut y = device.alloc_uninit(keys.len())?;
        stream.merge_sort(&x, less).into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// A function with a name: closures of one test that a function hands to one launch could not be told apart.
fn less<T: PartialOrd>(a: T, b: T) -> bool {
    a < b
}

#[test]
fn keys_of_every_kind_of_length() {
    for n in lengths(TILE) {
        check_keys(&noise(n), less);
    }
}

#[test]
fn many_keys() {
    check_keys(&noise(100_003), |a, b| a > b);
}

#[test]
fn equal_keys_keep_their_order() {
    for n in [100, TILE + 1, 3 * TILE + 5] {
        let keys: Vec<u32> = noise(n).iter().map(|key| key % 7).collect();
        let mut expected: Vec<u32> = (0..n as u32).collect();
        expected.sort_by_key(|&i| keys[i as usize]);
        check(&expected, |device, stream| {
            let x = device.upload(&keys)?;
            let (mut y, mut order) = (device.alloc_uninit(n)?, device.alloc_uninit(n)?);
            let numbers = counting(n).map(|i| i as u32);
            stream
                .merge_sort_pairs(&x, numbers, |a, b| a < b)
                .into(&mut y, &mut order)?;
            Ok(order.to_vec(stream)?)
        });
    }
}

#[test]
fn keys_that_are_equal_sorted_reversed_or_of_two_values() {
    let n = 2 * TILE + 77;
    check_keys(&vec![5u32; n], less);
    check_keys(&Vec::from_iter(0..n as u32), less);
    check_keys(&Vec::from_iter((0..n as u32).rev()), less);
    check_keys(&Vec::from_iter((0..n as u32).map(|i| i & 1)), less);
}

#[test]
fn keys_of_less_entropy() {
    let (a, b) = (noise(9000), noise(18_000));
    let keys = Vec::from_iter(
        a.iter()
            .zip(&b[9000..])
            .map(|(a, b)| a & b & a.rotate_left(7)),
    );
    check_keys(&keys, less);
}

#[test]
fn keys_of_every_size() {
    let x = noise(5000);
    check_keys(&Vec::from_iter(x.iter().map(|&x| x as u8)), less);
    check_keys(&Vec::from_iter(x.iter().map(|&x| x as i16)), less);
    check_keys(
        &Vec::from_iter(x.iter().map(|&x| i64::from(x) << 31)),
        |a, b| a < b,
    );
    check_keys(
        &Vec::from_iter(x.iter().map(|&x| u128::from(x) << 77)),
        |a, b| a < b,
    );
    check_keys(
        &Vec::from_iter(x.iter().map(|&x| [x % 9, x, 1, 2, 3])),
        |a, b| (a[0], a[1]) < (b[0], b[1]),
    );
    check_keys(
        &Vec::from_iter(x[..900].iter().map(|&x| [x; 16])),
        |a, b| a[7] < b[7],
    );
}

#[test]
fn floats_with_not_a_number_in_total_order() {
    let mut x = Vec::from_iter(noise(5000).iter().map(|&x| f32::from_bits(x)));
    x.extend([f32::NAN, -f32::NAN, 0.0, -0.0, f32::INFINITY]);
    let mut expected = x.clone();
    expected.sort_by(f32::total_cmp);
    check(
        &Vec::from_iter(expected.iter().map(|x| x.to_bits())),
        |device, stream| {
            let (x, mut y) = (device.upload(&x)?, device.alloc_uninit(x.len())?);
            stream
                .merge_sort(&x, |a: f32, b| a.total_cmp(&b).is_lt())
                .into(&mut y)?;
            Ok(y.to_vec(stream)?.into_iter().map(f32::to_bits).collect())
        },
    );
}

#[test]
fn pairs_of_every_kind_of_length() {
    for n in lengths(9 * 256) {
        let keys: Vec<u64> = noise(n)
            .iter()
            .map(|&key| u64::from(key % 1000) << 20)
            .collect();
        let values: Vec<[u32; 3]> = (0..n as u32).map(|i| [i, !i, 7]).collect();
        let mut expected: Vec<_> = keys.iter().copied().zip(values.iter().copied()).collect();
        expected.sort_by_key(|pair| pair.0);
        check(&expected, |device, stream| {
            let (x, v) = (device.upload(&keys)?, device.upload(&values)?);
            let (mut y, mut w) = (device.alloc_uninit(n)?, device.alloc_uninit(n)?);
            stream
                .merge_sort_pairs(&x, &v, |a, b| a < b)
                .into(&mut y, &mut w)?;
            Ok(y.to_vec(stream)?
                .into_iter()
                .zip(w.to_vec(stream)?)
                .collect())
        });
    }
}

/// Values that are copied into shared memory by 4, 8 or 16 bytes, and those that are not, since they are too small or there is no room.
#[test]
fn values_of_every_size() {
    fn check_values<K: Plain + Ord, V: Plain + PartialEq + std::fmt::Debug>(
        key: impl Fn(u32) -> K,
        value: impl Fn(u32) -> V,
    ) {
        let n = 3 * TILE + 5;
        let keys: Vec<K> = noise(n).iter().map(|&x| key(x % 1000)).collect();
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&i| keys[i as usize]);
        let expected: Vec<V> = order.iter().map(|&i| value(i)).collect();
        let values: Vec<V> = (0..n as u32).map(value).collect();
        check(&expected, |device, stream| {
            let (x, v) = (device.upload(&keys)?, device.upload(&values)?);
            let (mut y, mut w) = (device.alloc_uninit(n)?, device.alloc_uninit(n)?);
            stream
                .merge_sort_pairs(&x, &v, less::<K>)
                .into(&mut y, &mut w)?;
            Ok(w.to_vec(stream)?)
        });
    }
    check_values(|x| x, |i| i as u8);
    check_values(|x| x, |i| i as u16);
    check_values(|x| x, |i| u64::from(i) << 20);
    check_values(|x| x as u8, |i| [i, i + 1, i + 2]);
    check_values(u64::from, |i| u64::from(i) << 20);
    check_values(u64::from, |i| [i, i + 1]);
    check_values(u128::from, |i| u128::from(i) << 50);
    check_values(u128::from, |i| u64::from(i) << 20);
}

#[test]
fn keys_that_are_computed_on_the_way() {
    let n = 5000;
    let expected: Vec<u32> = (0..n as u32).collect();
    check(&expected, |device, stream| {
        let mut y = device.alloc_uninit(n)?;
        let reversed = counting(n).rev().map(|i| i as u32);
        stream.merge_sort(reversed, |a, b| a < b).into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn a_plan_is_used_again() {
    let (long, short) = (noise(3 * TILE), noise(TILE + 1));
    let mut expected = short.clone();
    expected.sort_unstable();
    check(&expected, |device, stream| {
        let mut plan = MergeSortPlan::new(device, long.len())?;
        let mut y = device.alloc_uninit(long.len())?;
        for x in [&long, &short] {
            let x = device.upload(x)?;
            stream
                .merge_sort(&x, |a, b| a < b)
                .plan(&mut plan)
                .into(&mut y)?;
        }
        Ok(y.slice(..short.len())?.to_vec(stream)?)
    });
}

#[test]
fn a_graph_sorts_what_the_input_has_when_it_runs() {
    let x = noise(2 * TILE + 5);
    let mut expected = x.clone();
    expected.sort_unstable();
    check(&expected, |device, stream| {
        let (mut input, mut y) = (device.zeroed(x.len())?, device.zeroed(x.len())?);
        let mut plan = MergeSortPlan::new(device, x.len())?;
        let graph = Graph::capture(device, |stream| {
            let sort = stream.merge_sort(&input, |a, b| a < b).plan(&mut plan);
            sort.into(&mut y).unwrap();
            Ok::<(), warploom::Error>(())
        })?;
        let graph = graph.instantiate()?;
        input.copy_from(0, &x, stream)?;
        graph.launch(stream)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn comparisons_that_are_no_order_stay_within_the_memory() {
    // What comes out is unspecified; the emulator reports an access outside and a race.
    check(&[true, true, true], |device, stream| {
        let n = 3 * TILE + 5;
        let (x, mut y) = (device.upload(&noise(n))?, device.alloc_uninit(n)?);
        stream.merge_sort(&x, |_, _| true).into(&mut y)?;
        stream
            .merge_sort(&x, |a, b| (a ^ b) & 1 == 1)
            .into(&mut y)?;
        let numbers = counting(n).map(|i| i as u32);
        let mut order = device.alloc_uninit(n)?;
        stream
            .merge_sort_pairs(&x, numbers, |a, b| a.wrapping_sub(b) < 1 << 31)
            .into(&mut y, &mut order)?;
        let order = order.to_vec(stream)?;
        Ok(vec![
            y.to_vec(stream)?.len() == n,
            order.len() == n,
            order.iter().all(|&i| (i as usize) < n),
        ])
    });
}

#[test]
fn outputs_and_plans_that_are_too_short_are_errors() {
    check(&[true, true, true], |device, stream| {
        let x = device.upload(&noise(TILE + 1))?;
        let (mut y, mut short) = (device.zeroed::<u32>(TILE + 1)?, device.zeroed(TILE)?);
        let mut plan = MergeSortPlan::new(device, TILE)?;
        let sort = || stream.merge_sort(&x, |a, b| a < b);
        let no_room = |result| matches!(result, Err(Error::TooShort { .. }));
        let few = stream.merge_sort_pairs(&x, counting(3), |a, b| a < b);
        let mut places = device.zeroed(TILE + 1)?;
        Ok(vec![
            no_room(sort().into(&mut short)),
            no_room(sort().plan(&mut plan).into(&mut y)),
            matches!(
                few.into(&mut y, &mut places),
                Err(Error::DifferentLengths { .. })
            ),
        ])
    });
}
