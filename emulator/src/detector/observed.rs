//! Quick ways past the checks where there is an observer, which is told of every access.

use std::cell::RefCell;

use super::access::check_in;
use super::fast::settles_at;
use super::observer::{ReadRow, Target};
use super::rows;
use super::slot::AccessKind;
use super::space::{CACHED, Row};
use super::state::{BlockChecks, current};
use crate::engine::fiber::Running;

/// A read or write of `N` bytes where there is an observer, if it is like one that was made from its site just before: tells the observer, and checks it. Not the lane's
/// last step. False: nothing is done.
#[inline(always)]
pub(super) fn observed_again<const N: usize, const WRITE: bool>(
    at: *const u8,
    value: Option<u64>,
    site: u32,
) -> bool {
    let Some((running, checks)) = current() else {
        return true;
    };
    let Some(observer) = &checks.observer else {
        return false;
    };
    // SAFETY: as in `fast::each_fast`.
    let space = unsafe { &*checks.observed[site as usize % CACHED].get() };
    let Some(first) = space.spot::<N, WRITE>(at.addr()) else {
        return false;
    };
    let kind = const {
        match WRITE {
            true => AccessKind::WRITE,
            false => AccessKind::READ,
        }
    };
    let (thread, what) = (running.thread.get(), AccessKind::new(kind, site));
    let (target, range) = (checks.target(Some(space)), (at.addr(), N));
    if !observer.accesses_again(thread, target, range, what) {
        return false;
    }
    if WRITE {
        running.memory_changed();
    }
    if !settles_at::<N, WRITE>(checks, space, first, (thread, what)) {
        check_in(running, checks, space, range, value, what);
    }
    true
}

/// Rows of the group that is asked for, of which the observer is told when the last of them is known to be in order: if one is not, each read is announced on its own.
#[derive(Debug, Default)]
pub(super) struct PendingRows(RefCell<Vec<ReadRow>>);

/// A row of reads of `N` bytes each where there is an observer, as [`rows::read`] has it.
pub(super) fn read_row<const N: usize>(
    running: &Running<'static>,
    checks: &BlockChecks,
    row: Row,
    (steps, site): (u32, u32),
) -> bool {
    let Some(observer) = &checks.observer else {
        return false;
    };
    let mut pending = checks.pending_rows.0.borrow_mut();
    // SAFETY: as in `fast::each_fast`.
    let space = unsafe { &*checks.observed[site as usize % CACHED].get() };
    let target = checks.target(Some(space));
    let is_in_order = matches!(target, Target::Global | Target::OwnShared)
        // Reads of one site are told in the order of the code, which two rows may share among them.
        && pending.iter().all(|known| known.site != site)
        && rows::is_in_order::<N>(running, checks, space, row, site);
    if !is_in_order {
        pending.clear();
        return false;
    }
    pending.push(ReadRow {
        target,
        first: row.first_read(),
        step: row.step_to_next(),
        count: row.count as u32,
        bytes: N as u32,
        site,
    });
    // The last row of a group makes its steps.
    if steps == 0 {
        return true;
    }
    let is_told = running.has_steps(steps) && observer.reads_rows(running.thread.get(), &pending);
    pending.clear();
    is_told && running.makes_steps(steps)
}
