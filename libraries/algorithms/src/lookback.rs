//! Decoupled look-back: what all earlier tiles have, found while they are still at work.
//!
//! A block takes the number of its tile from a counter, so that all earlier tiles belong to blocks that run already: it may wait for them in whatever order blocks start.
//! It publishes what its own tile has (the aggregate), combines what earlier tiles have published, nearest first, until it meets one that
//! published what all tiles up to it have (the prefix), and publishes its own prefix. (Merrill and Garland, "Single-pass Parallel Prefix Scan with
//! Decoupled Look-back", 2016.)
//!
//! Each word of a state is in a word of 64 bits together with the status. A reader takes a state when all its words have the same status; each status
//! is published once, so that the words are those of one value. So relaxed accesses suffice, whatever the size of a state.

use std::array::from_fn;

use warploom::device_std::atomic::{Atomic, Relaxed, SpinLoop};
use warploom::prelude::*;

use crate::state::{State, WORDS, each};
use crate::tile::{self, Shared, THREADS, WARPS};

/// Status of a state that has not been published: that of cleared memory.
const NOTHING: u32 = 0;
/// What the tile itself has.
const AGGREGATE: u32 = 1;
/// What all tiles up to it have.
const PREFIX: u32 = 2;

/// Words of 64 bits for the counter and the states of `tiles` tiles. They must be 0 before each launch.
pub(crate) const fn words<S: State>(tiles: usize) -> usize {
    1 + S::WORDS * tiles
}

/// The number of the next tile, the same in all threads of the block. Each number is given to one block.
///
/// All threads of the block must make the call: it holds a barrier.
#[inline(always)]
pub(crate) fn next_tile(block: &Block<'_>, states: &[Atomic<u64>], shared: Shared<'_>) -> usize {
    tile::share_number(block, shared, || states[0].fetch_add(1, Relaxed) as u32) as usize
}

/// What the tiles before `tile` have, in all threads of the block, or `None` for tile 0; publishes the states of `tile`, which has `own`.
///
/// Each thread reads one earlier tile, so that a block looks back over as many tiles at once as it has threads: about as many as are under way on a device, of which
/// one has its prefix. All threads of the block must make the call, with equal arguments: it holds a barrier. `combine` is given the earlier state first.
#[inline(always)]
pub(crate) fn before<S: State>(
    block: &Block<'_>,
    warp: &Warp<'_>,
    (states, shared): (&[Atomic<u64>], Shared<'_>),
    tile: usize,
    own: S,
    combine: impl Fn(S, S) -> S,
) -> Option<S> {
    let states = States::new(states, S::WORDS);
    let first_warp = block.thread() < 32;
    if tile == 0 {
        if first_warp {
            states.publish(warp, tile, PREFIX, own);
        }
        return None;
    }
    if first_warp {
        states.publish(warp, tile, AGGREGATE, own);
    }
    let mut before: Option<S> = None;
    let mut end = tile;
    loop {
        let index = warp.index() as usize;
        let (found, window) = look_back(warp, &states, end.saturating_sub(32 * index), &combine);
        tile::share_window(block, warp, shared, (found, window));
        let mut complete = false;
        for other in 0..WARPS {
            // Windows from the latest tiles to the first ones, as far as there are tiles.
            if !complete && end > 32 * other {
                let (found, window): (bool, S) = tile::window(shared, other);
                before = Some(match before {
                    Some(later) => combine(window, later),
                    None => window,
                });
                complete = found;
            }
        }
        if complete {
            break;
        }
        end -= THREADS;
        // All have read the windows before others are written.
        block.sync();
    }
    if first_warp && let Some(before) = before {
        states.publish(warp, tile, PREFIX, combine(before, own));
    }
    before
}

/// What the 32 tiles before `end` have, or those from a prefix on, which the first result says; of no tiles anything.
#[inline(always)]
fn look_back<S: State>(
    warp: &Warp<'_>,
    states: &States<'_>,
    end: usize,
    combine: impl Fn(S, S) -> S,
) -> (bool, S) {
    let (status, mut state) = states.wait(warp, end);
    // Lane 0 has the latest tile; those behind the first prefix do not count.
    let last = warp.ballot(status == PREFIX).lowest();
    let lanes = last.unwrap_or(31);
    for delta in [1, 2, 4, 8, 16] {
        let earlier = each(state, S::WORDS, |_, word| warp.shuffle_down(word, delta));
        if warp.lane() + delta <= lanes {
            state = combine(S::from_words(earlier), S::from_words(state)).to_words();
        }
    }
    (last.is_some(), S::from_words(state))
}

/// The states of tiles: word `k` of tile `t` is number `k * tiles + t`.
struct States<'v> {
    words: &'v [Atomic<u64>],
    tiles: usize,
    n: usize,
}

impl<'v> States<'v> {
    #[inline(always)]
    fn new(states: &'v [Atomic<u64>], n: usize) -> Self {
        let words = &states[1..];
        States {
            words,
            tiles: words.len() / n,
            n,
        }
    }

    /// Each lane that there is a word for writes one.
    #[inline(always)]
    fn publish(&self, warp: &Warp<'_>, tile: usize, status: u32, state: impl State) {
        let [a, b, c, d, e, f] = state.to_words();
        let lane = warp.lane() as usize;
        let word = match lane {
            0 => a,
            1 => b,
            2 => c,
            3 => d,
            4 => e,
            _ => f,
        };
        if lane < self.n {
            let word = u64::from(status) << 32 | u64::from(word);
            self.words[lane * self.tiles + tile].store(word, Relaxed);
        }
    }

    /// Status and words of the tile `lane + 1` before `end`, once all tiles of the warp's lanes have published. Lanes that have no tile have an aggregate without
    /// meaning, behind the prefix of tile 0.
    #[inline(always)]
    fn wait(&self, warp: &Warp<'_>, end: usize) -> (u32, [u32; WORDS]) {
        let tile = end.checked_sub(1 + warp.lane() as usize);
        // The block of an earlier tile never publishes if a closure of the caller's panics there.
        let mut spin = SpinLoop::new();
        loop {
            let (mut status, mut words) = (AGGREGATE, [0; WORDS]);
            if let Some(tile) = tile {
                let both: [u64; WORDS] = from_fn(|k| {
                    if k < self.n {
                        self.words[k * self.tiles + tile].load(Relaxed)
                    } else {
                        0
                    }
                });
                words = both.map(|both| both as u32);
                status = (both[0] >> 32) as u32;
                for (k, both) in both.into_iter().enumerate() {
                    if k < self.n && (both >> 32) as u32 != status {
                        status = NOTHING;
                    }
                }
            }
            if warp.all(status != NOTHING) {
                return (status, words);
            }
            spin.wait(100);
        }
    }
}
