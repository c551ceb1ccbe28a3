//! The fibers of one block: resumes lanes until none of them can run.

use std::rc::Rc;

use corosensei::{Coroutine, CoroutineResult};

use crate::fault::Fault;
use crate::fiber::{Entered, Pause, Phase, Running, Signal};
use crate::stack::{self, Stack};

type Fiber = Coroutine<Signal, Pause, (), Stack>;

/// One block of a set, and the stacks of its lanes.
pub(crate) struct Crew<'run> {
    fibers: Vec<Fiber>,
    /// Fibers that wait for work.
    idle: Vec<usize>,
    /// The fiber of each lane that waits.
    fiber_of: Vec<usize>,
    /// What the fibers point to: dropped after them, and never moved.
    pub(crate) running: Rc<Running<'run>>,
}

impl<'run> Crew<'run> {
    pub(crate) fn new(running: Rc<Running<'run>>) -> Self {
        Self {
            fibers: Vec::new(),
            idle: Vec::new(),
            fiber_of: vec![0; running.shape.n_threads as usize],
            running,
        }
    }

    /// Switches to lanes until none can go on; gives whether any could.
    pub(crate) fn drain(&mut self) -> Result<bool, Fault> {
        let running = Rc::clone(&self.running);
        let _entered = Entered::new(&running);
        let mut any = false;
        loop {
            let ready = running.core.borrow_mut().next_ready();
            if let Some(thread) = ready {
                self.resume(self.fiber_of[thread as usize], Signal::Run);
            } else if running.core.borrow().has_fresh() {
                let fiber = self.idle_fiber()?;
                self.resume(fiber, Signal::Run);
            } else {
                return Ok(any);
            }
            any = true;
        }
    }

    /// Switches to the lane that has slept longest; gives whether one sleeps.
    pub(crate) fn wake(&mut self) -> bool {
        let running = Rc::clone(&self.running);
        let sleeper = running.core.borrow_mut().next_sleeper();
        let Some(thread) = sleeper else { return false };
        let _entered = Entered::new(&running);
        self.resume(self.fiber_of[thread as usize], Signal::Run);
        true
    }

    fn resume(&mut self, fiber: usize, signal: Signal) {
        match self.fibers[fiber].resume(signal) {
            CoroutineResult::Yield(Pause::Waits { thread }) => {
                self.fiber_of[thread as usize] = fiber;
            }
            CoroutineResult::Yield(Pause::Idle) => self.idle.push(fiber),
            CoroutineResult::Return(()) => {}
        }
    }

    /// A fiber that has no lane.
    fn idle_fiber(&mut self) -> Result<usize, Fault> {
        if let Some(fiber) = self.idle.pop() {
            return Ok(fiber);
        }
        let taken = &self.running.set.stacks;
        if taken.replace(taken.get() + 1) >= stack::SET_LIMIT {
            let cause = format!("{} threads wait already", stack::SET_LIMIT);
            return Err(self.out_of_stacks(cause));
        }
        let stack = stack::take().map_err(|cause| self.out_of_stacks(cause.to_string()))?;
        // The lifetime goes from the pointer's type only: `Crew` drops its fibers before `running`.
        let running = Rc::as_ptr(&self.running).cast::<Running<'static>>();
        self.fibers
            .push(Fiber::with_stack(stack, move |yielder, signal| {
                // SAFETY: `Crew` owns both, and ends all fibers before it lets go of the `Running`, which an `Rc` never moves.
                let running = unsafe { &*running };
                let mut signal = signal;
                while signal == Signal::Run {
                    running.yielder.set(yielder);
                    running.run_fresh_lanes();
                    signal = yielder.suspend(Pause::Idle);
                }
            }));
        Ok(self.fibers.len() - 1)
    }

    #[cold]
    fn out_of_stacks(&self, cause: String) -> Fault {
        let first = self.running.core.borrow().next_fresh();
        Fault::OutOfStacks {
            block: self.running.block.get(),
            thread: self.running.shape.thread_at(first),
            cause,
        }
    }

    /// Unwinds all lanes that wait (README 8), so that their destructors run and their stacks can be used again. The phase of all
    /// blocks of the set is [`Phase::Abandoned`].
    #[cold]
    pub(crate) fn abandon(&mut self) {
        let running = Rc::clone(&self.running);
        debug_assert_eq!(running.phase.get(), Phase::Abandoned);
        let _entered = Entered::new(&running);
        let n_started = running.core.borrow_mut().skip_fresh();
        for thread in 0..n_started {
            let waits = running.core.borrow().is_live(thread);
            if waits {
                self.resume(self.fiber_of[thread as usize], Signal::Abandon);
            }
        }
    }
}

impl Drop for Crew<'_> {
    fn drop(&mut self) {
        let mut stacks = Vec::with_capacity(self.idle.len());
        for mut fiber in self.fibers.drain(..) {
            // All fibers are idle here, unless a worker died by a fault of its own: `Fiber`'s destructor unwinds those.
            if fiber.resume(Signal::Quit) == CoroutineResult::Return(()) {
                stacks.push(fiber.into_stack());
            }
        }
        stack::give_back(stacks);
    }
}
