//! The device on which rows run, and both sides of a row: results compared, then timed in turn.

use std::cell::RefCell;
use std::error::Error;

use warploom::prelude::*;
use warploom::{Event, MemoryError, StreamError};
use warploom_harness::algorithms::{self, Pair};
use warploom_harness::benchmark::{Repetitions, interleave};

use super::data::{Element, elements};
use super::peers::{Arguments, Peer, PeerError, Peers};
use super::results::{Compare, Outputs};
use super::rows::{Row, Size};
use super::session::{self, Session};

/// Bytes that are filled before a time is taken: more than a cache has, and long enough for the host to queue an algorithm meanwhile.
const AHEAD_BYTES: usize = 512 << 20;
/// Up to so many elements results are compared with those of plain Rust, too.
const REFERENCE: usize = 1 << 20;
/// From so many milliseconds on a run is a long one.
const LONG_MS: f64 = 1.0;
/// How often each side is timed at most if a run is long: spreads are small then.
const RUNS_OF_LONG: usize = 5;

/// Why a row has no times.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error(transparent)]
    Session(#[from] session::BenchError),
    #[error(transparent)]
    Ours(#[from] warploom_algorithms::Error),
    #[error(transparent)]
    Peer(#[from] PeerError),
    #[error("a side was not timed, or its time is not a number: `--runs` must be at least 1")]
    NoTimes,
}

macro_rules! from_runtime {
    ($($error:ty),*) => {$(
        impl From<$error> for BenchError {
            fn from(error: $error) -> Self {
                Self::Session(error.into())
            }
        }
    )*};
}
from_runtime!(MemoryError, StreamError);

/// What a row returns.
pub(crate) type Done = Result<(), Box<dyn Error>>;

/// Where an algorithm of ours gets its memory from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Memory {
    /// A plan that was made beforehand.
    Planned,
    /// The device's pool, in each call.
    Pooled,
}

/// What the device does when an algorithm is queued.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Load {
    /// It works on what was queued before, so that the host's time does not count.
    Busy,
    /// It has waited for the host.
    Idle,
}

/// Whose results they are: CUB's partition has those that are not selected in reverse.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Side {
    Ours,
    Peer,
}

/// What a row says of its work.
pub(crate) struct Work<'w> {
    /// The peer's function in libpeers.so.
    pub(crate) peer: &'w str,
    /// Device addresses of the inputs, in the peer's order.
    pub(crate) inputs: &'w [u64],
    /// The peer's second number.
    pub(crate) m: u64,
    /// Bytes that must be read and written; 0 if bandwidth is not what bounds the algorithm.
    pub(crate) bytes: usize,
    /// Bytes of our plan.
    pub(crate) plan_bytes: usize,
    /// The largest relative difference that is right; 0 for equal bits.
    pub(crate) tolerance: f64,
}

/// A run of the benchmark.
pub(crate) struct Bench {
    pub(crate) session: Session,
    peers: Option<Peers>,
    start: Event,
    end: Event,
    ahead: RefCell<DeviceBuffer<u32>>,
    current: Option<(&'static str, &'static str, Size)>,
    /// Rows with times.
    pub(crate) rows: Vec<algorithms::Row>,
    /// How many results of ours were compared and right.
    pub(crate) right: usize,
}

impl Bench {
    pub(crate) fn new(session: Session, peers: Option<Peers>) -> Result<Self, BenchError> {
        let ahead = if session.gpu.is_some() {
            AHEAD_BYTES / 4
        } else {
            0
        };
        let ahead = RefCell::new(session.device.zeroed(ahead)?);
        // What goes back to the pool stays there: with the default, each wait returns it to the driver, and the next call maps it anew.
        session.device.pool()?.set_release_threshold(u64::MAX)?;
        Ok(Self {
            start: session.device.event()?,
            end: session.device.event()?,
            session,
            peers,
            ahead,
            current: None,
            rows: Vec::new(),
            right: 0,
        })
    }

    /// Runs one row.
    pub(crate) fn row(&mut self, row: &Row, size: Size) -> Done {
        self.current = Some((row.algorithm, row.of, size));
        (row.run)(self, size)
    }

    pub(crate) fn device(&self) -> &Device {
        &self.session.device
    }

    /// Elements of the row's number and entropy, in device memory; `seed` tells several inputs apart.
    pub(crate) fn input<T: Element>(
        &self,
        size: Size,
        seed: u64,
    ) -> Result<DeviceBuffer<T>, BenchError> {
        Ok(self.session.device.upload(&elements::<T>(size, seed))?)
    }

    /// Compares ours with plain Rust and with the peer, and times both, on a GPU.
    ///
    /// `outputs` makes what a side writes, all zeros; the peer gets the buffers in their order. `ours` queues the algorithm. `result` is what is compared: the elements
    /// that an algorithm writes, without those behind them. `expected` are the same from plain Rust.
    pub(crate) fn compare<O: Outputs, R: Compare>(
        &mut self,
        work: &Work<'_>,
        outputs: impl Fn(&Device) -> Result<O, MemoryError>,
        mut ours: impl FnMut(&Stream, Memory, &mut O) -> Result<(), warploom_algorithms::Error>,
        result: impl Fn(&Stream, Side, &O) -> Result<R, MemoryError>,
        expected: impl FnOnce() -> R,
    ) -> Done {
        let stream = self.session.stream.clone();
        let Some((algorithm, of, size)) = self.current else {
            return Err("a row runs by `Bench::row`".into());
        };
        let mut checks = Checks {
            tolerance: work.tolerance,
            max_error: 0.0,
        };
        let mut written = outputs(self.device())?;
        ours(&stream, Memory::Planned, &mut written)?;
        let planned = result(&stream, Side::Ours, &written)?;
        if size.n <= REFERENCE {
            checks.check("ours, by plain Rust", &planned, &expected())?;
            // With more elements the last timed run shows it.
            written = outputs(self.device())?;
            ours(&stream, Memory::Pooled, &mut written)?;
            let pooled = result(&stream, Side::Ours, &written)?;
            checks.check(
                "with memory from the pool, by the planned one",
                &pooled,
                &planned,
            )?;
        }
        self.right += 1;
        let Some(peers) = &self.peers else {
            return Ok(());
        };
        peers.function(work.peer)?;
        if self.session.gpu.is_none() {
            return Ok(());
        }

        let theirs = outputs(self.device())?;
        let arguments = Arguments::new(work.inputs, &theirs.addresses(), size.n, work.m)?;
        // SAFETY: the row has what the function takes, and inputs and outputs stay until `times` has waited for the last call.
        let peer = unsafe { peers.peer(work.peer, arguments, self.session.raw_stream())? };
        let workspace_bytes = peer.workspace_bytes()?;
        let workspace = self.session.device.zeroed::<u8>(workspace_bytes)?;
        let peer_planned = || Ok(peer.queue(workspace.raw_ptr(), workspace_bytes)?);
        peer.queue(workspace.raw_ptr(), workspace_bytes)?;
        let right = result(&stream, Side::Peer, &theirs)?;
        checks.check("ours, by the peer", &planned, &right)?;
        drop(planned);

        let mut ours_by = |memory| ours(&stream, memory, &mut written).map_err(BenchError::from);
        let mut repetitions = self.session.repetitions;
        if self.time(Load::Busy, peer_planned)? > LONG_MS {
            repetitions.measured = repetitions.measured.min(RUNS_OF_LONG);
        }
        let times = |load, ours: &mut dyn FnMut() -> _, peer: &dyn Fn() -> _| {
            self.times(repetitions, load, ours, peer)
        };
        let planned = times(Load::Busy, &mut || ours_by(Memory::Planned), &peer_planned)?;
        let idle = times(Load::Idle, &mut || ours_by(Memory::Planned), &peer_planned)?;
        // The last one, so that its results are those which are compared below.
        let pooled = times(Load::Busy, &mut || ours_by(Memory::Pooled), &|| {
            self.pooled(&peer)
        })?;
        let last = result(&stream, Side::Ours, &written)?;
        checks.check("ours in the last run, by the peer", &last, &right)?;
        self.rows.push(algorithms::Row {
            algorithm: algorithm.to_owned(),
            of: of.to_owned(),
            n: size.n as u64,
            entropy: size.entropy.to_string(),
            bytes: work.bytes as u64,
            planned,
            pooled,
            idle,
            runs: repetitions.measured,
            plan_bytes: work.plan_bytes as u64,
            workspace_bytes: workspace_bytes as u64,
            max_error: checks.max_error,
        });
        Ok(())
    }

    /// The peer with memory from the pool.
    fn pooled(&self, peer: &Peer<'_>) -> Result<(), BenchError> {
        let bytes = peer.workspace_bytes()?;
        let pool = self.session.device.pool()?;
        let workspace = pool.alloc_uninit::<u8>(bytes, &self.session.stream)?;
        Ok(peer.queue(workspace.raw_ptr(), bytes)?)
    }

    /// Times of both sides in turn.
    fn times(
        &self,
        repetitions: Repetitions,
        load: Load,
        ours: &mut dyn FnMut() -> Result<(), BenchError>,
        peer: &dyn Fn() -> Result<(), BenchError>,
    ) -> Result<Pair, BenchError> {
        let times = interleave(
            repetitions,
            || self.time(load, &mut *ours),
            || self.time(load, peer),
        )?;
        Pair::of(&times).ok_or(BenchError::NoTimes)
    }

    /// Milliseconds between before and after `work`.
    fn time(
        &self,
        load: Load,
        work: impl FnOnce() -> Result<(), BenchError>,
    ) -> Result<f64, BenchError> {
        let stream = &self.session.stream;
        match load {
            Load::Busy => self.ahead.borrow_mut().fill(0, stream)?,
            Load::Idle => stream.synchronize()?,
        }
        stream.record(&self.start)?;
        work()?;
        stream.record(&self.end)?;
        Ok(self.start.elapsed_ms(&self.end)?)
    }
}

/// Comparisons of results, and the largest difference that they found.
struct Checks {
    tolerance: f64,
    max_error: f64,
}

impl Checks {
    fn check<R: Compare>(&mut self, what: &str, found: &R, expected: &R) -> Result<(), String> {
        let error = found.difference(expected, self.tolerance);
        let error = error.map_err(|text| format!("{what}: {text}"))?;
        self.max_error = f64::max(self.max_error, error);
        Ok(())
    }
}
