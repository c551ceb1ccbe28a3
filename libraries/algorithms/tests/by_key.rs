//! Runs of equal keys against the same on the host.

use warploom::prelude::*;
use warploom_algorithms::ByKeyPlan;
use warploom_algorithms::prelude::*;

use crate::{LENGTHS, check, noise};

/// Keys in runs of about `length` elements.
fn keys(n: usize, length: u32) -> Vec<u32> {
    let mut key = 0;
    let next = |x: u32| {
        if x.is_multiple_of(length) {
            key += 1;
        }
        key / 3
    };
    noise(n).into_iter().map(next).collect()
}

/// Key and value of each run.
fn reduced(keys: &[u32], values: &[u32]) -> Vec<[u32; 2]> {
    let mut runs: Vec<[u32; 2]> = vec![];
    for (i, (&key, &value)) in keys.iter().zip(values).enumerate() {
        match runs.last_mut() {
            Some([_, sum]) if keys[i - 1] == key => *sum = sum.wrapping_add(value),
            _ => runs.push([key, value]),
        }
    }
    runs
}

#[test]
fn sums_of_runs_of_every_kind_of_length() {
    for length in [1, 2, 5, 100, 3000, u32::MAX] {
        for n in LENGTHS {
            let (keys, values) = (keys(n, length), noise(n));
            check(&reduced(&keys, &values), |device, stream| {
                let (keys, values) = (device.upload(&keys)?, device.upload(&values)?);
                let (mut unique, mut sums) = (device.zeroed(n)?, device.zeroed(n)?);
                let pairs = keys.input().zip(&values);
                let add = stream.by_key(pairs, u32::wrapping_add);
                let count = add.reduce_count(&mut unique, &mut sums)?;
                let unique = unique.slice(..count)?.to_vec(stream)?;
                let sums = sums.slice(..count)?.to_vec(stream)?;
                Ok(unique
                    .into_iter()
                    .zip(sums)
                    .map(|(key, sum)| [key, sum])
                    .collect())
            });
        }
    }
}

/// `x -> a x + b` modulo 2^32: composition is associative and not commutative.
fn compose([a, b]: [u32; 2], [c, d]: [u32; 2]) -> [u32; 2] {
    [a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d)]
}

#[test]
fn scans_within_runs() {
    for length in [1, 7, 4000] {
        for n in LENGTHS {
            let keys = keys(n, length);
            let values: Vec<_> = noise(2 * n).chunks(2).map(|x| [x[0] | 1, x[1]]).collect();
            let (mut inclusive, mut exclusive) = (vec![], vec![]);
            let mut all = [3, 4];
            for i in 0..n {
                if i > 0 && keys[i - 1] != keys[i] {
                    all = [3, 4];
                }
                exclusive.push(all);
                let begins = i == 0 || keys[i - 1] != keys[i];
                let previous = inclusive.last().copied().unwrap_or([0; 2]);
                inclusive.push(if begins {
                    values[i]
                } else {
                    compose(previous, values[i])
                });
                all = compose(all, values[i]);
            }
            check(&inclusive, |device, stream| {
                let (keys, values, mut y) = (
                    device.upload(&keys)?,
                    device.upload(&values)?,
                    device.zeroed(n)?,
                );
                stream
                    .by_key(keys.input().zip(&values), compose)
                    .inclusive_scan(&mut y)?;
                Ok(y.to_vec(stream)?)
            });
            check(&exclusive, |device, stream| {
                let (keys, values, mut y) = (
                    device.upload(&keys)?,
                    device.upload(&values)?,
                    device.zeroed(n)?,
                );
                stream
                    .by_key(keys.input().zip(&values), compose)
                    .exclusive_scan([3, 4], &mut y)?;
                Ok(y.to_vec(stream)?)
            });
        }
    }
}

/// Elements of type `T` that `of` makes of keys.
fn check_lengths<T: Plain + PartialEq>(keys: &[u32], of: impl Fn(u32) -> T + Copy) {
    let x: Vec<T> = keys.iter().copied().map(of).collect();
    let n = x.len();
    let runs = keys.chunk_by(|&a, &b| of(a) == of(b));
    let lengths = runs.map(|run| run.len() as u32);
    check(&lengths.collect::<Vec<_>>(), |device, stream| {
        let (x, mut y) = (device.upload(&x)?, device.alloc_uninit(n)?);
        let mut lengths = device.zeroed(n)?;
        let count = stream.run_lengths(&x).reduce_count(&mut y, &mut lengths)?;
        let first = y.slice(..count)?.to_vec(stream)?;
        let lengths = lengths.slice(..count)?.to_vec(stream)?;
        let mut at = 0;
        for (first, length) in first.iter().zip(&lengths) {
            assert!(
                *first == of(keys[at]),
                "the element of the run from {at} on"
            );
            at += *length as usize;
        }
        Ok(lengths)
    });
}

#[test]
fn lengths_of_runs() {
    for length in [1, 2, 5, 100, 3000, u32::MAX] {
        for n in [&LENGTHS[..], &[3839, 3840, 3841, 7681]].concat() {
            check_lengths(&keys(n, length), |key| key);
        }
    }
}

#[test]
fn lengths_of_runs_of_elements_of_every_size() {
    let keys = keys(20_000, 90);
    check_lengths(&keys, |key| key as u8);
    check_lengths(&keys, |key| key as u16);
    check_lengths(&keys, u64::from);
    check_lengths(&keys, |key| [key; 3]);
    check_lengths(&keys, |key| [u64::from(key); 2]);
}

#[test]
fn first_values_of_runs() {
    for length in [1, 5, 3000] {
        for n in [&LENGTHS[..], &[2815, 2816, 2817, 5633]].concat() {
            let (keys, values) = (keys(n, length), noise(n));
            let mut expected: Vec<[u32; 2]> =
                keys.iter().zip(&values).map(|(&k, &v)| [k, v]).collect();
            expected.dedup_by_key(|pair| pair[0]);
            check(&expected, |device, stream| {
                let wide: Vec<u64> = values.iter().map(|&value| u64::from(value) << 9).collect();
                let (x, narrow, wide) = (
                    device.upload(&keys)?,
                    device.upload(&values)?,
                    device.upload(&wide)?,
                );
                let (mut unique, mut firsts) = (device.zeroed(n)?, device.zeroed(n)?);
                let mut wide_firsts = device.zeroed(n)?;
                let mut plan = ByKeyPlan::new(device, n)?;
                let firsts_of = stream.unique_by_key(x.input().zip(&wide));
                let count = firsts_of
                    .plan(&mut plan)
                    .reduce_count(&mut unique, &mut wide_firsts)?;
                let firsts_of = stream.unique_by_key(x.input().zip(&narrow));
                assert_eq!(firsts_of.reduce_count(&mut unique, &mut firsts)?, count);
                let unique = unique.slice(..count)?.to_vec(stream)?;
                let firsts = firsts.slice(..count)?.to_vec(stream)?;
                let wide_firsts: Vec<u64> = wide_firsts.slice(..count)?.to_vec(stream)?;
                let equal = firsts
                    .iter()
                    .zip(&wide_firsts)
                    .all(|(&a, &b)| u64::from(a) << 9 == b);
                assert!(equal, "values of 8 bytes");
                Ok(unique
                    .into_iter()
                    .zip(firsts)
                    .map(|(key, first)| [key, first])
                    .collect())
            });
        }
    }
}

#[test]
fn the_first_of_each_run() {
    for n in LENGTHS {
        let mut x = keys(n, 4);
        let device_x = x.clone();
        x.dedup();
        check(&x, |device, stream| {
            let (x, mut y) = (device.upload(&device_x)?, device.zeroed(n)?);
            let count = stream.unique(&x).count(&mut y)?;
            Ok(y.slice(..count)?.to_vec(stream)?)
        });
    }
}

/// A key whose comparison is no equality: it depends on the side.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(transparent)]
struct OneSided(u32);

impl PartialEq for OneSided {
    fn eq(&self, other: &Self) -> bool {
        self.0 < other.0
    }
}

/// Two threads that decide differently where a run ends must not write one place.
#[test]
fn keys_whose_comparison_depends_on_the_side_are_no_race() {
    let n = 20_000;
    let keys: Vec<OneSided> = keys(n, 3).into_iter().map(|x| OneSided(x % 5)).collect();
    let runs = 1 + keys.windows(2).filter(|w| w[1] != w[0]).count();
    check(&[runs], |device, stream| {
        let (keys, values) = (device.upload(&keys)?, device.upload(&noise(n))?);
        let (mut unique, mut sums) = (device.zeroed(n)?, device.zeroed(n)?);
        let pairs = keys.input().zip(&values);
        let add = stream.by_key(pairs, u32::wrapping_add);
        Ok(vec![add.reduce_count(&mut unique, &mut sums)?])
    });
}

/// The closure panics if more than the elements is added up: none of those behind the end, and of an exclusive scan not the last one.
#[test]
fn only_elements_are_combined() {
    for n in [1, 2, 31, 700, 2817, 2 * 2816] {
        let (keys, mut values) = (vec![3u32; n], vec![0u32; n]);
        values[n - 1] = u32::MAX;
        check(&[u32::MAX], |device, stream| {
            let (keys, values) = (device.upload(&keys)?, device.upload(&values)?);
            let (mut unique, mut sums) = (device.zeroed(n)?, device.zeroed(n)?);
            let add = stream.by_key(keys.input().zip(&values), |a, b| a + b);
            let count = add.reduce_count(&mut unique, &mut sums)?;
            Ok(sums.slice(..count)?.to_vec(stream)?)
        });
        values[0] = 5;
        check(&[vec![2], vec![7; n - 1]].concat(), |device, stream| {
            let (keys, values) = (device.upload(&keys)?, device.upload(&values)?);
            let mut sums = device.zeroed(n)?;
            let add = stream.by_key(keys.input().zip(&values), |a, b| a + b);
            add.exclusive_scan(2, &mut sums)?;
            Ok(sums.to_vec(stream)?)
        });
    }
}

/// Of an exclusive scan no result has the last element of a run: the closure panics if it is combined.
#[test]
fn exclusive_scans_combine_no_last_element() {
    for length in [2, 7, 4000] {
        let keys = keys(20_000, length);
        let mut values = vec![1u32; keys.len()];
        let mut expected = vec![];
        for run in keys.chunk_by(|a, b| a == b) {
            expected.extend(5..5 + run.len() as u32);
            values[expected.len() - 1] = u32::MAX;
        }
        check(&expected, |device, stream| {
            let (keys, values) = (device.upload(&keys)?, device.upload(&values)?);
            let mut sums = device.zeroed(expected.len())?;
            let add = stream.by_key(keys.input().zip(&values), |a, b| a + b);
            add.exclusive_scan(5, &mut sums)?;
            Ok(sums.to_vec(stream)?)
        });
    }
}

/// The largest that there are.
#[test]
fn keys_and_values_of_sixteen_bytes() {
    let n = 3000;
    let (keys, values) = (keys(n, 3), noise(n));
    check(&reduced(&keys, &values), |device, stream| {
        let long: Vec<[u32; 4]> = keys.iter().map(|&key| [key; 4]).collect();
        let wide: Vec<[u32; 4]> = values.iter().map(|&value| [value; 4]).collect();
        let (long, wide) = (device.upload(&long)?, device.upload(&wide)?);
        let (mut unique, mut sums) = (device.zeroed(n)?, device.zeroed(n)?);
        let add = |a: [u32; 4], b: [u32; 4]| std::array::from_fn(|i| a[i].wrapping_add(b[i]));
        let add = stream.by_key(long.input().zip(&wide), add);
        let count = add.reduce_count(&mut unique, &mut sums)?;
        let unique = unique.slice(..count)?.to_vec(stream)?;
        let sums: Vec<[u32; 4]> = sums.slice(..count)?.to_vec(stream)?;
        let pairs = unique.into_iter().zip(sums);
        Ok(pairs
            .map(|([key, ..], [sum, ..]): ([u32; 4], [u32; 4])| [key, sum])
            .collect())
    });
}
