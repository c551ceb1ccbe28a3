//! HeCBench's `nonzero`: row and column of each element of a matrix that is not zero.

use warploom::prelude::*;
use warploom_algorithms::counting;
use warploom_algorithms::prelude::*;

use crate::bench::{Bench, Done, same};
use crate::noise::noise;

pub(crate) fn run(bench: &Bench, n: usize) -> Done {
    program(bench, n, "I8", |x| x as i8)?;
    program(bench, n, "I16", |x| x as i16)?;
    program(bench, n, "I32", |x| x)?;
    program(bench, n, "FP32", |x| x as f32)?;
    program(bench, n, "FP64", f64::from)
}

fn program<T: Plain + Default + PartialEq>(
    bench: &Bench,
    n: usize,
    of: &str,
    element: impl Fn(i32) -> T,
) -> Done {
    let columns = n.isqrt().max(1);
    let place = move |i: usize| [(i / columns) as i64, (i % columns) as i64];
    let matrix: Vec<T> = noise(n).map(|x| element((x % 3) as i32 - 1)).collect();
    let (x, mut places) = (bench.device.upload(&matrix)?, bench.device.zeroed(n)?);
    let count = bench.time(of, || {
        // ANCHOR: algorithm
        let numbered = x.input().zip(counting(n));
        let kept = move |(x, i): (T, usize)| (x != T::default()).then(|| place(i));
        let places_of = bench.stream.filter_map(numbered, kept);
        places_of.count(&mut places)
        // ANCHOR_END: algorithm
    })?;

    let nonzero = |&i: &usize| matrix[i] != T::default();
    let expected: Vec<[i64; 2]> = (0..n).filter(nonzero).map(place).collect();
    let places = places.slice(..count)?.to_vec(&bench.stream)?;
    same("places", &places, &expected)
}
