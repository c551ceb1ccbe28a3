//! The stacks of one block: switches to its lanes until none of them can run.

use std::rc::Rc;

use crate::engine::block::Pick;
use crate::engine::context::{Context, Fibers};
use crate::engine::fiber::{Entered, Phase, Running, run_lanes};
use crate::engine::stack;
use crate::fault::Fault;

/// One block of a set, and the stacks of its lanes.
pub(crate) struct BlockScheduler<'run> {
    fibers: Option<Fibers>,
    /// What the fibers point to: dropped after them, and never moved.
    pub(crate) running: Rc<Running<'run>>,
}

impl<'run> BlockScheduler<'run> {
    pub(crate) fn new(running: Rc<Running<'run>>) -> Self {
        Self {
            fibers: Some(Fibers::new()),
            running,
        }
    }

    /// Switches to lanes until none can go on; gives whether any could.
    pub(crate) fn drain(&mut self) -> Result<bool, Fault> {
        let running = Rc::clone(&self.running);
        let _entered = Entered::new(&running);
        let mut any = false;
        while running.phase.get() == Phase::Runs {
            let pick = match running.wants_fiber.take() {
                true => Pick::Fresh, // as was picked: in random orders another pick would be another number
                false => running.core_mut().pick(),
            };
            match pick {
                Pick::Ready(thread) => self.resume(thread),
                Pick::Fresh => {
                    let fiber = match running.idle_fiber() {
                        Some(fiber) => fiber,
                        None => self.new_fiber()?,
                    };
                    self.enter(fiber);
                }
                Pick::None => return Ok(any),
            }
            any = true;
        }
        Ok(any)
    }

    /// Switches to the lanes that sleep, the one that has slept longest first; gives whether there were any.
    pub(crate) fn wake(&mut self) -> bool {
        let running = Rc::clone(&self.running);
        let (sleepers, waiting) = {
            let core = running.core();
            (core.n_asleep(), core.n_waiting())
        };
        let _entered = Entered::new(&running);
        for _ in 0..sleepers {
            let sleeper = running.core_mut().next_sleeper();
            let Some(thread) = sleeper else { break };
            self.resume(thread);
            // What waits now, or no longer, may be complete, and goes before those that still sleep.
            if running.core().n_waiting() != waiting || running.phase.get() != Phase::Runs {
                break;
            }
        }
        sleepers != 0
    }

    /// Switches to a lane whose atomic access was chosen, as number `number` of the launch.
    pub(crate) fn make_access(&mut self, thread: u32, number: u64) {
        let running = Rc::clone(&self.running);
        let _entered = Entered::new(&running);
        if let Some(pending) = &running.pending {
            pending.take(thread, number);
        }
        self.resume(thread);
        running.spin.settle();
    }

    /// Switches to a lane that waits; it counts as running.
    fn resume(&mut self, thread: u32) {
        let context = self.running.turn_of(thread);
        self.enter(context);
    }

    fn enter(&mut self, to: Context) {
        if let Some(fibers) = &mut self.fibers {
            // SAFETY: lanes that wait and fibers without a lane are suspended, and those of this block are all in `fibers`.
            unsafe { self.running.link.enter(fibers, to) };
        }
    }

    /// A fiber that has no lane.
    fn new_fiber(&mut self) -> Result<Context, Fault> {
        let taken = &self.running.set.stacks;
        if taken.replace(taken.get() + 1) >= stack::SET_LIMIT {
            let cause = format!("{} threads wait already", stack::SET_LIMIT);
            return Err(self.out_of_stacks(cause));
        }
        let bytes = self.running.set.launch.options.stack_bytes;
        let stack = stack::take(bytes).map_err(|cause| self.out_of_stacks(cause.to_string()))?;
        self.running.guards.add(stack.below());
        let running = Rc::as_ptr(&self.running).cast();
        let fibers = self.fibers.get_or_insert_with(Fibers::new);
        Ok(fibers.add(stack, run_lanes, running))
    }

    #[cold]
    fn out_of_stacks(&self, cause: String) -> Fault {
        let first = self.running.core().next_fresh();
        Fault::OutOfStacks {
            block: self.running.registers.block.get(),
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
        running.core_mut().skip_fresh();
        for thread in 0..running.shape.n_threads {
            let waits = running.core().is_live(thread);
            if waits {
                self.resume(thread);
            }
        }
    }
}

impl Drop for BlockScheduler<'_> {
    fn drop(&mut self) {
        if let Some(fibers) = self.fibers.take() {
            self.running.guards.close_all();
            // SAFETY: all lanes have exited, and nothing below them on a stack has to be dropped. Should a worker have died by a fault of
            // its own, lanes that waited are never resumed.
            stack::give_back(unsafe { fibers.into_stacks() });
        }
    }
}
