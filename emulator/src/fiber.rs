//! A stack for a lane that has to wait.
//!
//! A fiber runs fresh lanes, one after the other, on its stack. When one of them has to wait, the stack is this lane's until the lane
//! returns, and another fiber goes on with the fresh lanes. So a kernel without barriers needs one stack, and a kernel whose lanes all
//! wait needs one for each lane. Fibers that have no work wait for the next block; their stacks outlive the run in a depot.
//!
//! Whatever a fiber and the scheduler share lies in [`Running`]. Only one of them runs at a time, all on one OS thread, so its cells
//! need no lock; no borrow of a `RefCell` is alive across a switch. The rules stand in `README.md`, numbered.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::thread;

use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::block::{Arrival, Block};
use crate::fault::Fault;
use crate::panics::PanicRecord;
use crate::shape::CheckedShape;
use crate::shared::Arena;
use crate::stack::{self, Stack};

thread_local! {
    /// The block that runs on this OS thread; null in host code.
    static RUNNING: Cell<*const Running<'static>> = const { Cell::new(ptr::null()) };
}

type Fiber = Coroutine<Signal, Pause, (), Stack>;

/// What the scheduler tells a fiber when it resumes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signal {
    /// Go on.
    Run,
    /// The block is stuck: unwind the lane.
    Abandon,
    /// There are no more blocks: return.
    Quit,
}

/// Why a fiber switched back to the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pause {
    /// This lane has to wait.
    Waits { thread: u32 },
    /// There is no fresh lane.
    Idle,
}

/// What a lane that wants to wait finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The block runs.
    Runs,
    /// The lane has panicked, and the payload of its panic is being dropped: it cannot wait any more.
    Leaving,
    /// The block is stuck, and its lanes are being unwound.
    Abandoned,
}

/// The panic payload that unwinds a lane of a stuck block.
struct Abandoned;

/// The block that runs, as its lanes see it.
pub(crate) struct Running<'run> {
    pub(crate) shape: CheckedShape,
    pub(crate) block: Cell<[u32; 3]>,
    /// The lane that runs: its place in the block.
    pub(crate) place: Cell<[u32; 3]>,
    /// The lane that runs: its number in the block.
    pub(crate) thread: Cell<u32>,
    pub(crate) arena: RefCell<Arena>,
    core: RefCell<Block>,
    program: &'run (dyn Fn() + Sync),
    /// The place of each lane in the block.
    places: Vec<[u32; 3]>,
    /// The fiber that runs.
    yielder: Cell<*const Yielder<Signal, Pause>>,
    phase: Cell<Phase>,
    /// The latest panic on a lane, and which lane that was.
    record: RefCell<Option<(u32, PanicRecord)>>,
    /// The lowest lane of this block that panicked.
    first_panic: RefCell<Option<(u32, PanicRecord)>>,
    n_panicked: Cell<u64>,
}

/// How a block failed.
#[derive(Debug)]
pub(crate) struct BlockFailure {
    pub(crate) fault: Fault,
    pub(crate) n_panicked: u64,
    /// No further block may start.
    pub(crate) stops_run: bool,
}

/// Whether a lane runs on this OS thread.
pub(crate) fn on_lane() -> bool {
    !RUNNING.get().is_null()
}

/// What `read` finds in the block that runs on this OS thread; `None` in host code.
#[inline(always)]
pub(crate) fn with_running<R>(read: impl FnOnce(&Running<'_>) -> R) -> Option<R> {
    let running = RUNNING.get();
    // SAFETY: the pointer is null, or was set by `Worker::run_block`, which resets it before its `Running` can move or end.
    unsafe { running.as_ref() }.map(read)
}

/// Takes the record of a panic, if a lane runs on this OS thread.
pub(crate) fn record_panic(record: impl FnOnce() -> PanicRecord) -> bool {
    with_running(|running| {
        let record = record();
        *running.record.borrow_mut() = Some((running.thread.get(), record));
    })
    .is_some()
}

impl Running<'_> {
    /// Brings the lane that runs to a rendezvous. `Waits`: it has to call [`Running::wait`]. `None`: the lane is being unwound by a
    /// panic; it counts as gone, and a destructor that wants to wait does not.
    #[inline(never)]
    pub(crate) fn arrive(
        &self,
        arrive: impl FnOnce(&mut Block, u32) -> Arrival,
    ) -> Option<Arrival> {
        // README 9: the other lanes would run with this lane's panic count.
        if thread::panicking() {
            return None;
        }
        match self.phase.get() {
            Phase::Runs => {}
            Phase::Leaving => return None,
            Phase::Abandoned => leave(),
        }
        Some(arrive(&mut self.core.borrow_mut(), self.thread.get()))
    }

    /// What the operation that the lane waited for gave it.
    #[inline(never)]
    pub(crate) fn result(&self) -> u32 {
        self.core.borrow().result(self.thread.get())
    }

    /// Switches to other lanes until the lane that runs may go on.
    // Inlined up to the kernel: the processor mispredicts each return after a switch, at 10 to 20 ns.
    #[inline(always)]
    pub(crate) fn wait(&self) {
        let (thread, place, yielder) = (self.thread.get(), self.place.get(), self.yielder.get());
        // SAFETY: a fiber put its own yielder there when it started or came back; we are on that fiber, so the yielder is alive.
        let signal = unsafe { (*yielder).suspend(Pause::Waits { thread }) };
        self.thread.set(thread);
        self.place.set(place);
        self.yielder.set(yielder);
        if signal != Signal::Run {
            leave();
        }
    }

    /// Lets all other lanes that can run do so before the lane that runs goes on.
    #[inline(never)]
    pub(crate) fn sleep(&self) {
        // As in `arrive`.
        if thread::panicking() {
            return;
        }
        match self.phase.get() {
            Phase::Runs => {}
            Phase::Leaving => return,
            Phase::Abandoned => leave(),
        }
        self.core.borrow_mut().sleep(self.thread.get());
        self.wait();
    }

    /// Runs fresh lanes until none is left.
    fn run_fresh_lanes(&self) {
        loop {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let mut next = self.core.borrow_mut().start_fresh();
                while let Some(thread) = next {
                    self.thread.set(thread);
                    self.place.set(self.places[thread as usize]);
                    (self.program)();
                    let mut core = self.core.borrow_mut();
                    core.exit(self.thread.get());
                    next = core.start_fresh();
                }
            }));
            match outcome {
                Ok(()) => return,
                Err(payload) => self.lane_unwound(payload),
            }
        }
    }

    #[cold]
    fn lane_unwound(&self, payload: Box<dyn Any + Send>) {
        let thread = self.thread.get();
        let phase = self.phase.get();
        if phase == Phase::Runs {
            let record = match self.record.take() {
                Some((lane, record)) if lane == thread => record,
                _ => PanicRecord::of_payload(&*payload),
            };
            let mut first = self.first_panic.borrow_mut();
            if first.as_ref().is_none_or(|(lowest, _)| thread < *lowest) {
                *first = Some((thread, record));
            }
            self.n_panicked.set(self.n_panicked.get() + 1);
        }
        // A payload of the user's own type may want to wait when it is dropped, or panic; the payload of that panic is left alone.
        if phase == Phase::Runs {
            self.phase.set(Phase::Leaving);
        }
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(payload);
        }
        self.phase.set(phase);
        self.core.borrow_mut().exit(thread);
    }
}

/// Runs blocks on one OS thread.
pub(crate) struct Worker<'run> {
    fibers: Vec<Fiber>,
    /// Fibers that wait for work.
    idle: Vec<usize>,
    /// The fiber of each lane that waits.
    fiber_of: Vec<usize>,
    /// What the fibers point to: dropped after them, and never moved (hence the box).
    running: Box<Running<'run>>,
}

impl<'run> Worker<'run> {
    pub(crate) fn new(shape: CheckedShape, program: &'run (dyn Fn() + Sync)) -> Self {
        let running = Running {
            shape,
            block: Cell::new([0; 3]),
            place: Cell::new([0; 3]),
            thread: Cell::new(0),
            arena: RefCell::new(Arena::new(shape.shape.dynamic_shared_bytes as usize)),
            core: RefCell::new(Block::new(shape.n_threads)),
            program,
            places: (0..shape.n_threads)
                .map(|thread| shape.thread_at(thread))
                .collect(),
            yielder: Cell::new(ptr::null()),
            phase: Cell::new(Phase::Runs),
            record: RefCell::new(None),
            first_panic: RefCell::new(None),
            n_panicked: Cell::new(0),
        };
        Self {
            fibers: Vec::new(),
            idle: Vec::new(),
            fiber_of: vec![0; shape.n_threads as usize],
            running: Box::new(running),
        }
    }

    /// Runs one block to its end.
    pub(crate) fn run_block(&mut self, linear: u64) -> Result<(), BlockFailure> {
        let running = &*self.running;
        running.block.set(running.shape.block_at(linear));
        running.core.borrow_mut().reset();
        running.arena.borrow_mut().reset();
        let _entered = Entered::new(running);
        let stuck = self.schedule();
        self.verdict(stuck)
    }

    /// Switches to lanes until all have exited. `Some`: they cannot, and all have been unwound.
    fn schedule(&mut self) -> Option<Fault> {
        loop {
            let ready = self.running.core.borrow_mut().next_ready();
            if let Some(thread) = ready {
                self.resume(self.fiber_of[thread as usize], Signal::Run);
            } else if self.running.core.borrow().has_fresh() {
                match self.idle_fiber() {
                    Ok(fiber) => self.resume(fiber, Signal::Run),
                    Err(cause) => {
                        let first = self.running.core.borrow().next_fresh();
                        let fault = Fault::OutOfStacks {
                            block: self.running.block.get(),
                            thread: self.running.shape.thread_at(first),
                            cause: cause.to_string(),
                        };
                        self.abandon(&fault);
                        return Some(fault);
                    }
                }
            } else if !self.running.core.borrow_mut().converge() {
                let sleeper = self.running.core.borrow_mut().next_sleeper();
                let Some(thread) = sleeper else { break };
                self.resume(self.fiber_of[thread as usize], Signal::Run);
            }
        }
        let core = self.running.core.borrow();
        if core.n_live() == 0 {
            return None;
        }
        let fault = Fault::Deadlock {
            block: self.running.block.get(),
            waits: core.waits(&self.running.shape),
        };
        drop(core);
        self.abandon(&fault);
        Some(fault)
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
    fn idle_fiber(&mut self) -> std::io::Result<usize> {
        if let Some(fiber) = self.idle.pop() {
            return Ok(fiber);
        }
        let stack = stack::take()?;
        // The lifetime goes from the pointer's type only: `Worker` drops its fibers before `running`.
        let running = ptr::from_ref(&*self.running).cast::<Running<'static>>();
        self.fibers
            .push(Fiber::with_stack(stack, move |yielder, signal| {
                // SAFETY: `Worker` owns both, never moves the box's content, and ends all fibers before it frees it.
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

    /// Unwinds all lanes that wait (README 8), so that their destructors run and their stacks can be used again.
    #[cold]
    fn abandon(&mut self, fault: &Fault) {
        if cfg!(panic = "abort") {
            // Without unwinding their destructors would never run, which frames such as `thread::scope` rely on.
            eprintln!("warploom: {fault}");
            std::process::abort();
        }
        self.running.phase.set(Phase::Abandoned);
        let n_started = self.running.core.borrow_mut().skip_fresh();
        for thread in 0..n_started {
            let waits = self.running.core.borrow().is_live(thread);
            if waits {
                self.resume(self.fiber_of[thread as usize], Signal::Abandon);
            }
        }
        self.running.phase.set(Phase::Runs);
    }

    fn verdict(&self, stuck: Option<Fault>) -> Result<(), BlockFailure> {
        let running = &*self.running;
        let stops_run = stuck.is_some();
        let n_panicked = running.n_panicked.take();
        let panicked = running
            .first_panic
            .take()
            .map(|(thread, record)| Fault::Panic {
                message: record.message,
                file: record.file,
                line: record.line,
                column: record.column,
                block: running.block.get(),
                thread: running.shape.thread_at(thread),
                count: n_panicked,
            });
        match panicked.or(stuck) {
            None => Ok(()),
            Some(fault) => Err(BlockFailure {
                fault,
                n_panicked,
                stops_run,
            }),
        }
    }
}

impl Drop for Worker<'_> {
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

/// Unwinds the lane that runs.
#[cold]
fn leave() -> ! {
    resume_unwind(Box::new(Abandoned))
}

/// While it lives, the block is the one that runs on this OS thread.
struct Entered;

impl Entered {
    fn new(running: &Running<'_>) -> Self {
        RUNNING.set(ptr::from_ref(running).cast());
        Self
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        RUNNING.set(ptr::null());
    }
}
