//! The memory of a tile: slots that belong to the threads of the block in turn.

use super::phases::TileName;
use crate::index::linear_thread;
use crate::target::constant_block;
use crate::{Plain, block_dim, intrinsics as raw};
use core::marker::PhantomData;

/// `N` slots in the shared memory of the block. Of a block of `B` threads, thread `t` owns the slots `t`, `t + B`, `t + 2 * B` …
#[derive(Clone, Copy)]
pub(super) struct Slots<T, const N: usize> {
    start: *mut T,
}

/// Gives each tile of a kernel its own memory.
struct TileSite<const ORDINAL: u32, Site>(PhantomData<fn() -> Site>);

impl<T: Plain, const N: usize> Slots<T, N> {
    /// Those of the tile `ORDINAL` of the kernel that `Site` belongs to.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub(super) fn of_site<const ORDINAL: u32, Site: TileName>() -> Self {
        Slots {
            start: raw::shared_site::<T, N, TileSite<ORDINAL, Site>>().cast(),
        }
    }

    /// Twice as many, in two halves.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub(super) fn two_of_site<const ORDINAL: u32, Site: TileName>() -> [Self; 2] {
        let start: *mut [T; N] = raw::shared_site::<[T; N], 2, TileSite<ORDINAL, Site>>().cast();
        // SAFETY: there are two.
        let second = unsafe { start.add(1) };
        [start, second].map(|start| Slots {
            start: start.cast(),
        })
    }

    /// The first slot.
    #[inline(always)]
    pub(super) fn start(self) -> *mut T {
        self.start
    }

    /// Writes all slots of this thread, each the value of its number.
    ///
    /// # Safety
    /// No thread reads them before the next barrier of the tile.
    #[inline(always)]
    pub(super) unsafe fn fill(self, mut value: impl FnMut(usize) -> T) {
        // In 32 bits, where `value` divides slots into rows and columns: division by a constant is several times dearer in 64.
        let threads = block_dim().count() as u32;
        // In a block of constant size all threads take equally many steps, which LLVM can unroll; else a division would be needed to count them.
        let counted = constant_block() != 0;
        let (mut steps, mut all_whole) = (0, false);
        if counted {
            (steps, all_whole) = (
                (N as u32).div_ceil(threads),
                (N as u32).is_multiple_of(threads),
            );
        }
        let mut at = linear_thread();
        loop {
            let in_tile = (at as usize) < N;
            let done = if counted { steps == 0 } else { !in_tile };
            if done {
                return;
            }
            steps = steps.wrapping_sub(1);
            // With a whole number of steps the last slot of thread `threads - 1` is slot `N - 1`.
            if all_whole || in_tile {
                let slot = at as usize;
                let value = value(slot);
                // SAFETY: within the tile.
                let to = unsafe { self.start.add(slot) };
                // SAFETY: the slot is this thread's (see `own`), and no thread reads it (the caller's promise).
                unsafe { to.write(value) };
            }
            // SAFETY: cannot overflow, as in `own`; unchecked, so that LLVM sees how often the loop runs.
            at = unsafe { at.unchecked_add(threads) };
        }
    }

    /// Writes the `k`-th slot of this thread. Panics when there is none.
    ///
    /// # Safety
    /// As [`fill`](Self::fill).
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn set_own(self, k: usize, value: T) {
        // SAFETY: the slot is this thread's, and no thread reads it (the caller's promise).
        unsafe { self.own(k).write(value) };
    }

    /// The `k`-th slot of this thread. Panics when there is none.
    ///
    /// # Safety
    /// No other thread writes the slots of this one before the next barrier of the tile.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn get_own(self, k: usize) -> T {
        // SAFETY: in memory, aligned, holds some value (`T` is plain), and no thread writes it meanwhile (the caller's promise).
        unsafe { self.own(k).read() }
    }

    /// Where the `k`-th slot of this thread is: slots of two threads differ modulo the number of threads.
    #[inline(always)]
    #[track_caller]
    fn own(self, k: usize) -> *mut T {
        let (thread, threads) = (linear_thread() as usize, block_dim().count() as usize);
        // Cannot overflow: `from_launch` limits `N`, and a block has at most 1024 threads.
        let slot = thread + k.min(N) * threads;
        // The plain bounds check: a message made of its parts would bring `core::fmt` and its registers into every kernel with a tile.
        if slot >= N {
            slot_outside(slot, N);
        }
        // SAFETY: within the tile.
        unsafe { self.start.add(slot) }
    }

    /// All slots.
    ///
    /// # Safety
    /// No thread writes them as long as the slice exists.
    #[inline(always)]
    pub(super) unsafe fn as_slice<'a>(self) -> &'a [T] {
        // SAFETY: `N` slots, aligned, each holding some value (`T` is plain); the rest is the caller's promise.
        unsafe { core::slice::from_raw_parts(self.start, N) }
    }

    /// The slots as they are behind a barrier. A thread that unwinds after a panic, which only a native thread of the emulator does, did not
    /// wait there: from here on it has memory of its own, which nothing else reads or writes.
    #[inline(always)]
    pub(super) fn after_barrier(self) -> Self {
        #[cfg(not(warploom_device))]
        {
            let bytes = size_of::<[T; N]>();
            let own = warploom_emulator::intrinsics::memory_while_unwinding(
                bytes,
                align_of::<T>().max(32),
            );
            if !own.is_null() {
                return Slots { start: own.cast() };
            }
        }
        self
    }
}

/// Panics as an index out of bounds does.
#[cold]
#[inline(never)]
#[track_caller]
fn slot_outside(slot: usize, n: usize) -> ! {
    let slots = [(); usize::MAX];
    let () = slots[..n][slot];
    unreachable!("`slot` is outside of `n`")
}
