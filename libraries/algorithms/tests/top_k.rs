//! Selections against the host's sort.

use warploom::prelude::*;
use warploom_algorithms::prelude::*;
use warploom_algorithms::{Error, TopKPairsPlan, TopKPlan, counting};

use crate::{check, noise};

/// That the `k` largest and the `k` smallest are those of the sorted keys.
#[track_caller]
fn selects(keys: &[u32], k: usize) {
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    check(&sorted[..k], |device, stream| {
        let x = device.upload(keys)?;
        let mut y = device.alloc_uninit(k)?;
        stream.top_k(&x, k).smallest().into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
    sorted.reverse();
    check(&sorted[..k], |device, stream| {
        let x = device.upload(keys)?;
        let mut y = device.alloc_uninit(k)?;
        stream.top_k(&x, k).into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn of_any_length_and_number() {
    for n in [1, 2, 255, 256, 257, 4096, 4097, 30_000] {
        let keys = noise(n);
        for k in [0, 1, n / 2, n - 1, n] {
            selects(&keys, k);
        }
    }
}

#[test]
fn of_keys_that_are_often_equal() {
    selects(&[7; 5000], 100);
    let keys: Vec<_> = noise(20_000).iter().map(|x| x % 10 * 0x0101_0101).collect();
    for k in [1, 1999, 2001, 10_000] {
        selects(&keys, k);
    }
}

#[test]
fn of_floats_with_a_plan_of_its_own() {
    let keys: Vec<_> = noise(9000)
        .iter()
        .map(|&x| f64::from(x) - 2e9)
        .chain([-0.0, 0.0])
        .collect();
    let mut expected = keys.clone();
    expected.sort_by(|a, b| b.total_cmp(a));
    expected.truncate(70);
    check(&expected, |device, stream| {
        let x = device.upload(&keys)?;
        let mut plan = TopKPlan::new(device, 70)?;
        let mut y = device.alloc_uninit(70)?;
        for _ in 0..2 {
            stream.top_k(&x, 70).plan(&mut plan).into(&mut y)?;
        }
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn values_go_with_their_keys() {
    for (n, k) in [(1, 1), (300, 300), (9000, 1500)] {
        let keys: Vec<u16> = noise(n).iter().map(|x| (x >> 7) as u16 % 900).collect();
        let mut expected = keys.clone();
        expected.sort_by(|a, b| b.cmp(a));
        expected.truncate(k);
        check(&expected, |device, stream| {
            let x = device.upload(&keys)?;
            let (mut y, mut places) = (device.alloc_uninit(k)?, device.alloc_uninit(k)?);
            let mut plan = TopKPairsPlan::new(device, k)?;
            for _ in 0..2 {
                let pairs = stream.top_k_pairs(&x, counting(n), k).plan(&mut plan);
                pairs.into(&mut y, &mut places)?;
            }
            let (y, mut places) = (y.to_vec(stream)?, places.to_vec(stream)?);
            assert!(places.iter().zip(&y).all(|(&i, y)| keys[i] == *y));
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), k, "each pair once");
            Ok(y)
        });
    }
}

#[test]
fn the_smallest_keys_with_values_of_sixteen_bytes() {
    let n = 5000;
    let keys = noise(n);
    let mut expected = keys.clone();
    expected.sort_unstable();
    let expected: Vec<_> = expected[..40].iter().map(|&x| [x, !x, 7, x]).collect();
    check(&expected, |device, stream| {
        let x = device.upload(&keys)?;
        let (mut y, mut values) = (device.alloc_uninit(40)?, device.alloc_uninit(40)?);
        let of = x.input().map(|x| [x, !x, 7, x]);
        stream
            .top_k_pairs(&x, of, 40)
            .smallest()
            .into(&mut y, &mut values)?;
        Ok(values.to_vec(stream)?)
    });
}

#[test]
fn more_than_there_are_is_an_error() -> Result<(), Error> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let x = device.upload(&[1u8, 2])?;
    let mut y = device.zeroed(3)?;
    let error = stream.top_k(&x, 3).into(&mut y).expect_err("an error");
    assert_eq!(
        error.to_string(),
        "the number of elements to select is 3, and must be at most the number of keys"
    );
    Ok(())
}
