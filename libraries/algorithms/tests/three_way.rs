//! Partitions in three parts against the same on the host.

use warploom::Device;
use warploom_algorithms::prelude::*;
use warploom_algorithms::{Error, SelectPlan, counting};

use crate::{check, lengths, noise};

/// The elements of each part by `part`, one part after the other, with how many the first two have before them.
fn parts<T: Copy>(x: &[T], part: impl Fn(T) -> usize) -> (Vec<T>, [u64; 2]) {
    let of = |k| {
        x.iter()
            .copied()
            .filter(|&x| part(x) == k)
            .collect::<Vec<_>>()
    };
    let parts = [0, 1, 2].map(of);
    let counts = [parts[0].len() as u64, parts[1].len() as u64];
    (parts.concat(), counts)
}

#[test]
fn each_part_is_in_order() {
    for n in lengths(16 * 256) {
        let x = noise(n);
        let (expected, counts) = parts(&x, |x| match x {
            x if x % 3 == 0 => 0,
            x if x % 2 == 0 => 1,
            _ => 2,
        });
        check(&expected, |device, stream| {
            let x = device.upload(&x)?;
            let (mut first, mut second, mut rest) =
                (device.zeroed(n)?, device.zeroed(n)?, device.zeroed(n)?);
            let (a, b) = stream
                .three_way_partition(&x, |x| x % 3 == 0, |x| x % 2 == 0)
                .counts(&mut first, &mut second, &mut rest)?;
            assert_eq!([a as u64, b as u64], counts);
            let mut all = first.slice(..a)?.to_vec(stream)?;
            all.extend(second.slice(..b)?.to_vec(stream)?);
            all.extend(rest.slice(..n - a - b)?.to_vec(stream)?);
            Ok(all)
        });
    }
}

#[test]
fn all_elements_in_one_part() {
    let n = 9000;
    for part in 0..3 {
        check(&noise(n), |device, stream| {
            let x = device.upload(&noise(n))?;
            let mut parts = [device.zeroed(n)?, device.zeroed(n)?, device.zeroed(n)?];
            let [first, second, rest] = &mut parts;
            let partition = stream.three_way_partition(&x, move |_| part == 0, move |_| part == 1);
            let counts = partition.counts(first, second, rest)?;
            assert_eq!(counts, [(n, 0), (0, n), (0, 0)][part]);
            Ok(parts[part].to_vec(stream)?)
        });
    }
}

#[test]
fn computed_elements_of_eight_bytes_with_a_plan() {
    let n = 70_001;
    let x: Vec<u64> = (0..n as u64).map(|i| i * i).collect();
    let (expected, counts) = parts(&x, |x| (x % 5) as usize / 2);
    check(&expected, |device, stream| {
        let squares = counting(n).map(|i| (i * i) as u64);
        let (mut first, mut second, mut rest) =
            (device.zeroed(n)?, device.zeroed(n)?, device.zeroed(n)?);
        let mut found = device.zeroed(2)?;
        let mut plan = SelectPlan::new(device, n)?;
        for _ in 0..2 {
            let parts = stream.three_way_partition(squares, |x| x % 5 < 2, |x| x % 5 < 4);
            parts
                .plan(&mut plan)
                .into(&mut first, &mut second, &mut rest, &mut found)?;
        }
        assert_eq!(found.to_vec(stream)?, counts);
        let [a, b] = counts.map(|count| count as usize);
        let mut all = first.slice(..a)?.to_vec(stream)?;
        all.extend(second.slice(..b)?.to_vec(stream)?);
        all.extend(rest.slice(..n - a - b)?.to_vec(stream)?);
        Ok(all)
    });
}

#[test]
fn elements_that_are_too_large_for_shared_memory() {
    let x: Vec<[u64; 3]> = noise(5000).iter().map(|&x| [x.into(), 1, 2]).collect();
    let (expected, counts) = parts(&x, |[x, ..]| (x % 3) as usize);
    check(&expected, |device, stream| {
        let (x, n) = (device.upload(&x)?, x.len());
        let (mut first, mut second, mut rest) =
            (device.zeroed(n)?, device.zeroed(n)?, device.zeroed(n)?);
        let (a, b) = stream
            .three_way_partition(&x, |[x, ..]| x % 3 == 0, |[x, ..]| x % 3 == 1)
            .counts(&mut first, &mut second, &mut rest)?;
        assert_eq!([a as u64, b as u64], counts);
        let mut all = first.slice(..a)?.to_vec(stream)?;
        all.extend(second.slice(..b)?.to_vec(stream)?);
        all.extend(rest.slice(..n - a - b)?.to_vec(stream)?);
        Ok(all)
    });
}

#[test]
fn an_output_that_is_too_short_is_an_error() -> Result<(), Error> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let x = device.upload(&noise(3))?;
    let (mut first, mut second, mut rest) =
        (device.zeroed(3)?, device.zeroed(3)?, device.zeroed(2)?);
    let partition = stream.three_way_partition(&x, |x| x % 3 == 0, |x| x % 2 == 0);
    let error = partition
        .counts(&mut first, &mut second, &mut rest)
        .expect_err("an error");
    assert_eq!(
        error.to_string(),
        "the output for the rest has room for 2 elements, but 3 are needed; make it with at least that many"
    );
    Ok(())
}
