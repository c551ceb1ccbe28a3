//! Lanes that run to their end, one after the other, and meet no other: most lanes of most kernels. They cost little beside their own work,
//! since the core is told of all of them at once: when one does something that the core has to know of, or when all are over.

use std::cell::{Ref, RefMut};

use super::{Phase, Running};
use crate::engine::block::Block;

impl Running<'_> {
    /// Who waits for whom.
    #[inline(always)]
    pub(crate) fn core(&self) -> Ref<'_, Block> {
        self.settle();
        self.core.borrow()
    }

    /// Who waits for whom, to be changed.
    #[inline(always)]
    pub(crate) fn core_mut(&self) -> RefMut<'_, Block> {
        self.settle();
        self.core.borrow_mut()
    }

    /// Tells the core of the lanes that it does not know of.
    #[inline(always)]
    fn settle(&self) {
        if self.plain.get() {
            self.settle_now();
        }
    }

    #[cold]
    fn settle_now(&self) {
        self.plain.set(false);
        self.core.borrow_mut().exit_before(self.thread.get());
    }

    /// Runs fresh lanes as long as they meet no other, and no lane waits that they could meet. The last one that ran has exited.
    pub(super) fn run_plain_lanes(&self) {
        let Some(first) = self.core.borrow().first_after_exited() else {
            return;
        };
        let checked = self.spin.is_checked();
        self.plain.set(true);
        for (thread, place) in (first..).zip(&self.places[first as usize..]) {
            self.thread.set(thread);
            self.registers.place.set(*place);
            if checked {
                self.spin.starts_checked();
            }
            (self.program)();
            if !self.plain.get() {
                self.core.borrow_mut().exit(thread);
                return;
            }
        }
        self.plain.set(false);
        self.core.borrow_mut().exit_all();
    }

    /// Begins the next block, if this one is over and there is nothing to say of it: without a way through the scheduler, which would cost
    /// more than a small block.
    pub(super) fn goes_on(&self) -> bool {
        let is_quiet = self.in_order && self.checks.is_none() && self.n_panicked.get() == 0;
        if !is_quiet || self.phase.get() != Phase::Runs {
            return false;
        }
        let core = self.core.borrow();
        if core.n_live() != 0 || !core.remarks.is_empty() {
            return false;
        }
        drop(core);
        let next = self.set.next_block();
        if let Some(block) = next {
            self.restart(block);
        }
        next.is_some()
    }
}
