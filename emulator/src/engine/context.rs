//! Switches between stacks: from the scheduler to a lane, from lane to lane, and back.
//!
//! On x86-64 a lane switches to the next one by itself, in a dozen instructions. Elsewhere each switch goes through the scheduler's
//! stack, with the means of a library. Both have the same two types: [`Fibers`], which owns the stacks of a block, and [`Link`],
//! through which its lanes switch. Under Miri, and with `--cfg warploom_threads`, each stack is that of a thread of its own.

#[cfg_attr(any(miri, warploom_threads), path = "context/threads.rs")]
#[cfg_attr(
    not(any(
        miri,
        warploom_threads,
        warploom_portable,
        not(all(target_arch = "x86_64", unix))
    )),
    path = "context/x86_64.rs"
)]
#[cfg_attr(
    all(
        not(any(miri, warploom_threads)),
        any(warploom_portable, not(all(target_arch = "x86_64", unix)))
    ),
    path = "context/portable.rs"
)]
mod chosen;

pub(crate) use chosen::{Fibers, Link};

/// Something that runs, suspended: a lane, a stack without a lane, or the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Context(*mut u8);

impl Context {
    /// Nothing.
    pub(crate) const NONE: Self = Self(std::ptr::null_mut());

    /// It will be switched to soon: brings what is on top of its stack near.
    #[inline(always)]
    pub(crate) fn prefetch(self) {
        chosen::prefetch(self.0);
    }
}

/// What runs on a stack: never returns, and unwinds only where stacks are threads, when they end. It gets the pointer that was handed in
/// with it.
pub(crate) type Main = extern "C-unwind" fn(*const ()) -> !;

#[cfg(all(test, not(loom)))]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;
    use crate::engine::stack;

    /// Two fibers that hand a turn to and fro, and each of their turns.
    struct Game {
        link: Link,
        contexts: [Cell<Context>; 2],
        turns: RefCell<Vec<usize>>,
        started: Cell<usize>,
    }

    extern "C-unwind" fn play(game: *const ()) -> ! {
        // SAFETY: `turns_alternate` hands in its own game, which outlives the fibers.
        let game = unsafe { &*game.cast::<Game>() };
        let own = game.started.replace(game.started.get() + 1);
        loop {
            game.turns.borrow_mut().push(own);
            let done = game.turns.borrow().len() >= 7;
            let to = if done {
                game.link.scheduler()
            } else {
                game.contexts[1 - own].get()
            };
            // SAFETY: the other fiber is suspended, or has not started; so is the scheduler.
            unsafe { game.link.switch(game.contexts[own].as_ptr(), to) };
        }
    }

    #[test]
    fn turns_alternate() {
        let game = Game {
            link: Link::new(),
            contexts: [const { Cell::new(Context::NONE) }; 2],
            turns: RefCell::default(),
            started: Cell::new(0),
        };
        let mut fibers = Fibers::new();
        for context in &game.contexts {
            let stack = stack::take(64 * 1024).unwrap();
            context.set(fibers.add(stack, play, std::ptr::from_ref(&game).cast()));
        }
        // SAFETY: it has not started.
        unsafe { game.link.enter(&mut fibers, game.contexts[0].get()) };
        assert_eq!(*game.turns.borrow(), [0, 1, 0, 1, 0, 1, 0]);
        // SAFETY: nothing on these stacks has a destructor.
        assert_eq!(unsafe { fibers.into_stacks() }.len(), 2);
    }
}
