//! A lossy compressor for fields of floats, without the entropy coder at its end: each value is predicted by the one before it, differences are counted in steps of
//! twice the largest error, runs of equal differences become one, and what does not fit is kept as it is. No value is off by more than the error bound.
//!
//! Values are rounded before they are subtracted, so that each difference is that of two integers and the sums of all differences are exact: that is what makes
//! decompression a scan.

use warploom::prelude::*;
use warploom_algorithms::prelude::*;
use warploom_algorithms::{Error, counting};

use crate::bench::{Bench, Done, same};
use crate::noise::noise;

// ANCHOR: algorithm
/// Differences from this on have no code.
const LIMIT: u32 = 512;
/// The code of a value that is kept.
const KEPT: u16 = 0;

/// A value that has no code: its place, its difference in steps, and itself.
#[derive(Clone, Copy, Debug, Default, Plain)]
#[repr(C)]
struct Kept {
    at: u32,
    difference: i32,
    value: f32,
}

/// The largest error that is allowed.
#[derive(Clone, Copy)]
struct Bound(f64);

impl Bound {
    fn steps(self, x: f32) -> i32 {
        (f64::from(x) / (2.0 * self.0)).round_ties_even() as i32 // saturates; 0 for NaN
    }

    fn value(self, steps: i32) -> f32 {
        (f64::from(steps) * (2.0 * self.0)) as f32
    }

    fn holds(self, x: f32, found: f32) -> bool {
        (f64::from(x) - f64::from(found)).abs() <= self.0
    }

    fn difference(self, (before, x): (Option<f32>, f32)) -> i32 {
        let before = before.map_or(0, |x| self.steps(x));
        self.steps(x).wrapping_sub(before)
    }

    fn code(self, (before, x): (Option<f32>, f32)) -> u16 {
        let difference = self.difference((before, x));
        let fits = difference.unsigned_abs() < LIMIT && self.holds(x, self.value(self.steps(x)));
        if fits {
            (difference + LIMIT as i32) as u16
        } else {
            KEPT
        }
    }
}

/// The difference of a code; that of a value that is kept comes from elsewhere.
fn decode(code: u16) -> i32 {
    if code == KEPT {
        0
    } else {
        i32::from(code) - LIMIT as i32
    }
}

/// What a compressor writes, each with room for as much as there are values.
struct Compressed {
    codes: DeviceBuffer<u16>,
    lengths: DeviceBuffer<u32>,
    runs: usize,
    kept: DeviceBuffer<Kept>,
    count: usize,
}

fn compress(stream: &Stream, x: &DeviceBuffer<f32>, bound: Bound) -> Result<Compressed, Error> {
    let (pool, n) = (stream.device().pool()?, x.len());
    let (mut codes, mut lengths) = (pool.alloc_uninit(n, stream)?, pool.alloc_uninit(n, stream)?);
    let pairs = x.input().with_previous();
    let runs = stream.run_lengths(pairs.map(move |pair| bound.code(pair)));
    let runs = runs.reduce_count(&mut codes, &mut lengths)?;
    let mut kept = pool.alloc_uninit(n, stream)?;
    let without_code = stream.filter_map(pairs.zip(counting(n)), move |(pair, i)| {
        let (at, difference, value) = (i as u32, bound.difference(pair), pair.1);
        (bound.code(pair) == KEPT).then_some(Kept {
            at,
            difference,
            value,
        })
    });
    let count = without_code.count(&mut kept)?;
    Ok(Compressed {
        codes,
        lengths,
        runs,
        kept,
        count,
    })
}

fn decompress(
    stream: &Stream,
    compressed: &Compressed,
    bound: Bound,
    x: &mut DeviceBuffer<f32>,
) -> Result<(), Error> {
    let (pool, n, runs) = (stream.device().pool()?, x.len(), compressed.runs);
    let codes = compressed.codes.slice(..runs)?.input();
    let kept = compressed.kept.slice(..compressed.count)?.input();
    let places = kept.map(|kept| kept.at);
    let mut starts = pool.alloc_uninit(runs, stream)?;
    let sums = stream.exclusive_scan(compressed.lengths.slice(..runs)?, 0, |a, b| a + b);
    sums.into(&mut starts)?;
    // Where a run begins, by how much its difference is more than that of the run before it: the sums of these are the differences of all values.
    let mut changes = pool.zeroed(n, stream)?;
    let change = |(before, code): (Option<u16>, u16)| decode(code) - before.map_or(0, decode);
    let changes_of_runs = codes.with_previous().map(change);
    stream
        .scatter(changes_of_runs, &starts)
        .into(&mut changes)?;
    let mut differences = pool.alloc_uninit(n, stream)?;
    let sums = stream.inclusive_scan(&changes, i32::wrapping_add);
    sums.into(&mut differences)?;
    let own = kept.map(|kept| kept.difference);
    stream.scatter(own, places).into(&mut differences)?;
    let mut steps = changes;
    let sums = stream.inclusive_scan(&differences, i32::wrapping_add);
    sums.into(&mut steps)?;
    let values = steps.input().map(move |steps| bound.value(steps));
    stream.transform(values).into(&mut *x)?;
    stream.scatter(kept.map(|kept| kept.value), places).into(x)
}
// ANCHOR_END: algorithm

/// A smooth field with noise, a few jumps, and values that no number of steps stands for.
fn field(n: usize) -> Vec<f32> {
    let value = |(i, x): (usize, u32)| match x % 10_007 {
        0 => f32::NAN,
        1 => f32::NEG_INFINITY,
        2 => 3e20,
        3 => 1000.0,
        _ => ((i as f64 * 1e-6).sin() * 50.0) as f32 + (x >> 8) as f32 / 2e10,
    };
    noise(n).enumerate().map(value).collect()
}

pub(crate) fn run(bench: &Bench, n: usize) -> Done {
    let (device, stream, bound) = (&bench.device, &bench.stream, Bound(0.005));
    let input = field(n);
    let (x, mut y) = (device.upload(&input)?, device.zeroed(n)?);
    let compressed = bench.time("compress", || compress(stream, &x, bound))?;
    bench.time("decompress", || {
        decompress(stream, &compressed, bound, &mut y)
    })?;

    let output = y.to_vec(stream)?;
    let right = |x: &f32, y: &f32| x.to_bits() == y.to_bits() || bound.holds(*x, *y);
    let places: Vec<usize> = (0..n).filter(|&i| !right(&input[i], &output[i])).collect();
    same("places beyond the bound", &places, &[])?;
    // The same on the host, one value after the other.
    let pair = |i: usize| (i.checked_sub(1).map(|before| input[before]), input[i]);
    let codes: Vec<u16> = (0..n).map(|i| bound.code(pair(i))).collect();
    let expected: Vec<u16> = codes.chunk_by(|a, b| a == b).map(|run| run[0]).collect();
    let found = compressed.codes.slice(..compressed.runs)?.to_vec(stream)?;
    same("codes of runs", &found, &expected)?;
    let kept = codes.iter().filter(|&&code| code == KEPT).count();
    same("values that are kept", &[compressed.count], &[kept])
}
