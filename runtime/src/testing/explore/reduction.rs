//! All schedules but those that differ only in the order of independent steps: dynamic partial-order reduction with sleep sets.
//!
//! Two steps are dependent if they access a common byte and one of them writes, or if both are sequentially consistent, with weak memory. After each execution every step is compared with the dependent ones before
//! it that it is not ordered after, and that are next to it in that order: before each of those the thread of the later step has to be tried too (a
//! backtracking point). A thread that was tried at a point sleeps in what follows, until a step that depends on its pending access: what it would do first is explored already.
//!
//! An access that may read several stores, or come right behind several in the modification order, has one execution for each: the newest first. Which ones there are depends on the steps that come before
//! the access in the order of dependent steps alone, so that all are explored before its thread counts as tried; `stores.rs` says which are enough.
//! A change whose choice decides whether it is a store counts as one.
//! (Flanagan, Godefroid: Dynamic Partial-Order Reduction for Model Checking Software, POPL 2005.)

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use warploom_emulator::check::ThreadId;

use super::execution::{Choose, Decision, Execution, Place, Step};
use super::order::{Order, are_dependent, join};

/// The point before a step.
#[derive(Debug, Clone)]
struct Point {
    launch: u32,
    chosen: ThreadId,
    /// The threads that were pending.
    pending: Vec<ThreadId>,
    /// Those that have to be tried.
    backtrack: Vec<ThreadId>,
    /// Those that have been tried, but for the chosen one.
    tried: Vec<ThreadId>,
    /// Those whose first step here is explored elsewhere.
    asleep: Vec<ThreadId>,
    /// How many stores are newer than the one that the chosen thread reads or comes behind.
    older: usize,
    /// Which one is the last that has to be tried; `None`: the step has not been made yet.
    oldest: Option<usize>,
}

/// What happened besides steps.
#[derive(Debug, Clone)]
struct Meeting {
    /// How many steps there were before.
    steps: usize,
    threads: Vec<ThreadId>,
}

/// The exploration, shared by the executions.
#[derive(Debug, Clone, Default)]
pub(super) struct Reduction(Arc<Mutex<Tree>>);

#[derive(Debug, Default)]
struct Tree {
    /// The path of the current execution: those of the prefix that is replayed first.
    path: Vec<Point>,
    /// How long that prefix is.
    prefix: usize,
    /// How many steps the execution has made.
    steps: usize,
    meetings: Vec<Meeting>,
    /// Threads that sleep before the next step.
    asleep: Vec<ThreadId>,
    /// From this step on the execution repeats what was explored.
    redundant_from: Option<usize>,
    /// The execution did not follow its prefix.
    diverged: bool,
}

/// What is left after an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Another execution has been prepared.
    More,
    /// There is none.
    Complete,
    /// The body made other accesses than before with the same choices.
    NotDeterministic,
}

impl Reduction {
    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prepares the next execution, after this one.
    pub(super) fn next(&self, execution: &Execution) -> Next {
        let mut tree = self.tree();
        if tree.diverged || tree.steps < tree.prefix {
            return Next::NotDeterministic;
        }
        tree.add_backtracking_points(execution);
        tree.prepare()
    }
}

impl Choose for Reduction {
    fn choose(&mut self, at: Decision<'_>) -> usize {
        self.tree().choose(at)
    }

    fn choose_store(&mut self, at: Place) -> usize {
        self.tree().choose_store(at)
    }

    fn met(&mut self, threads: &[ThreadId]) {
        self.tree().met(threads);
    }
}

impl Tree {
    fn choose(&mut self, at: Decision<'_>) -> usize {
        let now = at.steps.len();
        if at.last().is_none() {
            self.asleep.clear(); // a launch begins
        }
        let chosen = if now < self.prefix {
            self.replayed(now, at)
        } else {
            let chosen = self.awake(at);
            self.path.push(Point {
                launch: at.launch,
                chosen: at.pending[chosen].thread,
                pending: at.pending.iter().map(|access| access.thread).collect(),
                backtrack: vec![at.pending[chosen].thread],
                tried: Vec::new(),
                asleep: self.asleep.clone(),
                older: 0,
                oldest: None,
            });
            chosen
        };
        self.fall_asleep(now, at, chosen);
        self.steps = now + 1;
        chosen
    }

    fn choose_store(&mut self, at: Place) -> usize {
        if self.redundant_from.is_some() {
            return 0;
        }
        let Some(point) = self.path.get_mut(at.step) else {
            return 0;
        };
        let oldest = at.stores - 1;
        self.diverged |= point.oldest.is_some_and(|known| known != oldest);
        point.oldest = Some(oldest);
        point.older
    }

    /// As in the execution before.
    fn replayed(&mut self, now: usize, at: Decision<'_>) -> usize {
        let point = &self.path[now];
        let same = point.launch == at.launch
            && point
                .pending
                .iter()
                .copied()
                .eq(at.pending.iter().map(|one| one.thread));
        self.diverged |= !same;
        at.position(point.chosen).unwrap_or_else(|| at.default())
    }

    /// A thread that does not sleep; the default one if it can be.
    fn awake(&mut self, at: Decision<'_>) -> usize {
        let default = at.default();
        let sleeps = |index: usize| self.asleep.contains(&at.pending[index].thread);
        if !sleeps(default) {
            return default;
        }
        let other = (0..at.pending.len()).find(|index| !sleeps(*index));
        if other.is_none() {
            self.redundant_from.get_or_insert(at.steps.len());
        }
        other.unwrap_or(default)
    }

    /// Who sleeps after this step: who slept before it or has been tried in its place, and is independent of it.
    fn fall_asleep(&mut self, now: usize, at: Decision<'_>, chosen: usize) {
        let made = at.pending[chosen];
        let tried = std::mem::take(&mut self.asleep);
        let tried = tried
            .into_iter()
            .chain(self.path[now].tried.iter().copied());
        let stays = |thread: &ThreadId| {
            let pending = at.position(*thread).map(|index| &at.pending[index]);
            pending.is_some_and(|one| {
                one.thread != made.thread && !are_dependent(one, &made, one.writes || made.writes)
            })
        };
        let mut asleep: Vec<_> = tried.filter(stays).collect();
        asleep.sort_unstable();
        asleep.dedup();
        self.asleep = asleep;
    }

    fn met(&mut self, threads: &[ThreadId]) {
        self.meetings.push(Meeting {
            steps: self.steps,
            threads: threads.to_vec(),
        });
    }

    /// Adds to the points of this execution what has to be tried there.
    fn add_backtracking_points(&mut self, execution: &Execution) {
        let steps = &*execution.steps;
        let explored = self.redundant_from.unwrap_or(steps.len());
        let meetings = std::mem::take(&mut self.meetings);
        let mut meetings = meetings.iter().peekable();
        let mut order = Order::default();
        for now in 0..explored {
            while let Some(meeting) = meetings.next_if(|meeting| meeting.steps <= now) {
                order.meet(&meeting.threads);
            }
            if now > 0 && steps[now - 1].launch != steps[now].launch {
                order = Order::default(); // the launch before is over
            }
            let before = order.dependent_before(steps, now);
            self.backtrack_races(steps, now, &mut order, &before);
            order.make(steps, now, &before);
        }
        self.backtrack_pending(steps, explored, &mut order);
    }

    /// Where the execution began to repeat what was explored: the pending access of each thread has races with what came before, too.
    fn backtrack_pending(&mut self, steps: &[Step], explored: usize, order: &mut Order) {
        let mut seen = Vec::new();
        let rest = steps.iter().enumerate().skip(explored);
        let launch = explored.checked_sub(1).map(|last| steps[last].launch);
        for (now, step) in rest.take_while(|(_, step)| Some(step.launch) == launch) {
            if !seen.contains(&step.access.thread) {
                seen.push(step.access.thread);
                let before = order.dependent_before(steps, now);
                self.backtrack_races(steps, now, order, &before);
            }
        }
    }

    /// Adds backtracking points for the races of step number `now` with those of `before`, which are sorted from the latest on.
    fn backtrack_races(&mut self, steps: &[Step], now: usize, order: &mut Order, before: &[usize]) {
        let thread = steps[now].access.thread;
        let mut known = order.clock(thread);
        let mut racing = Vec::new();
        for index in before {
            let other = &steps[*index];
            if other.access.thread != thread && !order.knows(&known, other) {
                racing.push(*index);
            }
            // What happens before this one is not next to `now`.
            join(&mut known, &order.after[index]);
        }
        for index in racing {
            let first = order.initials(steps, index, now, &known);
            self.backtrack(index, thread, &first);
        }
    }

    /// Before step number `racing` one of the threads `first` has to be tried, that of the later step rather than another.
    fn backtrack(&mut self, racing: usize, thread: ThreadId, first: &[ThreadId]) {
        let Some(point) = self.path.get_mut(racing) else {
            return;
        };
        if first.iter().any(|one| point.backtrack.contains(one)) {
            return;
        }
        let is_pending = |one: &&ThreadId| point.pending.contains(one);
        let own = first.iter().find(|one| **one == thread).filter(is_pending);
        match own.or_else(|| first.iter().find(is_pending)).copied() {
            Some(one) => point.backtrack.push(one),
            // They were waiting for something: any other may lead there.
            None => point.backtrack.clone_from(&point.pending),
        }
    }

    /// Chooses the next execution: the latest point at which a store or a thread has not been tried.
    fn prepare(&mut self) -> Next {
        self.redundant_from = None;
        self.asleep.clear();
        self.meetings.clear();
        self.steps = 0;
        while let Some(point) = self.path.last_mut() {
            if point.oldest.is_some_and(|oldest| point.older < oldest) {
                point.older += 1;
                self.prefix = self.path.len();
                return Next::More;
            }
            let is_left = |thread: &&ThreadId| {
                **thread != point.chosen
                    && !point.tried.contains(thread)
                    && !point.asleep.contains(thread)
            };
            if let Some(next) = point.backtrack.iter().find(is_left).copied() {
                point.tried.push(point.chosen);
                point.chosen = next;
                (point.older, point.oldest) = (0, None);
                self.prefix = self.path.len();
                return Next::More;
            }
            self.path.pop();
        }
        Next::Complete
    }
}

#[cfg(test)]
#[path = "reduction_tests.rs"]
mod tests;
