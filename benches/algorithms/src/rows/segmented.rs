//! Segments of different lengths, 256 elements on average.

use warploom_algorithms::prelude::*;
use warploom_algorithms::{SegmentedScanPlan, SegmentedSortPlan};

use super::reduce::Sum;
use super::{Row, Size};
use crate::bench::{Bench, Done, Memory, Work};
use crate::data::{Entropy, elements};

pub(crate) const ROWS: &[Row] = &[
    row("segmented_reduce", "f32", reduce),
    row("segmented_inclusive_scan", "u32", scan),
    row("segmented_sort", "u32", sort),
];

const fn row(algorithm: &'static str, of: &'static str, run: fn(&mut Bench, Size) -> Done) -> Row {
    Row {
        algorithm,
        of,
        entropies: Entropy::ONE,
        run,
    }
}

/// Where segments begin, and where the last one ends: lengths are up to 511.
fn offsets(size: Size) -> Vec<u32> {
    let (mut offsets, mut end) = (vec![0], 0);
    let lengths = elements::<u32>(
        Size {
            n: size.n / 128 + 2,
            ..size
        },
        3,
    );
    for length in lengths
        .into_iter()
        .map(|x| x as usize % 512)
        .chain([512].into_iter().cycle())
    {
        end = size.n.min(end + length);
        offsets.push(end as u32);
        if end == size.n {
            return offsets;
        }
    }
    offsets
}

fn reduce(bench: &mut Bench, size: Size) -> Done {
    let bounds = offsets(size);
    let segments = bounds.len() - 1;
    let (x, offsets) = (
        bench.input::<f32>(size, 0)?,
        bench.device().upload(&bounds)?,
    );
    bench.compare(
        &Work {
            peer: "cub_segmented_sum_f32",
            inputs: &[x.raw_ptr(), offsets.raw_ptr()],
            m: segments as u64,
            bytes: 4 * size.n,
            plan_bytes: 0,
            tolerance: f32::TOLERANCE,
        },
        |device| device.zeroed::<f32>(segments),
        |stream, _, y| {
            stream
                .segmented_reduce(&x, &offsets, 0.0, |a, b| a + b)
                .into(y)
        },
        |stream, _, y| y.to_vec(stream),
        || {
            let x = elements::<f32>(size, 0);
            let sum = |ends: &[u32]| f32::total(&x[ends[0] as usize..ends[1] as usize]);
            bounds.windows(2).map(sum).collect()
        },
    )
}

/// CUB 3.0.1 has no scan of segments; the peer scans runs of equal keys, which are the numbers of the segments: it reads a third more.
fn scan(bench: &mut Bench, size: Size) -> Done {
    let bounds = offsets(size);
    let numbers = (0u32..).zip(bounds.windows(2));
    let numbers = numbers.flat_map(|(number, ends)| (ends[0]..ends[1]).map(move |_| number));
    let numbers = bench.device().upload(&Vec::from_iter(numbers))?;
    let (x, offsets) = (
        bench.input::<u32>(size, 0)?,
        bench.device().upload(&bounds)?,
    );
    let mut plan = SegmentedScanPlan::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_inclusive_sum_by_key_u32",
            inputs: &[numbers.raw_ptr(), x.raw_ptr()],
            m: 0,
            bytes: 8 * size.n,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| device.zeroed::<u32>(size.n),
        |stream, memory, y| {
            let scan = stream.segmented_inclusive_scan(&x, &offsets, u32::wrapping_add);
            match memory {
                Memory::Planned => scan.plan(&mut plan).into(y),
                Memory::Pooled => scan.into(y),
            }
        },
        |stream, _, y| y.to_vec(stream),
        || {
            let x = elements::<u32>(size, 0);
            let sums = |ends: &[u32]| {
                let segment = x[ends[0] as usize..ends[1] as usize].iter();
                let sums = segment.scan(0u32, |sum, x| {
                    *sum = sum.wrapping_add(*x);
                    Some(*sum)
                });
                sums.collect::<Vec<_>>()
            };
            bounds.windows(2).flat_map(sums).collect()
        },
    )
}

fn sort(bench: &mut Bench, size: Size) -> Done {
    let bounds = offsets(size);
    let (x, offsets) = (
        bench.input::<u32>(size, 0)?,
        bench.device().upload(&bounds)?,
    );
    let mut plan = SegmentedSortPlan::<u32>::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_segmented_sort_u32",
            inputs: &[x.raw_ptr(), offsets.raw_ptr()],
            m: bounds.len() as u64 - 1,
            bytes: 0,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| device.zeroed::<u32>(size.n),
        |stream, memory, y| {
            let sort = stream.segmented_sort(&x, offsets.slice(1..)?);
            match memory {
                Memory::Planned => sort.plan(&mut plan).into(y),
                Memory::Pooled => sort.into(y),
            }
        },
        |stream, _, y| y.to_vec(stream),
        || {
            let mut x = elements::<u32>(size, 0);
            for ends in bounds.windows(2) {
                x[ends[0] as usize..ends[1] as usize].sort_unstable();
            }
            x
        },
    )
}
