//! Elements for which a predicate holds, and partitions by it.

use warploom::MemoryError;
use warploom::prelude::*;
use warploom_algorithms::SelectPlan;
use warploom_algorithms::prelude::*;

use super::{Row, Size};
use crate::bench::{Bench, Done, Memory, Side, Work};
use crate::data::{Entropy, elements};

pub(crate) const ROWS: &[Row] = &[
    row("select", select),
    row("select by flags", flagged),
    row("unique", unique),
    row("partition", partition),
    row("three_way_partition", three_way),
];

const fn row(algorithm: &'static str, run: fn(&mut Bench, Size) -> Done) -> Row {
    Row {
        algorithm,
        of: "u32",
        entropies: Entropy::ALL,
        run,
    }
}

/// Elements below it are selected: 1 of 2, 7 of 8 and 31 of 32 with the three entropies.
const LIMIT: u32 = 1 << 31;

/// Selected elements, and how many.
type Selected = (DeviceBuffer<u32>, DeviceBuffer<u64>);

fn outputs(device: &Device, n: usize) -> Result<Selected, MemoryError> {
    Ok((device.zeroed(n)?, device.zeroed(1)?))
}

/// Those that are selected. Peers write how many as 32 bits to what was zero before.
fn result(stream: &Stream, (y, count): &Selected) -> Result<Vec<u32>, MemoryError> {
    let count = count.get(0, stream)? as usize;
    y.slice(..count)?.to_vec(stream)
}

fn select(bench: &mut Bench, size: Size) -> Done {
    let x = bench.input::<u32>(size, 0)?;
    let mut plan = SelectPlan::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_select_if_u32",
            inputs: &[x.raw_ptr()],
            m: LIMIT.into(),
            bytes: 4 * size.n,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| outputs(device, size.n),
        |stream, memory, (y, count)| {
            let select = stream.select(&x, |x| x < LIMIT);
            match memory {
                Memory::Planned => select.plan(&mut plan).into(y, count),
                Memory::Pooled => select.into(y, count),
            }
        },
        |stream, _, y| result(stream, y),
        || {
            elements(size, 0)
                .into_iter()
                .filter(|x| *x < LIMIT)
                .collect()
        },
    )
}

fn flagged(bench: &mut Bench, size: Size) -> Done {
    let x = bench.input::<u32>(size, 0)?;
    let flags = elements::<u8>(size, 1)
        .into_iter()
        .map(|x| u8::from(x < 128));
    let flags = bench.device().upload(&Vec::from_iter(flags))?;
    let mut plan = SelectPlan::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_select_flagged_u32",
            inputs: &[x.raw_ptr(), flags.raw_ptr()],
            m: 0,
            bytes: 5 * size.n,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| outputs(device, size.n),
        |stream, memory, (y, count)| {
            let select =
                stream.filter_map(x.input().zip(&flags), |(x, flag)| (flag != 0).then_some(x));
            match memory {
                Memory::Planned => select.plan(&mut plan).into(y, count),
                Memory::Pooled => select.into(y, count),
            }
        },
        |stream, _, y| result(stream, y),
        || {
            let both = elements::<u32>(size, 0)
                .into_iter()
                .zip(elements::<u8>(size, 1));
            both.filter(|(_, flag)| *flag < 128)
                .map(|(x, _)| x)
                .collect()
        },
    )
}

fn unique(bench: &mut Bench, size: Size) -> Done {
    let keys = super::by_key::runs(size);
    let x = bench.device().upload(&keys)?;
    let mut plan = SelectPlan::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_unique_u32",
            inputs: &[x.raw_ptr()],
            m: 0,
            bytes: 4 * size.n,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| outputs(device, size.n),
        |stream, memory, (y, count)| {
            let unique = stream.unique(&x);
            match memory {
                Memory::Planned => unique.plan(&mut plan).into(y, count),
                Memory::Pooled => unique.into(y, count),
            }
        },
        |stream, _, y| result(stream, y),
        || {
            let mut keys = keys.clone();
            keys.dedup();
            keys
        },
    )
}

/// Selected elements, how many, and the others.
type Parts = (DeviceBuffer<u32>, DeviceBuffer<u64>, DeviceBuffer<u32>);

fn partition(bench: &mut Bench, size: Size) -> Done {
    let x = bench.input::<u32>(size, 0)?;
    let mut plan = SelectPlan::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_partition_u32",
            inputs: &[x.raw_ptr()],
            m: LIMIT.into(),
            bytes: 8 * size.n,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| {
            Ok((
                device.zeroed(size.n)?,
                device.zeroed(1)?,
                device.zeroed(size.n)?,
            ))
        },
        |stream, memory, (y, count, rest)| {
            let select = stream.select(&x, |x| x < LIMIT);
            match memory {
                Memory::Planned => select.plan(&mut plan).into_with_rest(y, rest, count),
                Memory::Pooled => select.into_with_rest(y, rest, count),
            }
        },
        |stream, side, (y, count, rest): &Parts| {
            let at = count.get(0, stream)? as usize;
            let all = y.to_vec(stream)?;
            let (selected, reversed) = all.split_at(at);
            let rest = match side {
                Side::Ours => rest.slice(..size.n - at)?.to_vec(stream)?,
                // CUB has them behind the others, from the last to the first.
                Side::Peer => reversed.iter().rev().copied().collect(),
            };
            Ok((selected.to_vec(), rest))
        },
        || {
            elements::<u32>(size, 0)
                .into_iter()
                .partition(|x| *x < LIMIT)
        },
    )
}

/// The three parts, and how many elements the first and the second have.
type ThreeParts = (
    DeviceBuffer<u32>,
    DeviceBuffer<u32>,
    DeviceBuffer<u32>,
    DeviceBuffer<u64>,
);

/// Up to a quarter of all numbers, up to three quarters, and the rest.
fn three_way(bench: &mut Bench, size: Size) -> Done {
    let quarter = LIMIT / 2;
    let x = bench.input::<u32>(size, 0)?;
    let mut plan = SelectPlan::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_partition_three_u32",
            inputs: &[x.raw_ptr()],
            m: quarter.into(),
            bytes: 8 * size.n,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| {
            let part = || device.zeroed(size.n);
            Ok((part()?, part()?, part()?, device.zeroed(2)?))
        },
        |stream, memory, (a, b, c, counts)| {
            let parts =
                stream.three_way_partition(&x, move |x| x < quarter, move |x| x < 3 * quarter);
            match memory {
                Memory::Planned => parts.plan(&mut plan).into(a, b, c, counts),
                Memory::Pooled => parts.into(a, b, c, counts),
            }
        },
        |stream, side, (a, b, c, counts): &ThreeParts| {
            let counts = counts.to_vec(stream)?;
            let [first, second] = match side {
                Side::Ours => [counts[0], counts[1]],
                // CUB writes both as 32 bits, side by side.
                Side::Peer => [counts[0] & u64::from(u32::MAX), counts[0] >> 32],
            }
            .map(|count| count as usize);
            let part = |part: &DeviceBuffer<u32>, len| part.slice(..len)?.to_vec(stream);
            let rest = part(c, size.n - first - second)?;
            Ok((part(a, first)?, part(b, second)?, rest))
        },
        || {
            let x = elements::<u32>(size, 0).into_iter();
            let (first, others): (Vec<_>, Vec<_>) = x.partition(|x| *x < quarter);
            let (second, rest) = others.into_iter().partition(|x| *x < 3 * quarter);
            (first, second, rest)
        },
    )
}
