//! Searches for many values against `partition_point`.

use warploom_algorithms::prelude::*;
use warploom_algorithms::{Error, constant, counting};

use crate::{check, noise};

fn sorted(n: usize) -> Vec<u32> {
    let mut x = Vec::from_iter(noise(n).iter().map(|x| x % 5000));
    x.sort_unstable();
    x
}

fn values(m: usize) -> Vec<u32> {
    Vec::from_iter(noise(m + 7)[7..].iter().map(|x| x % 5100))
}

#[test]
fn lower_bounds_in_inputs_of_every_kind_of_length() {
    for (n, m) in [(0, 5), (1, 300), (2, 0), (31, 33), (4096, 1), (9999, 5000)] {
        let (x, v) = (sorted(n), values(m));
        let expected = Vec::from_iter(v.iter().map(|v| x.partition_point(|x| x < v) as u32));
        check(&expected, |device, stream| {
            let (x, v) = (device.upload(&x)?, device.upload(&v)?);
            let mut y = device.alloc_uninit::<u32>(m)?;
            stream.lower_bound(&x, &v, |a, b| a < b).into(&mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

#[test]
fn upper_bounds_as_64_bit_numbers() {
    let (x, v) = (sorted(9999), values(3000));
    let expected = Vec::from_iter(v.iter().map(|v| x.partition_point(|x| x <= v) as u64));
    check(&expected, |device, stream| {
        let (x, v) = (device.upload(&x)?, device.upload(&v)?);
        let mut y = device.alloc_uninit::<u64>(v.len())?;
        stream.upper_bound(&x, &v, |a, b| a < b).into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn the_first_of_equal_elements_or_none() {
    let (x, v) = (sorted(3000), values(3000));
    let expected = Vec::from_iter(v.iter().map(|v| {
        let place = x.partition_point(|x| x < v);
        if x.get(place) == Some(v) {
            place
        } else {
            usize::MAX
        }
    }));
    assert!(expected.contains(&usize::MAX));
    check(&expected, |device, stream| {
        let (x, v) = (device.upload(&x)?, device.upload(&v)?);
        let mut y = device.alloc_uninit::<usize>(v.len())?;
        stream.binary_search(&x, &v, |a, b| a < b).into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn a_descending_input_that_is_computed_and_places_that_are_summed() {
    // 999, 998 … 0: value `v` is at place `999 - v`.
    check(&[3 * (999 - 7)], |_, stream| {
        let descending = counting(1000).rev();
        let places = stream
            .lower_bound(descending, constant(7, 3), |a, b| a > b)
            .input();
        Ok(vec![stream.reduce(places, 0, |a, b| a + b).to_host()?])
    });
}

#[test]
fn an_input_that_is_not_sorted_gives_places_within_it() {
    check(&[true], |device, stream| {
        let (x, v) = (device.upload(&noise(700))?, device.upload(&noise(900))?);
        let mut y = device.alloc_uninit::<u32>(900)?;
        stream
            .lower_bound(x.input().map(|x| x ^ 77), &v, |a, b| a < b)
            .into(&mut y)?;
        Ok(vec![y.to_vec(stream)?.iter().all(|&y| y <= 700)])
    });
}

#[test]
fn more_elements_than_the_type_of_places_counts_are_an_error() {
    check(&[true], |device, stream| {
        let mut y = device.alloc_uninit::<u32>(1)?;
        let search = stream.lower_bound(counting(1 << 32), constant(7, 1), |a, b| a < b);
        Ok(vec![matches!(
            search.into(&mut y),
            Err(Error::TooMany { most, .. }) if most == u64::from(u32::MAX) - 1
        )])
    });
}
