//! First reads and writes of global memory that lie side by side: remembered once for a few neighbours (README 8).
//!
//! Most of what a kernel accesses it accesses once: neighbouring lanes read or write neighbouring elements, at one site and at one time.
//! A granule takes 40 bytes, which the processor would fetch and write back for each; a line takes 32 for all of its granules.

use super::cursor::Here;
use super::fast::{read_fast, write_fast};
use super::observed::observed_again;
use super::slot::AccessKind;
use super::space::CACHED;
use super::state::{BlockChecks, current};
use crate::engine::fiber::Running;
use crate::engine::stack;

/// A read of `N` bytes, which are four or a multiple: that is all if it is of a local variable near the caller's frame, which is not checked, or if its granules are remembered in lines.
/// Not the lane's last step.
// A function of its own, and what is not here a call in tail position: so this needs no frame.
#[inline(never)]
pub(super) extern "C-unwind" fn read_first<const N: usize>(at: *const u8, site: u32) {
    let Some((running, checks)) = current() else {
        return;
    };
    if checks.observer.is_some() {
        read_observed::<N>(at, site);
    } else if !stack::is_near(at.addr()) && !is_in_lines::<N, false>(running, checks, at, site) {
        read_fast::<N>(at, site);
    }
}

/// As `read_first`, of a write.
#[inline(never)]
pub(super) fn write_first<const N: usize>(at: *const u8, value: Option<u64>, site: u32) {
    let Some((running, checks)) = current() else {
        return;
    };
    if checks.observer.is_some() {
        write_observed::<N>(at, value, site);
    } else if stack::is_near(at.addr()) || is_in_lines::<N, true>(running, checks, at, site) {
        running.memory_changed();
    } else {
        write_fast::<N>(at, value, site);
    }
}

/// A read where there is an observer, for whom nothing is remembered in lines.
#[inline(never)]
extern "C-unwind" fn read_observed<const N: usize>(at: *const u8, site: u32) {
    if !observed_again::<N, false>(at, None, site) {
        read_fast::<N>(at, site);
    }
}

/// The same of a write.
#[inline(never)]
fn write_observed<const N: usize>(at: *const u8, value: Option<u64>, site: u32) {
    if !observed_again::<N, true>(at, value, site) {
        write_fast::<N>(at, value, site);
    }
}

/// Whether all granules of an access are remembered in lines.
#[inline(always)]
fn is_in_lines<const N: usize, const WRITE: bool>(
    running: &Running<'static>,
    checks: &BlockChecks,
    at: *const u8,
    site: u32,
) -> bool {
    let slot = site as usize % CACHED;
    let cursor = &checks.cursors[WRITE as usize][slot];
    let thread = running.thread.get();
    let here = Here {
        address: at.addr(),
        thread,
        t: checks.clocks.time(thread),
        site,
    };
    if cursor.goes_on::<N, WRITE>(here, checks.clocks.base.get() | thread) {
        return true;
    }
    // SAFETY: as in `fast::each_fast`.
    let space = unsafe { &*checks.cache[slot].get() };
    let (offset, bytes) = (
        at.addr().wrapping_sub(space.base),
        space.lined[WRITE as usize],
    );
    let is_there = offset < bytes && (N <= 4 || bytes - offset >= N) && at.addr().is_multiple_of(N);
    let first = space.first + offset / 4;
    let kind = const {
        if WRITE {
            AccessKind::WRITE
        } else {
            AccessKind::READ
        }
    };
    let now = checks.clocks.slot(thread, AccessKind::new(kind, site));
    let is = |index| {
        let entry = space.entry(index);
        entry.is_some_and(|entry| entry.is_in_line_now::<N, WRITE>(now, space.locked))
    };
    let is_done = is_there
        && is(first)
        && (N <= 4 || is(first + 1))
        && (N <= 8 || is(first + 2) && is(first + 3));
    if is_done && let Some(entry) = space.entry(first) {
        cursor.go_to::<N>(space, entry, here, now.who);
    }
    is_done
}
