//! Barriers of the block that do more than [`Block::sync`]: with a question to all threads, or for a part of the warps.

use crate::scope::Brand;
use crate::{Block, intrinsics as raw};

/// Barriers that ask: each is [`sync`](Block::sync), with an answer that is the same in every thread.
///
/// Which of them, and how often, must be the same in all threads of the block that have not returned; a GPU may do anything that a
/// barrier can do (hang, or let threads go early) if threads reach one barrier with different calls, and the emulator reports it.
impl Block<'_> {
    /// [`sync`](Self::sync), and the number of threads in which `p` holds. Threads that returned do not count.
    ///
    /// CUDA: `__syncthreads_count`. PTX `barrier.cta.red.popc`. Panics outside of a kernel.
    /// ```
    /// # use warploom_emulator::{run, Shape};
    /// use warploom_device_std::Block;
    /// fn kernel(block: Block) {
    ///     assert_eq!(block.sync_count(block.thread() < 7), 7);
    ///     assert!(block.sync_any(block.thread() == 69));
    ///     assert!(!block.sync_all(block.thread() == 69));
    /// }
    /// # run(Shape::new([2, 1, 1], [70, 1, 1]), &|| kernel(unsafe { Block::from_launch() }))?;
    /// # Ok::<(), warploom_emulator::Fault>(())
    /// ```
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn sync_count(self, p: bool) -> u32 {
        // SAFETY: barrier 0 belongs to no tile, and opens only for threads that make this call.
        unsafe { raw::barrier_count(0, p) }
    }

    /// [`sync`](Self::sync), and whether `p` holds in all threads that have not returned. CUDA: `__syncthreads_and`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn sync_all(self, p: bool) -> bool {
        // SAFETY: as for `sync_count`.
        unsafe { raw::barrier_all(0, p) }
    }

    /// [`sync`](Self::sync), and whether `p` holds in any thread that has not returned. CUDA: `__syncthreads_or`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn sync_any(self, p: bool) -> bool {
        // SAFETY: as for `sync_count`.
        unsafe { raw::barrier_any(0, p) }
    }
}

/// One of the block's 16 barriers, for a part of its warps: some wait, others only arrive.
///
/// A barrier opens when `threads` threads have arrived, and is then closed again for the next round. Whole warps arrive: all lanes of a
/// warp make the same call, and `threads` is a multiple of 32. Threads that returned are not counted.
/// CUDA: inline `bar.sync` and `bar.arrive`. PTX `barrier.cta.sync` and `barrier.cta.arrive` with a count, 6.0 · sm_30, the aligned form.
///
/// One warp produces, another consumes; two barriers take turns:
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Block, NamedBarrier, shared_array};
/// use core::sync::atomic::Ordering::Relaxed;
/// fn kernel(block: Block) {
///     let slots = shared_array!(u32, 32);
///     // SAFETY: this kernel has no shared tile, and uses these two barriers here alone.
///     let (full, empty) = unsafe { (NamedBarrier::<14>::new(&block), NamedBarrier::<15>::new(&block)) };
///     let lane = block.thread() % 32;
///     for round in 0..3 {
///         if block.thread() < 32 {
///             if round > 0 { empty.sync(64) } // the other warp has read
///             slots.atomic(lane).store(round * 100 + lane as u32, Relaxed);
///             full.arrive(64); // and goes on at once
///         } else {
///             full.sync(64);
///             assert_eq!(slots.atomic(31 - lane).load(Relaxed), round * 100 + 31 - lane as u32);
///             if round < 2 { empty.arrive(64) }
///         }
///     }
/// }
/// # run(Shape::new([2, 1, 1], [64, 1, 1]), &|| kernel(unsafe { Block::from_launch() }))?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// There are barriers 1 to 15; 0 is the block's own:
/// ```compile_fail,E0080
/// # fn kernel(block: warploom_device_std::Block) {
/// let none = unsafe { warploom_device_std::NamedBarrier::<16>::new(&block) };
/// # }
/// # let _ = warploom_emulator::run(warploom_emulator::Shape::new([1; 3], [1; 3]), &|| kernel(unsafe { warploom_device_std::Block::from_launch() }));
/// ```
#[derive(Clone, Copy)]
pub struct NamedBarrier<'k, const ID: u32> {
    _brand: Brand<'k>,
}

impl<'k, const ID: u32> NamedBarrier<'k, ID> {
    /// Barrier `ID`, 1 to 15, of this block.
    ///
    /// # Safety
    /// No [`SharedTile`](crate::SharedTile) or [`DoubleTile`](crate::DoubleTile) of the kernel uses this barrier. In a kernel with up to four
    /// of them, tile `k` (from 0) uses `1 << k`, and tiles that are [published](crate::Publish) or reclaimed together use the sum of theirs; with
    /// more, tile `k` uses `1 + k`. So 8 to 15 are free but in a kernel of four tiles, and there 15 is, unless all four go together. And two independent uses do not share it: an arrival at one would release the threads that wait at the other.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(_block: &Block<'k>) -> Self {
        const {
            assert!(
                ID >= 1 && ID <= 15,
                "a block has the barriers 0 to 15, and 0 is that of `Block::sync`"
            );
        };
        NamedBarrier {
            _brand: Brand::new(),
        }
    }

    /// Waits until `threads` threads have arrived, this one included; orders memory accesses among them.
    ///
    /// All threads that use it give the same number; if fewer arrive, a GPU waits for ever and the emulator reports a deadlock.
    ///
    /// # Panics
    /// If `threads` is 0, no multiple of 32, or more than 1024.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn sync(self, threads: u32) {
        check(threads);
        // SAFETY: the constructor's caller promised that no other use shares the barrier; the number was checked.
        unsafe { raw::barrier_sync_threads(ID, threads) }
    }

    /// Arrives without waiting: what this thread wrote before is seen by those that [`sync`](Self::sync).
    ///
    /// # Panics
    /// As `sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn arrive(self, threads: u32) {
        check(threads);
        // SAFETY: as for `sync`.
        unsafe { raw::barrier_arrive_threads(ID, threads) }
    }
}

#[inline(always)]
#[track_caller]
fn check(threads: u32) {
    if threads == 0 || !threads.is_multiple_of(32) || threads > 1024 {
        not_warps();
    }
}

#[cold]
#[inline(never)]
#[track_caller]
#[expect(
    clippy::panic,
    reason = "a kernel reports misuse by a panic, which the host gets as an error"
)]
fn not_warps() -> ! {
    panic!(
        "whole warps arrive at a named barrier: the number of threads is a multiple of 32, from 32 to 1024"
    )
}
