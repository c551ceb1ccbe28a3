//! What the detector's atomics tell weak memory of themselves.
//!
//! An older store that a load reads, or that a write comes behind, is put into memory for as long as the access takes, where both the processor and an intrinsic access it.
//! Afterwards memory holds the newest store again. Meanwhile its lane alone runs. A plain access of the lane to the same bytes before that is over would be a race with the newer store.

use std::ptr;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::{Meeting, OldStore, Weak, WeakAccess};
use crate::detector::atomic::Does;
use crate::detector::space::Space;
use crate::detector::state::BlockChecks;
use crate::engine::fiber::Running;
use crate::engine::pending::MadeWeakly;
use crate::engine::spin::value;
use crate::engine::warp::{LANES, lanes};
use crate::sync::{MutexGuard, lock};

/// How an atomic is made.
#[derive(Debug, Clone, Copy)]
pub(in crate::detector) struct How {
    pub(in crate::detector) does: Does,
    pub(in crate::detector) order: u32,
    pub(in crate::detector) scope: u32,
    /// The lane was taken for one that polls.
    pub(in crate::detector) polls: bool,
}

impl BlockChecks {
    fn weak(&self) -> Option<MutexGuard<'_, Weak>> {
        let mut weak = self.run().weak.as_ref().map(lock)?;
        settle(&mut weak);
        Some(weak)
    }

    /// Whether loads may read older stores, and stores come before others.
    pub(in crate::detector) fn has_weak_memory(&self) -> bool {
        self.run().weak.is_some()
    }

    fn who(&self, thread: u32) -> u32 {
        self.clocks.base.get() | thread
    }

    /// The lane that runs makes an atomic next, of memory that is checked.
    pub(in crate::detector) fn makes_weakly(
        &self,
        running: &Running<'static>,
        space: &Space,
        (address, bytes): (usize, usize),
        how: How,
    ) {
        let (Some(pending), Some(control)) =
            (&running.pending, &running.set.launch.options.control)
        else {
            return;
        };
        let is_shared_by_threads = space.is_shared() || space.allocation().is_some();
        // Values of barriers in memory are the emulator's.
        if self.at_mbarrier.get() || !is_shared_by_threads {
            return;
        }
        let Some(mut weak) = self.weak() else { return };
        let access = WeakAccess {
            who: self.who(running.thread.get()),
            address,
            bytes,
            does: how.does,
            order: how.order,
            scope: how.scope,
            number: pending.number(),
            graph: self.run().graph.lock().read(address),
        };
        let memory = value(ptr::with_exposed_provenance(address), bytes as u32);
        let may_be_old = !how.polls && running.may_wait();
        let old = weak.access(access, memory, may_be_old, |stores| {
            control.0.choose_store(stores)
        });
        drop(weak);
        if let Some(OldStore { value, graph }) = old {
            put(address, bytes, value);
            pending.makes(Some(value));
            self.old_message.set(Some(graph));
        }
    }

    /// The atomic is over that an intrinsic made.
    pub(in crate::detector) fn has_made(&self) {
        drop(self.weak());
    }

    /// What was chosen last has been made.
    pub(in crate::detector) fn takes_made(&self) -> MadeWeakly {
        self.weak()
            .map(|mut weak| weak.take_made())
            .unwrap_or_default()
    }

    /// What the address of the latest write has now, which came behind an older store.
    pub(in crate::detector) fn is_behind_older(&self, message: Option<u32>) {
        if let Some(weak) = &self.run().weak {
            // Perhaps the processor has yet to make it.
            lock(weak).set_graph(message);
        }
    }

    /// A fence of a lane.
    pub(in crate::detector) fn weak_fence(&self, thread: u32, order: u32, scope: u32) {
        if let Some(mut weak) = self.weak() {
            weak.fence(self.who(thread), order, scope);
        }
    }

    /// Lanes of the block, by warp, synchronise.
    pub(in crate::detector) fn weak_meet(&self, first_warp: u32, masks: &[u32]) {
        if let Some(mut weak) = self.weak() {
            weak.meet(&self.members(first_warp, masks));
        }
    }

    fn members(&self, first_warp: u32, masks: &[u32]) -> Vec<u32> {
        let warps = (first_warp..).zip(masks);
        let members = warps
            .flat_map(|(warp, mask)| lanes(*mask).map(move |lane| self.who(warp * LANES + lane)));
        members.collect()
    }

    /// A lane arrives at a barrier of so many threads.
    pub(in crate::detector) fn weakly_arrives_at_part(&self, thread: u32, id: u32, count: u32) {
        if let Some(mut weak) = self.weak() {
            let meeting = Meeting::Part(self.clocks.base.get(), id, count);
            weak.gather(meeting, self.who(thread));
        }
    }

    /// That barrier opened: by warp, the lanes that waited.
    pub(in crate::detector) fn weak_part_met(&self, (id, count): (u32, u32), waiting: &[u32]) {
        if let Some(mut weak) = self.weak() {
            let meeting = Meeting::Part(self.clocks.base.get(), id, count);
            for who in self.members(0, waiting) {
                weak.learn(meeting, who);
            }
            weak.is_over(meeting);
        }
    }

    /// A lane arrives at the barrier in memory at an address, or sees that a phase has ended there. Earlier phases are not told from the one that ends.
    pub(in crate::detector) fn weak_phase(&self, thread: u32, address: usize, arrives: bool) {
        if let Some(mut weak) = self.weak() {
            let (meeting, who) = (Meeting::Phase(address), self.who(thread));
            match arrives {
                true => weak.gather(meeting, who),
                false => weak.learn(meeting, who),
            }
        }
    }

    /// This memory is freed.
    pub(in crate::detector) fn weakly_freed(&self, address: usize, bytes: usize) {
        if let Some(mut weak) = self.weak() {
            weak.forget(address, bytes);
        }
    }

    /// Other blocks begin.
    pub(in crate::detector) fn restart_weakly(&self) {
        if let Some(mut weak) = self.weak() {
            weak.clear();
        }
    }
}

/// All lanes of these blocks meet.
pub(in crate::detector) fn weak_blocks_met<'a>(blocks: impl Iterator<Item = &'a BlockChecks>) {
    let mut blocks = blocks.peekable();
    let first = blocks.peek().copied();
    if let Some(mut weak) = first.and_then(BlockChecks::weak) {
        let lanes = |checks: &'a BlockChecks| {
            let threads = 0..checks.clocks.times().len() as u32;
            threads.map(|thread| checks.who(thread))
        };
        weak.meet(&blocks.flat_map(lanes).collect::<Vec<_>>());
    }
}

/// The access that was under way has been made.
fn settle(weak: &mut Weak) {
    let memory = |address, bytes: usize| value(ptr::with_exposed_provenance(address), bytes as u32);
    if let Some((address, bytes, newest)) = weak.settle(memory) {
        put(address, bytes, newest);
    }
}

/// Puts a value into memory that an atomic of this size accesses, which has a value there.
pub(in crate::detector) fn put(address: usize, bytes: usize, value: u64) {
    macro_rules! store {
        ($int:ty, $atomic:ty) => {{
            let at = ptr::with_exposed_provenance_mut::<$int>(address);
            // SAFETY: an atomic access of this size is made there by the lane that runs, so the memory is valid and aligned; it is not freed
            // before what it held is put back, since a free settles.
            let cell = unsafe { <$atomic>::from_ptr(at) };
            cell.store(value as $int, Ordering::Relaxed);
        }};
    }
    match bytes {
        1 => store!(u8, AtomicU8),
        2 => store!(u16, AtomicU16),
        4 => store!(u32, AtomicU32),
        _ => store!(u64, AtomicU64),
    }
}
