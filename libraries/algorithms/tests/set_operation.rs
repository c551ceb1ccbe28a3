//! Set operations on sorted inputs against counts of each element.

use std::collections::BTreeMap;

use warploom::{DeviceBuffer, Stream};
use warploom_algorithms::prelude::*;
use warploom_algorithms::{Error, SetPlan};

use crate::{check, lengths, noise};

/// Elements of a tile of [`Element`]s.
const TILE: usize = 9 * 256;

/// A value, and where it comes from: the order is that of the values alone.
type Element = [u32; 2];

/// `n` values below `most`, with numbers from `from` on.
fn sorted(n: usize, most: u32, from: u32) -> Vec<Element> {
    let mut values = Vec::from_iter(
        noise(n + from as usize % 97)[from as usize % 97..]
            .iter()
            .map(|x| x % most),
    );
    values.sort_unstable();
    Vec::from_iter(
        values
            .into_iter()
            .zip(from..)
            .map(|(value, number)| [value, number]),
    )
}

/// Of each value the elements of both inputs to those that are kept.
fn expected(
    a: &[Element],
    b: &[Element],
    keep: impl Fn(&[Element], &[Element]) -> Vec<Element>,
) -> Vec<Element> {
    let mut values = BTreeMap::<u32, [Vec<Element>; 2]>::new();
    for (of, input) in [a, b].into_iter().enumerate() {
        for &element in input {
            values.entry(element[0]).or_default()[of].push(element);
        }
    }
    values.values().flat_map(|[a, b]| keep(a, b)).collect()
}

fn less(a: Element, b: Element) -> bool {
    a[0] < b[0]
}

type Buffer = DeviceBuffer<Element>;

/// What each operation keeps, and the operation.
#[track_caller]
fn check_all(a: &[Element], b: &[Element]) {
    let rest = |x: &[Element], y: &[Element]| x[y.len().min(x.len())..].to_vec();
    check_one(
        a,
        b,
        |a, b| [a, &rest(b, a)].concat(),
        |stream, a, b, y, count| stream.set_union(a, b, less).into(y, count),
    );
    check_one(
        a,
        b,
        |a, b| a[..a.len().min(b.len())].to_vec(),
        |stream, a, b, y, count| stream.set_intersection(a, b, less).into(y, count),
    );
    check_one(a, b, rest, |stream, a, b, y, count| {
        stream.set_difference(a, b, less).into(y, count)
    });
    check_one(
        a,
        b,
        |a, b| [rest(a, b), rest(b, a)].concat(),
        |stream, a, b, y, count| stream.set_symmetric_difference(a, b, less).into(y, count),
    );
}

#[track_caller]
fn check_one(
    a: &[Element],
    b: &[Element],
    keep: impl Fn(&[Element], &[Element]) -> Vec<Element>,
    run: impl Fn(&Stream, &Buffer, &Buffer, &mut Buffer, &mut DeviceBuffer<u64>) -> Result<(), Error>,
) {
    check(&expected(a, b, keep), |device, stream| {
        let (a, b) = (device.upload(a)?, device.upload(b)?);
        let (mut y, mut count) = (device.alloc_uninit(a.len() + b.len())?, device.zeroed(1)?);
        run(stream, &a, &b, &mut y, &mut count)?;
        let count = count.get(0, stream)? as usize;
        Ok(y.slice(..count)?.to_vec(stream)?)
    });
}

#[test]
fn inputs_of_every_kind_of_length() {
    for n in lengths(TILE)
        .into_iter()
        .filter(|n| *n <= TILE + 1 || n % 2 == 1)
    {
        check_all(&sorted(n, 100_000, 0), &sorted(500, 90_000, 5));
    }
    for n in [0, 1, TILE - 1, TILE + 1] {
        check_all(&sorted(100, 300, 1), &sorted(n, 300, 2));
    }
}

#[test]
fn values_that_are_equal_over_several_tiles() {
    check_all(&sorted(5000, 1, 0), &sorted(3000, 1, 3));
    check_all(&sorted(2500, 2, 0), &sorted(5000, 1, 3));
    check_all(&sorted(3000, 3, 1), &sorted(3000, 3, 1));
    check_all(&sorted(2, 3, 1), &sorted(6000, 3, 1));
}

#[test]
fn values_of_one_input_alone() {
    let (low, high) = (sorted(3000, 50, 0), sorted(3000, 50, 7));
    let high = Vec::from_iter(high.iter().map(|[value, number]| [value + 100, *number]));
    check_all(&low, &high);
    check_all(&high, &low);
}

#[test]
fn numbers_in_descending_order_with_a_plan() {
    let (a, b) = (
        Vec::from_iter((0..5000u32).rev()),
        Vec::from_iter((4000..9000u32).rev()),
    );
    check(&Vec::from_iter((4000..5000).rev()), |device, stream| {
        let (a, b) = (device.upload(&a)?, device.upload(&b)?);
        let (mut y, mut count) = (device.alloc_uninit(5000)?, device.zeroed(1)?);
        let mut plan = SetPlan::new(device, 10_000)?;
        for _ in 0..2 {
            stream
                .set_intersection(&a, &b, |a, b| a > b)
                .plan(&mut plan)
                .into(&mut y, &mut count)?;
        }
        Ok(y.slice(..count.get(0, stream)? as usize)?.to_vec(stream)?)
    });
}

#[test]
fn inputs_that_are_not_sorted_stay_within_the_memory() {
    check(&[true], |device, stream| {
        let (a, b) = (
            device.upload(&noise(3 * TILE))?,
            device.upload(&noise(2 * TILE + 9))?,
        );
        let (mut y, mut count) = (device.alloc_uninit(a.len())?, device.zeroed(1)?);
        stream
            .set_intersection(&a, &b, |a, b| a % 77 < b % 77)
            .into(&mut y, &mut count)?;
        stream
            .set_difference(&a, &b, |_, _| true)
            .into(&mut y, &mut count)?;
        Ok(vec![count.get(0, stream)? <= 5 * TILE as u64 + 9])
    });
}

#[test]
fn outputs_and_plans_that_are_too_short_are_errors() {
    check(&[true, true, true], |device, stream| {
        let (a, b) = (device.upload(&[1u32, 2])?, device.upload(&[3u32])?);
        let (mut y, mut count) = (device.zeroed::<u32>(2)?, device.zeroed(1)?);
        let (mut long, mut none) = (device.zeroed::<u32>(3)?, device.zeroed(0)?);
        let mut plan = SetPlan::new(device, 0)?;
        let union = || stream.set_union(&a, &b, |a, b| a < b);
        Ok([
            union().into(&mut y, &mut count),
            union().into(&mut long, &mut none),
            union().plan(&mut plan).into(&mut long, &mut count),
        ]
        .map(|result| matches!(result, Err(Error::TooShort { .. })))
        .to_vec())
    });
}
