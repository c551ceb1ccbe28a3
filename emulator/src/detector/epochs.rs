//! Numbers of epochs in which further accesses of a kind change nothing: what granules note to be left alone (README 8).

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::engine::warp::{LANES, MOST_WARPS};

/// The epochs in which a block and its warps are.
#[derive(Debug)]
pub(super) struct Epochs {
    /// A number for each warp that is new whenever one of its lanes has a new time or knows more.
    warps: [Cell<u32>; MOST_WARPS],
    /// Warps of the block.
    n_warps: u32,
    /// Such a number of the block, for its reads. Where a full warp meets it stays. Those behind it are the block's as well: see below.
    block: Cell<u32>,
    /// Numbers that the block had before its latest barrier: the first, and how many.
    past: (Cell<u32>, Cell<u32>),
    /// The first epoch of all blocks of the run that are to come, and how many blocks had begun since when this one did.
    settled: (u32, Cell<u32>),
    /// The block runs alone: what it knows of other blocks by bounds stays as it is.
    alone: bool,
}

/// No epoch: the granule is checked at every access. No multiple of `BATCH` is anything else's.
pub(super) const NONE: u32 = 4 * BATCH;

/// What is added to the block's number: for its relaxed atomics;
const ATOMICS: u32 = 1;
/// for a granule that one lane has read in this epoch, all else in it being past for the block;
const ONE_READER: u32 = 2;
/// for one that lanes of one warp have changed in it by relaxed atomics for the whole device, likewise;
const ONE_CHANGER: u32 = 3;
/// for one that one lane has written in it, likewise;
const ONE_WRITER: u32 = 4;
/// for warp 0, until a barrier of the warp alone; those of the others follow.
const WARPS: u32 = 5;

impl Epochs {
    /// `settled`: [`first_settled`] when the run began. `alone`: no other block of its set is there.
    pub(super) fn new(n_warps: u32, settled: u32, alone: bool) -> Self {
        let epochs = Self {
            warps: [const { Cell::new(0) }; MOST_WARPS],
            n_warps,
            block: Cell::new(0),
            past: (Cell::new(0), Cell::new(0)),
            settled: (settled, Cell::new(0)),
            alone,
        };
        epochs.all_learn();
        epochs
    }

    /// A new block begins.
    pub(super) fn restart(&self) {
        self.all_learn();
        self.past.0.set(self.block.get());
        self.past.1.set(0);
        if self.alone {
            let before = BEGUN.fetch_add(1, Ordering::Relaxed);
            self.settled.1.set(settled_before(self.settled.0, before));
        }
    }

    /// All lanes of the block have a new time.
    pub(super) fn all_learn(&self) {
        let block = new(WARPS + self.n_warps);
        self.block.set(block);
        let warps = &self.warps[..self.n_warps as usize];
        for (epoch, number) in warps.iter().zip(block + WARPS..) {
            epoch.set(number);
        }
    }

    /// All lanes of the block have met, and no other block accesses its shared memory: whatever was noted there in it before is past. After
    /// [`all_learn`](Self::all_learn).
    pub(super) fn all_before_is_past(&self) {
        let (first, block) = (self.past.0.get(), self.block.get());
        // Numbers of one batch are given one after the other. Of several batches, others may have had some earlier.
        let first = if first / BATCH == block / BATCH {
            first
        } else {
            block
        };
        self.past.0.set(first);
        self.past.1.set(block - first);
    }

    /// A lane of this warp has a new time or knows more, other than by a barrier of all lanes of the warp.
    pub(super) fn one_learns(&self, warp: usize) {
        self.warp_met(warp);
        // The numbers behind it that warps may have are given to no other: the others keep theirs.
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

    /// That of a granule that one lane has read in this epoch of the block's.
    #[inline(always)]
    pub(super) fn one_reader(&self) -> u32 {
        self.block.get() + ONE_READER
    }

    /// That of a granule that lanes of one warp have changed in this epoch of the block's, by atomics for the whole device.
    #[inline(always)]
    pub(super) fn one_changer(&self) -> u32 {
        self.block.get() + ONE_CHANGER
    }

    /// That of a granule that one lane has written in this epoch of the block's.
    #[inline(always)]
    pub(super) fn one_writer(&self) -> u32 {
        self.block.get() + ONE_WRITER
    }

    /// Whether it is one that a granule of the block's own shared memory got before the block's latest barrier, and since this block began:
    /// then all that it remembers is past, and it has a value.
    #[inline(always)]
    pub(super) fn is_past(&self, epoch: u32) -> bool {
        epoch.wrapping_sub(self.past.0.get()) < self.past.1.get()
    }

    /// Whether it is that of a warp, in this epoch of the block's.
    #[inline(always)]
    pub(super) fn is_of_a_warp(&self, epoch: u32) -> bool {
        epoch.wrapping_sub(self.block.get() + WARPS) < self.n_warps
    }

    /// Whether it is that of a granule of which two reads of different blocks are kept, since before this block began: neither is of
    /// this block, and it replaces neither.
    #[inline(always)]
    pub(super) fn is_settled(&self, epoch: u32) -> bool {
        epoch.wrapping_sub(self.settled.0) < self.settled.1.get()
    }

    /// That of such a granule for all blocks that begin from now on; `None`: there is none in this run.
    #[inline(always)]
    pub(super) fn settled(&self) -> Option<u32> {
        let begun = self.alone.then(|| BEGUN.load(Ordering::Relaxed));
        begun.map(settled_from)
    }
}

/// Blocks of the process that have begun.
static BEGUN: AtomicU32 = AtomicU32::new(0);

/// Set in epochs for all blocks to come, and in no other.
const SETTLED: u32 = 1 << 31;

/// The epoch for all blocks that begin from now on.
pub(super) fn first_settled() -> u32 {
    BEGUN.load(Ordering::Relaxed) | SETTLED
}

/// The epoch for all blocks that begin when so many have begun.
fn settled_from(begun: u32) -> u32 {
    begun.wrapping_sub(1) | SETTLED
}

/// How many such epochs, from `first` on, are those of a block before which so many have begun.
fn settled_before(first: u32, begun: u32) -> u32 {
    // Where the numbers begin anew, there are fewer of them.
    (begun.wrapping_sub(first) & !SETTLED).min(!first)
}

/// Numbers that an OS thread takes at a time.
const BATCH: u32 = 1 << 12;

/// The first of `n` numbers, at most 64, that nothing else in the process has; after 2^31 of them, hardly anything.
fn new(n: u32) -> u32 {
    static BATCHES: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static NEXT: Cell<u32> = const { Cell::new(0) };
    }
    let mut first = NEXT.get();
    if first.is_multiple_of(BATCH) || first % BATCH + n >= BATCH {
        // Multiples are something else: see `NONE`.
        first = BATCHES.fetch_add(BATCH, Ordering::Relaxed) & !SETTLED | 1;
    }
    NEXT.set(first + n);
    first
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_given_once_and_none_stands_for_something_else() {
        let mut given = Vec::new();
        // Of each length, over several borders of batches.
        for n in (1..=64).cycle().take(1000) {
            let first = new(n);
            assert_eq!(
                first / BATCH,
                (first + n - 1) / BATCH,
                "{first}: all {n} of one batch"
            );
            given.extend(first..first + n);
        }
        assert!(
            given
                .iter()
                .any(|number| number / BATCH != given[0] / BATCH)
        );
        assert!(given.iter().all(|number| number % BATCH != 0));
        assert!(given.iter().all(|number| number & SETTLED == 0));
        let n = given.len();
        given.sort_unstable();
        given.dedup();
        assert_eq!(given.len(), n);
    }

    #[test]
    fn os_threads_share_no_numbers() {
        let take = || {
            let taken = (0..2 * BATCH).map(|_| new(1));
            taken.collect::<Vec<_>>()
        };
        let other = std::thread::spawn(take);
        let mut all = take();
        all.extend(other.join().unwrap());
        let n = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), n);
    }

    /// Whether what is settled since `note` blocks had begun is so for a block before which `before` had begun, in a run before which
    /// `start` had.
    fn is_settled(start: u32, note: u32, before: u32) -> bool {
        let first = start | SETTLED;
        settled_from(note).wrapping_sub(first) < settled_before(first, before)
    }

    #[test]
    fn a_block_finds_settled_what_was_so_before_it_began() {
        for start in [0, 1, 77, SETTLED, SETTLED + 5] {
            for before in start..start + 20 {
                // Two blocks have to begin before anything is settled.
                for note in start + 2..start + 30 {
                    assert_eq!(is_settled(start, note, before), note <= before);
                }
            }
        }
    }

    #[test]
    fn nothing_is_settled_too_early_where_numbers_of_blocks_begin_anew() {
        for start in [SETTLED - 9, u32::MAX - 8] {
            for since in 0..20 {
                for note in 2..30 {
                    let at = |n: u32| start.wrapping_add(n);
                    let settled = is_settled(start, at(note), at(since));
                    assert!(!settled || note <= since, "{start} {note} {since}");
                    // Before the border as anywhere.
                    assert!(
                        settled || note > since || note > 8,
                        "{start} {note} {since}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_a_block_noted_is_past_from_its_next_barrier_on() {
        let epochs = Epochs::new(3, first_settled(), true);
        let numbers = || {
            let of_block = [epochs.block(), epochs.one_reader()];
            let of_others = [epochs.one_writer(), epochs.warp(64)];
            [of_block, of_others].concat()
        };
        epochs.restart();
        let before = numbers();
        epochs.restart();
        let mut n_past = 0;
        // Over several borders of batches.
        for _ in 0..BATCH {
            let mut noted = numbers();
            epochs.one_learns(1);
            epochs.warp_met(2);
            noted.extend(numbers());
            assert!(noted.iter().all(|one| !epochs.is_past(*one)));

            epochs.all_learn();
            epochs.all_before_is_past();
            assert!(before.iter().all(|one| !epochs.is_past(*one)));
            if noted[0] / BATCH == epochs.block() / BATCH {
                assert!(noted.iter().all(|one| epochs.is_past(*one)));
                n_past += 1;
            }
        }
        assert!(n_past > BATCH / 2);
    }

    #[test]
    fn an_epoch_ends_for_the_warp_that_learns_and_for_the_block() {
        let epochs = Epochs::new(3, first_settled(), true);
        let all = || [0, 32, 64].map(|thread| epochs.warp(thread));
        let (block, [a, b, c]) = (epochs.block(), all());
        assert!([a, b, c].into_iter().all(|one| epochs.is_of_a_warp(one)));

        epochs.warp_met(1);
        assert_eq!((epochs.block(), [a, c]), (block, [all()[0], all()[2]]));
        assert!(all()[1] != b && !epochs.is_of_a_warp(all()[1]));

        epochs.one_learns(0);
        assert!(epochs.block() != block && all()[0] != a && all()[2] == c);

        epochs.all_learn();
        assert!(all()[2] != c);
    }
}
