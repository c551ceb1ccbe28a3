//! Scans against the same on the host.

use warploom_algorithms::prelude::*;

use crate::{LENGTHS, check, noise};
use warploom_harness::device_test::devices;

fn running<T: Copy>(x: &[T], init: Option<T>, op: impl Fn(T, T) -> T) -> Vec<T> {
    let mut sum = init;
    let next = |&x: &T| {
        let all = sum.map_or(x, |sum| op(sum, x));
        sum = Some(all);
        all
    };
    x.iter().map(next).collect()
}

#[test]
fn inclusive_sums() {
    for n in LENGTHS {
        let x = noise(n);
        check(&running(&x, None, u32::wrapping_add), |device, stream| {
            let (x, mut y) = (device.upload(&x)?, device.zeroed(n)?);
            stream.inclusive_scan(&x, u32::wrapping_add).into(&mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

#[test]
fn exclusive_sums_of_eight_bytes() {
    for n in LENGTHS {
        let x: Vec<u64> = noise(n).into_iter().map(|x| u64::from(x) << 20).collect();
        let mut expected = running(&x, Some(7), u64::wrapping_add);
        expected.insert(0, 7);
        check(&expected[..n], |device, stream| {
            let (x, mut y) = (device.upload(&x)?, device.zeroed(n)?);
            stream
                .exclusive_scan(&x, 7, u64::wrapping_add)
                .into(&mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

/// `x -> a x + b` modulo 2^32: composition is associative and not commutative.
fn compose([a, b]: [u32; 2], [c, d]: [u32; 2]) -> [u32; 2] {
    [a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d)]
}

#[test]
fn an_operation_that_does_not_commute() {
    for n in LENGTHS {
        let x: Vec<_> = noise(2 * n).chunks(2).map(|x| [x[0] | 1, x[1]]).collect();
        check(&running(&x, Some([3, 4]), compose), |device, stream| {
            let (x, mut y) = (device.upload(&x)?, device.zeroed(n)?);
            stream
                .inclusive_scan(&x, compose)
                .init([3, 4])
                .into(&mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

#[test]
fn bytes_and_values_of_sixteen_bytes() {
    let n = 9000;
    let x: Vec<u8> = noise(n).into_iter().map(|x| x as u8).collect();
    check(&running(&x, None, u8::wrapping_add), |device, stream| {
        let (x, mut y) = (device.upload(&x)?, device.zeroed(n)?);
        stream.inclusive_scan(&x, u8::wrapping_add).into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
    let wide = |x: u8| u128::from(x) << 100 | u128::from(x);
    let expected = running(&x, None, u8::max);
    check(
        &expected.into_iter().map(wide).collect::<Vec<_>>(),
        |device, stream| {
            let (x, mut y) = (device.upload(&x)?, device.zeroed(n)?);
            stream
                .inclusive_scan(x.input().map(wide), u128::max)
                .into(&mut y)?;
            Ok(y.to_vec(stream)?)
        },
    );
}

#[test]
fn a_panic_of_the_operation_is_an_error() {
    for device in devices() {
        let stream = device.stream().expect("a stream");
        let x = device.upload(&noise(100_000)).expect("memory");
        let mut y = device.zeroed(100_000).expect("memory");
        let add = |a: u32, b: u32| a.checked_add(b).expect("a sum below 2^32");
        let result = stream.inclusive_scan(&x, add).into(&mut y);
        let waited = stream.synchronize();
        let error = match (result, waited) {
            (Err(error), _) => error.to_string(),
            (Ok(()), waited) => waited.expect_err("a panic").to_string(),
        };
        assert!(
            error.contains("a sum below 2^32"),
            "{}: {error}",
            device.name()
        );
    }
}

/// The closure panics if more than the elements is added up: none of those behind the end, and of an exclusive scan not the last one.
#[test]
fn only_elements_are_combined() {
    for n in [1, 2, 31, 700, 5889, 2 * 5888] {
        let mut x = vec![0u32; n];
        x[n / 2] = u32::MAX / 2 + 1;
        x[n - 1] += u32::MAX / 2;
        let sums = |x: &[u32]| {
            let sum = x.iter().scan(0, |sum, x| {
                *sum += x;
                Some(*sum)
            });
            sum.collect::<Vec<u32>>()
        };
        check(&sums(&x), |device, stream| {
            let (x, mut y) = (device.upload(&x)?, device.zeroed(n)?);
            stream.inclusive_scan(&x, |a, b| a + b).into(&mut y)?;
            Ok(y.to_vec(stream)?)
        });
        let mut expected = sums(&x);
        expected.rotate_right(1);
        expected[0] = 0;
        x[n - 1] = u32::MAX;
        check(&expected, |device, stream| {
            let (x, mut y) = (device.upload(&x)?, device.zeroed(n)?);
            stream.exclusive_scan(&x, 0, |a, b| a + b).into(&mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}
