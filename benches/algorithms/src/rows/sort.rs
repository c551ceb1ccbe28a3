//! Radix sorts.

use warploom_algorithms::prelude::*;
use warploom_algorithms::{RadixKey, SortPlan};

use super::{Row, Size};
use crate::bench::{Bench, Done, Memory, Work};
use crate::data::{Element, Entropy, elements};
use crate::results::Value;

pub(crate) const ROWS: &[Row] = &[
    row::<u32>(),
    row::<u64>(),
    row::<f32>(),
    Row {
        algorithm: "sort_pairs",
        of: "u32",
        entropies: Entropy::ALL,
        run: pairs,
    },
];

const fn row<K: Element + Value + RadixKey + PartialOrd>() -> Row {
    Row {
        algorithm: "sort",
        of: K::NAME,
        entropies: Entropy::ALL,
        run: keys::<K>,
    }
}

fn keys<K: Element + Value + RadixKey + PartialOrd>(bench: &mut Bench, size: Size) -> Done {
    let x = bench.input::<K>(size, 0)?;
    let mut plan = SortPlan::<K>::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: &format!("cub_radix_sort_{}", K::NAME),
            inputs: &[x.raw_ptr()],
            m: 0,
            bytes: 0,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| device.zeroed::<K>(size.n),
        |stream, memory, y| {
            let sort = stream.sort(&x);
            match memory {
                Memory::Planned => sort.plan(&mut plan).into(y),
                Memory::Pooled => sort.into(y),
            }
        },
        |stream, _, y| y.to_vec(stream),
        || {
            let mut keys = elements::<K>(size, 0);
            // No key is NaN.
            keys.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            keys
        },
    )
}

fn pairs(bench: &mut Bench, size: Size) -> Done {
    let (x, v) = (bench.input::<u32>(size, 0)?, bench.input::<u32>(size, 1)?);
    let mut plan = SortPlan::pairs(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_radix_sort_pairs_u32",
            inputs: &[x.raw_ptr(), v.raw_ptr()],
            m: 0,
            bytes: 0,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| Ok((device.zeroed::<u32>(size.n)?, device.zeroed::<u32>(size.n)?)),
        |stream, memory, (y, w)| {
            let sort = stream.sort_pairs(&x, &v);
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
