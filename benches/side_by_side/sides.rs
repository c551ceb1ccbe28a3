//! What benchmarks of kernels share: data on the device, ours, our `unsafe` variant and the twin on it, one judge for all, and their times.
//!
//! A benchmark is a type that is [`Sides`]. [`run`] verifies each side from the same start, then times them in turn.

use std::cell::RefCell;

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, in_turn, places};
use warploom_harness::record::Measured;

use super::Run;
pub(crate) use super::call::{Call, arguments};
use super::driver::{DriverError, Peer, Prepared};
use super::session::{BenchError, Compared, Session, Verdict, only_verified};

/// A kernel, or several in a row, with its twin.
pub(crate) trait Sides: Sized {
    /// The row of the table; its `run` is [`run::<Self>`](run).
    const BENCHMARK: Benchmark<Run>;
    /// Largest relative error that is right. 0: all values are exact, and all of the twin's are ours.
    const TOLERANCE: f64 = 0.0;
    /// Results that are compared with their references at most; all over the result if it has more.
    const SAMPLES: usize = 1 << 18;
    /// Whether each run, also a timed one, needs [`reset`](Self::reset) before it; the time does not count.
    const RESET_EACH: bool = false;
    /// Ours with unchecked accesses, if there is such a variant.
    const UNCHECKED: Unchecked<Self> = None;
    /// What the result consists of.
    type Value: Value;

    /// Data of one size on the device.
    fn new(session: &Session, size: u64) -> Result<Self, BenchError>;

    /// Brings what a run writes into the state before a first run; at least into one that the result of no side has.
    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError>;

    /// The safe Rust kernels, enqueued.
    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError>;

    /// The launches of the twin that do the same with the same memory.
    fn twin(&self) -> Vec<Call>;

    /// What the last run wrote.
    fn result(&self, stream: &Stream) -> Result<Vec<Self::Value>, BenchError>;

    /// What value number `i` of the result should be, and the size by which its error is judged.
    fn reference(&self, i: usize) -> Reference;
}

/// Kernels with unchecked accesses, enqueued.
pub(crate) type Unchecked<S> = Option<fn(&mut S, &Stream) -> Result<(), BenchError>>;

/// What a value should be.
#[derive(Clone, Copy)]
pub(crate) struct Reference {
    value: f64,
    scale: f64,
}

impl Reference {
    /// Errors count by the value itself.
    pub(crate) fn of(value: f64) -> Self {
        Self {
            value,
            scale: if value == 0.0 { 1.0 } else { value.abs() },
        }
    }

    /// Errors count by `scale`: the sum of the sizes of what was added, say.
    pub(crate) fn scaled(value: f64, scale: f64) -> Self {
        Self { value, scale }
    }
}

/// Element of a result.
pub(crate) trait Value: Copy + PartialEq {
    /// The value, exactly.
    fn number(self) -> f64;
}

macro_rules! numbers {
    ($($ty:ty)*) => {
        $(impl Value for $ty {
            fn number(self) -> f64 {
                f64::from(self)
            }
        })*
    };
}
numbers!(f32 f64 u32 i32 u8);

/// Verifies and times one size.
pub(crate) fn run<S: Sides>(session: &Session, size: u64) -> Result<Measured, BenchError> {
    let stream = &session.stream;
    let mut sides = S::new(session, size)?;
    sides.reset(stream)?;
    sides.ours(stream)?;
    let ours = sides.result(stream)?;
    let mut error = judge(&sides, size, "ours", &ours)?;
    if let Some(unchecked) = S::UNCHECKED {
        sides.reset(stream)?;
        unchecked(&mut sides, stream)?;
        let result = sides.result(stream)?;
        error = error.max(judge(&sides, size, "ours, unchecked", &result)?);
    }
    let Some(gpu) = &session.gpu else {
        return Ok(only_verified(error));
    };

    let file = S::BENCHMARK.twin.file;
    let calls = sides.twin();
    let peers: Result<Vec<Peer<'_>>, DriverError> = calls
        .iter()
        .map(|call| gpu.load_from(file, call.function))
        .collect();
    let peers = peers?;
    // SAFETY: `Call::new` was promised that arguments and memory fit; `sides` and the stream stay valid until the last measurement.
    let prepare = |(peer, call): (_, Call)| unsafe {
        Peer::prepare(peer, session.raw_stream(), call.shape, call.arguments)
    };
    let mut peer: Vec<Prepared<'_>> = peers.iter().zip(calls).map(prepare).collect();
    sides.reset(stream)?;
    peer.iter_mut().try_for_each(Prepared::launch)?;
    let result = sides.result(stream)?;
    error = error.max(judge(&sides, size, "peer", &result)?);
    if S::TOLERANCE == 0.0 && ours != result {
        return Err(BenchError::Differ {
            kernel: S::BENCHMARK.name,
            size,
        });
    }
    drop((ours, result));
    let times = times(session, sides, &mut peer)?;
    Ok(Measured {
        times,
        max_error: error,
    })
}

/// Ours, the peer, the unchecked variant, in turn.
fn times<S: Sides>(
    session: &Session,
    sides: S,
    peer: &mut [Prepared<'_>],
) -> Result<warploom_harness::benchmark::Times, BenchError> {
    let stream = &session.stream;
    let sides = RefCell::new(sides);
    let before = || -> Result<(), BenchError> {
        if S::RESET_EACH {
            sides.borrow_mut().reset(stream)?;
        }
        Ok(())
    };
    let mut ours = || {
        before()?;
        let mut sides = sides.borrow_mut();
        session.time(|| sides.ours(stream))
    };
    let mut theirs = || {
        before()?;
        session.time(|| peer.iter_mut().try_for_each(Prepared::launch))
    };
    match S::UNCHECKED {
        None => in_turn(session.repetitions, &mut [&mut ours, &mut theirs]),
        Some(unchecked) => {
            let mut unchecked = || {
                before()?;
                let mut sides = sides.borrow_mut();
                session.time(|| unchecked(&mut sides, stream))
            };
            in_turn(
                session.repetitions,
                &mut [&mut ours, &mut theirs, &mut unchecked],
            )
        }
    }
}

/// The largest error among the samples, if it is small enough.
fn judge<S: Sides>(
    sides: &S,
    size: u64,
    side: &'static str,
    result: &[S::Value],
) -> Result<f64, BenchError> {
    let verdict = Verdict {
        kernel: S::BENCHMARK.name,
        size,
        limit: S::TOLERANCE,
    };
    let places: Vec<usize> = places(result.len(), S::SAMPLES).collect();
    let compared = places.iter().map(|&at| {
        let Reference { value, scale } = sides.reference(at);
        Compared {
            value: result[at].number(),
            reference: value,
            scale,
        }
    });
    verdict
        .check(side, compared)
        .map_err(|error| error.at(&places))
}
