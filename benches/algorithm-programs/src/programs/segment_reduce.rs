//! HeCBench's `segment-reduce`: the sum of each run of equal keys, for runs of several lengths.

use warploom_algorithms::counting;
use warploom_algorithms::prelude::*;

use crate::bench::{Bench, Done, same};

pub(crate) fn run(bench: &Bench, n: usize) -> Done {
    let (device, stream) = (&bench.device, &bench.stream);
    let values = device.upload(&vec![1u32; n])?;
    let (mut keys, mut numbers) = (device.zeroed::<u32>(n)?, device.zeroed(n)?);
    let mut sums = device.zeroed(n)?;
    for length in (4..=14).map(|power| 1usize << power) {
        let segments = counting(n).map(move |i| (i / length) as u32);
        stream.transform(segments).into(&mut keys)?;
        let count = bench.time(&format!("segments of {length}"), || {
            // ANCHOR: algorithm
            let runs = stream.by_key(keys.input().zip(&values), |a, b| a + b);
            runs.reduce_count(&mut numbers, &mut sums)
            // ANCHOR_END: algorithm
        })?;

        let all: Vec<u32> = (0..n.div_ceil(length) as u32).collect();
        let numbers = numbers.slice(..count)?.to_vec(stream)?;
        same("numbers of segments", &numbers, &all)?;
        let first = (0..n).step_by(length);
        let expected: Vec<u32> = first.map(|i| length.min(n - i) as u32).collect();
        same("sums", &sums.slice(..count)?.to_vec(stream)?, &expected)?;
    }
    Ok(())
}
