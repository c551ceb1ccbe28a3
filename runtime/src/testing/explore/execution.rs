//! One execution: what was chosen, and what came of each choice.

use std::sync::{Mutex, MutexGuard, PoisonError};

use warploom_emulator::check::{ControlledLaunch, Controller, MadeAccess, PendingAccess, ThreadId};

/// Chooses the thread of each step.
pub(super) trait Choose: Send {
    /// Which of the pending accesses is made next: an index.
    fn choose(&mut self, at: Decision<'_>) -> usize;

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

/// An atomic access that was made.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) launch: u32,
    pub(super) access: PendingAccess,
    /// How many steps its thread had made before in this launch.
    pub(super) of_thread: u32,
    /// Whether another thread than by default was chosen.
    pub(super) is_switch: bool,
    pub(super) made: MadeAccess,
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

/// Makes the choices of one execution, and keeps them.
pub(super) struct Recorder {
    state: Mutex<State>,
    names_memory: bool,
    replay: String,
}

struct State {
    choose: Box<dyn Choose>,
    execution: Execution,
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
    pub(super) fn new(choose: Box<dyn Choose>, names_memory: bool) -> Recorder {
        let replay = choose.replay();
        let state = Mutex::new(State {
            choose,
            execution: Execution::default(),
        });
        Recorder {
            state,
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
        self.state().execution.launches.push(launch);
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
            made: MadeAccess::default(),
        });
        chosen
    }

    fn made(&self, access: MadeAccess) {
        if let Some(step) = self.state().execution.steps.last_mut() {
            step.made = access;
        }
    }

    fn met(&self, threads: &[ThreadId]) {
        self.state().choose.met(threads);
    }

    fn replay(&self) -> String {
        self.replay.clone()
    }

    fn names_memory(&self) -> bool {
        self.names_memory
    }
}
