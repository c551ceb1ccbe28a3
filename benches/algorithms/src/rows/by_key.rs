//! Runs of equal keys: their lengths, sums and scans.

use warploom::MemoryError;
use warploom::prelude::*;
use warploom_algorithms::ByKeyPlan;
use warploom_algorithms::prelude::*;

use super::{Row, Size};
use crate::bench::{Bench, Done, Memory, Work};
use crate::data::{Entropy, elements};

pub(crate) const ROWS: &[Row] = &[
    row("run_lengths", run_lengths),
    row("unique by key", unique),
    row("reduce by key", reduce),
    row("inclusive_scan by key", inclusive_scan),
    row("exclusive_scan by key", exclusive_scan),
];

const fn row(algorithm: &'static str, run: fn(&mut Bench, Size) -> Done) -> Row {
    Row {
        algorithm,
        of: "u32",
        entropies: Entropy::ALL,
        run,
    }
}

/// Keys in runs of 2, 8 or 32 elements on average, for the three entropies.
pub(super) fn runs(size: Size) -> Vec<u32> {
    let borders = elements::<u32>(size, 2).into_iter().map(|word| word & 1);
    let key = |key: &mut u32, border| {
        *key += border;
        Some(*key)
    };
    borders.scan(0, key).collect()
}

/// The key of each run, a number for it, how many runs.
type Runs = (DeviceBuffer<u32>, DeviceBuffer<u32>, DeviceBuffer<u64>);

fn outputs(device: &Device, n: usize) -> Result<Runs, MemoryError> {
    Ok((device.zeroed(n)?, device.zeroed(n)?, device.zeroed(1)?))
}

/// Peers write how many runs there are as 32 bits to what was zero before.
fn result(
    stream: &Stream,
    (keys, values, count): &Runs,
) -> Result<(Vec<u32>, Vec<u32>), MemoryError> {
    let count = count.get(0, stream)? as usize;
    let keys = keys.slice(..count)?.to_vec(stream)?;
    Ok((keys, values.slice(..count)?.to_vec(stream)?))
}

/// By plain Rust: the keys of runs with the sums of their values.
fn sums(keys: &[u32], values: impl Fn(usize) -> u32) -> (Vec<u32>, Vec<u32>) {
    let mut runs: (Vec<u32>, Vec<u32>) = Default::default();
    for (i, key) in keys.iter().enumerate() {
        match runs.1.last_mut() {
            Some(sum) if i > 0 && keys[i - 1] == *key => *sum = sum.wrapping_add(values(i)),
            _ => {
                runs.0.push(*key);
                runs.1.push(values(i));
            }
        }
    }
    runs
}

fn run_lengths(bench: &mut Bench, size: Size) -> Done {
    let keys = runs(size);
    let x = bench.device().upload(&keys)?;
    let mut plan = ByKeyPlan::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_run_length_encode_u32",
            inputs: &[x.raw_ptr()],
            m: 0,
            bytes: 4 * size.n,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| outputs(device, size.n),
        |stream, memory, (keys, lengths, count)| {
            let runs = stream.run_lengths(&x);
            match memory {
                Memory::Planned => runs.plan(&mut plan).reduce(keys, lengths, count),
                Memory::Pooled => runs.reduce(keys, lengths, count),
            }
        },
        |stream, _, y| result(stream, y),
        || sums(&keys, |_| 1),
    )
}

/// The first value of each run.
fn unique(bench: &mut Bench, size: Size) -> Done {
    let keys = runs(size);
    let (x, v) = (bench.device().upload(&keys)?, bench.input::<u32>(size, 0)?);
    let mut plan = ByKeyPlan::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_unique_by_key_u32",
            inputs: &[x.raw_ptr(), v.raw_ptr()],
            m: 0,
            bytes: 8 * size.n,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| outputs(device, size.n),
        |stream, memory, (keys, firsts, count)| {
            let runs = stream.unique_by_key(x.input().zip(&v));
            match memory {
                Memory::Planned => runs.plan(&mut plan).reduce(keys, firsts, count),
                Memory::Pooled => runs.reduce(keys, firsts, count),
            }
        },
        |stream, _, y| result(stream, y),
        || {
            let values = elements::<u32>(size, 0);
            let mut pairs: Vec<_> = keys.iter().copied().zip(values).collect();
            pairs.dedup_by_key(|pair| pair.0);
            pairs.into_iter().unzip()
        },
    )
}

fn reduce(bench: &mut Bench, size: Size) -> Done {
    let keys = runs(size);
    let (x, v) = (bench.device().upload(&keys)?, bench.input::<u32>(size, 0)?);
    let mut plan = ByKeyPlan::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_reduce_by_key_u32",
            inputs: &[x.raw_ptr(), v.raw_ptr()],
            m: 0,
            bytes: 8 * size.n,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| outputs(device, size.n),
        |stream, memory, (keys, sums, count)| {
            let runs = stream.by_key(x.input().zip(&v), u32::wrapping_add);
            match memory {
                Memory::Planned => runs.plan(&mut plan).reduce(keys, sums, count),
                Memory::Pooled => runs.reduce(keys, sums, count),
            }
        },
        |stream, _, y| result(stream, y),
        || {
            let values = elements::<u32>(size, 0);
            sums(&keys, |i| values[i])
        },
    )
}

/// By plain Rust: for each element the sums of its run before it and up to it.
fn scanned(keys: &[u32], values: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut sum = 0u32;
    let of = |i: usize| {
        if i > 0 && keys[i - 1] != keys[i] {
            sum = 0;
        }
        let before = sum;
        sum = sum.wrapping_add(values[i]);
        (before, sum)
    };
    (0..keys.len()).map(of).unzip()
}

fn inclusive_scan(bench: &mut Bench, size: Size) -> Done {
    let keys = runs(size);
    let (x, v) = (bench.device().upload(&keys)?, bench.input::<u32>(size, 0)?);
    let mut plan = ByKeyPlan::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_inclusive_sum_by_key_u32",
            inputs: &[x.raw_ptr(), v.raw_ptr()],
            m: 0,
            bytes: 12 * size.n,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| device.zeroed::<u32>(size.n),
        |stream, memory, y| {
            let runs = stream.by_key(x.input().zip(&v), u32::wrapping_add);
            match memory {
                Memory::Planned => runs.plan(&mut plan).inclusive_scan(y),
                Memory::Pooled => runs.inclusive_scan(y),
            }
        },
        |stream, _, y| y.to_vec(stream),
        || scanned(&keys, &elements::<u32>(size, 0)).1,
    )
}

fn exclusive_scan(bench: &mut Bench, size: Size) -> Done {
    let keys = runs(size);
    let (x, v) = (bench.device().upload(&keys)?, bench.input::<u32>(size, 0)?);
    let mut plan = ByKeyPlan::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_exclusive_sum_by_key_u32",
            inputs: &[x.raw_ptr(), v.raw_ptr()],
            m: 0,
            bytes: 12 * size.n,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| device.zeroed::<u32>(size.n),
        |stream, memory, y| {
            let runs = stream.by_key(x.input().zip(&v), u32::wrapping_add);
            match memory {
                Memory::Planned => runs.plan(&mut plan).exclusive_scan(0, y),
                Memory::Pooled => runs.exclusive_scan(0, y),
            }
        },
        |stream, _, y| y.to_vec(stream),
        || scanned(&keys, &elements::<u32>(size, 0)).0,
    )
}
