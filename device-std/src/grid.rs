//! The cooperative grid: all blocks of a launch are there at the same time and can wait for each other.

use crate::index::linear_thread;
use crate::scope::{Brand, Tied};
use crate::{block_dim, block_idx, grid_dim};

/// The grid of a cooperative launch. A witness: comes as a kernel parameter, where the kernel is `#[kernel(cooperative)]`.
///
/// The launch then has as many blocks as the device has places for at a time, or is refused. CUDA: `cooperative_groups::this_grid`,
/// `cudaLaunchCooperativeKernel`. Compute capability: 6.0.
///
/// ```
/// # use warploom_emulator::{run_together, Shape, Together};
/// use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// use warploom_device_std::CooperativeGrid;
/// /// Adds up in two steps, in one launch.
/// fn total(grid: CooperativeGrid, parts: &[AtomicU32], sum: &AtomicU32) {
///     parts[grid.thread() % parts.len()].fetch_add(1, Relaxed);
///     grid.sync();
///     if grid.thread() < parts.len() {
///         sum.fetch_add(parts[grid.thread()].load(Relaxed), Relaxed);
///     }
/// }
/// # let (parts, sum) = ([const { AtomicU32::new(0) }; 7], AtomicU32::new(0));
/// # let together = Together { cluster: [1; 3], cooperative: true };
/// # run_together(Shape::new([5, 1, 1], [40, 1, 1]), together, &|| unsafe {
/// #     total(CooperativeGrid::from_launch(core::ptr::null_mut()), &parts, &sum);
/// # })?;
/// # assert_eq!(sum.into_inner(), 200);
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[derive(Clone, Copy)]
pub struct CooperativeGrid<'k> {
    /// A word of device memory that only this launch uses, zero when it starts. Null on the emulator.
    #[cfg_attr(
        not(warploom_device),
        allow(dead_code, reason = "the emulator has a barrier of its own")
    )]
    arrivals: *mut u32,
    _brand: Brand<'k>,
}

impl<'k> Tied<'k> for CooperativeGrid<'k> {}

impl CooperativeGrid<'_> {
    /// Waits until all blocks of the grid are here; orders the memory accesses of all its threads before and after.
    ///
    /// All threads of the grid that have not returned call it equally often. In each block, threads that returned or panicked are not
    /// waited for. A block that is over is: a GPU then waits for ever, unless a panic was its end, and the emulator reports a deadlock with
    /// the source location where each lane waits. After a panic the threads that wait for a block that is over end within seconds.
    /// CUDA: `grid.sync()`. PTX: `barrier.cta.sync` around atomics on a word of device memory. Compute capability: 6.0.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn sync(self) {
        #[cfg(warploom_device)]
        // SAFETY: the launch is cooperative, and the word is its own, as `from_launch` was promised.
        unsafe {
            device::sync(self.arrivals);
        }
        #[cfg(not(warploom_device))]
        warploom_emulator::intrinsics::grid_sync();
    }

    /// The thread's number in the grid: blocks in order, the threads of each x fastest. CUDA: `grid.thread_rank()`.
    #[inline(always)]
    #[must_use]
    pub fn thread(self) -> usize {
        self.block() * block_dim().count() as usize + linear_thread() as usize
    }

    /// The number of threads of the grid. CUDA: `grid.num_threads()`.
    #[inline(always)]
    #[must_use]
    pub fn threads(self) -> usize {
        self.blocks() * block_dim().count() as usize
    }

    /// The block's number in the grid, x fastest. CUDA: `grid.block_rank()`.
    #[inline(always)]
    #[must_use]
    pub fn block(self) -> usize {
        grid_dim().linear(block_idx()) as usize
    }

    /// The number of blocks of the grid. CUDA: `grid.num_blocks()`.
    #[inline(always)]
    #[must_use]
    pub fn blocks(self) -> usize {
        grid_dim().count() as usize
    }

    /// # Safety
    /// Called by the code around a kernel whose launch is cooperative. `arrivals` is a word of device memory that no other launch uses
    /// at the same time, and was zero when this one started; null on the emulator.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_launch(arrivals: *mut u32) -> Self {
        CooperativeGrid {
            arrivals,
            _brand: Brand::new(),
        }
    }
}

/// The barrier in software: the hardware has none that is wider than a cluster.
///
/// ```text
/// block:  barrier ─ one thread arrives for all ─ it waits for the others ─ barrier
/// word:   bit 31 turns when all blocks have arrived: block 0 adds 2^31 - (blocks - 1), each other block adds 1
/// ```
/// The word is back at its old value, but for bit 31, after each phase: nothing is ever reset.
#[cfg(warploom_device)]
mod device {
    use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use crate::{block_idx, grid_dim, intrinsics as raw, panic};

    const TURN: u32 = 1 << 31;

    /// Names the shared word.
    struct Phase;

    /// # Safety
    /// The launch is cooperative; `arrivals` is a word of its own that was zero when it started.
    // Under a name that instrumented code replaces: the emulator has a barrier of its own.
    #[inline(never)]
    #[unsafe(export_name = "__warploom_grid_sync")]
    pub(super) unsafe fn sync(arrivals: *mut u32) {
        // One word per block, of any initial value: elects the thread that arrives for all, then carries the result.
        // SAFETY: shared memory of four bytes that is accessed atomically alone.
        let phase = unsafe { AtomicU32::from_ptr(raw::shared_site::<u32, 1, Phase>().cast()) };
        let before = phase.load(Relaxed); // no thread writes it before the barrier
        // SAFETY: barrier 0 belongs to no tile.
        unsafe { raw::barrier(0) };
        let group = raw::active_mask();
        let lowest = raw::lane_id() == group.trailing_zeros();
        let next = before.wrapping_add(1);
        if lowest
            && phase
                .compare_exchange(before, next, Relaxed, Relaxed)
                .is_ok()
        {
            // SAFETY: a word of this launch, as the caller promises, that is accessed atomically alone.
            let all_came = meet(unsafe { AtomicU32::from_ptr(arrivals) });
            if !all_came {
                phase.store(next.wrapping_add(1), Relaxed);
            }
        }
        // SAFETY: as above.
        unsafe { raw::barrier(0) };
        if phase.load(Relaxed) != next {
            panic::leave();
        }
    }

    /// Arrives for the block and waits for the others; false if one of them will never come, because of a panic.
    fn meet(arrivals: &AtomicU32) -> bool {
        let blocks = grid_dim().count() as u32;
        let place = block_idx();
        let first = place.x | place.y | place.z == 0;
        let share = if first { TURN - (blocks - 1) } else { 1 };
        raw::fence_device();
        let before = arrivals.fetch_add(share, Relaxed);
        let mut polls = 0u32;
        while (arrivals.load(Relaxed) ^ before) & TURN == 0 {
            polls = polls.wrapping_add(1);
            // A poll takes about a microsecond: some seconds after a panic its block is not just late.
            if polls >= 1 << 22 && polls.is_multiple_of(1024) && panic::happened() {
                return false;
            }
        }
        raw::fence_device();
        true
    }
}
