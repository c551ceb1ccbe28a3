//! Look-back in an order that does not depend on timing: what all earlier tiles have, with the same bits in each run.
//!
//! [`lookback`](crate::lookback) combines what it happens to find, aggregates or prefixes. Here tiles are in groups of [`GROUP`]. A tile publishes its aggregate; the last tile of
//! a group publishes instead what all tiles up to it have. What is before a tile is then always the same expression: what the groups before its own have, combined with the
//! aggregates of the tiles of its group, whose tree depends on their number alone. Groups wait for each other in a chain, of which one link is for as many tiles as are under way
//! on a device, so that it is seldom waited for.
//!
//! If the tile before one has what stays as it is behind anything, as the value of a segment that begins there, all of that expression is its state, and nothing else is read.
//!
//! Cells, and why relaxed accesses suffice: as in [`lookback`](crate::lookback), with one status.

use warploom::device_std::atomic::Atomic;
use warploom::prelude::*;

use crate::lookback::{OnePass, Slot, States, Tile};
use crate::state::{State, each};
use crate::tile::{self, Ended, Shared, THREADS};

/// Tiles of a group: each thread of a block reads one.
const GROUP: usize = THREADS;
/// Status of a state that has been published; memory is cleared before.
const PUBLISHED: u32 = 1;

/// A pass whose states are combined in the same way in each run.
pub(crate) struct InOrder<P>(pub(crate) P);

impl<P: OnePass> OnePass for InOrder<P> {
    const DETERMINISTIC: bool = true;
    type State = P::State;
    type Items = P::Items;
    type Kept = P::Kept;

    #[inline(always)]
    fn prefetch(&self, warp: &Warp<'_>, number: usize) {
        self.0.prefetch(warp, number);
    }

    #[inline(always)]
    fn load(&self, block: &Block<'_>, number: usize) -> P::Items {
        self.0.load(block, number)
    }

    #[inline(always)]
    fn stage(
        &self,
        warp: &Warp<'_>,
        tile: (usize, Slot),
        full: bool,
        items: P::Items,
    ) -> (P::State, P::Kept) {
        self.0.stage(warp, tile, full, items)
    }

    #[inline(always)]
    fn combine(&self, earlier: P::State, later: P::State) -> P::State {
        self.0.combine(earlier, later)
    }

    #[inline(always)]
    unsafe fn finish(&self, warp: &Warp<'_>, tile: Tile<P::State>, full: bool, kept: P::Kept) {
        // SAFETY: the caller's, of the same pass.
        unsafe { self.0.finish(warp, tile, full, kept) };
    }
}

/// Publishes what `tile` has, if that is its state: it is not the last of its group, or what earlier tiles have does not matter; `thread` is the number of the thread among those that make the call.
#[inline(always)]
pub(crate) fn announce<S: State>(thread: usize, states: &[Atomic<u64>], tile: usize, own: S) {
    if tile % GROUP != GROUP - 1 || own.is_prefix() {
        States::of::<S>(states).publish(thread, tile, PUBLISHED, own);
    }
}

/// What the tiles before `tile` have, in all threads of the block, or `None` for tile 0; of the last tile of a group, publishes the state, if it has `own`.
///
/// All threads of the block must make the call, with equal arguments, after [`announce`]: it may hold a barrier.
///
/// # Errors
/// [`tile::sync`]: then nothing was published.
#[inline(always)]
pub(crate) fn announced<S: State>(
    block: &Block<'_>,
    warp: &Warp<'_>,
    (states, shared): (&[Atomic<u64>], Shared<'_>),
    tile: usize,
    own: Option<S>,
    combine: impl Fn(S, S) -> S,
) -> Result<Option<S>, Ended> {
    let states = States::of::<S>(states);
    let (first, place) = (tile / GROUP * GROUP, tile % GROUP);
    let last = own.filter(|own| place == GROUP - 1 && !own.is_prefix());
    if S::MAY_BE_PREFIX && tile > 0 {
        // Each warp reads it, without a barrier: one read in place of two that follow each other, and of the tree.
        let (_, words) = states.wait::<S>(warp, tile - 1);
        let before = S::from_words(words);
        if before.is_prefix() {
            if let Some(own) = last {
                states.publish(block.thread(), tile, PUBLISHED, combine(before, own));
            }
            return Ok(Some(before));
        }
    }
    let index = warp.index() as usize;
    // This warp's 32 tiles of the group, as far as they are before `tile`; the same number in all lanes.
    let count = place.saturating_sub(32 * index).min(32);
    if count > 0 {
        let lane = warp.lane() as usize;
        let own = first + 32 * index + lane.min(count - 1);
        let (_, mut state) = states.wait::<S>(warp, own);
        for delta in [1, 2, 4, 8, 16] {
            let later = each(state, S::WORDS, |_, word| warp.shuffle_down(word, delta));
            if lane + (delta as usize) < count {
                state = combine(S::from_words(state), S::from_words(later)).to_words();
            }
        }
        if tile::is_whole(warp) {
            tile::put_window(warp, shared, index, S::from_words(state));
        }
    }
    tile::sync(block)?;
    let mut before: Option<S> = None;
    let mut other = 0;
    while 32 * other < place {
        let window = tile::window(shared, other);
        before = Some(after(before, window, &combine));
        other += 1;
    }
    // All but the groups before: combined first, so that the next group waits for one operation.
    let up_to = last.map(|own| after(before, own, &combine));
    let mut groups = None;
    if first > 0 {
        let (_, words) = states.wait::<S>(warp, first - 1);
        let state = S::from_words(words);
        before = Some(match before {
            Some(before) => combine(state, before),
            None => state,
        });
        groups = Some(state);
    }
    if let Some(up_to) = up_to {
        states.publish(
            block.thread(),
            tile,
            PUBLISHED,
            after(groups, up_to, &combine),
        );
    }
    Ok(before)
}

/// `value`, with `before` before it if there is one.
#[inline(always)]
fn after<S>(before: Option<S>, value: S, combine: impl Fn(S, S) -> S) -> S {
    match before {
        Some(before) => combine(before, value),
        None => value,
    }
}
