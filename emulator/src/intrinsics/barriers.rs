//! Barriers of the block that combine something, or count.

use std::panic::Location;

use super::{fail, inside};
use crate::engine::block::{BARRIERS, BarrierOp};

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident -> $out:ty = $op:ident, $read:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// Waits for all threads of the block that have not exited and orders their memory accesses.
        ///
        /// # Panics
        /// If `id` is not below 16. Outside a kernel.
        ///
        /// # Safety
        /// None here; `unsafe` because the same call on a GPU may release a barrier that other code relies on.
        #[inline(always)]
        #[track_caller]
        pub unsafe fn $name(id: u32, p: bool) -> $out {
            $read(meet_at(stringify!($name), id, BarrierOp::$op, p, true))
        }
    )*};
}

reductions! {
    /// How many threads come with `p`. CUDA: `__syncthreads_count`. PTX: `barrier.cta.red.popc`.
    barrier_count -> u32 = Count, |n| n;
    /// Whether all threads come with `p`. CUDA: `__syncthreads_and`. PTX: `barrier.cta.red.and`.
    barrier_all -> bool = All, |n| n != 0;
    /// Whether any thread comes with `p`. CUDA: `__syncthreads_or`. PTX: `barrier.cta.red.or`.
    barrier_any -> bool = Any, |n| n != 0;
}

/// Waits until `threads` threads have arrived at barrier `id`, this one included. PTX: `barrier.cta.sync id, threads`.
///
/// # Panics
/// If `id` is not below 16, or `threads` is 0 or no multiple of 32. Outside a kernel.
///
/// # Safety
/// None here; `unsafe` because the same call on a GPU may release a barrier that other code relies on.
#[inline(always)]
#[track_caller]
pub unsafe fn barrier_sync_threads(id: u32, threads: u32) {
    check(threads);
    meet_at(
        "barrier_sync_threads",
        id,
        BarrierOp::Threads(threads),
        false,
        true,
    );
}

/// Arrives at barrier `id`, which opens when `threads` threads have, and does not wait. PTX: `barrier.cta.arrive id, threads`.
///
/// # Panics
/// If `id` is not below 16, or `threads` is 0 or no multiple of 32. Outside a kernel.
///
/// # Safety
/// None here; `unsafe` because the same call on a GPU may release a barrier that other code relies on.
#[inline(always)]
#[track_caller]
pub unsafe fn barrier_arrive_threads(id: u32, threads: u32) {
    check(threads);
    meet_at(
        "barrier_arrive_threads",
        id,
        BarrierOp::Threads(threads),
        false,
        false,
    );
}

#[inline(always)]
#[track_caller]
fn meet_at(name: &str, id: u32, op: BarrierOp, p: bool, stays: bool) -> u32 {
    if id >= BARRIERS {
        fail(&format!("{name}({id}): a block has the barriers 0 to 15"));
    }
    let caller = Location::caller();
    inside(name, |running| {
        let place = running.place(caller);
        running.meet(0, move |block, thread| {
            block.arrive_at_reduction(thread, (id, op), p, stays, place)
        })
    })
}

#[track_caller]
fn check(threads: u32) {
    if threads == 0 || !threads.is_multiple_of(32) {
        fail(&format!(
            "a barrier for {threads} threads: whole warps arrive, so the number is a multiple of 32 and not 0"
        ));
    }
}
