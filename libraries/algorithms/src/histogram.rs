//! How often each number comes.
//!
//! Each block counts in its own shared memory and adds its counts to those in global memory at the end; with more bins than shared memory holds, all
//! count in global memory. A block has several counters for each of few bins, those of one lane in one bank of shared memory: lanes of a warp then wait neither for each other's
//! counters nor for their banks.

mod bins; // which bin a sample is in
mod channels; // histograms of samples, of several channels

pub use bins::Sample;
pub use channels::{EvenHistograms, IntoCounts, RangeHistograms, Single};

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use warploom::DeviceSlice;
use warploom::device_std::{atomic_add, launch_dependents};
use warploom::prelude::*;

use crate::Error;
use crate::input::{Arguments, Empty, Fetch, Input, Memory, Place};

/// Threads of a block.
const THREADS: usize = 512;
/// Elements of a thread in each round.
const ITEMS: usize = 4 * GROUPS;
/// Groups of four among them.
const GROUPS: usize = 4;
/// Blocks at most: four for each of 132 multiprocessors.
const BLOCKS: usize = 4 * 132;
/// Bins with a counter for each lane, and the counters: those of numbers that have no bin among them.
const LANE_BINS: usize = 256;
const LANE_COUNTERS: usize = (LANE_BINS + 1) * 32;
/// Bins with one counter, and the counters.
const SHARED_BINS: usize = 2048;
const SHARED_COUNTERS: usize = SHARED_BINS + 1;

/// A histogram that was described and has not run; see [`crate::Reductions::histogram`](crate::Reductions::histogram).
#[must_use = "nothing runs before `into`"]
pub struct Histogram<'s, 'a, M: Memory, F> {
    pub(crate) stream: &'s Stream,
    pub(crate) input: Input<'a, M, F>,
}

impl<M, F> Histogram<'_, '_, M, F>
where
    M: Memory,
    F: Fetch<M, Item: Place>,
{
    /// Queues the histogram: element `i` of `counts` will be how many elements are `i`. Counts wrap at 2^32. Does not wait.
    ///
    /// # Errors
    /// What launches report.
    pub fn into(self, counts: &mut DeviceBuffer<u32>) -> Result<(), Error> {
        counts.fill(0, self.stream)?;
        let (n, bins) = (self.input.len(), counts.len());
        if n == 0 || bins == 0 {
            return Ok(());
        }
        let empty = Empty::new(self.stream.device())?;
        let slices = M::arguments(self.input.slices, &empty);
        let (fetch, counts) = (self.input.fetch, counts.as_atomic());
        let blocks = n.div_ceil(THREADS * ITEMS).min(BLOCKS) as u32;
        let shape = Launch::new(blocks, THREADS as u32);
        launch::<M, F>(self.stream, shape, slices, fetch, n, counts)
    }
}

fn launch<M: Memory, F: Fetch<M, Item: Place>>(
    stream: &Stream,
    shape: Launch,
    (a, b, c): Arguments<'_, M>,
    fetch: F,
    n: usize,
    counts: DeviceSlice<'_, AtomicU32>,
) -> Result<(), Error> {
    let bins = counts.len();
    if bins <= LANE_BINS {
        count::<M, F, LANE_BINS, LANE_COUNTERS>::launch(stream, shape, a, b, c, fetch, n, counts)?;
    } else if bins <= SHARED_BINS {
        count::<M, F, SHARED_BINS, SHARED_COUNTERS>::launch(
            stream, shape, a, b, c, fetch, n, counts,
        )?;
    } else {
        count::<M, F, 0, 0>::launch(stream, shape, a, b, c, fetch, n, counts)?;
    }
    Ok(())
}

/// Adds how often each number comes to `counts`. `BINS`: bins in shared memory, at least as many as there are counts, or none. `COUNTERS`: those of all bins together, and as many
/// for numbers without a count as for a bin. So no thread branches on its number.
#[kernel(block(512), dependent_launch)]
pub fn count<M, F, const BINS: usize, const COUNTERS: usize>(
    block: Block,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    n: usize,
    counts: &[AtomicU32],
) where
    M: Memory,
    F: Fetch<M, Item: Place>,
{
    launch_dependents();
    let counters = shared_array!(u32, COUNTERS);
    let (thread, view) = (block.thread(), M::view(a, b, c));
    let of_each = const {
        assert!(
            BINS == 0 || COUNTERS > BINS,
            "each bin needs a counter, and so do numbers without a bin"
        );
        COUNTERS / (BINS + 1)
    };
    let mut counter = thread;
    while counter < COUNTERS {
        counters.atomic(counter).store(0, Relaxed);
        counter += THREADS;
    }
    block.sync();
    let last = counts.len().min(BINS) as u32;
    let add = |number: F::Item| {
        let number = number.place();
        if BINS > 0 {
            let bin = u32::try_from(number).unwrap_or(last).min(last) as usize;
            atomic_add(counters.atomic(bin * of_each + thread % of_each), 1);
        } else if number < counts.len() {
            atomic_add(&counts[number], 1);
        }
    };
    let (tile, stride) = (THREADS * ITEMS, grid_dim().x as usize * THREADS * ITEMS);
    let mut first = block.index() * tile;
    while first < n {
        if n - first >= tile {
            let groups = fetch.share::<GROUPS>(view, first, (thread, THREADS));
            groups.into_iter().flatten().for_each(add);
        } else {
            let part = fetch.part(view, first, n - first);
            let mut k = thread;
            while k < n - first {
                add(part(k));
                k += THREADS;
            }
        }
        first += stride;
    }
    block.sync();
    let mut bin = thread;
    while bin < BINS.min(counts.len()) {
        let mut own = 0u32;
        for k in 0..of_each {
            // Each thread begins at another counter, so that those of a warp are in different banks.
            let counter = counters.atomic(bin * of_each + (bin + k) % of_each);
            own = own.wrapping_add(counter.load(Relaxed));
        }
        if own > 0 {
            atomic_add(&counts[bin], own);
        }
        bin += THREADS;
    }
}
