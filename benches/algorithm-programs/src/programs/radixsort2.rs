//! HeCBench's `radixsort2`: sorts of keys alone and with values.

use std::fmt::Debug;

use warploom_algorithms::RadixKey;
use warploom_algorithms::prelude::*;

use crate::bench::{Bench, Done, same};
use crate::noise::noise;

pub(crate) fn run(bench: &Bench, n: usize) -> Done {
    let integers: Vec<u32> = noise(n).collect();
    let floats: Vec<f32> = noise(n).map(|x| (x >> 8) as f32 / 16_777_216.0).collect();
    program(bench, "float", &floats)?;
    program(bench, "unsigned int", &integers)
}

fn program<K: RadixKey + PartialOrd + Debug>(bench: &Bench, of: &str, keys: &[K]) -> Done {
    let (device, stream, n) = (&bench.device, &bench.stream, keys.len());
    let numbers: Vec<u32> = (0..n as u32).collect();
    let (x, values) = (device.upload(keys)?, device.upload(&numbers)?);
    let (mut y, mut sorted) = (device.zeroed(n)?, device.zeroed(n)?);
    let mut moved = device.zeroed(n)?;
    bench.time(&format!("{of} keys"), || {
        // ANCHOR: algorithm
        stream.sort(&x).into(&mut y)
        // ANCHOR_END: algorithm
    })?;
    bench.time(&format!("{of} keys and values"), || {
        // ANCHOR: algorithm
        let pairs = stream.sort_pairs(&x, &values);
        pairs.into(&mut sorted, &mut moved)
        // ANCHOR_END: algorithm
    })?;

    // Equal keys have ascending values, and each value is the place where its key was: so all are there, each once.
    let (sorted, moved) = (sorted.to_vec(stream)?, moved.to_vec(stream)?);
    let from: Vec<K> = moved.iter().map(|&i| keys[i as usize]).collect();
    same("keys by their values", &sorted, &from)?;
    let pairs = sorted.iter().zip(&moved);
    let ascend = pairs.is_sorted_by(|a, b| a < b);
    same("pairs ascend", &[ascend], &[true])?;
    same("keys alone", &y.to_vec(stream)?, &sorted)
}
