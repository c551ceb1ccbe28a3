//! The elements of a tile, of two sequences, on their way from memory.

use std::array::from_fn;

use warploom::device_std::memory::prefetch_l2;
use warploom::prelude::*;

use super::THREADS;
use super::tile::{TileMemory, striped};
use crate::input::SECTOR;

/// Two sequences of a tile, one behind the other, with an element at least and fewer than 2^32.
#[derive(Clone, Copy)]
pub(crate) struct Joined<'a, T> {
    pub(super) a: &'a [T],
    pub(super) b: &'a [T],
}

impl<'a, T: Plain> Joined<'a, T> {
    /// # Safety
    /// `a.1` elements exist from `a.0` on, and `b.1` from `b.0` on, one at least and fewer than 2^32 together; nothing writes to them.
    #[inline(always)]
    pub(crate) unsafe fn of(a: (*const T, u32), b: (*const T, u32)) -> Self {
        // SAFETY: the caller's promise.
        let [a, b] = [a, b]
            .map(|(start, count)| unsafe { std::slice::from_raw_parts(start, count as usize) });
        Joined { a, b }
    }

    /// How many elements there are.
    #[inline(always)]
    pub(super) fn len(self) -> u32 {
        (self.a.len() + self.b.len()) as u32
    }

    /// Element `i`; the last for what lies behind the end.
    #[inline(always)]
    pub(super) fn get(self, i: u32) -> T {
        let a_len = self.a.len() as u32;
        let i = i.min(self.len() - 1);
        let element = if i < a_len {
            self.a.as_ptr().wrapping_add(i as usize)
        } else {
            self.b.as_ptr().wrapping_add((i - a_len) as usize)
        };
        // SAFETY: `i < a.len() + b.len()`, so the element is of `a` or of `b`.
        unsafe { element.read() }
    }

    /// From where element `i` is `i` elements away: one of `a`, and one of `b`.
    #[inline(always)]
    fn starts(self) -> (*const T, *const T) {
        let b = self.b.as_ptr().wrapping_sub(self.a.len());
        (self.a.as_ptr(), b)
    }

    /// Asks for the elements, at most `ITEMS` for each thread of the block, in the second-level cache. All of them make the call.
    #[inline(always)]
    pub(crate) fn prefetch<const ITEMS: usize>(self, thread: u32) {
        if size_of::<T>() == 0 {
            return;
        }
        let step = const {
            match size_of::<T>() {
                1..=SECTOR => SECTOR / size_of::<T>(),
                _ => 1,
            }
        };
        let (a, b) = self.starts();
        for round in 0..ITEMS.div_ceil(step) {
            let i = (round * THREADS + thread as usize) * step;
            let from = if i < self.a.len() { a } else { b };
            if i < self.a.len() + self.b.len() {
                // SAFETY: one of the elements.
                prefetch_l2(unsafe { &*from.wrapping_add(i) });
            }
        }
    }

    /// Puts the elements into the memory, those of `a` before those of `b`, and behind them others. All threads of the block make the call.
    ///
    /// # Safety
    /// The memory has room for them. A barrier of the block lies between this and other accesses to it.
    #[inline(always)]
    pub(crate) unsafe fn load<const ITEMS: usize>(
        self,
        memory: TileMemory<'_, T, ITEMS>,
        thread: u32,
    ) {
        // From the thread's first on, so that the distances of its others are constants.
        let (a, b) = self.starts();
        let [a, b] = [a, b].map(|start| start.wrapping_add(thread as usize));
        // An element, as there is one.
        let any = if self.a.is_empty() { self.b } else { self.a }.as_ptr();
        let (of_a, left) = (
            (self.a.len() as u32).saturating_sub(thread),
            self.len().saturating_sub(thread),
        );
        let element = |row: u32| {
            let from = if row < of_a { a } else { b };
            from.wrapping_add(row as usize)
        };
        let rows = |k: usize| striped(0, k);
        if self.len() >= rows(ITEMS - 1) {
            let items: [T; ITEMS] = from_fn(|k| {
                let is_there = k + 1 < ITEMS || rows(k) < left;
                let element = if is_there { element(rows(k)) } else { any };
                // SAFETY: one of the elements.
                unsafe { element.read() }
            });
            // SAFETY: each thread its own places; the rest is the caller's.
            unsafe { memory.write_striped(thread, items) };
            return;
        }
        // A tile that is not full. Loops whose number of steps depends on it: unrolled, they would share comparisons with the other tiles, which would keep them for that.
        let mut row = 0;
        while row < left {
            // SAFETY: one of the elements.
            let item = unsafe { element(row).read() };
            // SAFETY: as above.
            unsafe { memory.set(thread + row, item) };
            row += THREADS as u32;
        }
        while thread + row < TileMemory::<T, ITEMS>::LEN {
            // SAFETY: one of the elements.
            let item = unsafe { any.read() };
            // SAFETY: as above.
            unsafe { memory.set(thread + row, item) };
            row += THREADS as u32;
        }
    }
}
