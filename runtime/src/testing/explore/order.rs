//! Which steps of an execution happen before which.

use std::collections::{HashMap, HashSet};

use warploom_emulator::check::{PendingAccess, ThreadId};

use super::execution::Step;

/// What is known of the order of the steps of one launch: happens-before by program order, dependent steps and meetings.
#[derive(Default)]
pub(super) struct Order {
    /// The number of each thread that has made a step or met others.
    numbers: HashMap<ThreadId, usize>,
    /// For each thread, how many steps of each other one happen before its next step.
    clocks: Vec<Vec<u32>>,
    /// The same after each step that was made.
    pub(super) after: HashMap<usize, Vec<u32>>,
    /// The steps that accessed each piece of [`PIECE`] bytes, but for those that come before another one of them for all that is asked.
    accessed: HashMap<usize, Vec<usize>>,
    /// The latest step that is ordered with all others of the kind.
    seq_cst: Option<usize>,
}

const PIECE: usize = 8;

/// Reads that are kept of a piece without a look at whose they are.
const FEW: usize = 64;

fn pieces(access: &PendingAccess) -> std::ops::RangeInclusive<usize> {
    let last = access.address + (access.bytes as usize).max(1) - 1;
    access.address / PIECE..=last / PIECE
}

impl Order {
    pub(super) fn number(&mut self, thread: ThreadId) -> usize {
        let next = self.numbers.len();
        let number = *self.numbers.entry(thread).or_insert(next);
        if number == next {
            self.clocks.push(Vec::new());
        }
        number
    }

    pub(super) fn clock(&mut self, thread: ThreadId) -> Vec<u32> {
        let number = self.number(thread);
        self.clocks[number].clone()
    }

    /// Forgets the clocks of steps that no later step is compared with.
    pub(super) fn forget(&mut self) {
        let kept: HashSet<usize> = self.accessed.values().flatten().copied().collect();
        let latest = self.seq_cst;
        self.after
            .retain(|step, _| kept.contains(step) || latest == Some(*step));
    }

    /// Whether who has this clock knows a step.
    pub(super) fn knows(&self, clock: &[u32], step: &Step) -> bool {
        let number = self.numbers.get(&step.access.thread);
        let known = number.and_then(|number| clock.get(*number));
        known.is_some_and(|known| *known > step.of_thread)
    }

    /// What the thread of a step knows before it by all but the order of the accesses of the step's own memory.
    pub(super) fn known_but_for_its_memory(&mut self, step: &Step) -> Vec<u32> {
        let mut known = self.clock(step.access.thread);
        let seq_cst = self.seq_cst.filter(|_| step.access.seq_cst);
        if let Some(before) = seq_cst.and_then(|before| self.after.get(&before)) {
            join(&mut known, before);
        }
        known
    }

    /// Of the steps after `racing` that do not happen after it, and step number `now`: the threads of those that no other of them happens
    /// before. `known`: the clock of `now`.
    pub(super) fn initials(
        &self,
        steps: &[Step],
        racing: usize,
        now: usize,
        known: &[u32],
    ) -> Vec<ThreadId> {
        let mut before = Vec::new();
        let mut first = Vec::new();
        for index in racing + 1..=now {
            let clock = match self.after.get(&index) {
                _ if index == now => known,
                Some(clock) if !self.knows(clock, &steps[racing]) => clock,
                _ => continue,
            };
            let mut others = before.iter();
            if !others.any(|other: &usize| self.knows(clock, &steps[*other])) {
                first.push(steps[index].access.thread);
            }
            before.push(index);
        }
        first
    }

    pub(super) fn meet(&mut self, threads: &[ThreadId]) {
        let numbers: Vec<_> = threads.iter().map(|thread| self.number(*thread)).collect();
        let mut all = Vec::new();
        for number in &numbers {
            join(&mut all, &self.clocks[*number]);
        }
        for number in numbers {
            self.clocks[number].clone_from(&all);
        }
    }

    /// The earlier steps that step number `now` depends on, latest first, as far as the latest write of all its bytes.
    pub(super) fn dependent_before(&self, steps: &[Step], now: usize) -> Vec<usize> {
        let step = &steps[now];
        let is_dependent = |index: &usize| {
            let wrote = steps[*index].is_store() || step.is_store();
            wrote && overlap(&steps[*index].access, &step.access)
        };
        let lists = pieces(&step.access).filter_map(|piece| self.accessed.get(&piece));
        let mut before: Vec<usize> = lists.flatten().copied().filter(is_dependent).collect();
        before.sort_unstable();
        before.dedup();
        let mut dependent = Vec::new();
        for index in before.into_iter().rev() {
            dependent.push(index);
            if steps[index].is_store() && covers(&steps[index].access, &step.access) {
                break; // what came before is ordered before this
            }
        }
        if let Some(latest) = self.seq_cst.filter(|_| step.access.seq_cst)
            && !dependent.contains(&latest)
        {
            dependent.push(latest);
            dependent.sort_unstable_by(|a, b| b.cmp(a));
        }
        dependent
    }

    /// Step number `now` is made, after those in `before`.
    pub(super) fn make(&mut self, steps: &[Step], now: usize, before: &[usize]) {
        let step = &steps[now];
        let own = self.number(step.access.thread);
        let mut clock = std::mem::take(&mut self.clocks[own]);
        for index in before {
            join(&mut clock, &self.after[index]);
        }
        if clock.len() <= own {
            clock.resize(own + 1, 0);
        }
        clock[own] = step.of_thread + 1;
        self.after.insert(now, clock.clone());
        self.clocks[own] = clock;
        if step.access.seq_cst {
            self.seq_cst = Some(now);
        }
        for piece in pieces(&step.access) {
            let accessed = self.accessed.entry(piece).or_default();
            // A store of all its bytes comes after an access, and a read after the thread's own earlier ones: those are looked for now and then.
            let is_due = accessed.len().is_power_of_two() && accessed.len() >= FEW;
            if !step.is_store() && !is_due {
                accessed.push(now);
                continue;
            }
            accessed.retain(|before| {
                let before = &steps[*before];
                let comes_before = step.is_store()
                    || !before.is_store() && before.access.thread == step.access.thread;
                !(comes_before && covers(&step.access, &before.access))
            });
            accessed.push(now);
        }
    }
}

/// Whether `a` accesses all bytes of `b`.
fn covers(a: &PendingAccess, b: &PendingAccess) -> bool {
    a.address <= b.address && b.address + b.bytes as usize <= a.address + a.bytes as usize
}

pub(super) fn join(clock: &mut Vec<u32>, other: &[u32]) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    for (own, other) in clock.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}

/// Whether two accesses touch a common byte, and one of them `writes`, or both are ordered with all others of their kind.
pub(super) fn are_dependent(a: &PendingAccess, b: &PendingAccess, writes: bool) -> bool {
    writes && overlap(a, b) || a.seq_cst && b.seq_cst
}

fn overlap(a: &PendingAccess, b: &PendingAccess) -> bool {
    let ends = |access: &PendingAccess| access.address + access.bytes as usize;
    a.address < ends(b) && b.address < ends(a)
}
