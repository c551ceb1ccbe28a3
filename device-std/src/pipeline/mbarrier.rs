//! Barriers in shared memory that separate arriving from waiting.

use core::marker::PhantomData;

use crate::{SharedArray, arch, intrinsics as raw};

/// A barrier in shared memory that counts arrivals, phase by phase; raw. Needs compute capability 8.0 (PTX 7.0).
///
/// A phase ends when as many threads have arrived as [`init`](Self::init) said; the next begins at once. Arriving does not wait: a
/// thread may do something else before it asks whether the phase of its arrival has ended. CUDA: `cuda::barrier`, `mbarrier`.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Block, Mbarrier, shared_array};
/// use core::sync::atomic::Ordering::Relaxed;
/// fn kernel(block: Block) {
///     let (memory, sum) = (shared_array!(u64, 1), shared_array!(u32, 1));
///     // SAFETY: one thread initialises it, before all others use it; each of the 70 threads arrives once, then waits for that phase.
///     unsafe {
///         let barrier = Mbarrier::new(memory, 0);
///         if block.thread() == 0 {
///             sum.atomic(0).store(0, Relaxed);
///             barrier.init(70);
///         }
///         block.sync();
///         sum.atomic(0).fetch_add(1, Relaxed);
///         let arrival = barrier.arrive();
///         // ... work that does not depend on the others ...
///         barrier.wait(arrival);
///     }
///     assert_eq!(sum.atomic(0).load(Relaxed), 70);
/// }
/// # run(Shape::new([2, 1, 1], [70, 1, 1]), &|| kernel(unsafe { Block::from_launch() }))?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[derive(Clone, Copy)]
pub struct Mbarrier<'a> {
    at: *mut u64,
    _memory: PhantomData<&'a ()>,
}

/// That a thread arrived at an [`Mbarrier`], and in which phase.
#[derive(Clone, Copy, Debug)]
#[must_use = "an arrival is what one waits with"]
pub struct Arrival {
    state: u64,
}

impl<'a> Mbarrier<'a> {
    /// The barrier in element `i` of `memory`.
    ///
    /// # Panics
    /// When `i` is not below `N`.
    ///
    /// # Safety
    /// From [`init`](Self::init) to [`invalidate`](Self::invalidate), no other operation accesses the element, not even an atomic one.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub unsafe fn new<const N: usize>(memory: SharedArray<'a, u64, N>, i: usize) -> Self {
        Mbarrier {
            at: core::ptr::from_ref(memory.atomic(i)).cast_mut().cast(),
            _memory: PhantomData,
        }
    }

    /// The barrier at `at`, of which this crate's type promises what [`new`](Self::new) asks for.
    #[inline(always)]
    pub(super) fn at(at: *mut u64) -> Self {
        Mbarrier {
            at,
            _memory: PhantomData,
        }
    }

    /// Makes the memory a barrier, in its first phase, at which `count` threads arrive in each phase. PTX: `mbarrier.init`.
    ///
    /// # Safety
    /// One thread does this, and a barrier of the block lies between it and the first use. `count` is at least 1 and below 2^20.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn init(self, count: u32) {
        // SAFETY: shared memory of 8 bytes, aligned; the caller's promise.
        unsafe { raw::mbarrier_init(self.at, count) }
    }

    /// Gives the memory back for other use. PTX: `mbarrier.inval`.
    ///
    /// # Safety
    /// It is a barrier; one thread does this when no thread uses it any more (a barrier of the block lies between).
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn invalidate(self) {
        // SAFETY: the caller's promise.
        unsafe { raw::mbarrier_inval(self.at) }
    }

    /// Arrives without waiting: what this thread wrote before is visible to threads that wait for the phase. PTX: `mbarrier.arrive`.
    ///
    /// # Safety
    /// It is a barrier, and no phase gets more arrivals than its count.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn arrive(self) -> Arrival {
        Arrival {
            // SAFETY: the caller's promise.
            state: unsafe { raw::mbarrier_arrive(self.at) },
        }
    }

    /// Lets the current phase wait for `bytes` bytes of bulk copies, and arrives. Compute capability 9.0.
    ///
    /// The phase ends when all threads have arrived and copies have written as many bytes as are expected; see [`tma`](crate::tma).
    /// CUDA: `cuda::device::barrier_arrive_tx`. PTX: `mbarrier.arrive.expect_tx`.
    ///
    /// # Safety
    /// As for [`arrive`](Self::arrive). `bytes` is below 2^20. No phase gets more bytes than it expects in all.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn arrive_expecting(self, bytes: u32) -> Arrival {
        Arrival {
            // SAFETY: the caller's promise.
            state: unsafe { raw::mbarrier_arrive_expect_tx(self.at, bytes) },
        }
    }

    /// Lets the current phase wait for `bytes` bytes of bulk copies, without arriving. Compute capability 9.0.
    ///
    /// CUDA: `cuda::device::barrier_expect_tx`. PTX: `mbarrier.expect_tx`.
    ///
    /// # Safety
    /// As for [`arrive_expecting`](Self::arrive_expecting); the phase cannot end meanwhile, because a thread that makes this call before has yet to arrive.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn expect(self, bytes: u32) {
        // SAFETY: the caller's promise.
        unsafe { raw::mbarrier_expect_tx(self.at, bytes) }
    }

    /// Arrives at the barrier at the same offset in the shared memory of the cluster's block number `rank`. Compute capability 9.0.
    ///
    /// PTX: `mapa`, `mbarrier.arrive.release.cluster.shared::cluster`.
    ///
    /// # Safety
    /// As for [`arrive`](Self::arrive), of that barrier. The cluster has such a block, and it is there.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn arrive_at_block(self, rank: u32) {
        // SAFETY: the barrier is in shared memory; the caller's promise.
        let at = unsafe { raw::map_shared(self.at.cast(), rank) };
        // SAFETY: the caller's promise.
        unsafe { raw::mbarrier_arrive_cluster(at.cast()) }
    }

    /// Where the barrier lies.
    #[inline(always)]
    #[must_use]
    pub fn as_ptr(self) -> *mut u64 {
        self.at
    }

    /// Arrives, for this thread, when the copies have ended that it began by `intrinsics::copy_async_*`. Does not wait for them.
    /// PTX: `cp.async.mbarrier.arrive.noinc`. On the emulator they end now.
    ///
    /// # Safety
    /// As for [`arrive`](Self::arrive), and as promised for each copy.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn arrive_after_copies(self) {
        // SAFETY: the caller's promise.
        unsafe { raw::copy_async_arrive(self.at) }
    }

    /// Whether the phase of `arrival` has ended. PTX: `mbarrier.test_wait`.
    ///
    /// # Safety
    /// `arrival` is from the current or the last phase of this barrier.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub unsafe fn has_ended(self, arrival: Arrival) -> bool {
        // SAFETY: the caller's promise.
        unsafe { raw::mbarrier_test_wait(self.at, arrival.state) }
    }

    /// Whether the phase of this parity has ended: of the current phase and the last, that with an even number (the first is 0) has
    /// parity 0. May let the thread sleep for a while from compute capability 9.0 on. PTX: `mbarrier.try_wait.parity`, `test_wait.parity`.
    ///
    /// # Safety
    /// It is a barrier.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub unsafe fn has_parity_ended(self, parity: u32) -> bool {
        if arch() >= 90 {
            // SAFETY: the caller's promise; the parity is 0 or 1.
            unsafe { raw::mbarrier_try_parity(self.at, parity & 1) }
        } else {
            // SAFETY: as above.
            unsafe { raw::mbarrier_test_parity(self.at, parity & 1) }
        }
    }

    /// Waits until the phase of `arrival` has ended.
    ///
    /// # Safety
    /// `arrival` is from the current or the last phase of this barrier.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn wait(self, arrival: Arrival) {
        // SAFETY: the caller's promise.
        unsafe { raw::mbarrier_wait(self.at, arrival.state) }
    }

    /// Waits until the phase of this parity has ended; see [`has_parity_ended`](Self::has_parity_ended).
    ///
    /// # Safety
    /// It is a barrier.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn wait_parity(self, parity: u32) {
        // SAFETY: the caller's promise; the parity is 0 or 1.
        unsafe { raw::mbarrier_wait_parity(self.at, parity & 1) }
    }
}
