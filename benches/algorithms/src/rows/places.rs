//! Elements from places and to places, each of which comes once.

use warploom_algorithms::prelude::*;

use super::{Row, Size};
use crate::bench::{Bench, Done, Work};
use crate::data::{Entropy, elements};

pub(crate) const ROWS: &[Row] = &[row("gather", gather), row("scatter", scatter)];

const fn row(algorithm: &'static str, run: fn(&mut Bench, Size) -> Done) -> Row {
    Row {
        algorithm,
        of: "u32",
        entropies: Entropy::ONE,
        run,
    }
}

/// Neighbours are far from each other: a prime number, which no size has as a factor, of places apart.
fn places(size: Size) -> Vec<u32> {
    let place = |i: u64| (i * 2_654_435_761 % size.n as u64) as u32;
    (0..size.n as u64).map(place).collect()
}

fn gather(bench: &mut Bench, size: Size) -> Done {
    let places = places(size);
    let (x, at) = (
        bench.input::<u32>(size, 0)?,
        bench.device().upload(&places)?,
    );
    bench.compare(
        &Work {
            peer: "thrust_gather_u32",
            inputs: &[x.raw_ptr(), at.raw_ptr()],
            m: 0,
            bytes: 12 * size.n,
            plan_bytes: 0,
            tolerance: 0.0,
        },
        |device| device.zeroed::<u32>(size.n),
        |stream, _, y| stream.gather(&x, &at).into(y),
        |stream, _, y| y.to_vec(stream),
        || {
            let x = elements::<u32>(size, 0);
            places.iter().map(|at| x[*at as usize]).collect()
        },
    )
}

fn scatter(bench: &mut Bench, size: Size) -> Done {
    let places = places(size);
    let (x, at) = (
        bench.input::<u32>(size, 0)?,
        bench.device().upload(&places)?,
    );
    bench.compare(
        &Work {
            peer: "thrust_scatter_u32",
            inputs: &[x.raw_ptr(), at.raw_ptr()],
            m: 0,
            bytes: 12 * size.n,
            plan_bytes: 0,
            tolerance: 0.0,
        },
        |device| device.zeroed::<u32>(size.n),
        |stream, _, y| stream.scatter(&x, &at).into(y),
        |stream, _, y| y.to_vec(stream),
        || {
            let mut y = vec![0; size.n];
            for (x, at) in elements::<u32>(size, 0).into_iter().zip(&places) {
                y[*at as usize] = x;
            }
            y
        },
    )
}
