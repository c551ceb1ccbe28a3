//! A one-pass algorithm with a warp of its own for the look-back, which takes no time of the others.
//!
//! It pays where a tile takes long: one more warp leaves fewer registers for each thread, and a look-back begins earlier than in [`run`](super::run), so that it waits more often for
//! the aggregates of other blocks. Reductions by key take 0.87 times as long with it; scans, selections and partitions 1.05 to 1.16 times (H200).

use std::array::from_fn;

use warploom::device_std::atomic::{Atomic, Relaxed, SpinLoop};
use warploom::prelude::*;

use super::{NOTHING, OnePass, Slot, States, Tile, claim, first_status, found, with_elements};
use crate::state::{State, WORDS};
use crate::tile::{self, Ended, OfSlot, SharedOfSlots, WARPS};

/// As [`run`](super::run), in blocks of [`tile::WITH_LOOK_BACK`] threads, with shared memory for each [`Slot`], for passes that are not [deterministic](OnePass::DETERMINISTIC).
///
/// While the other warps load and stage a tile, the last one looks back from the tile before, whose aggregate it has published. There is no deadlock: that waits for earlier tiles alone, and
/// a tile is published when its block has looked back from a tile before it.
///
/// There is one barrier for each tile. The shared memory of a slot is written again two tiles later, when a barrier lies behind all that read it. What a warp has put for itself is read in `finish`
/// and written in the next `stage`, with a barrier of the warp alone between.
#[inline(always)]
pub(crate) fn run_beside<P: OnePass>(
    block: &Block<'_>,
    warp: &Warp<'_>,
    (words, shared): (&[Atomic<u64>], SharedOfSlots<'_>),
    (whole, len): (usize, usize),
    pass: &P,
) {
    const {
        assert!(
            !P::DETERMINISTIC,
            "one warp finds states in an order that depends on timing"
        )
    };
    // After a panic the launch has failed, whatever the other threads do.
    let _ = run_tiles(block, warp, (words, shared), (whole, len), pass);
}

#[inline(always)]
fn run_tiles<P: OnePass>(
    block: &Block<'_>,
    warp: &Warp<'_>,
    (words, shared): (&[Atomic<u64>], SharedOfSlots<'_>),
    (whole, len): (usize, usize),
    pass: &P,
) -> Result<(), Ended> {
    let claim = || claim(warp, words);
    let mut slot = Slot::First;
    // Numbers of tiles have 32 bits, which take one register.
    let tiles = len.div_ceil(whole) as u32;
    let mut number = tile::share_number(block, OfSlot(shared, slot.other()), claim);
    if number >= tiles {
        return Ok(());
    }
    let combine = |a, b| pass.combine(a, b);
    let index = warp.index() as usize;
    let has_elements = index < WARPS;
    // Of the tile before: its number, what a warp with elements has of it, and what the warp that looks back has.
    let mut waiting: Option<u32> = None;
    let mut staged: Option<(Option<P::State>, P::Kept)> = None;
    let mut own: Option<P::State> = None;
    loop {
        let shared = OfSlot(shared, slot);
        let mut kept = None;
        if has_elements {
            // What the lanes have read of the slot.
            warp.sync();
            if number < tiles {
                let of = number as usize;
                let loaded = pass.load(block, of);
                let next = (block.thread() == 0).then(claim);
                let (of_warp, of_tile) = if number + 1 < tiles {
                    pass.stage(warp, (of, slot), true, loaded)
                } else {
                    pass.stage(warp, (of, slot), false, loaded)
                };
                tile::set_number(shared, next);
                tile::put_own(warp, shared, index, of_warp);
                kept = Some(of_tile);
            }
        } else if let Some(of) = waiting.filter(|of| *of > 0) {
            // The last tile has no later ones, to which it would tell its own.
            let own = own.filter(|_| of + 1 < tiles);
            let before = earlier(warp, words, of as usize, own, pass);
            tile::put_window(warp, shared, 0, before);
        }
        tile::sync(block)?;
        let current = (number < tiles).then_some(number);
        let mut next_staged = None;
        if let Some(of) = current {
            let full = of + 1 < tiles;
            if let Some(kept) = kept {
                let warps = with_elements(len, (of as usize, full), whole);
                let (warps, _) = tile::of_warps(shared, (index, warps), combine);
                next_staged = Some((warps, kept));
            } else if full {
                let (_, all) = tile::of_warps(shared, (index, WARPS), combine);
                publish::<P>(warp, words, of as usize, all);
                own = Some(all);
            }
            number = tile::number(shared);
            if number < tiles && has_elements {
                pass.prefetch(warp, number as usize);
            }
        }
        if let (Some(of), Some((warps, kept))) = (waiting, staged) {
            let tile = Tile {
                number: of as usize,
                slot: slot.other(),
                before: (of > 0).then(|| tile::window(shared, 0)),
                warps,
            };
            if of + 1 < tiles {
                // SAFETY: the counter gives each tile to one block, and a barrier lies behind `stage`.
                unsafe { pass.finish(warp, tile, true, kept) };
            } else {
                // SAFETY: as above.
                unsafe { pass.finish(warp, tile, false, kept) };
            }
        }
        if current.is_none() {
            return Ok(());
        }
        (waiting, staged, slot) = (current, next_staged, slot.other());
    }
}

/// Publishes what a tile has that others follow. All lanes of the warp that looks back make the call.
#[inline(always)]
fn publish<P: OnePass>(warp: &Warp<'_>, words: &[Atomic<u64>], number: usize, own: P::State) {
    let lane = warp.lane() as usize;
    States::of::<P::State>(words).publish(lane, number, first_status(number, own), own);
}

/// What the tiles before tile `number`, which is not the first, have, in lane 0; publishes what they have with `own`, if there is that. All lanes of the warp that looks back make the call, after
/// [`publish`].
#[inline(always)]
fn earlier<P: OnePass>(
    warp: &Warp<'_>,
    words: &[Atomic<u64>],
    number: usize,
    own: Option<P::State>,
    pass: &P,
) -> P::State {
    let combine = |a, b| pass.combine(a, b);
    let states = States::of::<P::State>(words);
    let wait = |tile| wait::<P::State>(warp, &states, tile);
    found(
        warp,
        (warp.lane() as usize, &states, wait),
        number,
        own,
        combine,
    )
}

/// As [`States::wait`], with the states in an array of one element: so LLVM leaves the loop as it is, and reductions by key spill 80 bytes of a thread less. Set operations, which look back with
/// a warp that has elements, take 1.06 to 1.1 times as long with this one (H200).
#[inline(always)]
fn wait<S: State>(warp: &Warp<'_>, states: &States<'_>, tile: usize) -> (u32, [u32; WORDS]) {
    let mut spin = SpinLoop::new();
    loop {
        let cells: [u64; WORDS] = from_fn(|k| {
            if k < states.n {
                states.cells[tile * states.n + k].load(Relaxed)
            } else {
                0
            }
        });
        let found = [cells].map(|cells| states.state::<S>(cells));
        let is_there = found.iter().all(|&(status, _)| status != NOTHING);
        if warp.all(is_there) {
            let [state] = found;
            return state;
        }
        spin.wait(100);
    }
}
