//! OS threads that help the caller of a run. They sleep until the next run: to start one costs more than many a run.
//!
//! Nobody polls: a helper sleeps until it is asked, and the caller until the last helper is done (after at most a few microseconds of
//! looking, which being woken would cost as well). A helper that was asked and has not woken by the time that there is nothing left to do
//! is let off, so that no run waits for a processor that others use.
//!
//! What a helper is asked to do borrows from its caller. [`Pool::along`] alone hands it out, and does not return, nor unwind, before the
//! helper is done with it or let off.

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

/// How often a caller looks whether a helper is done before it sleeps.
const LOOKS: u32 = if cfg!(loom) { 0 } else { 64 };

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
    desk: Arc<Desk<Job>>,
    thread: JoinHandle<()>,
}

/// What helpers are to call.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Job(*const (dyn Fn() + Sync));

// SAFETY: what it points to is `Sync`, and lives as long as a helper may call it: see `Pool::along`.
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
    /// that have not begun are let off. For each of these, and each that there is not, `let_off` is called.
    ///
    /// # Panics
    /// With the panic of `own`, or else of the first helper that panicked; when all are done.
    pub(crate) fn along(
        &self,
        n: usize,
        work: &(dyn Fn() + Sync),
        let_off: &dyn Fn(),
        own: impl FnOnce(usize) -> bool,
    ) {
        let work: *const (dyn Fn() + Sync + '_) = work;
        // SAFETY: the same pointer, but for a lifetime that the compiler would have to know of: `Asked` lets nobody out of this function
        // before all helpers are done with it.
        let job: Job = unsafe { mem::transmute(work) };
        let mut asked = Asked {
            pool: self,
            let_off,
            helpers: self.ask(n, job),
            idle: Vec::new(),
            is_done: true,
        };
        for _ in asked.helpers.len()..n {
            let_off();
        }
        asked.is_done = own(asked.helpers.len());
        if let Some(payload) = asked.finish() {
            resume_unwind(payload);
        }
    }

    /// Up to `n` helpers, which begin.
    fn ask(&self, n: usize, job: Job) -> Vec<Helper> {
        let mut helpers = self.take(n);
        for helper in &helpers {
            helper.desk.ask(job);
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

/// Helpers that work for the caller of [`Pool::along`].
struct Asked<'a> {
    pool: &'a Pool,
    let_off: &'a dyn Fn(),
    /// Those that are asked, or work.
    helpers: Vec<Helper>,
    /// Those that are done.
    idle: Vec<Helper>,
    /// Nothing is left to do for those that have not begun.
    is_done: bool,
}

impl Asked<'_> {
    /// Waits for all; gives what the first that panicked panicked with. When it unwinds, those that are left are still in the list.
    fn finish(&mut self) -> Option<Payload> {
        let mut at = 0;
        // Before anybody is waited for: who works may wait to learn that nobody else will come.
        while self.is_done && at < self.helpers.len() {
            if self.helpers[at].desk.let_off() {
                self.idle.push(self.helpers.swap_remove(at));
                (self.let_off)();
            } else {
                at += 1;
            }
        }
        let mut first = None;
        while let Some(helper) = self.helpers.pop() {
            match helper.desk.finish() {
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

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        // After a panic of the caller's own part, which goes on. Otherwise there is nobody left.
        self.finish();
    }
}

impl Helper {
    /// A new one, which begins with this job. `None`: the system refuses.
    fn start(job: Job) -> Option<Self> {
        let desk = Arc::new(Desk::new(State::Asked(job)));
        let own = Arc::clone(&desk);
        let thread = thread::Builder::new().name("warploom-emulator".into());
        let thread = thread.spawn(move || serve(&own)).ok()?;
        Some(Self { desk, thread })
    }

    /// Ends one that has no work.
    fn end(self) {
        self.desk.dismiss();
        drop(self.thread.join()); // it catches all panics
    }
}

/// What a helper does.
fn serve(desk: &Desk<Job>) {
    while let Some(Job(work)) = desk.next() {
        // SAFETY: `Pool::along` keeps it until `done`.
        let work = || unsafe { (*work)() };
        let outcome = catch_unwind(AssertUnwindSafe(work));
        desk.done(outcome.err());
    }
}

/// Where one helper is asked, and says that it is done.
#[derive(Debug)]
struct Desk<J> {
    state: Mutex<State<J>>,
    /// Waited for by the helper when it has no work, and by its caller when it has: never by both.
    changed: Condvar,
}

#[derive(Debug)]
enum State<J> {
    Idle,
    Asked(J),
    Works,
    Done(Option<Payload>),
    Dismissed,
}

/// The caller's side. Only one caller has a helper at a time.
impl<J> Desk<J> {
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

    /// Asks a helper that has no work.
    fn ask(&self, job: J) {
        self.set(State::Asked(job));
    }

    /// Takes the job back, if the helper has not begun: it has no work then, and true is given.
    fn let_off(&self) -> bool {
        let mut state = lock(&self.state);
        let is_asked = matches!(*state, State::Asked(_));
        if is_asked {
            *state = State::Idle;
        }
        is_asked
    }

    /// Waits until the helper, which was asked, is done; gives what it panicked with, if it did. It has no work afterwards.
    fn finish(&self) -> Option<Payload> {
        let mut looks = 0;
        let mut state = lock(&self.state);
        loop {
            if let State::Done(payload) = &mut *state {
                let payload = payload.take();
                *state = State::Idle;
                return payload;
            }
            if looks < LOOKS {
                looks += 1;
                drop(state);
                std::hint::spin_loop();
                state = lock(&self.state);
            } else {
                state = wait(&self.changed, state);
            }
        }
    }

    /// Tells a helper that has no work to end.
    fn dismiss(&self) {
        self.set(State::Dismissed);
    }
}

/// The helper's side.
impl<J> Desk<J> {
    /// Sleeps until it is asked, and begins; `None`: it is to end.
    fn next(&self) -> Option<J> {
        let mut state = lock(&self.state);
        loop {
            match mem::replace(&mut *state, State::Works) {
                State::Asked(job) => return Some(job),
                State::Dismissed => return None,
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

    fn start(desk: &loom::sync::Arc<Desk<Borrowed>>) -> thread::JoinHandle<()> {
        let desk = desk.clone();
        thread::spawn(move || {
            while let Some(work) = desk.next() {
                // SAFETY: loom looks after that.
                work.with_mut(|work| unsafe { *work += 1 });
                drop(work);
                desk.done(None);
            }
        })
    }

    /// What the caller has, which nobody else may touch now.
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
            let desk = loom::sync::Arc::new(Desk::new(State::Idle));
            let helper = start(&desk);
            let work = Borrowed::new(UnsafeCell::new(0));
            for round in 1..=2 {
                desk.ask(work.clone());
                assert!(desk.finish().is_none());
                assert_eq!(own(&work), 11 * round);
            }
            desk.dismiss();
            helper.join().unwrap();
        });
    }

    #[test]
    fn loom_a_helper_that_is_let_off_never_begins_and_can_be_asked_again() {
        loom::model(|| {
            let desk = loom::sync::Arc::new(Desk::new(State::Idle));
            let helper = start(&desk);
            let work = Borrowed::new(UnsafeCell::new(0));
            desk.ask(work.clone());
            let begun = !desk.let_off();
            if begun {
                assert!(desk.finish().is_none());
            }
            assert_eq!(own(&work), 10 + u32::from(begun));
            desk.ask(work.clone());
            assert!(desk.finish().is_none());
            assert_eq!(own(&work), 21 + u32::from(begun));
            desk.dismiss();
            helper.join().unwrap();
        });
    }
}
