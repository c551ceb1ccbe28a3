//! How often each byte comes: counted in global memory, and in shared memory first.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use warploom::device_std::atomic_add;
use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{mixed, mixed_on_device};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{HISTOGRAMS, Run};

/// One atomic addition in global memory for each byte; four bytes in a word.
#[kernel(requires(bins.len() == 256))]
fn histogram_global(i: Index1D, words: &[u32], bins: &[AtomicU32]) {
    let mut at = i.get();
    while let Some(word) = words.get(at) {
        for byte in word.to_le_bytes() {
            atomic_add(&bins[usize::from(byte)], 1);
        }
        at += i.count();
    }
}

/// The same in the block's own shared memory, whose counts are added to the global ones in the end.
#[kernel(block(256), requires(bins.len() == 256))]
fn histogram_shared(i: Index1D, block: Block, words: &[u32], bins: &[AtomicU32]) {
    let own = shared_array!(u32, 256);
    let thread = block.thread();
    own.atomic(thread).store(0, Relaxed);
    block.sync();
    let mut at = i.get();
    while let Some(word) = words.get(at) {
        for byte in word.to_le_bytes() {
            atomic_add(own.atomic(usize::from(byte)), 1);
        }
        at += i.count();
    }
    block.sync();
    atomic_add(&bins[thread], own.atomic(thread).load(Relaxed));
}

/// Sixteen blocks for each of the H200's 132 multiprocessors: as many as run at once, twice.
const BLOCKS: u32 = 16 * 132;

pub(crate) struct Histogram<const SHARED: bool> {
    words: DeviceBuffer<u32>,
    bins: DeviceBuffer<u32>,
    expected: Vec<u32>,
}

pub(crate) type Global = Histogram<false>;
pub(crate) type Shared = Histogram<true>;

impl<const SHARED: bool> Sides for Histogram<SHARED> {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: if SHARED {
            "histogram_shared"
        } else {
            "histogram_global"
        },
        group: HISTOGRAMS,
        twin: Twin::of(
            "histogram",
            if SHARED {
                "histogram_shared"
            } else {
                "histogram_global"
            },
        ),
        unit: "bytes",
        sizes: if SHARED { &[1 << 29] } else { &[1 << 24] },
        small: 10_000,
        traffic: |n| Traffic::Bytes(n),
        bound: if SHARED {
            Bound::Atomics("four atomic additions in shared memory for each 4 bytes that are read")
        } else {
            Bound::Atomics(
                "all bytes go to 256 counters, one cache line after the other in the same units",
            )
        },
        prediction: "0.98 or more: a byte cannot leave 256 bins, so no check is left; the atomic units are the limit",
        run: run::<Self>,
    };
    type Value = u32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let words = size as usize / 4;
        let mut expected = vec![0; 256];
        for byte in (0..words).flat_map(|i| mixed(i, 1).to_le_bytes()) {
            expected[usize::from(byte)] += 1;
        }
        Ok(Self {
            words: mixed_on_device(session, words, 1)?,
            bins: session.device.zeroed(256)?,
            expected,
        })
    }

    /// Timed runs add to what is there: that takes no longer.
    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.bins.fill(0, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::new(BLOCKS, 256);
        let bins = self.bins.as_atomic();
        if SHARED {
            histogram_shared::launch(stream, shape, &self.words, bins)?;
        } else {
            histogram_global::launch(stream, shape, &self.words, bins)?;
        }
        Ok(())
    }

    fn twin(&self) -> Vec<Call> {
        let arguments = arguments![&self.words, self.words.len() as u64, &self.bins];
        // SAFETY: the twins take a pointer to words, how many they are, and a pointer to 256 counts.
        vec![unsafe { Call::new(Self::BENCHMARK.twin.function, BLOCKS, 256, arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<u32>, BenchError> {
        Ok(self.bins.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        Reference::of(f64::from(self.expected[i]))
    }
}
