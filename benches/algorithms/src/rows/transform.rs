//! A value of each element, of two, or of neighbours.

use warploom_algorithms::prelude::*;

use super::{Row, Size};
use crate::bench::{Bench, Done, Work};
use crate::data::{Entropy, elements};

pub(crate) const ROWS: &[Row] = &[
    Row {
        algorithm: "transform",
        of: "u32",
        entropies: Entropy::ONE,
        run: of_one,
    },
    Row {
        algorithm: "transform of two",
        of: "u32",
        entropies: Entropy::ONE,
        run: of_two,
    },
    Row {
        algorithm: "adjacent_difference",
        of: "u32",
        entropies: Entropy::ONE,
        run: adjacent_difference,
    },
];

fn of_one(bench: &mut Bench, size: Size) -> Done {
    let f = |x: u32| x.wrapping_mul(3).wrapping_add(1);
    let x = bench.input::<u32>(size, 0)?;
    bench.compare(
        &Work {
            peer: "cub_transform_u32",
            inputs: &[x.raw_ptr()],
            m: 0,
            bytes: 8 * size.n,
            plan_bytes: 0,
            tolerance: 0.0,
        },
        |device| device.zeroed::<u32>(size.n),
        |stream, _, y| stream.transform(x.input().map(f)).into(y),
        |stream, _, y| y.to_vec(stream),
        || elements(size, 0).into_iter().map(f).collect(),
    )
}

fn of_two(bench: &mut Bench, size: Size) -> Done {
    let f = |(x, y): (u32, u32)| x.wrapping_mul(3).wrapping_add(y);
    let (a, b) = (bench.input::<u32>(size, 0)?, bench.input::<u32>(size, 1)?);
    bench.compare(
        &Work {
            peer: "cub_transform_two_u32",
            inputs: &[a.raw_ptr(), b.raw_ptr()],
            m: 0,
            bytes: 12 * size.n,
            plan_bytes: 0,
            tolerance: 0.0,
        },
        |device| device.zeroed::<u32>(size.n),
        |stream, _, y| stream.transform(a.input().zip(&b).map(f)).into(y),
        |stream, _, y| y.to_vec(stream),
        || {
            elements(size, 0)
                .into_iter()
                .zip(elements(size, 1))
                .map(f)
                .collect()
        },
    )
}

fn adjacent_difference(bench: &mut Bench, size: Size) -> Done {
    let x = bench.input::<u32>(size, 0)?;
    bench.compare(
        &Work {
            peer: "cub_adjacent_difference_u32",
            inputs: &[x.raw_ptr()],
            m: 0,
            bytes: 8 * size.n,
            plan_bytes: 0,
            tolerance: 0.0,
        },
        |device| device.zeroed::<u32>(size.n),
        |stream, _, y| {
            let differences = stream.adjacent_difference(&x, u32::wrapping_sub);
            differences.into(y)
        },
        |stream, _, y| y.to_vec(stream),
        || {
            let mut before = 0;
            let of = |x: u32| x.wrapping_sub(std::mem::replace(&mut before, x));
            elements(size, 0).into_iter().map(of).collect()
        },
    )
}
