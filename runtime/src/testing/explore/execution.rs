//! One execution: what was chosen, and what came of each choice.

use std::sync::{Mutex, MutexGuard, PoisonError};

use warploom_emulator::check::{
    ControlledLaunch, Controller, MadeAccess, PendingAccess, ReadableStore, ThreadId,
};

use super::order::Order;
use super::stores::Stores;
use super::strategy::Memory;

/// Chooses the thread of each step, and the store that it reads or comes right behind.
pub(super) trait Choose: Send {
    /// Which of the pending accesses is made next: an index.
    fn choose(&mut self, at: Decision<'_>) -> usize;

    /// Which store the access reads, or comes right behind, that was chosen last.
    fn choose_store(&mut self, _at: Place) -> usize {
        0
    }

    /// Threads of the launch have synchronised.
    fn met(&mut self, _threads: &[ThreadId]) {}

    /// The variables that choose this schedule again.
    fn replay(&self) -> String {
        String::new() // reports of such an execution are not shown: what is shown is replayed
    }
}

/// What is known when a thread is chosen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decision<'a> {
    /// The number of the launch, from 0.
    pub(super) launch: u32,
    /// The steps so far, of all launches.
    pub(super) steps: &'a [Step],
    /// At least one, sorted by thread.
    pub(super) pending: &'a [PendingAccess],
}

/// What is known when a store is chosen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The number of the launch, from 0.
    pub(super) launch: u32,
    /// The number of the step in the execution.
    pub(super) step: usize,
    pub(super) thread: ThreadId,
    /// How many steps the thread had made before.
    pub(super) of_thread: u32,
    /// How many stores may be read, or written behind, at least two: 0 is the newest. Of a choice two: 0 is the order of the program.
    pub(super) stores: usize,
}

/// An atomic access that was made.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) launch: u32,
    pub(super) access: PendingAccess,
    /// How many steps its thread had made before in this launch.
    pub(super) of_thread: u32,
    /// Whether another thread than by default was chosen.
    pub(super) is_switch: bool,
    /// How many of the stores that it could choose from are newer than the one that it read or came behind. Of a choice: whether the store comes before the load.
    pub(super) older: usize,
    /// It may write, and could choose. So it counts as a store, whatever it did: another choice may lead to one.
    pub(super) could_write: bool,
    pub(super) made: MadeAccess,
}

impl Step {
    /// Whether it is the choice between a load and the store behind it.
    pub(super) fn is_choice(&self) -> bool {
        self.access.bytes == 0 && !self.access.seq_cst
    }

    /// Whether it is a store that comes early, if it does not do what is done by default: in the modification order, or before a load.
    pub(super) fn comes_early(&self) -> bool {
        self.made.is_store || self.is_choice()
    }

    /// Whether accesses of its memory depend on it, whatever they do.
    pub(super) fn is_store(&self) -> bool {
        self.made.is_store || self.could_write
    }
}

impl Decision<'_> {
    /// The step before this one, if it was of the same launch.
    pub(super) fn last(&self) -> Option<&Step> {
        self.steps.last().filter(|step| step.launch == self.launch)
    }

    /// Where that of `thread` is in the list.
    pub(super) fn position(&self, thread: ThreadId) -> Option<usize> {
        let pending = self.pending.iter();
        pending.clone().position(|access| access.thread == thread)
    }

    /// Without a switch: the thread of the step before if it is pending, else the first.
    pub(super) fn default(&self) -> usize {
        let last = self.last().map(|step| step.access.thread);
        last.and_then(|thread| self.position(thread)).unwrap_or(0)
    }
}

/// Steps between two times at which clocks of earlier steps are forgotten.
const FORGET_AFTER: usize = if cfg!(test) { 2 } else { 1024 };

/// Makes the choices of one execution, and keeps them.
pub(super) struct Recorder {
    state: Mutex<State>,
    memory: Memory,
    names_memory: bool,
    replay: String,
}

struct State {
    choose: Box<dyn Choose>,
    execution: Execution,
    /// The order of the steps of the launch, with weak memory.
    order: Order,
    /// The stores of the launch, likewise.
    stores: Stores,
    /// The first step of the launch.
    first: usize,
    /// The store that the step chosen last reads or comes behind, if not the newest one: which access of the launch it was.
    chosen: Option<Option<u64>>,
}

impl State {
    /// How many of these stores the step that was chosen last has to choose from.
    fn choices(&mut self, stores: &[ReadableStore]) -> usize {
        let steps = &self.execution.steps[self.first..];
        let Some(step) = steps.last() else {
            return 1;
        };
        let known = self.order.known_but_for_its_memory(step);
        self.stores
            .choices(step, stores, &known, (&self.order, steps))
    }
}

/// The steps of an execution.
#[derive(Debug, Clone, Default)]
pub(super) struct Execution {
    pub(super) launches: Vec<ControlledLaunch>,
    pub(super) steps: Vec<Step>,
}

impl Execution {
    fn steps_of(&self, launch: u32, thread: ThreadId) -> u32 {
        let own = |step: &&Step| step.launch == launch && step.access.thread == thread;
        self.steps
            .iter()
            .rev()
            .find(own)
            .map_or(0, |step| step.of_thread + 1)
    }
}

impl Recorder {
    pub(super) fn new(choose: Box<dyn Choose>, memory: Memory, names_memory: bool) -> Recorder {
        let replay = choose.replay();
        let state = Mutex::new(State {
            choose,
            execution: Execution::default(),
            order: Order::default(),
            stores: Stores::default(),
            first: 0,
            chosen: None,
        });
        Recorder {
            state,
            memory,
            names_memory,
            replay,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was chosen. The recorder begins anew.
    pub(super) fn take(&self) -> Execution {
        std::mem::take(&mut self.state().execution)
    }
}

impl Controller for Recorder {
    fn begin(&self, launch: ControlledLaunch) {
        let state = &mut *self.state();
        state.execution.launches.push(launch);
        (state.order, state.stores) = Default::default(); // the launch before is over
        state.first = state.execution.steps.len();
    }

    fn choose(&self, pending: &[PendingAccess]) -> usize {
        let state = &mut *self.state();
        let launch = (state.execution.launches.len() as u32).saturating_sub(1);
        let decision = Decision {
            launch,
            steps: &state.execution.steps,
            pending,
        };
        let default = decision.default();
        let chosen = state.choose.choose(decision).min(pending.len() - 1);
        let access = pending[chosen];
        let of_thread = state.execution.steps_of(launch, access.thread);
        state.execution.steps.push(Step {
            launch,
            access,
            of_thread,
            is_switch: chosen != default,
            older: 0,
            could_write: false,
            made: MadeAccess::default(),
        });
        state.chosen = None;
        chosen
    }

    fn has_weak_memory(&self) -> bool {
        self.memory == Memory::Weak
    }

    fn choose_store(&self, stores: &[ReadableStore]) -> usize {
        let state = &mut *self.state();
        let choices = state.choices(stores);
        let number = state.execution.steps.len().saturating_sub(1);
        let Some(step) = state.execution.steps.last_mut() else {
            return 0;
        };
        step.could_write = step.access.writes;
        if choices == 1 {
            return 0;
        }
        let place = Place {
            launch: step.launch,
            step: number,
            thread: step.access.thread,
            of_thread: step.of_thread,
            stores: choices,
        };
        step.older = state.choose.choose_store(place).min(choices - 1);
        state.chosen = (step.older > 0).then(|| stores[step.older].access);
        step.older
    }

    fn stores_early(&self) -> bool {
        let state = &mut *self.state();
        let number = state.execution.steps.len().saturating_sub(1);
        let Some(step) = state.execution.steps.last_mut() else {
            return false;
        };
        let place = Place {
            launch: step.launch,
            step: number,
            thread: step.access.thread,
            of_thread: step.of_thread,
            stores: 2,
        };
        step.older = state.choose.choose_store(place).min(1);
        step.older > 0
    }

    fn made(&self, access: MadeAccess) {
        let state = &mut *self.state();
        let steps = &mut state.execution.steps;
        let Some(step) = steps.last_mut() else { return };
        step.made = access;
        if self.memory == Memory::Weak {
            let now = steps.len() - 1;
            let before = state.order.dependent_before(steps, now);
            state.order.make(steps, now, &before);
            let made = (&steps[now], (now - state.first) as u64);
            let after = &state.order.after[&now];
            state.stores.made(made, state.chosen.take(), after);
            if now % FORGET_AFTER == FORGET_AFTER - 1 {
                state.order.forget();
            }
        }
    }

    fn met(&self, threads: &[ThreadId]) {
        let state = &mut *self.state();
        state.choose.met(threads);
        if self.memory == Memory::Weak {
            state.order.meet(threads);
        }
    }

    fn replay(&self) -> String {
        self.replay.clone()
    }

    fn names_memory(&self) -> bool {
        self.names_memory
    }
}

#[cfg(test)]
#[path = "weak_tests.rs"]
mod tests;
