//! Sorts by comparison.

use warploom_algorithms::MergeSortPlan;
use warploom_algorithms::prelude::*;

use super::{Row, Size};
use crate::bench::{Bench, Done, Memory, Work};
use crate::data::{Entropy, elements};

pub(crate) const ROWS: &[Row] = &[
    Row {
        algorithm: "merge_sort",
        of: "u32",
        entropies: Entropy::ALL,
        run: keys,
    },
    Row {
        algorithm: "merge_sort_pairs",
        of: "u32",
        entropies: Entropy::ALL,
        run: pairs,
    },
];

fn keys(bench: &mut Bench, size: Size) -> Done {
    let x = bench.input::<u32>(size, 0)?;
    let mut plan = MergeSortPlan::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_merge_sort_u32",
            inputs: &[x.raw_ptr()],
            m: 0,
            bytes: 0,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| device.zeroed::<u32>(size.n),
        |stream, memory, y| {
            let sort = stream.merge_sort(&x, |a, b| a < b);
            match memory {
                Memory::Planned => sort.plan(&mut plan).into(y),
                Memory::Pooled => sort.into(y),
            }
        },
        |stream, _, y| y.to_vec(stream),
        || {
            let mut keys = elements::<u32>(size, 0);
            keys.sort_unstable();
            keys
        },
    )
}

fn pairs(bench: &mut Bench, size: Size) -> Done {
    let (x, v) = (bench.input::<u32>(size, 0)?, bench.input::<u32>(size, 1)?);
    let mut plan = MergeSortPlan::with_values(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_merge_sort_pairs_u32",
            inputs: &[x.raw_ptr(), v.raw_ptr()],
            m: 0,
            bytes: 0,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| Ok((device.zeroed::<u32>(size.n)?, device.zeroed::<u32>(size.n)?)),
        |stream, memory, (y, w)| {
            let sort = stream.merge_sort_pairs(&x, &v, |a, b| a < b);
            match memory {
                Memory::Planned => sort.plan(&mut plan).into(y, w),
                Memory::Pooled => sort.into(y, w),
            }
        },
        |stream, _, (y, w)| Ok((y.to_vec(stream)?, w.to_vec(stream)?)),
        || {
            let values = elements::<u32>(size, 1);
            let mut pairs: Vec<(u32, u32)> = elements(size, 0).into_iter().zip(values).collect();
            pairs.sort_by_key(|pair| pair.0);
            pairs.into_iter().unzip()
        },
    )
}
