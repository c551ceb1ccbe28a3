//! Sums of all elements up to each, with or without it.

use warploom_algorithms::ScanPlan;
use warploom_algorithms::prelude::*;

use super::reduce::Sum;
use super::{Row, Size};
use crate::bench::{Bench, Done, Memory, Work};
use crate::data::{Entropy, elements};

pub(crate) const ROWS: &[Row] = &[
    row::<u32>("inclusive_scan", inclusive::<u32>),
    row::<u64>("inclusive_scan", inclusive::<u64>),
    row::<f32>("inclusive_scan", inclusive::<f32>),
    row::<u32>("exclusive_scan", exclusive::<u32>),
    row::<u64>("exclusive_scan", exclusive::<u64>),
    row::<f32>("exclusive_scan", exclusive::<f32>),
];

const fn row<T: Sum>(algorithm: &'static str, run: fn(&mut Bench, Size) -> Done) -> Row {
    Row {
        algorithm,
        of: T::NAME,
        entropies: Entropy::ONE,
        run,
    }
}

/// By plain Rust: the sums of no element, one, two and so on, in parts, so that floats are rounded as little as on the device.
fn sums<T: Sum>(elements: &[T]) -> Vec<T> {
    let (mut sums, mut before) = (vec![T::ZERO], T::ZERO);
    for part in elements.chunks(1024) {
        let mut sum = T::ZERO;
        for x in part {
            sum = sum.plus(*x);
            sums.push(before.plus(sum));
        }
        before = before.plus(sum);
    }
    sums
}

fn inclusive<T: Sum>(bench: &mut Bench, size: Size) -> Done {
    let x = bench.input::<T>(size, 0)?;
    let mut plan = ScanPlan::<T>::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: &format!("cub_inclusive_sum_{}", T::NAME),
            inputs: &[x.raw_ptr()],
            m: 0,
            bytes: 2 * size.n * size_of::<T>(),
            plan_bytes: plan.bytes(),
            tolerance: T::TOLERANCE,
        },
        |device| device.zeroed::<T>(size.n),
        |stream, memory, y| {
            let scan = stream.inclusive_scan(&x, T::plus);
            match memory {
                Memory::Planned => scan.plan(&mut plan).into(y),
                Memory::Pooled => scan.into(y),
            }
        },
        |stream, _, y| y.to_vec(stream),
        || sums(&elements::<T>(size, 0)).split_off(1),
    )
}

fn exclusive<T: Sum>(bench: &mut Bench, size: Size) -> Done {
    let x = bench.input::<T>(size, 0)?;
    let mut plan = ScanPlan::<T>::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: &format!("cub_exclusive_sum_{}", T::NAME),
            inputs: &[x.raw_ptr()],
            m: 0,
            bytes: 2 * size.n * size_of::<T>(),
            plan_bytes: plan.bytes(),
            tolerance: T::TOLERANCE,
        },
        |device| device.zeroed::<T>(size.n),
        |stream, memory, y| {
            let scan = stream.exclusive_scan(&x, T::ZERO, T::plus);
            match memory {
                Memory::Planned => scan.plan(&mut plan).into(y),
                Memory::Pooled => scan.into(y),
            }
        },
        |stream, _, y| y.to_vec(stream),
        || {
            let mut all = sums(&elements::<T>(size, 0));
            all.truncate(size.n);
            all
        },
    )
}
