//! The smallest and largest elements against those of the host.

use warploom_algorithms::prelude::*;
use warploom_algorithms::{ArgPlan, SegmentedArgPlan, counting};

use crate::{check, lengths, noise};

#[test]
fn of_equal_elements_the_first_is_found() {
    for n in lengths(4096) {
        let x: Vec<u32> = noise(n).iter().map(|x| x % 50).collect();
        let numbered = || x.iter().copied().enumerate().map(|(i, x)| (i as u64, x));
        let smallest = numbered().min_by_key(|&(i, x)| (x, i));
        let largest = numbered().min_by_key(|&(i, x)| (u32::MAX - x, i));
        check(&[smallest, largest], |device, stream| {
            let x = device.upload(&x)?;
            Ok(vec![
                stream.arg_min(&x).to_host()?,
                stream.arg_max(&x).to_host()?,
            ])
        });
    }
}

#[test]
fn floats_have_the_order_of_sorts() {
    let x = [1.0f64, -0.0, f64::NAN, 0.0, -f64::NAN, f64::NAN];
    check(&[4, 2, 1], |device, stream| {
        let x = device.upload(&x)?;
        let place = |found: Option<(u64, f64)>| found.map_or(u64::MAX, |(i, _)| i);
        let numbers = x.input().map(|x| if x.is_nan() { 7.0 } else { x });
        Ok(vec![
            place(stream.arg_min(&x).to_host()?),
            place(stream.arg_max(&x).to_host()?),
            place(stream.arg_min(numbers).to_host()?),
        ])
    });
}

#[test]
fn many_blocks_with_a_plan_agree_on_the_first() {
    let n = 1_200_000;
    check(&[777_777, 1_000_000, 9], |device, stream| {
        let x = counting(n).map(|i| match i {
            777_777 | 1_100_000 => 1u32,
            1_000_000 => 9,
            _ => 5,
        });
        let (mut value, mut index) = (device.zeroed(1)?, device.zeroed(1)?);
        let mut plan = ArgPlan::new(device, n)?;
        let mut found = vec![];
        let smallest = stream.arg_min(x).plan(&mut plan);
        smallest.into(&mut value, &mut index)?;
        found.push(index.get(0, stream)?);
        let largest = stream.arg_max(x).plan(&mut plan);
        largest.into(&mut value, &mut index)?;
        found.extend([index.get(0, stream)?, u64::from(value.get(0, stream)?)]);
        Ok(found)
    });
}

#[test]
fn without_elements_the_place_is_the_largest_number() {
    check(&[u64::MAX, 3], |device, stream| {
        let x = device.upload::<u32>(&[])?;
        let (mut value, mut index) = (device.filled(1, 3u32)?, device.zeroed(1)?);
        stream.arg_min(&x).into(&mut value, &mut index)?;
        Ok(vec![index.get(0, stream)?, value.get(0, stream)?.into()])
    });
}

#[test]
fn the_ends_of_the_order_and_the_sum() {
    let x = noise(10_000);
    let expected = [x.iter().min(), x.iter().max()].map(|x| u64::from(*x.unwrap()));
    let sum = x.iter().map(|&x| u64::from(x)).sum();
    check(
        &[expected[0], expected[1], sum, u32::MAX.into(), 0],
        |device, stream| {
            let (x, none) = (device.upload(&x)?, device.upload::<u32>(&[])?);
            Ok(vec![
                stream.min(&x).to_host()?.into(),
                stream.max(&x).to_host()?.into(),
                stream.sum(x.input().map(u64::from)).to_host()?,
                stream.min(&none).to_host()?.into(),
                stream.max(&none).to_host()?.into(),
            ])
        },
    );
}

#[test]
fn of_each_segment() {
    let lengths = [0, 1, 5, 16, 17, 40, 0, 2048, 2049, 3000, 0];
    let mut offsets = vec![0u32];
    for len in lengths {
        offsets.push(offsets[offsets.len() - 1] + len);
    }
    let x: Vec<u32> = noise(offsets[11] as usize)
        .iter()
        .map(|x| x % 500)
        .collect();
    let mut expected = vec![];
    for bounds in offsets.windows(2) {
        let places = bounds[0] as usize..bounds[1] as usize;
        expected.push(match places.min_by_key(|&i| (x[i], i)) {
            Some(place) => (place as u64, x[place]),
            None => (u64::MAX, 1000),
        });
    }
    check(&expected, |device, stream| {
        let (x, offsets) = (device.upload(&x)?, device.upload(&offsets)?);
        let (mut values, mut places) = (device.filled(11, 1000)?, device.zeroed(11)?);
        let mut plan = SegmentedArgPlan::new(device, 11)?;
        let search = stream.segmented_arg_min(&x, &offsets).plan(&mut plan);
        search.into(&mut values, &mut places)?;
        let (values, places) = (values.to_vec(stream)?, places.to_vec(stream)?);
        Ok(places.into_iter().zip(values).collect())
    });
}
