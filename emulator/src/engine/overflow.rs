//! Lanes that need more stack than they have: a report instead of a crash (README 22).
//!
//! Below each stack lie a reserve, which is not accessible, and a guard page. Code that is compiled with stack probes touches each page of
//! a frame in order, so an overflow is an access to the reserve, which the operating system reports as a signal.

#[cfg_attr(
    not(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64"),
        not(any(miri, warploom_threads))
    )),
    path = "overflow/unsupported.rs"
)]
#[cfg_attr(
    all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64"),
        not(any(miri, warploom_threads))
    ),
    path = "overflow/linux.rs"
)]
mod chosen;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicPtr, Ordering};

pub(crate) use chosen::prepare;

use crate::engine::fiber::Running;
use crate::engine::panic_record::PanicRecord;
use crate::engine::reserve::close_reserve;
use crate::options::STACK_BYTES;
use crate::site::Site;

/// The payload that unwinds a lane whose stack overflowed.
pub(crate) struct StackOverflow;

/// What lies below the stacks of a block's lanes, as the handler of signals looks it up.
#[derive(Default)]
pub(crate) struct Guards(RefCell<Vec<Guard>>);

struct Guard {
    /// The guard page, then the reserve.
    below: Range<usize>,
    /// The lane that overflowed into the reserve, which is accessible for it.
    open_for: Cell<Option<u32>>,
}

impl Guards {
    /// A fiber has a stack above these addresses.
    pub(crate) fn add(&self, below: Range<usize>) {
        let open_for = Cell::new(None);
        self.0.borrow_mut().push(Guard { below, open_for });
    }

    /// Whether this lane runs on its reserve.
    pub(crate) fn is_on_reserve(&self, thread: u32) -> bool {
        let guards = self.0.borrow();
        guards
            .iter()
            .any(|guard| guard.open_for.get() == Some(thread))
    }

    /// The lane has exited.
    fn close(&self, thread: u32) {
        for guard in self.0.borrow().iter() {
            if guard.open_for.get() == Some(thread) {
                guard.close();
            }
        }
    }

    /// All lanes have exited.
    pub(crate) fn close_all(&self) {
        for guard in self.0.borrow().iter() {
            if guard.open_for.get().is_some() {
                guard.close();
            }
        }
    }
}

impl Guard {
    fn close(&self) {
        // If it stays accessible, the next lanes have more stack.
        if close_reserve(&self.below).is_ok() {
            self.open_for.set(None);
        }
    }
}

impl Running<'_> {
    /// What is to be said of the lane that runs, whose stack overflowed; it has been unwound.
    pub(crate) fn overflow_record(&self) -> PanicRecord {
        let thread = self.thread.get();
        self.guards.close(thread);
        let message = Overflow {
            stack_bytes: self.set.launch.options.stack_bytes,
        };
        let mut record = PanicRecord::of_text(message.to_string());
        let call = self.checks.as_ref().map_or(0, |c| c.latest_call(thread));
        if call != 0 {
            record.place(Site::of_site(call));
        }
        record
    }
}

/// The overflow in words.
struct Overflow {
    stack_bytes: usize,
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "stack overflow: the thread needs more than its {} bytes of stack; use less recursion and smaller local arrays, or a larger \
             stack (`{STACK_BYTES}`, `Emulator::stack_bytes`)",
            self.stack_bytes
        )
    }
}

/// Ends the lane that runs: its stack has overflowed.
#[cold]
pub(crate) fn end_lane() -> ! {
    resume_unwind(Box::new(StackOverflow))
}

/// First address of all instrumented code of the program, and the one behind the last; null: there is none.
static INSTRUMENTED: [AtomicPtr<()>; 2] = [const { AtomicPtr::new(std::ptr::null_mut()) }; 2];

/// Says where the instrumented code of the program is: a lane that overflows its stack there is unwound, and the run goes on.
///
/// # Safety
/// Code at these addresses has nothing to clean up when it is unwound from any of its instructions, and tables that say how. No code lies
/// there that other code relies on not to unwind.
pub unsafe fn instrumented_code(addresses: Range<*const ()>) {
    INSTRUMENTED[1].store(addresses.end.cast_mut(), Ordering::Relaxed);
    INSTRUMENTED[0].store(addresses.start.cast_mut(), Ordering::Relaxed);
}
