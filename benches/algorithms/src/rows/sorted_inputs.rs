//! Searches in sorted elements, and sorted elements as sets.

use warploom::MemoryError;
use warploom::prelude::*;
use warploom_algorithms::SetPlan;
use warploom_algorithms::prelude::*;

use super::{Row, Size};
use crate::bench::{Bench, Done, Memory, Work};
use crate::data::{Entropy, elements};

pub(crate) const ROWS: &[Row] = &[
    row("lower_bound", lower_bound),
    row("set_union", union),
    row("set_intersection", intersection),
    row("set_difference", difference),
    row("set_symmetric_difference", symmetric_difference),
];

const fn row(algorithm: &'static str, run: fn(&mut Bench, Size) -> Done) -> Row {
    Row {
        algorithm,
        of: "u32",
        entropies: Entropy::ONE,
        run,
    }
}

/// A value to search for with each 16 elements.
fn lower_bound(bench: &mut Bench, size: Size) -> Done {
    let mut sorted = elements::<u32>(size, 0);
    sorted.sort_unstable();
    let few = Size {
        n: size.n.div_ceil(16),
        ..size
    };
    let (x, values) = (bench.device().upload(&sorted)?, bench.input::<u32>(few, 1)?);
    bench.compare(
        &Work {
            peer: "thrust_lower_bound_u32",
            inputs: &[x.raw_ptr(), values.raw_ptr()],
            m: few.n as u64,
            bytes: 0,
            plan_bytes: 0,
            tolerance: 0.0,
        },
        |device| device.zeroed::<u32>(few.n),
        |stream, _, y| stream.lower_bound(&x, &values, |a, b| a < b).into(y),
        |stream, _, y| y.to_vec(stream),
        || {
            let place = |value| sorted.partition_point(|x| *x < value) as u32;
            elements(few, 1).into_iter().map(place).collect()
        },
    )
}

/// Keys of a set, and how many.
type Keys = (DeviceBuffer<u32>, DeviceBuffer<u64>);

/// Two sorted halves; each key comes in both as often as not.
fn halves(size: Size) -> [Vec<u32>; 2] {
    let mut a = elements::<u32>(size, 0);
    for x in &mut a {
        *x = ((u64::from(*x) * size.n as u64) >> 33) as u32;
    }
    let mut b = a.split_off(size.n / 2);
    a.sort_unstable();
    b.sort_unstable();
    [a, b]
}

/// By plain Rust: each key as often as `times` says, from how often `a` and `b` have it.
fn expected(a: &[u32], b: &[u32], times: impl Fn(usize, usize) -> usize) -> Vec<u32> {
    let (mut a, mut b, mut keys) = (a, b, Vec::new());
    while let Some(key) = a.first().into_iter().chain(b.first()).min() {
        let counts = [&mut a, &mut b].map(|keys| {
            let (equal, rest) = keys.split_at(keys.partition_point(|x| x <= key));
            *keys = rest;
            equal.len()
        });
        keys.extend(std::iter::repeat_n(*key, times(counts[0], counts[1])));
    }
    keys
}

fn outputs(device: &Device, n: usize) -> Result<Keys, MemoryError> {
    Ok((device.zeroed(n)?, device.zeroed(1)?))
}

fn result(stream: &Stream, (keys, count): &Keys) -> Result<Vec<u32>, MemoryError> {
    keys.slice(..count.get(0, stream)? as usize)?.to_vec(stream)
}

macro_rules! set_operation {
    ($name:ident by $method:ident, $peer:literal, $times:expr) => {
        fn $name(bench: &mut Bench, size: Size) -> Done {
            let [first, second] = halves(size);
            let (a, b) = (
                bench.device().upload(&first)?,
                bench.device().upload(&second)?,
            );
            let mut plan = SetPlan::<u32>::new(bench.device(), size.n)?;
            bench.compare(
                &Work {
                    peer: $peer,
                    inputs: &[a.raw_ptr(), b.raw_ptr()],
                    m: second.len() as u64,
                    bytes: 4 * size.n,
                    plan_bytes: plan.bytes(),
                    tolerance: 0.0,
                },
                |device| outputs(device, size.n),
                |stream, memory, (y, count)| {
                    let sets = stream.$method(&a, &b, |a, b| a < b);
                    match memory {
                        Memory::Planned => sets.plan(&mut plan).into(y, count),
                        Memory::Pooled => sets.into(y, count),
                    }
                },
                |stream, _, y| result(stream, y),
                || expected(&first, &second, $times),
            )
        }
    };
}
set_operation!(union by set_union, "thrust_set_union_u32", usize::max);
set_operation!(intersection by set_intersection, "thrust_set_intersection_u32", usize::min);
set_operation!(difference by set_difference, "thrust_set_difference_u32", usize::saturating_sub);
set_operation!(
    symmetric_difference by set_symmetric_difference,
    "thrust_set_symmetric_difference_u32",
    usize::abs_diff
);
