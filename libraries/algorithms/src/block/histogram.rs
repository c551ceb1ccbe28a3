//! Counts of a block, in its shared memory.

use warploom::prelude::*;

use super::exchange::rank;
use super::slots::{Slots, slots_bytes};
use super::storage::{Piece, Scratch};

/// The memory of a [`Histogram`] of `BINS` bins.
pub struct Counters<const BINS: usize>;

impl<const BINS: usize, const THREADS: usize> Piece<THREADS> for Counters<BINS> {
    const BYTES: usize = slots_bytes::<u32>(BINS, false);
}

/// Counts that a block adds to; by [`BlockPieces::histogram`](super::BlockPieces::histogram). Any thread may count anything any number of times.
///
/// ```
/// use warploom::prelude::*;
/// use warploom_algorithms::block::{BlockPieces, Counters};
/// use warploom_algorithms::block_storage;
/// #[kernel(block(64))]
/// fn last_digits(block: Block) {
///     let mut storage = block_storage!(block, 64, [Counters<10>]);
///     let counts = block.histogram::<_, 10>(&mut storage);
///     counts.add(block.thread() % 10);
///     let counts = counts.finish();
///     assert_eq!((counts.get(3), counts.get(4)), (7, 6));
/// }
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// last_digits::launch(&stream, (2, 64))?;
/// # stream.synchronize()?;
/// # Ok::<(), warploom::Error>(())
/// ```
/// The storage is in use as long as there are counts:
/// ```compile_fail,E0499
/// # use warploom::prelude::*;
/// # use warploom_algorithms::block::{BlockPieces, Counters};
/// # use warploom_algorithms::block_storage;
/// #[kernel(block(64))]
/// fn kernel(block: Block) {
///     let mut storage = block_storage!(block, 64, [Counters<64>]);
///     let counts = block.histogram::<_, 64>(&mut storage);
///     block.left_neighbours(&mut storage, [1u32], 0);
///     counts.add(1);
/// }
/// # use warploom_algorithms::block::Pieces;
/// ```
/// Counts are read when all are finished:
/// ```compile_fail,E0599
/// # use warploom_algorithms::block::Histogram;
/// fn kernel(counts: Histogram<'_, '_, 64>) -> u32 { counts.get(1) }
/// ```
#[must_use = "counts are read when they are finished"]
pub struct Histogram<'k, 's, const BINS: usize> {
    block: Block<'k>,
    counts: Slots<'s, u32>,
}

impl<'k, 's, const BINS: usize> Histogram<'k, 's, BINS> {
    /// All counts 0. Holds two barriers.
    #[inline(always)]
    pub(super) fn of<S: Scratch<Block<'k>>>(block: Block<'k>, storage: &'s mut S) -> Self {
        const {
            assert!(
                slots_bytes::<u32>(BINS, false) <= S::BYTES,
                "the storage is too small for a histogram: name the piece `Counters` in `block_storage!`"
            );
        }
        let counts = storage.region().slots(0, BINS, false);
        block.sync();
        let mut bin = rank::<_, S>(&block);
        while bin < BINS {
            counts.write(bin, 0);
            bin += S::THREADS;
        }
        block.sync();
        Histogram { block, counts }
    }

    /// Counts one more in `bin`; nothing if that is not below `BINS`. Counts wrap at 2^32.
    #[inline(always)]
    pub fn add(&self, bin: usize) {
        self.counts.add(bin, 1);
    }

    /// The counts of all threads. Holds a barrier of the block: all its threads make the call.
    #[inline(always)]
    pub fn finish(self) -> Counts<'s, BINS> {
        self.block.sync();
        Counts(self.counts)
    }
}

/// The counts of a block, as long as its storage is borrowed. Each thread reads those that it wants. By [`Histogram::finish`].
#[derive(Clone, Copy)]
pub struct Counts<'s, const BINS: usize>(Slots<'s, u32>);

impl<const BINS: usize> Counts<'_, BINS> {
    /// That of `bin`; 0 if that is not below `BINS`.
    #[inline(always)]
    #[must_use]
    pub fn get(self, bin: usize) -> u32 {
        if bin < BINS { self.0.read(bin) } else { 0 }
    }
}
