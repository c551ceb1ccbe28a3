//! A tile of elements in shared memory, and the part of a merge that a thread does.

use std::array::from_fn;
use std::marker::PhantomData;

use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

use super::{THREADS, split_tile};
use crate::tile;

/// Length of a `shared_array!(u128, _)` for the elements of a tile, of any type.
pub(crate) const ELEMENTS: usize = 20 * 1024 / 16;
/// Length of a `shared_array!(u128, _)` for a `u16` of each element.
pub(crate) const POSITIONS: usize = 17 * THREADS * 2 / 16;

/// `ITEMS` elements of each thread of a block, in shared memory.
///
/// What reads and writes is `unsafe`: the caller promises that the index is within the tile, that a barrier of the block lies between writes
/// and reads of other threads, and that the memory is used in the launch that it comes from.
pub(crate) struct TileMemory<'a, T, const ITEMS: usize>(*mut T, PhantomData<&'a ()>);

impl<T, const ITEMS: usize> Clone for TileMemory<'_, T, ITEMS> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const ITEMS: usize> Copy for TileMemory<'_, T, ITEMS> {}

impl<'a, T: Plain, const ITEMS: usize> TileMemory<'a, T, ITEMS> {
    /// Elements of a tile.
    pub(crate) const LEN: u32 = (ITEMS * THREADS) as u32;

    /// The memory of `array`, which is used for nothing else.
    #[inline(always)]
    pub(crate) fn of<const N: usize>(array: SharedArray<'a, u128, N>) -> Self {
        const {
            assert!(
                align_of::<T>() <= align_of::<u128>(),
                "elements that are sorted or merged are aligned to at most 16 bytes"
            );
        }
        // Constant, but no constant assertion: kernels that are never launched, for other sizes of elements, may be compiled.
        assert!(size_of::<T>() * ITEMS * THREADS <= size_of::<u128>() * N);
        TileMemory(array.as_ptr().cast(), PhantomData)
    }

    /// As [`of`](Self::of), the first or second half of `array`.
    #[inline(always)]
    pub(crate) fn half_of<const N: usize>(array: SharedArray<'a, u128, N>, second: bool) -> Self {
        assert!(size_of::<T>() * ITEMS * THREADS <= size_of::<u128>() * (N / 2));
        let TileMemory(start, _) = Self::of(array);
        let bytes = if second {
            size_of::<u128>() * (N / 2)
        } else {
            0
        };
        TileMemory(start.wrapping_byte_add(bytes), PhantomData)
    }

    /// # Safety
    /// As said at the type.
    #[inline(always)]
    pub(crate) unsafe fn get(self, i: u32) -> T {
        // SAFETY: within the tile and without a race (the caller's promise); `T` is plain, and `of` checked size and alignment.
        unsafe { self.0.wrapping_add(i as usize).read() }
    }

    /// # Safety
    /// As said at the type.
    #[inline(always)]
    pub(crate) unsafe fn set(self, i: u32, value: T) {
        // SAFETY: as for `get`.
        unsafe { self.0.wrapping_add(i as usize).write(value) };
    }

    /// Writes those of `items` that have a bit in `kept`, side by side from `at` on.
    ///
    /// # Safety
    /// As said at the type, for as many places as `kept` has bits.
    #[inline(always)]
    pub(crate) unsafe fn put_kept(self, at: u32, items: [T; ITEMS], kept: u32) {
        // SAFETY: as for `get`.
        unsafe { tile::put_kept(self.0.wrapping_add(at as usize), items, kept) };
    }

    /// Writes elements `thread * ITEMS ..` of the tile.
    ///
    /// # Safety
    /// As said at the type; `thread` is the caller's number.
    #[inline(always)]
    pub(crate) unsafe fn write_blocked(self, thread: u32, items: [T; ITEMS]) {
        // SAFETY: the ranges of two threads do not overlap; the rest is the caller's promise.
        unroll_all::<ITEMS>(|k| unsafe { self.set(thread * ITEMS as u32 + k as u32, items[k]) });
    }

    /// Reads elements `thread * ITEMS ..` of the tile.
    ///
    /// # Safety
    /// As said at the type.
    #[inline(always)]
    pub(crate) unsafe fn read_blocked(self, thread: u32) -> [T; ITEMS] {
        // SAFETY: the caller's promise.
        from_fn(|k| unsafe { self.get(thread * ITEMS as u32 + k as u32) })
    }

    /// Writes elements `thread`, `thread + THREADS` … of the tile.
    ///
    /// # Safety
    /// As said at the type; `thread` is the caller's number.
    #[inline(always)]
    pub(crate) unsafe fn write_striped(self, thread: u32, items: [T; ITEMS]) {
        // SAFETY: numbers of two threads differ modulo `THREADS`; the rest is the caller's promise.
        unroll_all::<ITEMS>(|k| unsafe { self.set(striped(thread, k), items[k]) });
    }

    /// Reads elements `thread`, `thread + THREADS` … of the tile.
    ///
    /// # Safety
    /// As said at the type.
    #[inline(always)]
    pub(crate) unsafe fn read_striped(self, thread: u32) -> [T; ITEMS] {
        // SAFETY: the caller's promise.
        from_fn(|k| unsafe { self.get(striped(thread, k)) })
    }
}

/// The `k`-th element of a thread, where neighbours are of different threads.
#[inline(always)]
pub(crate) fn striped(thread: u32, k: usize) -> u32 {
    thread + (k * THREADS) as u32
}

/// A sorted part of a tile.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Run {
    pub(crate) fn len(self) -> u32 {
        self.end - self.start
    }
}

/// Elements `d .. d + ITEMS` of the merge of `a` and `b`, and where in the tile each was. Behind the end of both: any elements of the tile.
///
/// # Safety
/// As said at [`TileMemory`]: all of the tile was written, and a barrier lies behind that. The runs lie within the tile.
#[inline(always)]
pub(crate) unsafe fn merge_in_tile<K: Plain, const ITEMS: usize>(
    keys: TileMemory<'_, K, ITEMS>,
    a: Run,
    b: Run,
    d: u32,
    less: impl Fn(K, K) -> bool,
) -> ([K; ITEMS], [u16; ITEMS]) {
    // SAFETY: cut to the tile; the rest is the caller's promise.
    let get = |i: u32| unsafe { keys.get(i.min(TileMemory::<K, ITEMS>::LEN - 1)) };
    let d = d.min(a.len() + b.len());
    let elements = (|i| get(a.start + i), |i| get(b.start + i));
    let of_a = split_tile(d, (a.len(), b.len()), elements, &less);
    merge_from(get, a, b, (of_a, d - of_a), less)
}

/// As [`merge_in_tile`], of elements that `get` reads, at most one behind the end of a run, from the split on that has `of_a` and `of_b` elements of the runs before it.
#[inline(always)]
pub(crate) fn merge_from<K: Plain, const ITEMS: usize>(
    get: impl Fn(u32) -> K,
    a: Run,
    b: Run,
    (of_a, of_b): (u32, u32),
    less: impl Fn(K, K) -> bool,
) -> ([K; ITEMS], [u16; ITEMS]) {
    let (mut i, first) = (a.start + of_a, b.start + of_b);
    let (mut x, mut y) = (get(i), get(first));
    let (mut items, mut positions) = ([x; ITEMS], [0; ITEMS]);
    // Each step takes one: so the place in `b` follows from that in `a`.
    let places = i + first;
    unroll_all::<ITEMS>(|k| {
        let j = places + k as u32 - i;
        // All conditions in each step: elements behind the end are some, too, and predicates are combined by the comparisons.
        let take_y = (j < b.end) & ((i >= a.end) | less(y, x));
        let (item, position) = if take_y { (y, j) } else { (x, i) };
        (items[k], positions[k]) = (item, position as u16);
        if k + 1 < ITEMS {
            // One load, of whichever sequence went on.
            let next = get(position + 1);
            (x, y) = if take_y { (x, next) } else { (next, y) };
            i += u32::from(!take_y);
        }
    });
    (items, positions)
}

/// Writes elements `first + i` of `y`, for the `i < count` of this thread.
///
/// # Safety
/// `first + count <= y.len()`; of each block another range, and `thread` is the caller's number.
#[inline(always)]
pub(crate) unsafe fn store<T: Plain, const ITEMS: usize>(
    y: &mut DisjointSlice<T>,
    first: usize,
    count: u32,
    thread: u32,
    item: impl Fn(usize) -> T,
) {
    let start = y.raw().wrapping_add(first + thread as usize);
    // Compared with constants, as the places are at constant distances.
    let left = count.saturating_sub(thread);
    let write = |k: usize, item| {
        if striped(0, k) < left {
            // SAFETY: within the slice, as `thread + striped(0, k) < count`; the blocks' ranges are disjoint, and numbers of two threads of a block differ modulo `THREADS`.
            unsafe { start.wrapping_add(striped(0, k) as usize).write(item) };
        }
    };
    if const { size_of::<T>() > 8 } {
        unroll_all::<ITEMS>(|k| {
            if striped(0, k) < left {
                write(k, item(k));
            }
        });
        return;
    }
    // All loads before the first store. For the threads behind the end too, so that no branch lies between.
    let items: [T; ITEMS] = from_fn(item);
    unroll_all::<ITEMS>(|k| write(k, items[k]));
}
