//! OS threads that help the caller of a run. They sleep until the next run: to start one costs more than many a run.
//!
//! A helper sleeps until it gets a job, and the caller until the last helper is done (after polling for at most a few microseconds, as
//! long as being woken would take). If nothing is left to do when a helper has not woken yet, its job is cancelled, so that no run waits
//! for a processor that others use.
//!
//! A job borrows from its caller. [`Pool::run_with`] alone hands it out, and does not return, nor unwind, before the helper is done with it
//! or the job is cancelled.

use std::any::Any;
use std::cell::Cell;
use std::mem;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process;
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};

use crate::sync::{Condvar, Mutex, StaticMutex, lock, wait};

/// The helpers of the process.
pub(crate) static HELPERS: Pool = Pool::new();

/// How often a caller polls whether a helper is done before it sleeps.
const SPINS: u32 = if cfg!(loom) { 0 } else { 64 };

/// Processors that the calling OS thread may use, at least one. The first call on each costs what a small run does.
pub(crate) fn processors() -> usize {
    thread_local! {
        static KNOWN: Cell<usize> = const { Cell::new(0) };
    }
    if KNOWN.get() == 0 {
        KNOWN.set(thread::available_parallelism().map_or(1, NonZero::get));
    }
    KNOWN.get()
}

/// Helpers without work.
pub(crate) struct Pool(StaticMutex<Idle>);

struct Idle {
    /// Whose threads they are: a process that was forked has none of those of its parent.
    process: u32,
    helpers: Vec<Helper>,
}

/// An OS thread.
struct Helper {
    slot: Arc<JobSlot<Job>>,
    thread: JoinHandle<()>,
}

/// What helpers are to call.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Job(*const (dyn Fn() + Sync));

// SAFETY: what it points to is `Sync`, and stays as long as a helper may call it: see `Pool::run_with`.
unsafe impl Send for Job {}

/// What a helper's panic was raised with.
type Payload = Box<dyn Any + Send>;

impl Pool {
    pub(crate) const fn new() -> Self {
        Self(StaticMutex::new(Idle {
            process: 0,
            helpers: Vec::new(),
        }))
    }

    /// Calls `work` on `n` helpers while `own` runs here, and returns when all of these calls are over.
    ///
    /// `own` gets the number of helpers that there are: too few if the system refuses threads. It gives whether all is done: then helpers
    /// that have not begun are cancelled. For each of these, and each that there is not, `cancel` is called.
    ///
    /// # Panics
    /// With the panic of `own`, or else of the first helper that panicked; when all are done.
    pub(crate) fn run_with(
        &self,
        n: usize,
        work: &(dyn Fn() + Sync),
        cancel: &dyn Fn(),
        own: impl FnOnce(usize) -> bool,
    ) {
        let work: *const (dyn Fn() + Sync + '_) = work;
        // SAFETY: the same pointer, but for a lifetime that the compiler would have to know of: `RunningJob` keeps all control flow inside this function
        // before all helpers are done with it.
        let job: Job = unsafe { mem::transmute(work) };
        let mut running = RunningJob {
            pool: self,
            cancel,
            helpers: self.submit(n, job),
            idle: Vec::new(),
            is_done: true,
        };
        for _ in running.helpers.len()..n {
            cancel();
        }
        running.is_done = own(running.helpers.len());
        if let Some(payload) = running.finish() {
            resume_unwind(payload);
        }
    }

    /// Up to `n` helpers, which begin.
    fn submit(&self, n: usize, job: Job) -> Vec<Helper> {
        let mut helpers = self.take(n);
        for helper in &helpers {
            helper.slot.submit(job);
        }
        while helpers.len() < n
            && let Some(helper) = Helper::start(job)
        {
            helpers.push(helper);
        }
        helpers
    }

    /// Up to `n` helpers without work.
    fn take(&self, n: usize) -> Vec<Helper> {
        if n == 0 {
            return Vec::new();
        }
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let process = process::id();
        if idle.process != process {
            idle.process = process;
            mem::forget(mem::take(&mut idle.helpers)); // threads of the parent
        }
        let kept = idle.helpers.len().saturating_sub(n);
        idle.helpers.split_off(kept)
    }

    /// Keeps as many as could work at a time, and ends the others.
    fn give_back(&self, mut helpers: Vec<Helper>) {
        // Under Miri a thread that outlives `main` is an error.
        let most = if cfg!(miri) { 0 } else { processors() };
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = most.saturating_sub(idle.helpers.len());
        let others = helpers.split_off(room.min(helpers.len()));
        idle.helpers.append(&mut helpers);
        drop(idle);
        for helper in others {
            helper.end();
        }
    }
}

/// Helpers that work for the caller of [`Pool::run_with`].
struct RunningJob<'a> {
    pool: &'a Pool,
    cancel: &'a dyn Fn(),
    /// Those with a job, begun or not.
    helpers: Vec<Helper>,
    /// Those that are done.
    idle: Vec<Helper>,
    /// Nothing is left to do for those that have not begun.
    is_done: bool,
}

impl RunningJob<'_> {
    /// Waits for all; gives what the first that panicked panicked with. When it unwinds, those that are left are still in the list.
    fn finish(&mut self) -> Option<Payload> {
        let mut at = 0;
        // Before the caller waits: a worker may wait to learn that no other will come.
        while self.is_done && at < self.helpers.len() {
            if self.helpers[at].slot.cancel() {
                self.idle.push(self.helpers.swap_remove(at));
                (self.cancel)();
            } else {
                at += 1;
            }
        }
        let mut first = None;
        while let Some(helper) = self.helpers.pop() {
            match helper.slot.finish() {
                None => self.idle.push(helper),
                // What it left behind is unknown.
                Some(payload) => {
                    first.get_or_insert(payload);
                    helper.end();
                }
            }
        }
        if !self.idle.is_empty() {
            self.pool.give_back(mem::take(&mut self.idle));
        }
        first
    }
}

impl Drop for RunningJob<'_> {
    fn drop(&mut self) {
        // After a panic of the caller's own part, which goes on. Otherwise none is left.
        self.finish();
    }
}

impl Helper {
    /// A new one, which begins with this job. `None`: the system refuses.
    fn start(job: Job) -> Option<Self> {
        let slot = Arc::new(JobSlot::new(State::Submitted(job)));
        let own = Arc::clone(&slot);
        let thread = thread::Builder::new().name("warploom-emulator".into());
        let thread = thread.spawn(move || serve(&own)).ok()?;
        Some(Self { slot, thread })
    }

    /// Ends one that has no work.
    fn end(self) {
        self.slot.stop();
        drop(self.thread.join()); // it catches all panics
    }
}

/// What a helper does.
fn serve(slot: &JobSlot<Job>) {
    while let Some(Job(work)) = slot.next() {
        // SAFETY: `Pool::run_with` keeps it until `done`.
        let work = || unsafe { (*work)() };
        let outcome = catch_unwind(AssertUnwindSafe(work));
        slot.done(outcome.err());
    }
}

/// The job of one helper: submitted by the caller, taken and finished by the helper.
#[derive(Debug)]
struct JobSlot<J> {
    state: Mutex<State<J>>,
    /// Waited for by the helper when it has no work, and by its caller when it has: never by both.
    changed: Condvar,
}

#[derive(Debug)]
enum State<J> {
    Idle,
    Submitted(J),
    Works,
    Done(Option<Payload>),
    Stopped,
}

/// The caller's side. Only one caller has a helper at a time.
impl<J> JobSlot<J> {
    fn new(state: State<J>) -> Self {
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    fn set(&self, state: State<J>) {
        *lock(&self.state) = state;
        self.changed.notify_one();
    }

    /// Submits a job to a helper that has none.
    fn submit(&self, job: J) {
        self.set(State::Submitted(job));
    }

    /// Takes the job back, if the helper has not begun: it has no work then, and true is given.
    fn cancel(&self) -> bool {
        let mut state = lock(&self.state);
        let is_submitted = matches!(*state, State::Submitted(_));
        if is_submitted {
            *state = State::Idle;
        }
        is_submitted
    }

    /// Waits until the helper, which got a job, is done; gives what it panicked with, if it did. It has no work afterwards.
    fn finish(&self) -> Option<Payload> {
        let mut spins = 0;
        let mut state = lock(&self.state);
        loop {
            if let State::Done(payload) = &mut *state {
                let payload = payload.take();
                *state = State::Idle;
                return payload;
            }
            if spins < SPINS {
                spins += 1;
                drop(state);
                std::hint::spin_loop();
                state = lock(&self.state);
            } else {
                state = wait(&self.changed, state);
            }
        }
    }

    /// Tells a helper that has no work to end.
    fn stop(&self) {
        self.set(State::Stopped);
    }
}

/// The helper's side.
impl<J> JobSlot<J> {
    /// Sleeps until there is a job, and begins it; `None`: it is to end.
    fn next(&self) -> Option<J> {
        let mut state = lock(&self.state);
        loop {
            match mem::replace(&mut *state, State::Works) {
                State::Submitted(job) => return Some(job),
                State::Stopped => return None,
                other => *state = other,
            }
            state = wait(&self.changed, state);
        }
    }

    /// It is done, and has let go of the job.
    fn done(&self, payload: Option<Payload>) {
        self.set(State::Done(payload));
    }
}

#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(all(test, loom))]
mod loom_tests {
    use loom::cell::UnsafeCell;
    use loom::thread;

    use super::*;

    /// What a helper is asked: to change what its caller has. Loom knows when both are at it.
    type Borrowed = loom::sync::Arc<UnsafeCell<u32>>;

    fn start(slot: &loom::sync::Arc<JobSlot<Borrowed>>) -> thread::JoinHandle<()> {
        let slot = slot.clone();
        thread::spawn(move || {
            while let Some(work) = slot.next() {
                // SAFETY: loom looks after that.
                work.with_mut(|work| unsafe { *work += 1 });
                drop(work);
                slot.done(None);
            }
        })
    }

    /// What the caller has, which no other thread may touch now.
    fn own(work: &Borrowed) -> u32 {
        // SAFETY: loom looks after that.
        work.with_mut(|work| unsafe {
            *work += 10;
            *work
        })
    }

    #[test]
    fn loom_what_is_borrowed_is_the_callers_again_when_the_helper_is_done() {
        loom::model(|| {
            let slot = loom::sync::Arc::new(JobSlot::new(State::Idle));
            let helper = start(&slot);
            let work = Borrowed::new(UnsafeCell::new(0));
            for round in 1..=2 {
                slot.submit(work.clone());
                assert!(slot.finish().is_none());
                assert_eq!(own(&work), 11 * round);
            }
            slot.stop();
            helper.join().unwrap();
        });
    }

    #[test]
    fn loom_a_cancelled_job_never_begins_and_its_helper_takes_another() {
        loom::model(|| {
            let slot = loom::sync::Arc::new(JobSlot::new(State::Idle));
            let helper = start(&slot);
            let work = Borrowed::new(UnsafeCell::new(0));
            slot.submit(work.clone());
            let begun = !slot.cancel();
            if begun {
                assert!(slot.finish().is_none());
            }
            assert_eq!(own(&work), 10 + u32::from(begun));
            slot.submit(work.clone());
            assert!(slot.finish().is_none());
            assert_eq!(own(&work), 21 + u32::from(begun));
            slot.stop();
            helper.join().unwrap();
        });
    }
}
