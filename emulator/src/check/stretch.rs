//! Numbers of stretches of time in which further accesses of a kind change nothing: what granules note to be left alone (README 8).

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::model::ModelLimits;
use crate::warp::LANES;

/// The stretches in which a block and its warps are.
#[derive(Debug)]
pub(super) struct Stretches {
    /// A number for each warp that is new whenever one of its lanes has a new time or knows more.
    warps: [Cell<u32>; MOST_WARPS],
    /// Warps of the block.
    n_warps: u32,
    /// Such a number of the block, for its reads. Where a full warp meets it stays. Those behind it are the block's as well: see below.
    block: Cell<u32>,
    /// The first stretch of all blocks of the run that are to come, and how many blocks had begun since when this one did.
    settled: (u32, Cell<u32>),
    /// The block runs alone: what it knows of other blocks by floors stays as it is.
    alone: bool,
}

/// Warps of a block, at most.
const MOST_WARPS: usize = (ModelLimits::THREADS_PER_BLOCK / LANES) as usize;

/// What is added to the block's number: for its relaxed atomics;
const ATOMICS: u32 = 1;
/// for a granule that one lane has read in this stretch, all else in it being past for the block;
const ONE_READER: u32 = 2;
/// for one that one lane has changed in it by relaxed atomics for the whole device, likewise;
const ONE_CHANGER: u32 = 3;
/// for warp 0, until a barrier of the warp alone; those of the others follow.
const WARPS: u32 = 4;

impl Stretches {
    /// `settled`: [`first_settled`] when the run began. `alone`: no other block of its set is there.
    pub(super) fn new(n_warps: u32, settled: u32, alone: bool) -> Self {
        let stretches = Self {
            warps: [const { Cell::new(0) }; MOST_WARPS],
            n_warps,
            block: Cell::new(0),
            settled: (settled, Cell::new(0)),
            alone,
        };
        stretches.all_learn();
        stretches
    }

    /// A new block begins.
    pub(super) fn restart(&self) {
        self.all_learn();
        if self.alone {
            let (first, before) = (self.settled.0, BEGUN.fetch_add(1, Ordering::Relaxed));
            // Where the numbers of blocks begin anew, there are fewer of them.
            let before = before.wrapping_sub(first) & !SETTLED;
            self.settled.1.set(before.min(!first));
        }
    }

    /// All lanes of the block have a new time.
    pub(super) fn all_learn(&self) {
        let block = new(WARPS + self.n_warps);
        self.block.set(block);
        let warps = &self.warps[..self.n_warps as usize];
        for (stretch, number) in warps.iter().zip(block + WARPS..) {
            stretch.set(number);
        }
    }

    /// A lane of this warp has a new time or knows more, other than by a barrier of all lanes of the warp.
    pub(super) fn one_learns(&self, warp: usize) {
        self.warp_met(warp);
        // The numbers behind it that warps may have are nobody's: the others keep theirs.
        self.block.set(new(WARPS + self.n_warps));
    }

    /// All lanes of this warp have met.
    pub(super) fn warp_met(&self, warp: usize) {
        self.warps[warp].set(new(1));
    }

    /// That of the warp of lane number `thread`.
    #[inline(always)]
    pub(super) fn warp(&self, thread: u32) -> u32 {
        self.warps[(thread / LANES) as usize % MOST_WARPS].get()
    }

    /// That of the block, for its reads.
    #[inline(always)]
    pub(super) fn block(&self) -> u32 {
        self.block.get()
    }

    /// The same, for its relaxed atomics.
    #[inline(always)]
    pub(super) fn atomics(&self) -> u32 {
        self.block.get() + ATOMICS
    }

    /// That of a granule that one lane has read in this stretch of the block's.
    #[inline(always)]
    pub(super) fn one_reader(&self) -> u32 {
        self.block.get() + ONE_READER
    }

    /// That of a granule that one lane has changed in this stretch of the block's, by atomics for the whole device.
    #[inline(always)]
    pub(super) fn one_changer(&self) -> u32 {
        self.block.get() + ONE_CHANGER
    }

    /// Whether it is that of a warp, in this stretch of the block's.
    #[inline(always)]
    pub(super) fn is_of_a_warp(&self, stretch: u32) -> bool {
        stretch.wrapping_sub(self.block.get() + WARPS) < self.n_warps
    }

    /// Whether it is that of a granule of which two reads of different blocks are kept, since before this block began: neither is of
    /// this block, and it replaces neither.
    #[inline(always)]
    pub(super) fn is_settled(&self, stretch: u32) -> bool {
        stretch.wrapping_sub(self.settled.0) < self.settled.1.get()
    }

    /// That of such a granule for all blocks that begin from now on; `None`: there is none in this run.
    #[inline(always)]
    pub(super) fn settled(&self) -> Option<u32> {
        let begun = self.alone.then(|| BEGUN.load(Ordering::Relaxed));
        begun.map(|begun| begun.wrapping_sub(1) | SETTLED)
    }
}

/// Blocks of the process that have begun.
static BEGUN: AtomicU32 = AtomicU32::new(0);

/// Set in stretches for all blocks to come, and in no other.
const SETTLED: u32 = 1 << 31;

/// The stretch for all blocks that begin from now on.
pub(super) fn first_settled() -> u32 {
    BEGUN.load(Ordering::Relaxed) | SETTLED
}

/// The first of `n` numbers, at most 64, that nothing else in the process has; after 2^31 of them, hardly anything.
fn new(n: u32) -> u32 {
    const BATCH: u32 = 1 << 12;
    static BATCHES: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static NEXT: Cell<u32> = const { Cell::new(0) };
    }
    let mut first = NEXT.get();
    if first.is_multiple_of(BATCH) || first % BATCH + n >= BATCH {
        // 0 is none.
        first = BATCHES.fetch_add(BATCH, Ordering::Relaxed) & !SETTLED | 1;
    }
    NEXT.set(first + n);
    first
}
