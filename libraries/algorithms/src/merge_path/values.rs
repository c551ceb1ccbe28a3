//! The values of a tile of a merge. They are asked for before the keys are merged, so that their way from memory takes no time of its own: copies into shared memory that
//! go on beside the threads, where there is room and the GPU has them (compute capability 8.0); else prefetches into the second-level cache.

use warploom::device_std::intrinsics as raw;
use warploom::prelude::*;

use super::THREADS;
use super::joined::Joined;
use super::tile::{ELEMENTS, POSITIONS};

/// Bytes that are left of the 48 KiB of shared memory that a block has on every device.
const ROOM: usize = (48 << 10) - (ELEMENTS + POSITIONS) * size_of::<u128>();

/// Bytes of a copy: 4, 8 or 16, by the alignment; 0 for values that cannot be copied.
const fn copy_bytes<V>() -> usize {
    match align_of::<V>() {
        _ if size_of::<V>() == 0 => 0,
        4 => 4,
        8 => 8,
        16 => 16,
        _ => 0,
    }
}

/// Whether there is room for copies of the values of `items` items of each thread.
const fn is_copied<V>(items: usize) -> bool {
    copy_bytes::<V>() > 0 && size_of::<V>() * items * THREADS <= ROOM
}

/// Dynamic shared memory for the values of a tile.
pub(crate) const fn values_bytes<V>(items: usize, pairs: bool) -> u32 {
    if pairs && is_copied::<V>(items) {
        (size_of::<V>() * items * THREADS) as u32
    } else {
        0
    }
}

/// The values of a tile, which were asked for.
pub(super) struct Values<'k, 'a, V, const ITEMS: usize> {
    values: Joined<'a, V>,
    /// Used only if they are copied.
    memory: DynamicShared<'k, u8>,
}

impl<'k, 'a, V: Plain, const ITEMS: usize> Values<'k, 'a, V, ITEMS> {
    /// Whether they are copied on this architecture, or on the emulator.
    #[inline(always)]
    fn is_copied() -> bool {
        (arch() == 0 || arch() >= 80) && const { is_copied::<V>(ITEMS) }
    }

    /// Asks for the values. All threads of the block make the call; `memory` is used for nothing else.
    #[inline(always)]
    pub(super) fn ask(block: Block, values: Joined<'a, V>, memory: DynamicShared<'k, u8>) -> Self {
        let Joined { a, b } = values;
        if Self::is_copied() {
            let copies = memory.as_ptr().cast::<V>();
            assert!(memory.len() >= const { values_bytes::<V>(ITEMS, true) } as usize);
            // SAFETY: `a.len() + b.len()` is at most the length of a tile (`Part::of_tile`), for which there is room; `get` reads after `wait`.
            unsafe { copy(block, a, copies) };
            // SAFETY: as above, behind the elements of `a`.
            unsafe { copy(block, b, copies.wrapping_add(a.len())) };
            // SAFETY: `wait` waits for this group, before the kernel ends.
            unsafe { raw::copy_async_commit() };
        } else {
            values.prefetch::<ITEMS>(block.thread() as u32);
        }
        Values { values, memory }
    }

    /// Waits for what this thread has copied. A barrier must follow.
    #[inline(always)]
    pub(super) fn wait(&self) {
        if Self::is_copied() {
            // SAFETY: the sources are borrowed, and the memory is used for nothing else.
            unsafe { raw::copy_async_wait_0() };
        }
    }

    /// Value `i` of the tile; some value for what lies behind the end.
    ///
    /// # Safety
    /// Between [`wait`](Self::wait) and this lies a barrier.
    #[inline(always)]
    pub(super) unsafe fn get(&self, i: u32) -> V {
        if Self::is_copied() {
            let copies = self.memory.as_ptr().cast::<V>();
            let last = self.values.len() - 1;
            // SAFETY: copied by some thread, which has waited for it before the barrier.
            unsafe { copies.wrapping_add(i.min(last) as usize).read() }
        } else {
            self.values.get(i)
        }
    }
}

/// Begins to copy all elements of `from`, all threads of the block together.
///
/// # Safety
/// There is room at `to`, in shared memory, which nothing accesses before the copies were waited for.
#[inline(always)]
unsafe fn copy<V: Plain>(block: Block, from: &[V], to: *mut V) {
    let (from, to, bytes) = (
        from.as_ptr().cast::<u8>(),
        to.cast::<u8>(),
        size_of_val(from),
    );
    let step = const { copy_bytes::<V>() };
    let mut at = block.thread() * step;
    while at < bytes {
        let (to, from) = (to.wrapping_add(at), from.wrapping_add(at));
        match step {
            // SAFETY: within both, aligned to their elements and so to `step`, which divides an element's size; the rest is the caller's promise.
            16 => unsafe { raw::copy_async_16(to, from) },
            // SAFETY: as above.
            8 => unsafe { raw::copy_async_8(to, from) },
            // SAFETY: as above.
            _ => unsafe { raw::copy_async_4(to, from) },
        }
        at += THREADS * step;
    }
}
