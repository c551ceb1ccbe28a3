//! First reads of global memory that lie side by side: what is remembered of them once for a few neighbours (README 8).
//!
//! Most of what a kernel reads it reads once, and nobody writes: then neighbouring lanes read neighbouring elements, at one site and at one
//! time. A granule takes 40 bytes, which the processor would fetch and write back for each; a line takes 16 for all of its granules.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use super::quick::read_quick;
use super::shadow::{Entry, Slot, What};
use super::space::CACHED;
use crate::fiber;

/// Granules of a line: 64 bytes of data.
pub(super) const LINE: usize = 16;

/// The stretch of a granule that nobody has accessed in this run. It remembers what is past, and need not be looked at.
pub(super) const FRESH: u32 = 0;

/// That of a granule of which the line alone remembers something. Nothing else has this number: `stretch::new` gives no multiple of 4096.
pub(super) const IN_LINE: u32 = 1 << 12;

/// Whether it is one of the two.
#[inline(always)]
fn is_line(stretch: u32) -> bool {
    stretch & !IN_LINE == FRESH
}

/// The read that is remembered of the granules of a line which are [`IN_LINE`]: each by the lane as far behind `first` as the granule lies
/// behind the start of the line. Written once in a run, by whoever comes first.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Line {
    first: Cell<u32>,
    t: Cell<u32>,
    what: Cell<What>,
    /// 0: nothing yet. 1: somebody writes it. From `READY` on: there, of reads of 4, 8 or 16 bytes.
    state: AtomicU32,
}

const BUSY: u32 = 1;
const READY: u32 = 2;

/// A read of `N` bytes, which are four or a multiple: that is all if its granules are remembered in lines. Not the lane's last step.
// A function of its own, and what is not here a call in tail position: so this needs no frame.
#[inline(never)]
pub(super) extern "C-unwind" fn read_first<const N: usize>(at: *const u8, site: u32) {
    if !reads_in_lines::<N, false>(at, site) {
        read_of_new_line::<N>(at, site);
    }
}

/// The same, where the line may stand for nothing yet.
#[inline(never)]
extern "C-unwind" fn read_of_new_line<const N: usize>(at: *const u8, site: u32) {
    if !reads_in_lines::<N, true>(at, site) {
        read_quick::<N>(at, site);
    }
}

/// Whether all granules of a read are remembered in lines, or it is not checked. `CLAIM`: lines that stand for nothing are taken for it.
#[inline(always)]
fn reads_in_lines<const N: usize, const CLAIM: bool>(at: *const u8, site: u32) -> bool {
    let Some((running, checks)) = fiber::checked() else {
        return true;
    };
    // SAFETY: as in `quick::each_quick`.
    let space = unsafe { &*checks.cache[site as usize % CACHED].get() };
    let offset = at.addr().wrapping_sub(space.base);
    let is_there = offset < space.lined
        && (N <= 4 || space.lined - offset >= N)
        && at.addr().is_multiple_of(N);
    let first = space.first + offset / 4;
    let is = |index| {
        let entry = space.entry(index);
        entry.is_some_and(|entry| {
            let now = checks
                .clocks
                .slot(running.thread.get(), What::new(What::READ, site));
            entry.read_in_line::<N, CLAIM>(now, space.locked)
        })
    };
    is_there && is(first) && (N <= 4 || is(first + 1)) && (N <= 8 || is(first + 2) && is(first + 3))
}

impl Line {
    /// Whether it stands for reads like this one: of a lane with `first` before it, of 4 bytes by two to the power of `width`.
    #[inline(always)]
    fn stands_for<const CLAIM: bool>(&self, first: u32, now: Slot, width: u32) -> bool {
        let state = self.state.load(Ordering::Acquire);
        if state != READY + width {
            return CLAIM && state == 0 && self.claim(first, now, width);
        }
        self.first.get() == first && self.t.get() == now.t && self.what.get() == now.what
    }

    /// Makes it stand for such reads, if it stands for none; whether it does.
    #[inline(never)]
    fn claim(&self, first: u32, now: Slot, width: u32) -> bool {
        let claimed = self
            .state
            .compare_exchange(0, BUSY, Ordering::Acquire, Ordering::Relaxed);
        if claimed.is_err() {
            return false; // for other lanes, most likely
        }
        self.first.set(first);
        self.t.set(now.t);
        self.what.set(now.what);
        self.state.store(READY + width, Ordering::Release);
        true
    }

    /// The read of granule number `inside`, which is `IN_LINE`.
    fn slot(&self, inside: usize) -> Slot {
        let width = self.state.load(Ordering::Acquire) - READY;
        Slot {
            who: self.first.get().wrapping_add((inside >> width) as u32),
            t: self.t.get(),
            what: self.what.get(),
        }
    }
}

impl Entry<'_> {
    /// Remembers a read of `N` bytes, which are four or a multiple, in the line, if the granule is fresh or has been read like this;
    /// `locked`: other OS threads may look at it. False: the granule has to be looked at.
    #[inline(always)]
    fn read_in_line<const N: usize, const CLAIM: bool>(self, now: Slot, locked: bool) -> bool {
        let stretch = self.stretch();
        if !is_line(stretch) {
            return false;
        }
        let width = const { (if N < 4 { 1 } else { N / 4 }).ilog2() };
        let first = now
            .who
            .wrapping_sub(((self.inside() % LINE) >> width) as u32);
        if !self.line().stands_for::<CLAIM>(first, now, width) {
            return false;
        }
        if stretch == IN_LINE {
            return true;
        }
        if locked {
            // Who writes it meanwhile takes this away before it compares.
            self.replace_stretch(FRESH, IN_LINE)
        } else {
            self.set_stretch(IN_LINE);
            true
        }
    }

    /// Whether the line remembers something of the granule.
    #[inline(always)]
    pub(super) fn is_in_line(self) -> bool {
        self.stretch() == IN_LINE
    }

    /// Lets the granule remember by itself what the line does. Whoever looks at what it remembers calls this first, with its lock;
    /// `locked`: other OS threads may look at it.
    #[inline(always)]
    pub(super) fn leave_line(self, locked: bool) {
        if is_line(self.stretch()) {
            self.take_from_line(locked);
        }
    }

    #[inline(never)]
    fn take_from_line(self, locked: bool) {
        if self.take_stretch(locked) == IN_LINE {
            self.slots[1].set(self.line().slot(self.inside() % LINE));
        }
    }
}
