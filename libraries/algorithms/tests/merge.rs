//! Merges of two sorted inputs against a stable sort of both.

use warploom_algorithms::prelude::*;
use warploom_algorithms::{Error, MergePlan};

use crate::{check, lengths, noise};

/// Elements of a tile of keys of at most 4 bytes.
const TILE: usize = 17 * 256;

fn sorted(n: usize, most: u32) -> Vec<u32> {
    let mut keys = Vec::from_iter(noise(n).iter().map(|key| key % most));
    keys.sort_unstable();
    keys
}

#[test]
fn inputs_of_every_kind_of_length() {
    for a_len in lengths(TILE) {
        for b_len in [0, 1, 100, TILE, TILE + 1] {
            let (a, b) = (sorted(a_len, u32::MAX), sorted(b_len, 1 << 30));
            let mut expected = [&a[..], &b].concat();
            expected.sort_unstable();
            check(&expected, |device, stream| {
                let (a, b) = (device.upload(&a)?, device.upload(&b)?);
                let mut y = device.alloc_uninit(a.len() + b.len())?;
                stream.merge(&a, &b, |a, b| a < b).into(&mut y)?;
                Ok(y.to_vec(stream)?)
            });
        }
    }
}

#[test]
fn equal_keys_of_the_first_input_come_first() {
    let (a, b) = (sorted(6000, 50), sorted(9000, 70));
    let mut expected = Vec::from_iter(a.iter().zip(0..).map(|(&key, i)| (key, [0u64, i])));
    expected.extend(b.iter().zip(0..).map(|(&key, i)| (key, [1u64, i])));
    expected.sort_by_key(|pair| pair.0);
    check(&expected, |device, stream| {
        let numbers = |of: u64, n: usize| Vec::from_iter((0..n as u64).map(|i| [of, i]));
        let (a_values, b_values) = (
            device.upload(&numbers(0, a.len()))?,
            device.upload(&numbers(1, b.len()))?,
        );
        let (a, b) = (device.upload(&a)?, device.upload(&b)?);
        let (mut y, mut y_values) = (device.alloc_uninit(15_000)?, device.alloc_uninit(15_000)?);
        stream
            .merge_pairs(&a, &a_values, &b, &b_values, |a, b| a < b)
            .into(&mut y, &mut y_values)?;
        let (y, y_values) = (y.to_vec(stream)?, y_values.to_vec(stream)?);
        Ok(y.into_iter().zip(y_values).collect())
    });
}

#[test]
fn all_of_one_input_before_the_other() {
    let (low, high) = (sorted(3 * TILE, 1000), Vec::from_iter(2000..9000));
    let expected = [&low[..], &high].concat();
    check(&expected, |device, stream| {
        let (low, high) = (device.upload(&low)?, device.upload(&high)?);
        let mut y = device.alloc_uninit(low.len() + high.len())?;
        stream.merge(&high, &low, |a, b| a < b).into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn inputs_that_are_not_sorted_stay_within_the_memory() {
    check(&[20_000], |device, stream| {
        let (a, b) = (device.upload(&noise(7000))?, device.upload(&noise(13_000))?);
        let mut y = device.alloc_uninit(20_000)?;
        stream.merge(&a, &b, |a, b| a < b).into(&mut y)?;
        Ok(vec![y.to_vec(stream)?.len()])
    });
}

#[test]
fn outputs_values_and_plans_that_are_too_short_are_errors() {
    check(&[true, true, true], |device, stream| {
        let (a, b) = (device.upload(&[1u32, 2])?, device.upload(&[3u32])?);
        let (mut short, mut y) = (device.zeroed::<u32>(2)?, device.zeroed::<u32>(3)?);
        let mut plan = MergePlan::new(device, 0)?;
        let merge = || stream.merge(&a, &b, |a, b| a < b);
        let pairs = stream.merge_pairs(&a, &a, &b, &a, |a, b| a > b);
        Ok(vec![
            matches!(merge().into(&mut short), Err(Error::TooShort { .. })),
            matches!(
                merge().plan(&mut plan).into(&mut y),
                Err(Error::TooShort { .. })
            ),
            matches!(
                pairs.into(&mut y, &mut short),
                Err(Error::DifferentLengths { .. })
            ),
        ])
    });
}
