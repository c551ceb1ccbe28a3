//! Runs of equal items, given as values and lengths, back to items.

use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

use super::exchange::{blocked, bytes, rank};
use super::scan::between_warps;
use super::slots::{Slots, is_padded, slots_bytes};
use super::storage::{Piece, Scratch, piece};

piece! {
    /// The memory of [`decode_runs`](super::BlockPieces::decode_runs), with `RUNS` runs of `T` of each thread.
    RunLengthDecode<T; RUNS>(THREADS) = run_bytes::<T>(THREADS, RUNS);
}

/// Values, where runs begin, and sums of warps.
const fn run_bytes<T>(threads: usize, runs: usize) -> usize {
    bytes::<T>(threads, runs)
        + bytes::<u32>(threads, runs)
        + slots_bytes::<u32>(threads / 32, false)
}

/// The runs of a block, in its storage; by [`BlockPieces::decode_runs`](super::BlockPieces::decode_runs). Any thread reads any of their items.
#[derive(Clone, Copy)]
pub struct Runs<'s, T> {
    values: Slots<'s, T>,
    starts: Slots<'s, u32>,
    runs: usize,
    len: u32,
}

impl<'s, T: Plain> Runs<'s, T> {
    /// Holds three barriers.
    #[inline(always)]
    pub(super) fn of<'k, S: Scratch<Block<'k>>, const RUNS: usize>(
        block: Block<'k>,
        storage: &'s mut S,
        values: [T; RUNS],
        lengths: [u32; RUNS],
    ) -> Self {
        const {
            assert!(
                run_bytes::<T>(S::THREADS, RUNS) <= S::BYTES,
                "the storage is too small for runs: name the piece `RunLengthDecode` in `block_storage!`"
            );
        }
        let (runs, padded) = (S::THREADS * RUNS, is_padded(RUNS));
        let behind = bytes::<T>(S::THREADS, RUNS);
        let region = storage.region();
        let of_values = region.slots::<T>(0, runs, padded);
        let starts = region.slots::<u32>(behind, runs, padded);
        let behind = behind + bytes::<u32>(S::THREADS, RUNS);
        let sums = region.slots::<u32>(behind, S::THREADS / 32, false);
        let own = blocked::<RUNS>(rank::<_, S>(&block));
        let length = lengths.iter().fold(0u32, |a, &b| a.wrapping_add(b));
        block.sync();
        let (before, len) = between_warps::<S, u32>(block, sums, length, u32::wrapping_add);
        let mut start = before.unwrap_or(0);
        unroll_all::<RUNS>(|k| {
            of_values.write(own(k), values[k]);
            starts.write(own(k), start);
            start = start.wrapping_add(lengths[k]);
        });
        block.sync();
        Runs {
            values: of_values,
            starts,
            runs,
            len,
        }
    }

    /// The number of items of all runs.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether all runs are empty.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Items `first .. first + ITEMS`, and how far each is from the start of its run. Those behind the end continue the last run.
    ///
    /// A binary search for the first, then a step for each item, and one for each empty run between. No barrier: any thread calls it, any number of times.
    #[inline(always)]
    #[must_use]
    pub fn items<const ITEMS: usize>(&self, first: u32) -> ([T; ITEMS], [u32; ITEMS]) {
        // The last run that begins at `first` or before.
        let (mut low, mut high) = (0, self.runs - 1);
        while low < high {
            let middle = high - (high - low) / 2;
            if self.starts.read(middle) <= first {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        let mut run = low;
        let (mut start, mut value) = (self.starts.read(run), self.values.read(run));
        let (mut items, mut offsets) = ([value; ITEMS], [0; ITEMS]);
        // Written out: what holds a loop is not copied by compilers.
        unroll_all::<ITEMS>(|k| {
            let at = first.wrapping_add(k as u32);
            while run + 1 < self.runs && self.starts.read(run + 1) <= at {
                run += 1;
                (start, value) = (self.starts.read(run), self.values.read(run));
            }
            (items[k], offsets[k]) = (value, at.wrapping_sub(start));
        });
        (items, offsets)
    }
}
