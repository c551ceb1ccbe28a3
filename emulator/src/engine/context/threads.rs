//! Switches between threads of the operating system, of which one runs at a time: for Miri, which knows no other stacks.
//!
//! Slow, and for small blocks. What a lane does before a switch happens before what the next lane does after it, because the turn is
//! passed on under a lock.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle, Thread};

use super::{Context, Main};
use crate::engine::stack::{self, Stack};
use crate::sync::StaticMutex;

/// The number of the scheduler; fibers follow, and nothing is 0.
const SCHEDULER: usize = 1;

thread_local! {
    /// The number of the fiber that this thread is.
    static OWN: Cell<usize> = const { Cell::new(SCHEDULER) };
}

/// Who runs.
struct Turn {
    whose: usize,
    /// No fiber will run any more.
    is_over: bool,
    /// The scheduler's thread, then those of the fibers.
    threads: Vec<Thread>,
}

type Baton = Arc<StaticMutex<Turn>>;

/// Unwinds a thread whose fiber is not needed any more.
struct Over;

fn lock(baton: &Baton) -> MutexGuard<'_, Turn> {
    baton.lock().unwrap_or_else(PoisonError::into_inner)
}

fn pass(baton: &Baton, to: usize) {
    let mut turn = lock(baton);
    turn.whose = to;
    if let Some(thread) = turn.threads.get(to - SCHEDULER) {
        thread.unpark();
    }
}

/// Waits until it is the turn of `own`; false: it never will be.
fn wait(baton: &Baton, own: usize) -> bool {
    loop {
        let turn = lock(baton);
        if turn.is_over || turn.whose == own {
            return !turn.is_over;
        }
        drop(turn);
        thread::park();
    }
}

/// Does nothing: the address is none.
pub(super) fn prefetch(_at: *const u8) {}

/// The stacks of the lanes of one block: a thread for each.
pub(crate) struct Fibers {
    threads: Vec<JoinHandle<()>>,
    baton: Baton,
}

/// What a fiber's `main` gets.
struct Data(*const ());

// SAFETY: the caller that adds a fiber keeps what the pointer leads to until the fibers are gone, and its threads access it in turns.
unsafe impl Send for Data {}

impl Fibers {
    pub(crate) fn new() -> Self {
        let turn = Turn {
            whose: SCHEDULER,
            is_over: false,
            threads: vec![thread::current()],
        };
        Self {
            threads: Vec::new(),
            baton: Arc::new(StaticMutex::new(turn)),
        }
    }

    /// A fiber that has not started: the first switch to it calls `main(data)` on its stack.
    #[expect(
        clippy::panic,
        reason = "this driver is for tests, which see what was missing"
    )]
    pub(crate) fn add(&mut self, stack: Stack, main: Main, data: *const ()) -> Context {
        let own = SCHEDULER + 1 + self.threads.len();
        let (baton, data) = (Arc::clone(&self.baton), Data(data));
        let body = move || {
            let data = data; // all of it, not the pointer alone
            let _extent = stack.enter();
            OWN.set(own);
            if wait(&baton, own) {
                // The payload is `Over`: `main` unwinds by nothing else.
                drop(catch_unwind(AssertUnwindSafe(|| main(data.0))));
            }
        };
        let builder = thread::Builder::new().stack_size(2 * stack::STACK_BYTES);
        match builder.spawn(body) {
            Ok(thread) => {
                lock(&self.baton).threads.push(thread.thread().clone());
                self.threads.push(thread);
            }
            Err(why) => panic!("no thread for a lane: {why}"),
        }
        Context(ptr::without_provenance_mut(own))
    }

    /// The stacks, for other uses: none, they go with their threads.
    ///
    /// # Safety
    /// No fiber will be switched to again, and nothing on their stacks has to be dropped.
    pub(crate) unsafe fn into_stacks(self) -> Vec<Stack> {
        let mut turn = lock(&self.baton);
        turn.is_over = true;
        turn.threads.iter().for_each(Thread::unpark);
        drop(turn);
        let n = self.threads.len();
        for thread in self.threads {
            // Its panics were caught.
            drop(thread.join());
        }
        (0..n).map(|_| Stack).collect()
    }
}

/// Through which the lanes of one block switch.
pub(crate) struct Link {
    baton: RefCell<Option<Baton>>,
}

impl Link {
    pub(crate) fn new() -> Self {
        Self {
            baton: RefCell::new(None),
        }
    }

    /// The scheduler, as lanes switch to it.
    pub(crate) fn scheduler(&self) -> Context {
        Context(ptr::without_provenance_mut(SCHEDULER))
    }

    /// Switches from the scheduler to a fiber; returns when one switches to the scheduler.
    ///
    /// # Safety
    /// `to` is suspended or has not started, and is one of `fibers`. Fibers switch through this link only.
    pub(crate) unsafe fn enter(&self, fibers: &mut Fibers, to: Context) {
        let baton = Arc::clone(&fibers.baton);
        self.baton.replace(Some(Arc::clone(&baton)));
        // Helpers of a run end before their fibers are used by another thread, but the first thread of them may not be this one.
        lock(&baton).threads[0] = thread::current();
        pass(&baton, to.0.addr());
        wait(&baton, SCHEDULER);
    }

    /// Switches from the fiber that runs; returns when something switches to what is left at `save`. Unwinds when the fibers end.
    ///
    /// # Safety
    /// `save` can be written. `to` is [`Link::scheduler`], or a fiber of the same block that is suspended or has not started.
    pub(crate) unsafe fn switch(&self, save: *mut Context, to: Context) {
        let Some(baton) = self.baton.borrow().clone() else {
            return; // unreachable: a thread entered
        };
        let own = OWN.get();
        // SAFETY: the caller's promise.
        unsafe { *save = Context(ptr::without_provenance_mut(own)) };
        pass(&baton, to.0.addr());
        if !wait(&baton, own) {
            resume_unwind(Box::new(Over));
        }
    }
}
