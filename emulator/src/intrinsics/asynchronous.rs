//! Barriers in memory, and copies that go on while the thread does something else.
//!
//! A barrier in memory is 8 bytes: the number of threads that arrive in each phase, how many of them have not yet, and the number of
//! the phase. Programs must not read these bytes, on a GPU they are different.

use std::panic::Location;

use super::{fail, inside};
use crate::detector;
use crate::engine::block::{Arrival, Copy};
use crate::engine::fiber::Running;
use crate::engine::mbarrier::{COUNT, COUNT_BITS, PHASE_SHIFT};

/// Makes `*at` a barrier at which `count` threads arrive in each phase. PTX: `mbarrier.init`. Compute capability: 8.0.
///
/// # Panics
/// If `count` is 0 or not below 2^20. Outside a kernel.
///
/// # Safety
/// `at` is valid and aligned, in shared memory, and no other thread uses it before the next barrier of the block.
#[track_caller]
pub unsafe fn mbarrier_init(at: *mut u64, count: u32) {
    inside("mbarrier_init", |running| {
        running.set.transactions.forget(at.addr());
    });
    let count = u64::from(count);
    if count == 0 || count > COUNT {
        fail(&format!(
            "an `Mbarrier` for {count} arrivals: 1 to {COUNT} are possible"
        ));
    }
    detector::writes::<8>(at.cast(), None);
    // SAFETY: the caller's promise.
    unsafe { at.write(count | count << COUNT_BITS) }
}

/// Ends the use of `*at` as a barrier. PTX: `mbarrier.inval`. Compute capability: 8.0.
///
/// # Safety
/// `*at` is a barrier, and no thread waits or arrives there any more.
#[track_caller]
pub unsafe fn mbarrier_inval(at: *mut u64) {
    inside("mbarrier_inval", |running| {
        running.set.transactions.forget(at.addr());
    });
    detector::writes::<8>(at.cast(), Some(0));
    // SAFETY: the caller's promise. A count of 0 is no barrier.
    unsafe { at.write(0) }
}

/// Arrives; gives a value for [`mbarrier_test_wait`] and [`mbarrier_wait`]. PTX: `mbarrier.arrive`. Compute capability: 8.0.
///
/// # Panics
/// If `*at` is no barrier. Outside a kernel.
///
/// # Safety
/// `*at` is a barrier: its initialisation is ordered before this call.
#[track_caller]
pub unsafe fn mbarrier_arrive(at: *mut u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { arrive(at, 0) }
}

/// Lets the current phase wait for so many bytes of copies. PTX: `mbarrier.expect_tx`. Compute capability: 9.0.
///
/// # Panics
/// If `*at` is no barrier, or `bytes` is not below 2^20. Outside a kernel.
///
/// # Safety
/// As for [`mbarrier_arrive`].
#[track_caller]
pub unsafe fn mbarrier_expect_tx(at: *mut u64, bytes: u32) {
    detector::will_arrive(at.cast());
    // SAFETY: the caller's promise.
    unsafe { state(at) };
    expect(at, bytes);
}

/// [`mbarrier_expect_tx`], then [`mbarrier_arrive`]. PTX: `mbarrier.arrive.expect_tx`. Compute capability: 9.0.
///
/// # Panics
/// If `*at` is no barrier, or `bytes` is not below 2^20. Outside a kernel.
///
/// # Safety
/// As for [`mbarrier_arrive`].
#[track_caller]
pub unsafe fn mbarrier_arrive_expect_tx(at: *mut u64, bytes: u32) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { arrive(at, bytes) }
}

/// Arrives at a barrier of any block of the cluster. PTX: `mbarrier.arrive.release.cluster.shared::cluster`. Compute capability: 9.0.
///
/// # Panics
/// If `*at` is no barrier. Outside a kernel.
///
/// # Safety
/// As for [`mbarrier_arrive`]; the block is there.
#[track_caller]
pub unsafe fn mbarrier_arrive_cluster(at: *mut u64) {
    // SAFETY: the caller's promise.
    unsafe { arrive(at, 0) };
}

/// Whether the phase has ended in which `state` was given. PTX: `mbarrier.test_wait`. Compute capability: 8.0.
///
/// If not, other threads run before this returns; the answer is that of the moment of the call.
///
/// # Panics
/// If `*at` is no barrier. Outside a kernel.
///
/// # Safety
/// As for [`mbarrier_arrive`]; `state` comes from the current or the last phase of this barrier.
#[inline(always)]
#[track_caller]
pub unsafe fn mbarrier_test_wait(at: *mut u64, state: u64) -> bool {
    // SAFETY: the caller's promise.
    unsafe { test(at, parity(state)) }
}

/// Whether a phase of this parity has ended: the first phase has parity 0. PTX: `mbarrier.test_wait.parity`. Compute capability: 8.0.
///
/// If not, other threads run before this returns; the answer is that of the moment of the call.
///
/// # Panics
/// If `*at` is no barrier. Outside a kernel.
///
/// # Safety
/// As for [`mbarrier_arrive`]; `parity` is that of the current or the last phase.
#[inline(always)]
#[track_caller]
pub unsafe fn mbarrier_test_parity(at: *mut u64, parity: u32) -> bool {
    // SAFETY: the caller's promise.
    unsafe { test(at, parity & 1) }
}

/// As [`mbarrier_test_parity`]; a GPU may let the thread sleep for a while. PTX: `mbarrier.try_wait.parity`. Compute capability: 9.0.
///
/// # Panics
/// If `*at` is no barrier. Outside a kernel.
///
/// # Safety
/// As for [`mbarrier_test_parity`].
#[inline(always)]
#[track_caller]
pub unsafe fn mbarrier_try_parity(at: *mut u64, parity: u32) -> bool {
    // SAFETY: the caller's promise.
    unsafe { test(at, parity & 1) }
}

/// Waits until the phase has ended in which `state` was given. Compute capability: 8.0.
///
/// # Panics
/// If `*at` is no barrier. Outside a kernel.
///
/// # Safety
/// As for [`mbarrier_test_wait`].
#[inline(always)]
#[track_caller]
pub unsafe fn mbarrier_wait(at: *mut u64, state: u64) {
    // SAFETY: the caller's promise.
    unsafe { wait(at, parity(state)) }
}

/// Waits until a phase of this parity has ended. Compute capability: 8.0.
///
/// # Panics
/// If `*at` is no barrier. Outside a kernel.
///
/// # Safety
/// As for [`mbarrier_test_parity`].
#[inline(always)]
#[track_caller]
pub unsafe fn mbarrier_wait_parity(at: *mut u64, parity: u32) {
    // SAFETY: the caller's promise.
    unsafe { wait(at, parity & 1) }
}

/// Arrives when all copies have ended that this thread has begun. PTX: `cp.async.mbarrier.arrive.noinc`. Compute capability: 8.0.
///
/// Here they end now.
///
/// # Panics
/// If `*at` is no barrier. Outside a kernel.
///
/// # Safety
/// As for [`mbarrier_arrive`], and as promised for each copy.
#[track_caller]
pub unsafe fn copy_async_arrive(at: *mut u64) {
    // SAFETY: the caller's promise for each copy.
    unsafe { copy_async_wait_all() };
    // SAFETY: the caller's promise for the barrier.
    unsafe { arrive(at, 0) };
}

macro_rules! copies {
    ($($(#[$doc:meta])* $name:ident $bytes:literal;)*) => {$(
        $(#[$doc])*
        /// The source is read now, the target written when the copy is waited for. Compute capability: 8.0.
        ///
        /// # Panics
        /// Outside a kernel.
        ///
        /// # Safety
        /// Both are valid for so many bytes, and aligned to them, until the copy has been waited for; `to` is in shared memory, `from`
        /// in global memory, and no other code uses the target meanwhile.
        #[track_caller]
        pub unsafe fn $name(to: *mut u8, from: *const u8) {
            inside(stringify!($name), |running| {
                detector::copy_begins(to, from, $bytes);
                // SAFETY: the caller's promise, of no more than 16 bytes.
                let copy = unsafe { Copy::begin(to, from, $bytes) };
                running.note(|block, thread| block.begin_copy(thread, copy));
            });
        }
    )*};
}

copies! {
    /// Begins to copy 4 bytes. PTX: `cp.async.ca.shared.global`.
    copy_async_4 4;
    /// Begins to copy 8 bytes. PTX: `cp.async.ca.shared.global`.
    copy_async_8 8;
    /// Begins to copy 16 bytes, past the first cache. PTX: `cp.async.cg.shared.global`.
    copy_async_16 16;
}

/// Makes a group of the copies that this thread has begun since the last group. PTX: `cp.async.commit_group`. Compute capability: 8.0.
///
/// # Panics
/// Outside a kernel.
///
/// # Safety
/// None here; `unsafe` because it moves the groups that [`copy_async_wait_0`] and the others count.
#[track_caller]
pub unsafe fn copy_async_commit() {
    inside("copy_async_commit", |running| {
        running.note(|block, thread| block.close_copies(thread));
    });
}

macro_rules! waits {
    ($($name:ident $pending:literal;)*) => {$(
        #[doc = concat!("Waits until at most ", $pending, " of the thread's groups of copies are under way, the latest.")]
        /// PTX: `cp.async.wait_group`. Compute capability: 8.0.
        ///
        /// # Panics
        /// Outside a kernel.
        ///
        /// # Safety
        /// As promised for each copy.
        #[track_caller]
        pub unsafe fn $name() {
            // SAFETY: the caller's promise.
            unsafe { finish($pending) }
        }
    )*};
}

waits! {
    copy_async_wait_0 0;
    copy_async_wait_1 1;
    copy_async_wait_2 2;
    copy_async_wait_3 3;
    copy_async_wait_4 4;
    copy_async_wait_5 5;
    copy_async_wait_6 6;
    copy_async_wait_7 7;
}

/// Waits until all copies have ended that this thread has begun. PTX: `cp.async.wait_all`. Compute capability: 8.0.
///
/// # Panics
/// Outside a kernel.
///
/// # Safety
/// As promised for each copy.
#[track_caller]
pub unsafe fn copy_async_wait_all() {
    // SAFETY: no group is counted from here on.
    unsafe { copy_async_commit() };
    // SAFETY: the caller's promise.
    unsafe { finish(0) };
}

/// Whether `p` points into global memory, as a thread of a GPU sees it. Here everything that is not the block's is.
///
/// PTX: `isspacep.global`.
pub fn copy_async_from_global(_p: *const u8) -> bool {
    true
}

#[track_caller]
unsafe fn finish(pending: usize) {
    inside("copy_async_wait", |running| {
        running.note(|block, thread| {
            // SAFETY: the caller's promise.
            unsafe { block.finish_copies(thread, pending) };
        });
    });
}

/// Bytes that one call lets a phase wait for, at most.
const MOST_EXPECTED: u32 = (1 << 20) - 1;

#[track_caller]
fn expect(at: *mut u64, bytes: u32) {
    if bytes > MOST_EXPECTED {
        fail(&format!(
            "an `Mbarrier` that is to wait for {bytes} bytes: one call allows {MOST_EXPECTED}"
        ));
    }
    inside("mbarrier_expect_tx", |running| {
        running.set.transactions.expect(at.addr(), bytes.into());
    });
}

/// Arrives, after the phase was told to wait for so many bytes.
#[track_caller]
unsafe fn arrive(at: *mut u64, bytes: u32) -> u64 {
    detector::will_arrive(at.cast());
    // SAFETY: the caller's promise; all threads of a set share an OS thread, and none of them runs between this and the write below.
    let state = unsafe { state(at) };
    if bytes != 0 {
        expect(at, bytes);
    }
    let pending = state >> COUNT_BITS & COUNT;
    if pending == 0 {
        fail(
            "more arrivals at an `Mbarrier` than its phase has: all threads have arrived, and copies are under way",
        );
    }
    let complete = inside("mbarrier_arrive", |running| {
        running.set.transactions.bytes(at.addr()).are_complete()
    });
    detector::arrives(at.cast(), parity(state), pending == 1 && complete);
    // SAFETY: as above.
    unsafe { at.write(state - (1 << COUNT_BITS)) };
    inside("mbarrier_arrive", |running| {
        running.memory_changed();
        // SAFETY: as above.
        unsafe { end_complete_phase(running, at) };
    });
    state
}

/// Begins the next phase if all threads have arrived and all bytes have landed.
///
/// # Safety
/// `*at` is a barrier.
pub(super) unsafe fn end_complete_phase(running: &Running<'_>, at: *mut u64) {
    // SAFETY: the caller's promise.
    let state = unsafe { at.read() };
    let (count, pending) = (state & COUNT, state >> COUNT_BITS & COUNT);
    let transactions = &running.set.transactions;
    if pending != 0 || !transactions.bytes(at.addr()).are_complete() {
        return;
    }
    transactions.phase_ends(at.addr());
    let phase = state >> PHASE_SHIFT;
    // SAFETY: the caller's promise.
    unsafe { at.write(count | count << COUNT_BITS | (phase + 1) << PHASE_SHIFT) };
    if running.may_wait() {
        // The barrier may be another block's, or may be waited for in one.
        running
            .set
            .each(|block| block.core_mut().phase_ended(at, parity(state)));
    }
}

/// What copies have brought that end at this barrier is there now.
///
/// # Safety
/// `*at` is a barrier, and what was promised for each copy.
#[track_caller]
pub(super) unsafe fn land(at: *mut u64) {
    inside("mbarrier_wait", |running| {
        let landings = running.set.transactions.land(at.addr());
        if landings.is_empty() {
            return;
        }
        for landing in landings {
            if let Some((to, bytes)) = landing.whole {
                detector::bulk_lands(to, bytes);
            }
            for (to, part) in landing.parts() {
                if landing.whole.is_none() {
                    detector::bulk_lands(to, part.len());
                }
                // SAFETY: who began the copy promised that its target is there until the phase has ended.
                unsafe { part.as_ptr().copy_to_nonoverlapping(to, part.len()) };
            }
        }
        // SAFETY: the caller's promise.
        let state = unsafe { at.read() };
        let complete = running.set.transactions.bytes(at.addr()).are_complete();
        if complete && state >> COUNT_BITS & COUNT == 0 {
            detector::phase_ends(at.cast(), parity(state));
        }
        // SAFETY: the caller's promise.
        unsafe { end_complete_phase(running, at) };
    });
}

#[inline(always)]
#[track_caller]
unsafe fn test(at: *mut u64, parity_of: u32) -> bool {
    let caller = Location::caller();
    // SAFETY: the caller's promise, and those for the copies.
    unsafe { land(at) };
    // SAFETY: the caller's promise.
    if parity(unsafe { state(at) }) != parity_of {
        detector::sees_phase(at.cast(), parity_of);
        return true;
    }
    inside("mbarrier_test_wait", |running| {
        let place = running.place(caller);
        if running.arrive(|block, thread| block.look_again_later(thread, (at, parity_of), place))
            == Some(Arrival::Waits)
        {
            running.wait();
        }
    });
    // What was there when it looked, even if the phase has ended meanwhile: on a GPU the answer does not wait for others. So code that goes
    // on without a true answer has no order, in whatever order threads run here.
    false
}

#[inline(always)]
#[track_caller]
unsafe fn wait(at: *mut u64, parity_of: u32) {
    let caller = Location::caller();
    // SAFETY: the caller's promise, and those for the copies.
    unsafe { land(at) };
    // SAFETY: the caller's promise.
    if parity(unsafe { state(at) }) != parity_of {
        return detector::sees_phase(at.cast(), parity_of);
    }
    inside("mbarrier_wait", |running| {
        let place = running.place(caller);
        let arrival =
            running.arrive(|block, thread| block.wait_for_phase(thread, at, parity_of, place));
        if arrival == Some(Arrival::Waits) {
            running.wait();
        }
    });
    detector::sees_phase(at.cast(), parity_of);
}

/// What `*at` holds, which is a barrier.
#[track_caller]
pub(super) unsafe fn state(at: *mut u64) -> u64 {
    // SAFETY: the caller's promise.
    let state = unsafe { at.read() };
    let (count, pending) = (state & COUNT, state >> COUNT_BITS & COUNT);
    // All may have arrived while copies are under way.
    let waits_for_bytes = || {
        let bytes = inside("mbarrier", |running| {
            running.set.transactions.bytes(at.addr())
        });
        !bytes.are_complete()
    };
    if count == 0 || pending > count || pending == 0 && !waits_for_bytes() {
        fail("an `Mbarrier` that was not initialised, or not for all threads to see");
    }
    state
}

/// The parity of the phase in which a barrier was in this state.
pub(super) fn parity(state: u64) -> u32 {
    (state >> PHASE_SHIFT & 1) as u32
}
