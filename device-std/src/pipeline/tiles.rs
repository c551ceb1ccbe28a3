//! Stages of shared memory that copies fill while the block works on another.
//!
//! Why this is sound without barriers of its own:
//!
//! 1. In this thread, the borrow checker keeps copying and reading apart: a [`Stage`] borrows its [`AsyncTiles`].
//! 2. Between threads there is the block's barrier, in `wait` and in `release`. If all threads make the same calls, as they must, no thread
//!    reads a stage before all parts of it have arrived, and no copy into it begins before all have released it.
//! 3. A program that meets these barriers from different calls reads values of another round, and nothing worse: a stage is read by
//!    relaxed atomic loads, one word at a time, into values (never references) of plain types, which any bytes are.
//! 4. The source is global memory that stays borrowed as long as the stages exist. Sources elsewhere are copied at once. A caller that drops the stages
//!    with a copy under way may end the source or write it: the copy then reads what lies there, into a stage, which any bytes may be in.
//!    Global memory is mapped as long as a kernel runs; the emulator, whose memory is not, reads the source when the copy begins.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::index::linear_thread;
use crate::{Block, Plain, SharedArray, arch, block_dim, intrinsics as raw};

/// `STAGES` buffers of `N` elements in shared memory, which copies from global memory fill in turn. All threads of a block together.
///
/// [`copy`](Self::copy) begins to fill the next stage, [`wait`](Self::wait) gives the oldest one to read, [`Stage::release`] makes it
/// free again. With two or more stages the next copy is under way while the block works: nothing passes through registers, and the
/// threads do not wait for it. All threads of the block make the same calls, each holds the block's barrier.
///
/// `T` is plain, of a multiple of 4 bytes and aligned to 4 at least. Where source and stage are aligned to 16 bytes, 16 are copied at a
/// time. Needs compute capability 8.0 to be asynchronous: in images for older ones the threads copy at once, and a kernel gets such an
/// image unless something in it needs a newer one. On the emulator a stage is written when it is waited for.
/// CUDA: `cuda::pipeline`, `memcpy_async`, `cg::wait_prior`. PTX: `cp.async`.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{AsyncTiles, Block, shared_array};
/// fn sum(block: Block, x: &[f32]) -> f32 {
///     let memory = shared_array!([f32; 64], 3);
///     let mut tiles = AsyncTiles::new(memory);
///     let mut parts = x.chunks(64);
///     for part in parts.by_ref().take(2) {
///         tiles.copy(&block, part);
///     }
///     let mut sum = 0.0;
///     for start in (0..x.len()).step_by(64) {
///         if let Some(part) = parts.next() {
///             tiles.copy(&block, part); // goes on while this stage is summed
///         }
///         let Some(stage) = tiles.wait(&block) else { break };
///         for i in 0..(x.len() - start).min(64) {
///             sum += stage.get(i);
///         }
///         stage.release(&block);
///     }
///     sum
/// }
/// # let x = Vec::from_iter((0..1000).map(|i| i as f32));
/// # run(Shape::new([2, 1, 1], [96, 1, 1]), &|| {
/// #     let block = unsafe { Block::from_launch() };
/// #     assert_eq!(sum(block, &x), 499500.0);
/// # })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// No copy begins in this thread while a stage is read:
/// ```compile_fail,E0499
/// # use warploom_device_std::{AsyncTiles, Block};
/// fn kernel<'a>(block: Block, mut tiles: AsyncTiles<'a, f32, 64, 2>, x: &'a [f32]) -> f32 {
///     let stage = tiles.wait(&block);
///     tiles.copy(&block, x);
///     stage.map_or(0.0, |stage| stage.get(0))
/// }
/// ```
/// Reading after the release:
/// ```compile_fail,E0382
/// # use warploom_device_std::{Block, Stage};
/// fn kernel(block: Block, stage: Stage<'_, '_, f32, 64, 2>) -> f32 {
///     stage.release(&block);
///     stage.get(0)
/// }
/// ```
/// Reading without waiting:
/// ```compile_fail,E0599
/// fn kernel(tiles: warploom_device_std::AsyncTiles<f32, 64, 2>) -> f32 { tiles.get(0) }
/// ```
/// A source that changes or ends too early:
/// ```compile_fail,E0502
/// # use warploom_device_std::{AsyncTiles, Block};
/// fn kernel<'a>(block: Block, mut tiles: AsyncTiles<'a, f32, 64, 2>, x: &'a mut [f32]) {
///     tiles.copy(&block, x);
///     x[0] = 1.0;
///     tiles.wait(&block);
/// }
/// ```
pub struct AsyncTiles<'a, T: Plain, const N: usize, const STAGES: usize> {
    slots: *mut T,
    /// The stage that is waited for next.
    oldest: usize,
    /// Stages that were begun and not yet released.
    begun: usize,
    _memory_and_source: PhantomData<(&'a [T], *mut ())>,
}

impl<'a, T: Plain, const N: usize, const STAGES: usize> AsyncTiles<'a, T, N, STAGES> {
    /// Stages in `memory`, all of them free. What `memory` held is lost.
    ///
    /// At most 8 stages, of an element type of a multiple of 4 bytes, aligned to 4 bytes:
    /// ```compile_fail,E0080
    /// # fn kernel() {
    /// let memory = warploom_device_std::shared_array!([u16; 64], 2);
    /// let tiles = warploom_device_std::AsyncTiles::new(memory);
    /// # }
    /// # let _ = warploom_emulator::run(warploom_emulator::Shape::new([1; 3], [1; 3]), &|| kernel());
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn new(memory: SharedArray<'a, [T; N], STAGES>) -> Self {
        const {
            assert!(STAGES >= 1 && STAGES <= 8, "there are 1 to 8 stages");
            assert!(
                size_of::<T>().is_multiple_of(4) && align_of::<T>() >= 4,
                "asynchronous copies move 4, 8 or 16 bytes: elements have a multiple of 4 bytes and are aligned to 4"
            );
        };
        AsyncTiles {
            slots: memory.as_ptr().cast(),
            oldest: 0,
            begun: 0,
            _memory_and_source: PhantomData,
        }
    }

    /// How many stages were begun and not yet released.
    #[inline(always)]
    #[must_use]
    pub fn begun(&self) -> usize {
        self.begun
    }

    /// Begins to copy the first `N` elements of `source`, or all of them, into the next stage. Does not wait.
    ///
    /// The threads of the block share the work. Elements of the stage that get no copy hold an unspecified value.
    ///
    /// # Panics
    /// If all stages were begun and none released.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn copy(&mut self, _block: &Block<'_>, source: &'a [T]) {
        if self.begun >= STAGES {
            no_stage_free();
        }
        let stage = (self.oldest + self.begun) % STAGES;
        self.begun += 1;
        // SAFETY: within the memory: `stage` is below `STAGES`.
        let to = unsafe { self.slots.add(stage * N) };
        begin(
            to.cast(),
            source.as_ptr().cast(),
            source.len().min(N) * size_of::<T>(),
        );
    }

    /// Waits until the oldest stage that was begun is filled, by all threads of the block; `None` if none was begun.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn wait(&mut self, _block: &Block<'_>) -> Option<Stage<'_, 'a, T, N, STAGES>> {
        if self.begun == 0 {
            return None;
        }
        wait_for_all_but(self.begun - 1);
        crate::sync_threads();
        // SAFETY: within the memory: `oldest` is below `STAGES`.
        let slots = unsafe { self.slots.add(self.oldest * N) };
        Some(Stage { slots, tiles: self })
    }
}

/// A stage of [`AsyncTiles`] that is filled: all threads of the block read it, and no copy into it begins.
///
/// If it is dropped without [`release`](Self::release), the stage stays the oldest one, and the next `wait` gives it again.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// # use warploom_device_std::{AsyncTiles, Block, shared_array};
/// fn last_comes_first(block: Block, x: &[u32]) -> Option<u32> {
///     let memory = shared_array!([u32; 32], 1);
///     let mut tiles = AsyncTiles::new(memory);
///     tiles.copy(&block, x);
///     let stage = tiles.wait(&block)?;
///     Some(stage.get(31 - block.thread()))
/// }
/// # let x = Vec::from_iter(0..32);
/// # run(Shape::new([2, 1, 1], [32, 1, 1]), &|| {
/// #     let block = unsafe { Block::from_launch() };
/// #     assert_eq!(last_comes_first(block, &x), Some(31 - block.thread() as u32));
/// # })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
pub struct Stage<'s, 'a, T: Plain, const N: usize, const STAGES: usize> {
    slots: *const T,
    tiles: &'s mut AsyncTiles<'a, T, N, STAGES>,
}

impl<T: Plain, const N: usize, const STAGES: usize> Stage<'_, '_, T, N, STAGES> {
    /// Element `i`.
    ///
    /// # Panics
    /// When `i` is not below `N`.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn get(&self, i: usize) -> T {
        if i >= N {
            outside(i, N);
        }
        let mut value = MaybeUninit::<T>::uninit();
        let mut word = 0;
        while word < size_of::<T>() / 4 {
            // SAFETY: element `i` is within the stage.
            let element = unsafe { self.slots.add(i) };
            // SAFETY: word `word` is within the element.
            let from = unsafe { element.cast::<AtomicU32>().add(word) };
            // SAFETY: words of an element are aligned and accessed atomically by all.
            let from = unsafe { &*from };
            // SAFETY: word `word` is within the value, whose size is the element's.
            let to = unsafe { value.as_mut_ptr().cast::<u32>().add(word) };
            // SAFETY: as above.
            unsafe { to.write(from.load(Relaxed)) };
            word += 1;
        }
        // SAFETY: all its words were written, and any bytes are a value of a plain type.
        unsafe { value.assume_init() }
    }

    /// Waits until all threads of the block have read; then a copy into this stage may begin.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn release(self, _block: &Block<'_>) {
        self.tiles.oldest = (self.tiles.oldest + 1) % STAGES;
        self.tiles.begun -= 1;
        crate::sync_threads();
    }
}

/// Whether copies may go on beside the thread: on the emulator always.
#[inline(always)]
fn asynchronous() -> bool {
    cfg!(not(warploom_device)) || arch() >= 80 || crate::target::is_instrumented()
}

/// Begins this thread's part of a copy of `bytes` (a multiple of 4), and makes it one group.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
fn begin(to: *mut u8, from: *const u8, bytes: usize) {
    let (thread, threads) = (linear_thread() as usize, block_dim().count() as usize);
    if !asynchronous() {
        return copy_now(to, from, (thread * 4, threads * 4), bytes);
    }
    if raw::copy_async_from_global(from) {
        let wide = if (to.addr() | from.addr()).is_multiple_of(16) {
            bytes / 16 * 16
        } else {
            0
        };
        let mut at = thread * 16;
        while at < wide {
            // SAFETY: within both.
            let (to, from) = (unsafe { to.add(at) }, unsafe { from.add(at) });
            // SAFETY: aligned to 16, from global into shared memory; the source stays borrowed and the stage is not read before the wait
            // (module text).
            unsafe { raw::copy_async_16(to, from) };
            at += threads * 16;
        }
        let mut at = wide + thread * 4;
        while at < bytes {
            // SAFETY: within both.
            let (to, from) = (unsafe { to.add(at) }, unsafe { from.add(at) });
            // SAFETY: as above, aligned to 4.
            unsafe { raw::copy_async_4(to, from) };
            at += threads * 4;
        }
    } else {
        copy_now(to, from, (thread * 4, threads * 4), bytes);
    }
    // SAFETY: this is the one group that `wait_for_all_but` counts for this stage.
    unsafe { raw::copy_async_commit() };
}

/// Copies the words at `first`, `first + step` … of `bytes`.
#[inline(always)]
fn copy_now(to: *mut u8, from: *const u8, (first, step): (usize, usize), bytes: usize) {
    let mut at = first;
    while at < bytes {
        // SAFETY: within both.
        let (to, from) = (unsafe { to.add(at) }, unsafe { from.add(at) });
        // SAFETY: aligned to 4; the source is plain and borrowed.
        let word = unsafe { from.cast::<u32>().read() };
        // SAFETY: aligned to 4; the stage is accessed by atomics alone.
        unsafe { &*to.cast::<AtomicU32>() }.store(word, Relaxed);
        at += step;
    }
}

/// Waits for this thread's part of all stages but the latest `pending`.
///
/// Groups that others made in between only make it wait for more: those that may be under way afterwards are the latest of all.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
fn wait_for_all_but(pending: usize) {
    if !asynchronous() {
        return;
    }
    macro_rules! wait {
        ($($n:pat => $wait:ident,)*) => {
            match pending {
                // SAFETY: the sources are borrowed and the stages belong to the caller until the wait ends.
                $($n => unsafe { raw::$wait() },)*
            }
        };
    }
    wait! {
        0 => copy_async_wait_0,
        1 => copy_async_wait_1,
        2 => copy_async_wait_2,
        3 => copy_async_wait_3,
        4 => copy_async_wait_4,
        5 => copy_async_wait_5,
        6 => copy_async_wait_6,
        _ => copy_async_wait_7,
    }
}

#[cold]
#[inline(never)]
#[track_caller]
#[expect(
    clippy::panic,
    reason = "a kernel reports misuse by a panic, which the host gets as an error"
)]
fn no_stage_free() -> ! {
    panic!("a copy into `AsyncTiles` of which all stages were begun and none released")
}

/// Panics as an index out of bounds does.
#[cold]
#[inline(never)]
#[track_caller]
fn outside(i: usize, n: usize) -> ! {
    let slots = [(); usize::MAX];
    let () = slots[..n][i];
    unreachable!("`i` is outside of `n`")
}
