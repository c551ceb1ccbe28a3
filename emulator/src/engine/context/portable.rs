//! Switches by corosensei, which go through the scheduler's stack.

use std::cell::Cell;
use std::ptr;

use corosensei::{Coroutine, Yielder};

use super::{Context, Main};
use crate::engine::stack::Stack;

/// The scheduler; fibers are numbered from 2 on, and nothing is 0.
const SCHEDULER: Context = Context(ptr::without_provenance_mut(1));

type Fiber = Coroutine<Start, (), (), Stack>;

/// Does nothing: the address is none.
pub(super) fn prefetch(_at: *const u8) {}

/// What a fiber gets when it is resumed; it reads it the first time only.
#[derive(Clone, Copy)]
struct Start {
    link: *const Link,
    main: Main,
    data: *const (),
}

/// The stacks of the lanes of one block.
pub(crate) struct Fibers {
    fibers: Vec<(Fiber, Main, *const ())>,
}

impl Fibers {
    pub(crate) fn new() -> Self {
        Self { fibers: Vec::new() }
    }

    /// A fiber that has not started: the first switch to it calls `main(data)` on its stack.
    pub(crate) fn add(&mut self, stack: Stack, main: Main, data: *const ()) -> Context {
        let fiber = Fiber::with_stack(stack, |yielder, start| {
            // SAFETY: `Link::enter` hands in itself, and outlives what it resumes.
            unsafe { &*start.link }.yielder.set(yielder);
            (start.main)(start.data)
        });
        self.fibers.push((fiber, main, data));
        Context(ptr::without_provenance_mut(self.fibers.len() + 1))
    }

    /// The stacks, for other uses.
    ///
    /// # Safety
    /// No fiber will be switched to again, and nothing on their stacks has to be dropped.
    pub(crate) unsafe fn into_stacks(self) -> Vec<Stack> {
        let stacks = self.fibers.into_iter().map(|(mut fiber, ..)| {
            // SAFETY: the caller's promise.
            unsafe { fiber.force_reset() };
            fiber.into_stack()
        });
        stacks.collect()
    }
}

/// Through which the lanes of one block switch.
pub(crate) struct Link {
    /// Who runs next.
    next: Cell<Context>,
    current: Cell<Context>,
    yielder: Cell<*const Yielder<Start, ()>>,
}

impl Link {
    pub(crate) fn new() -> Self {
        Self {
            next: Cell::new(Context::NONE),
            current: Cell::new(Context::NONE),
            yielder: Cell::new(ptr::null()),
        }
    }

    /// The scheduler, as lanes switch to it.
    pub(crate) fn scheduler(&self) -> Context {
        SCHEDULER
    }

    /// Switches from the scheduler to a fiber; returns when one switches to the scheduler.
    ///
    /// # Safety
    /// `to` is suspended or has not started, and is one of `fibers`. Fibers switch through this link only.
    pub(crate) unsafe fn enter(&self, fibers: &mut Fibers, to: Context) {
        self.next.set(to);
        while let Some(index) = self.next.get().0.addr().checked_sub(2) {
            self.current.set(self.next.replace(SCHEDULER));
            let (fiber, main, data) = &mut fibers.fibers[index];
            fiber.resume(Start {
                link: self,
                main: *main,
                data: *data,
            });
        }
    }

    /// Switches from the fiber that runs; returns when something switches to what is left at `save`.
    ///
    /// # Safety
    /// `save` can be written. `to` is [`Link::scheduler`], or a fiber of the same block that is suspended or has not started.
    #[inline(always)]
    pub(crate) unsafe fn switch(&self, save: *mut Context, to: Context) {
        let yielder = self.yielder.get();
        self.next.set(to);
        // SAFETY: a fiber put its own yielder there when it started or came back, and we are on that fiber.
        unsafe {
            *save = self.current.get();
            (*yielder).suspend(());
        }
        self.yielder.set(yielder);
    }
}
