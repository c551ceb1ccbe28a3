//! What goes on beside the threads: phases of barriers in memory, copies that are under way, threads that look and look again.

use std::collections::VecDeque;

use super::{Arrival, Block};
use crate::engine::bulk::Stores;
use crate::engine::checker::BlockChecker;
use crate::engine::warp::LANES;
use crate::fault::WaitPoint;
use crate::site::Site;

/// A thread that waits for a barrier in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct PhaseWait {
    thread: u32,
    /// The barrier.
    at: *mut u64,
    /// The parity of the phase that is to end.
    parity: u32,
}

/// One copy that has begun. Its source has been read: nothing keeps safe code from ending it before the copy is waited for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Copy {
    to: *mut u8,
    value: [u8; Copy::MOST],
    bytes: usize,
}

/// The copies that a thread has begun: closed groups, oldest first, and those that belong to no group yet.
#[derive(Debug, Default)]
pub(super) struct Copies {
    groups: VecDeque<Vec<Copy>>,
    open: Vec<Copy>,
}

impl Copy {
    /// Bytes of one copy at most.
    const MOST: usize = 16;

    /// Reads the source.
    ///
    /// # Safety
    /// `bytes` bytes can be read at `from`.
    pub(crate) unsafe fn begin(to: *mut u8, from: *const u8, bytes: usize) -> Copy {
        let mut value = [0; Copy::MOST];
        // SAFETY: the caller's promise, and as many bytes as there is room for.
        unsafe { from.copy_to_nonoverlapping(value.as_mut_ptr(), bytes.min(Copy::MOST)) };
        Copy { to, value, bytes }
    }

    /// Writes the target.
    ///
    /// # Safety
    /// As the caller of the copy has promised: the target is valid until the copy has been waited for.
    unsafe fn perform(self, checks: Option<&dyn BlockChecker>) {
        if let Some(checks) = checks {
            checks.copy_ends(self.to, self.bytes);
        }
        // SAFETY: the caller's promise; no copy has more bytes than `value`.
        unsafe { std::ptr::copy_nonoverlapping(self.value.as_ptr(), self.to, self.bytes) }
    }
}

impl Block {
    /// `thread` waits until a phase of this parity ends at the barrier in memory at address `at`.
    pub(crate) fn wait_for_phase(
        &mut self,
        thread: u32,
        at: *mut u64,
        parity: u32,
        site: Site,
    ) -> Arrival {
        self.phase_waits.push(PhaseWait { thread, at, parity });
        self.sites[thread as usize] = site;
        self.n_waiting += 1;
        Arrival::Waits
    }

    /// A phase of this parity has ended at address `at`: who waited for it is ready.
    pub(crate) fn phase_ended(&mut self, at: *mut u64, parity: u32) {
        let mut index = 0;
        while index < self.phase_waits.len() {
            let wait = self.phase_waits[index];
            if (wait.at, wait.parity) == (at, parity) {
                self.phase_waits.swap_remove(index);
                self.warps[(wait.thread / LANES) as usize].give(wait.thread % LANES, 1);
                self.n_waiting -= 1;
            } else {
                index += 1;
            }
        }
    }

    /// Whether a thread waits for the barrier in memory at address `at`.
    pub(crate) fn is_waited_for(&self, at: *mut u64) -> bool {
        self.phase_waits.iter().any(|wait| wait.at == at)
    }

    /// Each thread that waits for a barrier in memory, with the barrier and the parity of the phase.
    pub(super) fn phase_waiters(&self) -> impl Iterator<Item = (u32, *mut u64, u32)> {
        self.phase_waits
            .iter()
            .map(|wait| (wait.thread, wait.at, wait.parity))
    }

    /// Who waits for a barrier in memory: the first thread of each, how many, and what.
    pub(super) fn phase_waits(&self) -> Vec<(u32, u32, WaitPoint)> {
        let mut found: Vec<(u32, u32, WaitPoint)> = Vec::new();
        for wait in &self.phase_waits {
            let point = WaitPoint::Phase {
                parity: wait.parity,
            };
            match found.iter_mut().find(|(.., known)| *known == point) {
                Some((first, threads, _)) => {
                    *first = (*first).min(wait.thread);
                    *threads += 1;
                }
                None => found.push((wait.thread, 1, point)),
            }
        }
        found
    }

    /// `thread` found that no phase of this parity has ended at this barrier: it looks again when no other thread can go on.
    pub(crate) fn look_again_later(
        &mut self,
        thread: u32,
        phase: (*mut u64, u32),
        site: Site,
    ) -> Arrival {
        self.sites[thread as usize] = site;
        self.asleep.push_back(super::Sleeper {
            thread,
            phase: Some(phase),
        });
        Arrival::Waits
    }

    /// `thread` begins a copy.
    pub(crate) fn begin_copy(&mut self, thread: u32, copy: Copy) {
        let n_threads = self.n_threads as usize;
        if self.copies.is_empty() {
            self.copies.resize_with(n_threads, Copies::default);
        }
        self.copies[thread as usize].open.push(copy);
    }

    /// The bulk copies to global memory that `thread` has begun.
    pub(crate) fn stores(&mut self, thread: u32) -> &mut Stores {
        let n_threads = self.n_threads as usize;
        if self.stores.is_empty() {
            self.stores.resize_with(n_threads, Stores::default);
        }
        &mut self.stores[thread as usize]
    }

    /// `thread` is over: what it has begun to copy to global memory gets there without it.
    #[cold]
    pub(super) fn stores_of_exited(&mut self, thread: u32) {
        for store in self.stores(thread).finish_all() {
            // SAFETY: who began the copy promised that its target is there until it has ended.
            unsafe { store.perform() }
        }
    }

    /// `thread` makes a group of the copies that it has begun since the last one.
    pub(crate) fn close_copies(&mut self, thread: u32) {
        if let Some(copies) = self.copies.get_mut(thread as usize) {
            let group = std::mem::take(&mut copies.open);
            copies.groups.push_back(group);
        }
    }

    /// Carries out all groups of `thread` but the latest `pending`.
    ///
    /// # Safety
    /// As for [`Copy::perform`], for every copy that the thread has begun.
    pub(crate) unsafe fn finish_copies(&mut self, thread: u32, pending: usize) {
        let Some(copies) = self.copies.get_mut(thread as usize) else {
            return;
        };
        while copies.groups.len() > pending {
            for copy in copies.groups.pop_front().into_iter().flatten() {
                // SAFETY: the caller's promise.
                unsafe { copy.perform(self.checks.as_deref()) }
            }
        }
    }
}
