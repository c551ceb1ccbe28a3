//! Merges of two halves, each sorted.

use warploom_algorithms::MergePlan;
use warploom_algorithms::prelude::*;

use super::{Row, Size};
use crate::bench::{Bench, Done, Memory, Work};
use crate::data::{Entropy, elements};

pub(crate) const ROWS: &[Row] = &[
    Row {
        algorithm: "merge",
        of: "u32",
        entropies: Entropy::ALL,
        run: keys,
    },
    Row {
        algorithm: "merge_pairs",
        of: "u32",
        entropies: Entropy::ALL,
        run: pairs,
    },
];

/// Both sorted halves.
fn halves(size: Size) -> [Vec<u32>; 2] {
    let mut a = elements::<u32>(size, 0);
    let mut b = a.split_off(size.n / 2);
    a.sort_unstable();
    b.sort_unstable();
    [a, b]
}

fn keys(bench: &mut Bench, size: Size) -> Done {
    let [a, b] = halves(size);
    let (a, b) = (bench.device().upload(&a)?, bench.device().upload(&b)?);
    let mut plan = MergePlan::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: "cub_merge_u32",
            inputs: &[a.raw_ptr(), b.raw_ptr()],
            m: b.len() as u64,
            bytes: 8 * size.n,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| device.zeroed::<u32>(size.n),
        |stream, memory, y| {
            let merge = stream.merge(&a, &b, |a, b| a < b);
            match memory {
                Memory::Planned => merge.plan(&mut plan).into(y),
                Memory::Pooled => merge.into(y),
            }
        },
        |stream, _, y| y.to_vec(stream),
        || {
            let mut all = elements::<u32>(size, 0);
            all.sort_unstable();
            all
        },
    )
}

fn pairs(bench: &mut Bench, size: Size) -> Done {
    let [keys, more] = halves(size);
    let values = elements::<u32>(size, 1);
    let (v, w) = values.split_at(keys.len());
    let expected = || {
        let all = keys
            .iter()
            .chain(&more)
            .copied()
            .zip(values.iter().copied());
        let mut all: Vec<(u32, u32)> = all.collect();
        all.sort_by_key(|pair| pair.0);
        all.into_iter().unzip()
    };
    let device = bench.device();
    let (a, b) = (device.upload(&keys)?, device.upload(&more)?);
    let (v, w) = (device.upload(v)?, device.upload(w)?);
    let mut plan = MergePlan::new(device, size.n)?;
    bench.compare(
        &Work {
            peer: "cub_merge_pairs_u32",
            inputs: &[a.raw_ptr(), b.raw_ptr(), v.raw_ptr(), w.raw_ptr()],
            m: b.len() as u64,
            bytes: 16 * size.n,
            plan_bytes: plan.bytes(),
            tolerance: 0.0,
        },
        |device| Ok((device.zeroed::<u32>(size.n)?, device.zeroed::<u32>(size.n)?)),
        |stream, memory, (y, z)| {
            let merge = stream.merge_pairs(&a, &v, &b, &w, |a, b| a < b);
            match memory {
                Memory::Planned => merge.plan(&mut plan).into(y, z),
                Memory::Pooled => merge.into(y, z),
            }
        },
        |stream, _, (y, z)| Ok((y.to_vec(stream)?, z.to_vec(stream)?)),
        expected,
    )
}
