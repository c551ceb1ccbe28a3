//! Where runs begin in the elements of a warp, which lie in rows or are consecutive ones of each thread: a bit for each of a thread's consecutive elements.

use std::array::from_fn;

use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

use crate::input::{Fetch, Memory};
use crate::select::{Changed, Choose};
use crate::tile;

/// Pairs of a thread in rows of 32, and the pair before those of the warp.
pub(crate) type Rows<K, V, const ITEMS: usize> = ([(K, V); ITEMS], (K, V));

/// This thread's pairs of a tile. In place of those behind the end, and of that before the first, others.
#[inline(always)]
pub(crate) fn load<M: Memory, F: Fetch<M, Item = (K, V)>, K: Copy, V: Copy, const ITEMS: usize>(
    block: &Block<'_>,
    view: M::View<'_>,
    fetch: F,
    number: usize,
    n: usize,
) -> Rows<K, V, ITEMS> {
    let warp = (block.thread() / 32) as u32;
    let (tile, first) = (
        number * tile::THREADS * ITEMS,
        tile::first_of_warp::<ITEMS>(number, warp),
    );
    let previous = tile::previous(view, fetch, first, n);
    (
        tile::load::<M, F, ITEMS>(block, view, fetch, tile, n),
        previous,
    )
}

/// The elements of a warp, of one thread's point of view.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) lane: u32,
    /// The warp's first element.
    pub(crate) first: usize,
    /// Elements of the warp.
    pub(crate) len: usize,
    /// Whether that is all that there is room for.
    full: bool,
}

impl Place {
    #[inline(always)]
    pub(crate) fn of<const ITEMS: usize>(
        warp: &Warp<'_>,
        number: usize,
        n: usize,
        full: bool,
    ) -> Self {
        let first = tile::first_of_warp::<ITEMS>(number, warp.index());
        Place {
            lane: warp.lane(),
            first,
            len: tile::len_of_warp::<ITEMS>(first, n, full),
            full,
        }
    }

    /// Whether the thread's consecutive element `k` is there.
    #[inline(always)]
    pub(crate) fn has<const ITEMS: usize>(self, k: usize) -> bool {
        // Compared with constants, so that no register has the place of each.
        let here = self.len.saturating_sub(ITEMS * self.lane as usize);
        self.full || k < here
    }

    /// The lane that has the last element.
    #[inline(always)]
    pub(crate) fn last_lane<const ITEMS: usize>(self) -> u32 {
        (self.len.saturating_sub(1) / ITEMS) as u32
    }
}

/// Beginnings of runs, as a thread with consecutive elements has them.
#[derive(Clone, Copy)]
pub(crate) struct Begins {
    /// A bit for each of the thread's elements.
    pub(crate) own: u32,
    /// How many runs begin in earlier threads of the warp.
    pub(crate) earlier: u32,
    /// How many in the warp.
    pub(crate) all: u32,
}

impl Begins {
    /// Of keys in rows, after the key `previous`. All lanes of the warp make the call.
    #[inline(always)]
    pub(crate) fn of_rows<K: Plain + PartialEq, const ITEMS: usize>(
        warp: &Warp<'_>,
        place: Place,
        keys: [K; ITEMS],
        mut previous: K,
    ) -> Self {
        const { assert!(ITEMS <= 31, "a word has a bit for each") };
        let left = place.len.saturating_sub(place.lane as usize);
        // Lane `k` keeps row `k`, and what began before it.
        let (mut word, mut before_word, mut all) = (0, 0, 0);
        for (k, &key) in keys.iter().enumerate() {
            let before = Changed::shifted(warp, previous, key, || key);
            previous = key;
            let is_first = k == 0 && place.lane == 0 && place.first == 0;
            let begins = (place.full || 32 * k < left) && (is_first || key != before);
            let row = warp.ballot(begins).bits();
            if place.lane == k as u32 {
                (word, before_word) = (row, all);
            }
            all += row.count_ones();
        }
        let start = ITEMS as u32 * place.lane;
        let (at, shift) = (start / 32, start % 32);
        // The last thread's bits end with the last word.
        let [low, high] = [at, (at + 1).min(ITEMS as u32 - 1)]
            .map(|lane| u64::from(warp.shuffle_idx(word, lane)));
        let own = ((high << 32 | low) >> shift) as u32 & low_bits(ITEMS);
        let below = low as u32 & low_bits(shift as usize);
        Begins {
            own,
            earlier: warp.shuffle_idx(before_word, at) + below.count_ones(),
            all,
        }
    }

    /// Of each thread's consecutive keys, after the key `previous`, which is before the warp's first. All lanes of the warp make the call. If one has ended, numbers of runs are not
    /// those of the warp.
    #[inline(always)]
    pub(crate) fn of_threads<K: Plain + PartialEq, const ITEMS: usize>(
        warp: &Warp<'_>,
        place: Place,
        keys: [K; ITEMS],
        previous: K,
    ) -> Self {
        const { assert!(ITEMS <= 31, "a word has a bit for each") };
        let last = warp.shuffle_up(keys[ITEMS - 1], 1);
        let mut before = if place.lane == 0 { previous } else { last };
        let mut own = 0;
        for (k, &key) in keys.iter().enumerate() {
            let is_first = k == 0 && place.lane == 0 && place.first == 0;
            let begins = place.has::<ITEMS>(k) && (is_first || key != before);
            own |= u32::from(begins) << k;
            before = key;
        }
        let count = own.count_ones();
        let up_to = tile::scan_row(warp, count, true, |a, b| a + b);
        Begins {
            own,
            earlier: up_to - count,
            all: warp.shuffle_idx(up_to, 31),
        }
    }

    /// Whether a run begins with the thread's element `k`.
    #[inline(always)]
    pub(crate) fn at(self, k: usize) -> bool {
        self.own & 1 << k != 0
    }

    /// The last element of the warp with which a run begins; 0 if there is none.
    #[inline(always)]
    pub(crate) fn last<const ITEMS: usize>(self, warp: &Warp<'_>) -> u32 {
        let own = ITEMS as u32 * warp.lane() + (self.own | 1).ilog2();
        let highest = (warp.ballot(self.own != 0).bits() | 1).ilog2();
        let last = warp.shuffle_idx(own, highest);
        if self.all > 0 { last } else { 0 }
    }

    /// The first element of the warp with which a run begins; as many as there is room for if there is none.
    #[inline(always)]
    pub(crate) fn first<const ITEMS: usize>(self, warp: &Warp<'_>) -> u32 {
        let own = ITEMS as u32 * warp.lane() + self.own.trailing_zeros();
        let lowest = warp.ballot(self.own != 0).lowest();
        let first = warp.shuffle_idx(own, lowest.unwrap_or(0));
        lowest.map_or(32 * ITEMS as u32, |_| first)
    }
}

/// Where runs begin in the warp's keys, which `staged` has, after the key `previous`. The keys that begin runs are then the first that `staged` has. All lanes of the warp make
/// the call, after a barrier.
#[inline(always)]
pub(crate) fn side_by_side<K: Plain + PartialEq, const ITEMS: usize>(
    warp: &Warp<'_>,
    place: Place,
    staged: tile::Part<K, ITEMS>,
    previous: K,
) -> Begins {
    let keys = staged.of_thread();
    warp.sync();
    let begins = Begins::of_threads(warp, place, keys, previous);
    // If a comparison has ended a lane, runs are not numbered as the places are that the warp has.
    if tile::is_whole(warp) {
        let mut rank = begins.earlier as usize;
        unroll_all::<ITEMS>(|k| {
            if begins.at(k) {
                // SAFETY: one place for each beginning in the warp, of which there are no more than elements.
                unsafe { staged.set(rank, keys[k]) };
                rank += 1;
            }
        });
    }
    begins
}

/// As many bits as `n`, which is below 32.
#[inline(always)]
const fn low_bits(n: usize) -> u32 {
    (1 << n) - 1
}

/// What the elements of each run up to each of the thread's have, of this thread's `values` and of those of earlier ones; and that of all threads up to this one.
/// All lanes of the warp make the call.
#[inline(always)]
pub(crate) fn scan<V: Plain, const ITEMS: usize>(
    warp: &Warp<'_>,
    place: Place,
    begins: Begins,
    values: [V; ITEMS],
    op: impl Fn(V, V) -> V + Copy,
) -> Scanned<V, ITEMS> {
    let mut up_to = values;
    for k in 1..ITEMS {
        // Nothing is computed from what stands in for elements behind the end: the closure may panic for such values.
        if !place.has::<ITEMS>(k) {
            up_to[k] = up_to[k - 1];
        } else if !begins.at(k) {
            up_to[k] = op(up_to[k - 1], values[k]);
        }
    }
    let used = place.has::<ITEMS>(0);
    let lanes = warp.ballot(begins.own != 0).bits();
    let own = up_to[ITEMS - 1];
    let all = tile::scan_segmented_row(warp, lanes, own, used, op);
    let earlier = warp.shuffle_up(all, 1);
    // Those before the first beginning.
    let unbegun = if place.lane > 0 && used {
        begins.own.trailing_zeros()
    } else {
        0
    };
    let up_to = from_fn(|k| {
        if (k as u32) < unbegun && place.has::<ITEMS>(k) {
            op(earlier, up_to[k])
        } else {
            up_to[k]
        }
    });
    Scanned { up_to, all }
}

/// See [`scan`].
pub(crate) struct Scanned<V, const ITEMS: usize> {
    pub(crate) up_to: [V; ITEMS],
    /// What the thread has, and those before it.
    pub(crate) all: V,
}
