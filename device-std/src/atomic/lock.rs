//! A lock that threads spin on.

use super::scope::{Device, Scope};
use super::{Acquire, Atomic, Relaxed, Release};
use crate::{SliceElement, intrinsics as raw};

/// A lock for the threads of `S`: one word, 0 while it is free. Kernels take it as `&[SpinLock]`.
///
/// Waiting threads back off exponentially, from 8 to 256 ns. What the holder of a [`SpinGuard`] wrote is visible to the next one. To be
/// taken by one thread of a warp at a time: where lanes of one warp wait for each other, the GPU's compiler may bring the holder to a point
/// at which it waits for those that want the lock. It must not be held across a barrier that others wait at. CUDA: the lock that the guide
/// builds of `atomicCAS` and `__nanosleep`. Compute capability: 7.0.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::atomic::{Atomic, Relaxed, SpinLock};
/// let (lock, sum) = (SpinLock::new(), Atomic::<u32>::new(0));
/// # let shape = Shape { grid: [4, 1, 1], block: [10, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// run(shape, &|| {
///     let _guard = lock.lock();
///     sum.store(sum.load(Relaxed) + 1, Relaxed); // two steps, excluded from those of other threads
/// })?;
/// assert_eq!(sum.into_inner(), 40);
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[repr(transparent)]
pub struct SpinLock<S: Scope = Device> {
    word: Atomic<u32, S>,
}

// SAFETY: layout and bit patterns of `u32` (transparent, twice); others may write behind a shared reference.
unsafe impl<S: Scope> SliceElement for SpinLock<S> {
    type Plain = u32;
    const READ_ONLY: bool = false;
}

impl SpinLock {
    /// A free lock, for the threads of the device.
    #[must_use]
    pub const fn new() -> Self {
        Self::free()
    }
}

impl Default for SpinLock {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scope> SpinLock<S> {
    /// A free lock, for the threads of any scope.
    #[must_use]
    pub const fn free() -> Self {
        SpinLock {
            word: Atomic::new(0),
        }
    }

    /// The lock in this word: 0 while it is free.
    #[inline(always)]
    #[must_use]
    pub const fn of(word: &Atomic<u32, S>) -> &Self {
        // SAFETY: same layout (transparent).
        unsafe { &*core::ptr::from_ref(word).cast() }
    }

    /// Takes the lock if it is free.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn try_lock(&self) -> Option<SpinGuard<'_, S>> {
        let taken = self.word.compare_exchange(0, 1, Acquire, Relaxed);
        // Not `then_some`: a guard that is made in vain would give back the lock of another thread.
        taken.is_ok().then(|| SpinGuard { lock: self })
    }

    /// Takes the lock as soon as it is free.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn lock(&self) -> SpinGuard<'_, S> {
        let mut pause = 8;
        loop {
            if let Some(guard) = self.try_lock() {
                return guard;
            }
            spin_wait(pause);
            pause = if pause < 256 { pause * 2 } else { 256 };
        }
    }
}

/// The right of the one thread that has the lock; gives it back when it ends.
///
/// ```
/// use warploom_device_std::atomic::SpinLock;
/// let lock: SpinLock = SpinLock::new();
/// let guard = lock.try_lock();
/// assert!(guard.is_some() && lock.try_lock().is_none());
/// drop(guard);
/// assert!(lock.try_lock().is_some());
/// ```
#[must_use = "the lock is free again when the guard ends"]
pub struct SpinGuard<'a, S: Scope> {
    lock: &'a SpinLock<S>,
}

impl<S: Scope> Drop for SpinGuard<'_, S> {
    #[inline(always)]
    fn drop(&mut self) {
        self.lock.word.store(0, Release);
    }
}

/// Suspends the thread for about `nanoseconds`: for every loop that waits for a write of another thread.
///
/// On the emulator the threads of a block run one at a time, until they wait for something; a loop without this call would wait for ever
/// for another thread of its block. PTX: `nanosleep`, 6.3. Compute capability: 7.0.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::atomic::{Acquire, Atomic, Release, spin_wait};
/// let turn = Atomic::<u32>::new(39);
/// # let shape = Shape { grid: [1, 1, 1], block: [40, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// run(shape, &|| {
///     let own = warploom_device_std::thread_idx().x; // the last thread goes first
///     while turn.load(Acquire) != own {
///         spin_wait(20);
///     }
///     turn.store(own.wrapping_sub(1), Release);
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub fn spin_wait(nanoseconds: u32) {
    raw::spin_wait(nanoseconds);
}

/// A loop that waits for a write of another thread of the launch, and ends the thread if a panic keeps that write from coming.
///
/// As [`spin_wait`], with a count of the polls: from the 2^20th on, which is about a second, now and then a poll asks whether a thread has panicked. If so, the
/// caller's thread ends, and the host gets the panic as an error instead of waiting for ever.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::atomic::{Acquire, Atomic, Release, SpinLoop};
/// let ready = Atomic::<u32>::new(0);
/// # let shape = Shape { grid: [1, 1, 1], block: [40, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// run(shape, &|| {
///     if warploom_device_std::thread_idx().x == 39 {
///         ready.store(1, Release);
///     }
///     let mut spin = SpinLoop::new();
///     while ready.load(Acquire) == 0 {
///         spin.wait(20);
///     }
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[derive(Debug, Default)]
pub struct SpinLoop {
    polls: u32,
}

impl SpinLoop {
    /// A loop that has not waited yet.
    #[inline(always)]
    #[must_use]
    pub const fn new() -> Self {
        SpinLoop { polls: 0 }
    }

    /// Suspends the thread for about `nanoseconds`, between two polls.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn wait(&mut self, nanoseconds: u32) {
        self.polls = self.polls.wrapping_add(1);
        #[cfg(warploom_device)]
        if self.polls >= 1 << 20 && self.polls.is_multiple_of(1024) {
            end_after_panic();
        }
        raw::spin_wait(nanoseconds);
    }
}

/// Ends the thread if a thread has panicked since the host asked last.
// Under a name that instrumented code replaces: the emulator ends a launch whose thread panics by itself.
#[cfg(warploom_device)]
#[cold]
#[inline(never)]
#[unsafe(export_name = "__warploom_end_after_panic")]
fn end_after_panic() {
    if crate::panic::happened() {
        crate::panic::leave();
    }
}
