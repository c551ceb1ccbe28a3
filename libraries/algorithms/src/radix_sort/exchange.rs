//! Shared memory through which the threads of a block exchange their items: each is written to its place, and read by the thread that has the place.

use std::array::from_fn;

use warploom::prelude::*;

use super::rank::{THREADS, item};

/// Memory for one item of each of `ITEMS * THREADS` places, of any type that fits.
#[derive(Clone, Copy)]
pub(super) struct Exchange<'k, const ITEMS: usize> {
    memory: DynamicShared<'k, u8>,
}

impl<'k, const ITEMS: usize> Exchange<'k, ITEMS> {
    /// Places.
    const PLACES: usize = ITEMS * THREADS;

    /// For items of at most `size` bytes.
    #[inline(always)]
    pub(super) fn new(memory: DynamicShared<'k, u8>, size: usize) -> Self {
        assert!(memory.len() >= Self::PLACES * size);
        Exchange { memory }
    }

    /// Writes an item to its place.
    ///
    /// # Safety
    /// `T` is no larger than [`new`](Self::new) was told. The places of all items differ, and are below [`PLACES`](Self::PLACES). A barrier lies between the
    /// latest read and this.
    #[inline(always)]
    pub(super) unsafe fn write<T: Plain>(self, place: u32, item: T) {
        // SAFETY: below `PLACES`, for which there is room; no other thread has this place, and none reads before the next barrier (the caller's promises).
        unsafe { put(self.start(), place as usize, item) };
    }

    /// The item at `place`.
    ///
    /// # Safety
    /// `place` is below [`PLACES`](Self::PLACES) and was written, with this type. A barrier lies between that and this.
    #[inline(always)]
    pub(super) unsafe fn read<T: Plain>(self, place: usize) -> T {
        // SAFETY: below `PLACES`, for which there is room.
        let from = unsafe { self.start::<T>().add(place) };
        // SAFETY: written, and not meanwhile (the caller's promises).
        unsafe { from.read() }
    }

    /// The items of this thread, in the order that places give.
    ///
    /// # Safety
    /// As [`read`](Self::read), for all places.
    #[inline(always)]
    pub(super) unsafe fn own<T: Plain>(self, block: Block) -> [T; ITEMS] {
        // SAFETY: the numbers of a thread's items are below `PLACES`; the rest is the caller's promise.
        from_fn(|k| unsafe { self.read(item::<ITEMS>(block, k)) })
    }

    #[inline(always)]
    fn start<T: Plain>(self) -> *mut T {
        const {
            assert!(
                align_of::<T>() <= 128,
                "dynamic shared memory is aligned to 128 bytes"
            );
        }
        self.memory.as_ptr().cast()
    }
}

/// Writes element `i` from `start`.
///
/// # Safety
/// There is such an element, and no other thread accesses it at the same time.
#[inline(always)]
pub(super) unsafe fn put<T: Plain>(start: *mut T, i: usize, value: T) {
    // SAFETY: the caller's promise.
    let to = unsafe { start.add(i) };
    // SAFETY: the caller's promise.
    unsafe { to.write(value) };
}
