//! Decoupled look-back: what all earlier tiles have, found while they are still at work.
//!
//! A block takes the number of its tile from a counter, so that all earlier tiles belong to blocks that run already: it may wait for them in whatever order blocks start.
//! It publishes what its own tile has (the aggregate), combines what earlier tiles have published, nearest first, until it meets one that
//! published what all tiles up to it have (the prefix), and publishes its own prefix. Some aggregates are prefixes too, as the value of a segment that begins in the tile. (Merrill and Garland, "Single-pass Parallel Prefix Scan with
//! Decoupled Look-back", 2016.)
//!
//! A thread ends when a closure of the caller's panics in it; the others go on. What it would have put into shared memory or given to its warp is missing then, so a block ends
//! at the next barrier ([`tile::sync`]), and until then its warps make no places and publish nothing from shuffled values ([`tile::is_whole`]).
//!
//! A state is in cells of 64 bits, each of which has the status in its upper two bits, and a word of the state, or a number of two words, in the others. A reader
//! takes a state when all its cells have the same status; each status is published once, so that the cells are those of one value. So relaxed accesses suffice,
//! whatever the size of a state.

mod beside; // with a warp of its own for the look-back

use std::array::from_fn;

use warploom::device_std::atomic::{Atomic, Relaxed, SpinLoop};
use warploom::prelude::*;

use crate::deterministic;
use crate::state::{State, WORDS, each};
use crate::tile::{self, Ended, Shared, WARPS};

pub(crate) use beside::run_beside;

/// Status of a state that has not been published: that of cleared memory.
const NOTHING: u32 = 0;
/// What the tile itself has.
const AGGREGATE: u32 = 1;
/// What all tiles up to it have, after a look-back.
const PREFIX: u32 = 2;
/// What the tile itself has, which is what all tiles up to it have ([`State::is_prefix`]): the first status, and the last.
const AGGREGATE_AND_PREFIX: u32 = 3;

/// Where a cell has its status.
const STATUS_AT: u32 = 62;

/// Tiles of one look: one for each lane. With two for each, most algorithms took as long or up to 8 % longer (H200).
const LOOK: usize = 32;

/// Words of 64 bits for the counter and the states of `tiles` tiles. They must be 0 before each launch.
pub(crate) const fn words<S: State>(tiles: usize) -> usize {
    first_cell::<S>() + cells::<S>() * tiles
}

/// Where the first cell is, behind the counter: so that the cells of a tile are in one sector of memory, if their number is a power of two.
const fn first_cell<S: State>() -> usize {
    cells::<S>().next_power_of_two()
}

/// Cells of a state.
const fn cells<S: State>() -> usize {
    S::WORDS - S::NUMBER as usize
}

/// A one-pass algorithm: what a block does with a tile, before and after it is known what earlier tiles have.
///
/// `full`: other tiles follow. The last tile has code of its own, so that what it needs costs the others nothing.
pub(crate) trait OnePass {
    /// Whether states are combined in the same way in each run; see [`deterministic`].
    const DETERMINISTIC: bool = false;
    /// What tiles tell later ones.
    type State: State;
    /// The elements of a tile that a thread has.
    type Items: Copy;
    /// What a thread keeps of them in registers.
    type Kept: Copy;

    /// Asks for the elements of a tile in the second-level cache. They are loaded when the tile is staged: registers that waited for them would be spilled, which waits for memory.
    fn prefetch(&self, warp: &Warp<'_>, number: usize);

    /// The thread's elements of a tile.
    fn load(&self, block: &Block<'_>, number: usize) -> Self::Items;

    /// What the thread's warp has of the tile; in all lanes the same. Elements that are needed later are put into the slot of shared memory.
    fn stage(
        &self,
        warp: &Warp<'_>,
        tile: (usize, Slot),
        full: bool,
        items: Self::Items,
    ) -> (Self::State, Self::Kept);

    /// Two states into one, the earlier first. The state of the last warp that has elements is in no call.
    fn combine(&self, earlier: Self::State, later: Self::State) -> Self::State;

    /// Writes results.
    ///
    /// # Safety
    /// One block has the tile, and `kept` is from its `stage`, with a barrier between.
    unsafe fn finish(&self, warp: &Warp<'_>, tile: Tile<Self::State>, full: bool, kept: Self::Kept);
}

/// One of the two places in shared memory for the elements of a tile.
#[derive(Clone, Copy)]
pub(crate) enum Slot {
    First,
    Second,
}

impl Slot {
    /// How many there are.
    pub(crate) const ALL: usize = 2;

    #[inline(always)]
    fn other(self) -> Self {
        match self {
            Slot::First => Slot::Second,
            Slot::Second => Slot::First,
        }
    }
}

/// A tile whose earlier tiles are known.
#[derive(Clone, Copy)]
pub(crate) struct Tile<S> {
    pub(crate) number: usize,
    pub(crate) slot: Slot,
    /// What all earlier tiles have, `None` for the first.
    pub(crate) before: Option<S>,
    /// What the earlier warps of the tile have, `None` for the first.
    pub(crate) warps: Option<S>,
}

/// Runs `pass` over tiles of `whole` elements, `len` in all, for as many blocks as are resident at once.
///
/// A block is given tiles until there are none left. It looks back from a tile when it has published the aggregate of its next one: so blocks seldom wait, because
/// the aggregates of all earlier tiles are there by then. The elements of the tile after that one are on their way to the second-level cache meanwhile. There is no deadlock: a
/// tile is published when its block has looked back from a tile before it, which waits for still earlier tiles alone.
///
/// All threads of the block must make the call: it holds barriers, one of them at least between `stage` and `finish` of a tile, and none between `finish` and the next `stage`.
#[inline(always)]
pub(crate) fn run<P: OnePass>(
    block: &Block<'_>,
    warp: &Warp<'_>,
    (words, shared): (&[Atomic<u64>], Shared<'_>),
    (whole, len): (usize, usize),
    pass: &P,
) {
    // After a panic the launch has failed, whatever the other threads do.
    let _ = run_tiles(block, warp, (words, shared), (whole, len), pass);
}

#[inline(always)]
fn run_tiles<P: OnePass>(
    block: &Block<'_>,
    warp: &Warp<'_>,
    (words, shared): (&[Atomic<u64>], Shared<'_>),
    (whole, len): (usize, usize),
    pass: &P,
) -> Result<(), Ended> {
    let claim = || claim(warp, words);
    let mut number = tile::share_number(block, shared, claim) as usize;
    let tiles = len.div_ceil(whole);
    if number >= tiles {
        return Ok(());
    }
    let combine = |a, b| pass.combine(a, b);
    let mut waiting: Option<Staged<P>> = None;
    let mut slot = Slot::First;
    loop {
        // All have read what the barriers of the last tile were for.
        block.sync();
        let states = States::of::<P::State>(words);
        let mut staged = None;
        if number < tiles {
            let loaded = pass.load(block, number);
            let next = (block.thread() == 0).then(claim);
            let full = number + 1 < tiles;
            let (of_warp, kept) = if full {
                pass.stage(warp, (number, slot), true, loaded)
            } else {
                pass.stage(warp, (number, slot), false, loaded)
            };
            tile::set_number(shared, next);
            let warps = with_elements(len, (number, full), whole);
            let (warps, own) = tile::before_warp(block, warp, shared, of_warp, warps, combine)?;
            if full && P::DETERMINISTIC {
                deterministic::announce(block.thread(), words, number, own);
            } else if full {
                states.publish(block.thread(), number, first_status(number, own), own);
            }
            staged = Some(Staged {
                number,
                slot,
                warps,
                own,
                kept,
            });
            number = tile::number(shared) as usize;
            slot = slot.other();
            if number < tiles {
                pass.prefetch(warp, number);
            }
        }
        if let Some(waiting) = waiting {
            let Staged { number, slot, .. } = waiting;
            let full = number + 1 < tiles;
            let (of, own) = ((number, full), waiting.own);
            let before = earlier(block, warp, (words, shared), of, own, pass)?;
            let tile = Tile {
                number,
                slot,
                before,
                warps: waiting.warps,
            };
            if full {
                // SAFETY: the counter gives each tile to one block, and `before_warp` held a barrier.
                unsafe { pass.finish(warp, tile, true, waiting.kept) };
            } else {
                // SAFETY: as above.
                unsafe { pass.finish(warp, tile, false, waiting.kept) };
            }
        }
        if staged.is_none() {
            return Ok(());
        }
        waiting = staged;
    }
}

/// The status of what a tile itself has.
#[inline(always)]
fn first_status<S: State>(number: usize, own: S) -> u32 {
    if own.is_prefix() {
        AGGREGATE_AND_PREFIX
    } else if number == 0 {
        PREFIX
    } else {
        AGGREGATE
    }
}

/// The number of the next tile; the first thread of a block makes the call.
#[inline(always)]
pub(crate) fn claim(warp: &Warp<'_>, words: &[Atomic<u64>]) -> u32 {
    let counter = (&raw const words[0]).cast::<Atomic<u32>>();
    // SAFETY: the lower half of the word, which all of a launch access as such.
    let counter = unsafe { &*counter };
    // The first thread's lane is 0. With a constant, ptxas would add for all lanes that might be there together, and give the result to them by a shuffle at once: that waits for
    // memory, where the number is needed after the tile was staged. So does the lower half of a result of 64 bits.
    counter.fetch_add(1 + warp.lane(), Relaxed)
}

/// Warps that have elements of tile `number`, of `whole` elements; `full`: other tiles follow.
#[inline(always)]
fn with_elements(len: usize, (number, full): (usize, bool), whole: usize) -> usize {
    if full {
        WARPS
    } else {
        (len - number * whole).div_ceil(whole / WARPS)
    }
}

/// What the tiles before one have, of which it was published what it has itself; publishes its prefix, unless it is the last.
#[inline(always)]
fn earlier<P: OnePass>(
    block: &Block<'_>,
    warp: &Warp<'_>,
    (words, shared): (&[Atomic<u64>], Shared<'_>),
    (number, full): (usize, bool),
    own: P::State,
    pass: &P,
) -> Result<Option<P::State>, Ended> {
    let combine = |a, b| pass.combine(a, b);
    if P::DETERMINISTIC {
        let own = full.then_some(own);
        return deterministic::announced(block, warp, (words, shared), number, own, combine);
    }
    let states = States::of::<P::State>(words);
    let own = full.then_some(own);
    if P::State::MAY_BE_PREFIX && number > 0 {
        // Each warp reads it, without a barrier. All find that status or none does, as the others are not followed by it.
        let (status, words) = states.wait::<P::State>(warp, number - 1);
        if status == AGGREGATE_AND_PREFIX {
            let before = P::State::from_words(words);
            if let Some(own) = own.filter(|own| !own.is_prefix()) {
                states.publish(block.thread(), number, PREFIX, combine(before, own));
            }
            return Ok(Some(before));
        }
    }
    before(block, warp, (&states, shared), number, own, combine)
}

/// A tile whose aggregate was published.
struct Staged<P: OnePass> {
    number: usize,
    slot: Slot,
    /// What the warps before this one have.
    warps: Option<P::State>,
    /// What the tile has.
    own: P::State,
    kept: P::Kept,
}

/// What the tiles before `tile` have, in all threads of the block, or `None` for tile 0; publishes the prefix of `tile`, if it is wanted, which has `own`.
///
/// The first warp looks back, over [`LOOK`] tiles at once; the others wait. All threads of the block must make the call, with equal arguments: it holds a barrier. `combine`
/// is given the earlier state first.
///
/// # Errors
/// [`tile::sync`].
#[inline(always)]
fn before<S: State>(
    block: &Block<'_>,
    warp: &Warp<'_>,
    (states, shared): (&States<'_>, Shared<'_>),
    tile: usize,
    own: Option<S>,
    combine: impl Fn(S, S) -> S,
) -> Result<Option<S>, Ended> {
    if tile == 0 {
        return Ok(None);
    }
    if block.thread() < 32 {
        let wait = |tile| states.wait::<S>(warp, tile);
        let before = found(warp, (block.thread(), states, wait), tile, own, combine);
        tile::put_window(warp, shared, 0, before);
    }
    tile::sync(block)?;
    Ok(Some(tile::window(shared, 0)))
}

/// What the tiles before `tile`, which is not the first, have, in lane 0; publishes the prefix of `tile`, if it is wanted, which has `own`. All lanes of the warp make the call, with equal
/// arguments; `thread` is the number of each among them.
#[inline(always)]
fn found<S: State>(
    warp: &Warp<'_>,
    (thread, states, wait): (usize, &States<'_>, impl Fn(usize) -> (u32, [u32; WORDS])),
    tile: usize,
    own: Option<S>,
    combine: impl Fn(S, S) -> S,
) -> S {
    let mut end = tile;
    let (mut found, mut before) = look_back(warp, &wait, end, &combine);
    while !found {
        end -= LOOK;
        let window;
        (found, window) = look_back(warp, &wait, end, &combine);
        // Lane 0 alone has what is before the tile: other lanes' values are of tiles that are not neighbours, which the closure is not for.
        if warp.lane() == 0 {
            before = combine(window, before);
        }
    }
    let is_whole = tile::is_whole(warp);
    if let Some(own) = own.filter(|_| is_whole)
        && !own.is_prefix()
    {
        before = of_first_lane(warp, before);
        states.publish(thread, tile, PREFIX, combine(before, own));
    }
    before
}

/// What lane 0 has, in all lanes, each of which may have a cell to publish.
#[inline(always)]
fn of_first_lane<S: State>(warp: &Warp<'_>, state: S) -> S {
    let words = each(state.to_words(), S::WORDS, |_, word| {
        warp.shuffle_idx(word, 0)
    });
    S::from_words(words)
}

/// What the [`LOOK`] tiles before `end` have, or those from a prefix on, which the first result says.
#[inline(always)]
fn look_back<S: State>(
    warp: &Warp<'_>,
    wait: impl Fn(usize) -> (u32, [u32; WORDS]),
    end: usize,
    combine: impl Fn(S, S) -> S,
) -> (bool, S) {
    // Tile 0 in place of those before it: it has a prefix, behind which nothing counts.
    let tile = end.saturating_sub(1 + warp.lane() as usize);
    let (status, mut state) = wait(tile);
    // Lane 0 has the latest tile; those behind the first prefix do not count.
    let is_prefix = status == PREFIX || S::MAY_BE_PREFIX && status == AGGREGATE_AND_PREFIX;
    let last = warp.ballot(is_prefix).lowest();
    let lanes = last.unwrap_or(31);
    for delta in [1, 2, 4, 8, 16] {
        let earlier = each(state, S::WORDS, |_, word| warp.shuffle_down(word, delta));
        if warp.lane() + delta <= lanes {
            state = combine(S::from_words(earlier), S::from_words(state)).to_words();
        }
    }
    (last.is_some(), S::from_words(state))
}

/// The states of tiles, for a kernel with a loop of its own: [`announce`](Self::announce), and then [`before`](Self::before).
pub(crate) struct TileStates<'v>(States<'v>);

impl<'v> TileStates<'v> {
    #[inline(always)]
    pub(crate) fn of<S: State>(states: &'v [Atomic<u64>]) -> Self {
        TileStates(States::of::<S>(states))
    }

    /// Publishes what `tile` has, which is not the last one. All threads of the block make the call.
    #[inline(always)]
    pub(crate) fn announce<S: State>(&self, block: &Block<'_>, tile: usize, own: S) {
        self.0
            .publish(block.thread(), tile, first_status(tile, own), own);
    }

    /// What the tiles before `tile` have, in all threads; see [`before`].
    ///
    /// # Errors
    /// [`tile::sync`].
    #[inline(always)]
    pub(crate) fn before<S: State>(
        &self,
        block: &Block<'_>,
        warp: &Warp<'_>,
        shared: Shared<'_>,
        tile: usize,
        own: Option<S>,
        combine: impl Fn(S, S) -> S,
    ) -> Result<Option<S>, Ended> {
        if tile == 0 {
            tile::sync(block)?;
        }
        before(block, warp, (&self.0, shared), tile, own, combine)
    }
}

/// The states of tiles: cell `k` of tile `t` is number `t * n + k`.
///
/// The cells of a tile are side by side, so that they change together, nearly: a reader that finds cells with different statuses must read all again. With all first cells
/// before all second ones, most looks back found some, as a look is at 32 tiles; runs and scans of 8 bytes took up to 1.5 times as long (H100).
pub(crate) struct States<'v> {
    cells: &'v [Atomic<u64>],
    n: usize,
}

impl<'v> States<'v> {
    #[inline(always)]
    pub(crate) fn of<S: State>(states: &'v [Atomic<u64>]) -> Self {
        let (cells, n) = (&states[first_cell::<S>()..], cells::<S>());
        States { cells, n }
    }

    /// Each thread that there is a cell for writes one; `thread` is its number among those that make the call.
    #[inline(always)]
    pub(crate) fn publish<S: State>(&self, thread: usize, tile: usize, status: u32, state: S) {
        let words = state.to_words();
        let [a, b, c, d, e, f] = words;
        // The first cell has two words if those are a number.
        let (second, rest) = if S::NUMBER {
            (b, [a, c, d, e, f, 0])
        } else {
            (0, words)
        };
        let own = each(rest, self.n, |k, word| if thread == k { word } else { 0 });
        let [a, b, c, d, e, f] = own;
        let second = if thread == 0 { second } else { 0 };
        let cell = u64::from(second) << 32 | u64::from(a | b | c | d | e | f);
        if thread < self.n {
            let cell = u64::from(status) << STATUS_AT | cell;
            self.cells[tile * self.n + thread].store(cell, Relaxed);
        }
    }

    /// Status and words of each lane's tile, once the tiles of all lanes of the warp have published.
    #[inline(always)]
    pub(crate) fn wait<S: State>(&self, warp: &Warp<'_>, tile: usize) -> (u32, [u32; WORDS]) {
        // The block of an earlier tile never publishes if a closure of the caller's panics there.
        let mut spin = SpinLoop::new();
        loop {
            // All are under way before the first is used.
            let cells: [u64; WORDS] = from_fn(|k| {
                if k < self.n {
                    self.cells[tile * self.n + k].load(Relaxed)
                } else {
                    0
                }
            });
            let (status, words) = self.state::<S>(cells);
            if warp.all(status != NOTHING) {
                return (status, words);
            }
            spin.wait(100);
        }
    }

    /// Status and words of a tile's cells.
    #[inline(always)]
    fn state<S: State>(&self, cells: [u64; WORDS]) -> (u32, [u32; WORDS]) {
        let mut words = cells.map(|cell| cell as u32);
        if S::NUMBER {
            let high = (cells[0] >> 32) as u32 & (u32::MAX >> 2);
            words = [words[0], high, words[1], words[2], words[3], words[4]];
        }
        let mut status = (cells[0] >> STATUS_AT) as u32;
        for (k, cell) in cells.into_iter().enumerate() {
            if k < self.n && (cell >> STATUS_AT) as u32 != status {
                status = NOTHING;
            }
        }
        (status, words)
    }
}
