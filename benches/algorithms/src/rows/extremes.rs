//! The smallest and the largest element, and their places.

use warploom_algorithms::prelude::*;
use warploom_algorithms::{ArgPlan, ReducePlan};

use super::{Row, Size};
use crate::bench::{Bench, Done, Memory, Work};
use crate::data::{Element, Entropy, elements};

pub(crate) const ROWS: &[Row] = &[
    row::<u32>("min", min),
    row::<f32>("max", max),
    row::<u32>("arg_min", arg_min),
    row::<f32>("arg_max", arg_max),
];

const fn row<T: Element>(algorithm: &'static str, run: fn(&mut Bench, Size) -> Done) -> Row {
    Row {
        algorithm,
        of: T::NAME,
        entropies: Entropy::ONE,
        run,
    }
}

/// What the rows have in common.
fn work<'w>(peer: &'w str, inputs: &'w [u64], size: Size, plan_bytes: usize) -> Work<'w> {
    Work {
        peer,
        inputs,
        m: 0,
        bytes: 4 * size.n,
        plan_bytes,
        tolerance: 0.0,
    }
}

fn min(bench: &mut Bench, size: Size) -> Done {
    let x = bench.input::<u32>(size, 0)?;
    let mut plan = ReducePlan::<u32>::new(bench.device(), size.n)?;
    bench.compare(
        &work("cub_min_u32", &[x.raw_ptr()], size, plan.bytes()),
        |device| device.zeroed::<u32>(1),
        |stream, memory, y| match memory {
            Memory::Planned => stream.min(&x).plan(&mut plan).into(y),
            Memory::Pooled => stream.min(&x).into(y),
        },
        |stream, _, y| y.to_vec(stream),
        || {
            elements::<u32>(size, 0)
                .into_iter()
                .min()
                .into_iter()
                .collect()
        },
    )
}

fn max(bench: &mut Bench, size: Size) -> Done {
    let x = bench.input::<f32>(size, 0)?;
    let mut plan = ReducePlan::<f32>::new(bench.device(), size.n)?;
    bench.compare(
        &work("cub_max_f32", &[x.raw_ptr()], size, plan.bytes()),
        |device| device.zeroed::<f32>(1),
        |stream, memory, y| match memory {
            Memory::Planned => stream.max(&x).plan(&mut plan).into(y),
            Memory::Pooled => stream.max(&x).into(y),
        },
        |stream, _, y| y.to_vec(stream),
        || {
            let x = elements::<f32>(size, 0).into_iter();
            x.reduce(f32::max).into_iter().collect()
        },
    )
}

fn arg_min(bench: &mut Bench, size: Size) -> Done {
    let x = bench.input::<u32>(size, 0)?;
    let mut plan = ArgPlan::new(bench.device(), size.n)?;
    bench.compare(
        &work("cub_arg_min_u32", &[x.raw_ptr()], size, plan.bytes()),
        |device| Ok((device.zeroed::<u32>(1)?, device.zeroed::<u64>(1)?)),
        |stream, memory, (y, place)| match memory {
            Memory::Planned => stream.arg_min(&x).plan(&mut plan).into(y, place),
            Memory::Pooled => stream.arg_min(&x).into(y, place),
        },
        |stream, _, (y, place)| Ok((y.to_vec(stream)?, place.to_vec(stream)?)),
        || first_best(&elements::<u32>(size, 0), |a, b| a < b),
    )
}

fn arg_max(bench: &mut Bench, size: Size) -> Done {
    let x = bench.input::<f32>(size, 0)?;
    let mut plan = ArgPlan::new(bench.device(), size.n)?;
    bench.compare(
        &work("cub_arg_max_f32", &[x.raw_ptr()], size, plan.bytes()),
        |device| Ok((device.zeroed::<f32>(1)?, device.zeroed::<u64>(1)?)),
        |stream, memory, (y, place)| match memory {
            Memory::Planned => stream.arg_max(&x).plan(&mut plan).into(y, place),
            Memory::Pooled => stream.arg_max(&x).into(y, place),
        },
        |stream, _, (y, place)| Ok((y.to_vec(stream)?, place.to_vec(stream)?)),
        || first_best(&elements::<f32>(size, 0), |a, b| a > b),
    )
}

/// By plain Rust: the first element that is better than all before it and no worse than all behind it, and its place.
fn first_best<T: Copy>(x: &[T], better: impl Fn(T, T) -> bool) -> (Vec<T>, Vec<u64>) {
    let mut best = 0;
    for (i, item) in x.iter().enumerate() {
        if better(*item, x[best]) {
            best = i;
        }
    }
    (vec![x[best]], vec![best as u64])
}
