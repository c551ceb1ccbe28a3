//! `SELECT key, COUNT(*), MAX(value), SUM(value) GROUP BY key`: by a sort, and a reduction of each run.

use warploom::prelude::*;
use warploom_algorithms::Error;
use warploom_algorithms::prelude::*;

use crate::bench::{Bench, Done, same};
use crate::noise::noise;

// ANCHOR: algorithm
/// What is asked of each group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Plain)]
#[repr(C)]
struct Summary {
    sum: u64,
    count: u32,
    max: u32,
}

impl Summary {
    fn of(value: u32) -> Self {
        let sum = u64::from(value);
        Summary {
            sum,
            count: 1,
            max: value,
        }
    }

    fn and(self, other: Self) -> Self {
        Summary {
            sum: self.sum + other.sum,
            count: self.count + other.count,
            max: self.max.max(other.max),
        }
    }
}

fn group_by(
    stream: &Stream,
    (keys, values): (&DeviceBuffer<u32>, &DeviceBuffer<u32>),
    (groups, summaries): (&mut DeviceBuffer<u32>, &mut DeviceBuffer<Summary>),
) -> Result<usize, Error> {
    let (pool, n) = (stream.device().pool()?, keys.len());
    let mut sorted = pool.alloc_uninit(n, stream)?;
    let mut moved = pool.alloc_uninit(n, stream)?;
    let by_keys = stream.sort_pairs(keys, values);
    by_keys.into(&mut sorted, &mut moved)?;
    let pairs = sorted.input().zip(moved.input().map(Summary::of));
    let runs = stream.by_key(pairs, Summary::and);
    runs.reduce_count(groups, summaries)
}
// ANCHOR_END: algorithm

/// Keys are below this.
const GROUPS: u32 = 1 << 16;

pub(crate) fn run(bench: &Bench, n: usize) -> Done {
    let (device, stream) = (&bench.device, &bench.stream);
    let keys: Vec<u32> = noise(n).map(|x| x % GROUPS).collect();
    let values: Vec<u32> = noise(n).map(|x| x.rotate_left(16)).collect();
    let (x, y) = (device.upload(&keys)?, device.upload(&values)?);
    let (mut groups, mut summaries) = (device.zeroed(n)?, device.zeroed(n)?);
    let count = bench.time("65536 groups", || {
        group_by(stream, (&x, &y), (&mut groups, &mut summaries))
    })?;

    let mut all = vec![Summary::default(); GROUPS as usize];
    for (&key, &value) in keys.iter().zip(&values) {
        let group = &mut all[key as usize];
        *group = group.and(Summary::of(value));
    }
    let found = || (0..GROUPS).filter(|&key| all[key as usize].count > 0);
    let expected: Vec<u32> = found().collect();
    same("groups", &groups.slice(..count)?.to_vec(stream)?, &expected)?;
    let expected: Vec<Summary> = found().map(|key| all[key as usize]).collect();
    let summaries = summaries.slice(..count)?.to_vec(stream)?;
    same("summaries", &summaries, &expected)
}
