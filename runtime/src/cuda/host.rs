//! Functions of the host that a stream calls between its work.
//!
//! Protocol. The driver calls a function once its turn comes, on a thread of its own; if the context breaks before, it never does, and does
//! not say so. Each function therefore waits in one table under a number, and the number is all that the driver has. The code that takes
//! the function out of the table runs or drops it, so that exactly one of the two happens, once; a number that is not in the table means
//! nothing. Who takes functions out: [`called`], on the driver's thread; [`forget`], when the stream's work is known to be lost.
//!
//! CUDA forbids to call the driver from inside such a function. What this runtime does there is refused ([`in_host_callback`]), and what is
//! dropped there is dropped on another thread ([`run_outside_callback`]).

use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::{Arc, Mutex};

use super::callback::IN_CALLBACK;
use super::context::Context;
use super::result::DriverError;
use super::stream::Stream;
use crate::sync::lock;

/// What waits for its turn.
pub(crate) struct HostFunction {
    pub(crate) function: Box<dyn FnOnce() + Send>,
    /// The stream's number in this process.
    pub(crate) stream: u64,
    /// Where it was submitted.
    pub(crate) at: &'static Location<'static>,
    /// Where its panic is kept.
    pub(crate) panics: Arc<HostPanics>,
}

/// Panics of a device's host functions that no wait has reported yet, the first of each stream: message, and where the function was
/// submitted.
pub(crate) type HostPanics = Mutex<BTreeMap<u64, (String, &'static Location<'static>)>>;

struct Pending {
    /// The address of the stream's context.
    context: usize,
    function: HostFunction,
}

#[derive(Default)]
struct Table {
    next: usize,
    pending: BTreeMap<usize, Pending>,
}

static TABLE: Mutex<Table> = Mutex::new(Table {
    next: 1,
    pending: BTreeMap::new(),
});

impl HostFunction {
    /// Runs it. Its panic ends here and is kept.
    pub(crate) fn run(self) {
        let HostFunction {
            function,
            stream,
            at,
            panics,
        } = self;
        let before = IN_CALLBACK.replace(true);
        let outcome = catch_unwind(AssertUnwindSafe(function));
        if let Err(payload) = outcome {
            let message = message_of(&*payload);
            if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
                std::mem::forget(second); // its drop may panic as well, and nothing may unwind into the driver
            }
            lock(&panics).entry(stream).or_insert((message, at));
        }
        IN_CALLBACK.set(before);
    }
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a value that is no text").to_owned()
}

impl Stream {
    /// Queues a call of `function`. On an error the function was dropped and will not run.
    pub(crate) fn launch_host(&self, function: HostFunction) -> Result<(), DriverError> {
        self.context.bind()?;
        let ticket = enter(self.context.address(), function);
        let data = std::ptr::without_provenance_mut::<c_void>(ticket);
        // SAFETY: the stream is alive; `called` takes any number.
        let queued = unsafe { self.context.driver.cuLaunchHostFunc(self.raw, called, data) };
        if queued.is_err() {
            drop(take(ticket));
        }
        queued
    }
}

/// What the driver calls, with a number of the table.
extern "system" fn called(data: *mut c_void) {
    if let Some(function) = take(data.addr()) {
        function.run();
    }
}

fn enter(context: usize, function: HostFunction) -> usize {
    let mut table = lock(&TABLE);
    let ticket = table.next;
    table.next += 1;
    let pending = Pending { context, function };
    table.pending.insert(ticket, pending);
    ticket
}

fn take(ticket: usize) -> Option<HostFunction> {
    let pending = lock(&TABLE).pending.remove(&ticket);
    pending.map(|pending| pending.function)
}

/// Whether functions of this stream wait for their turn.
pub(crate) fn is_waiting(stream: u64) -> bool {
    let table = lock(&TABLE);
    table
        .pending
        .values()
        .any(|pending| pending.function.stream == stream)
}

/// Drops functions whose stream's work is lost: the driver will not call them. `which` is asked with the stream's number and the context's
/// address.
pub(crate) fn forget(which: impl Fn(u64, usize) -> bool) {
    let mut table = lock(&TABLE);
    let lost = |pending: &Pending| which(pending.function.stream, pending.context);
    let tickets = table.pending.iter().filter(|(_, pending)| lost(pending));
    let tickets: Vec<usize> = tickets.map(|(ticket, _)| *ticket).collect();
    let lost: Vec<_> = tickets
        .iter()
        .map(|ticket| table.pending.remove(ticket))
        .collect();
    drop(table); // what the functions own may be a stream with host functions
    drop(lost);
}

impl Context {
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Drops the functions of all streams of this context, which failed.
    pub(crate) fn forget_host_functions(&self) {
        forget(|_, context| context == self.address());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc;

    use super::super::callback::{in_host_callback, run_outside_callback};
    use super::*;
    use std::thread;

    fn function(
        panics: &Arc<HostPanics>,
        stream: u64,
        function: impl FnOnce() + Send + 'static,
    ) -> HostFunction {
        HostFunction {
            function: Box::new(function),
            stream,
            at: Location::caller(),
            panics: Arc::clone(panics),
        }
    }

    fn data(ticket: usize) -> *mut c_void {
        std::ptr::without_provenance_mut(ticket)
    }

    #[test]
    fn a_function_runs_once_however_often_it_is_called() {
        let (panics, count) = (Arc::default(), Arc::new(AtomicU32::new(0)));
        let counter = Arc::clone(&count);
        let add = move || {
            counter.fetch_add(1, Ordering::Relaxed);
        };
        let ticket = enter(1, function(&panics, u64::MAX, add));
        called(data(ticket));
        called(data(ticket));
        assert_eq!(count.load(Ordering::Relaxed), 1);
        assert_eq!(Arc::strong_count(&count), 1);
    }

    #[test]
    fn lost_functions_are_dropped_and_never_run() {
        let (panics, count) = (Arc::default(), Arc::new(AtomicU32::new(0)));
        let tickets = [u64::MAX - 1, u64::MAX - 2].map(|stream| {
            let counter = Arc::clone(&count);
            let add = move || {
                counter.fetch_add(1, Ordering::Relaxed);
            };
            enter(2, function(&panics, stream, add))
        });
        assert!(is_waiting(u64::MAX - 1));
        forget(|stream, context| (stream, context) == (u64::MAX - 1, 2));
        assert!(!is_waiting(u64::MAX - 1));
        assert_eq!(Arc::strong_count(&count), 2);
        called(data(tickets[0]));
        assert_eq!(count.load(Ordering::Relaxed), 0);
        called(data(tickets[1]));
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_panic_stays_here_and_the_first_is_kept() {
        let panics: Arc<HostPanics> = Arc::default();
        for text in ["first", "second"] {
            let fail = move || panic!("{text}");
            called(data(enter(1, function(&panics, u64::MAX, fail))));
        }
        let (message, at) = lock(&panics).remove(&u64::MAX).unwrap();
        assert_eq!((&*message, at.file()), ("first", file!()));
        assert!(!in_host_callback());
    }

    #[test]
    fn a_panic_whose_value_panics_when_dropped_stays_here() {
        struct Spiteful;
        impl Drop for Spiteful {
            fn drop(&mut self) {
                panic!("again");
            }
        }
        let panics: Arc<HostPanics> = Arc::default();
        function(&panics, 5, || std::panic::panic_any(Spiteful)).run();
        assert_eq!(lock(&panics)[&5].0, "a value that is no text");
    }

    #[test]
    fn what_is_forbidden_inside_is_done_by_another_thread() {
        let (panics, (sender, receiver)) = (Arc::default(), mpsc::channel());
        function(&panics, 5, move || {
            assert!(in_host_callback());
            run_outside_callback(move || sender.send(thread::current().id()).unwrap());
        })
        .run();
        assert_ne!(receiver.recv().unwrap(), thread::current().id());
        assert!(lock(&panics).is_empty());
    }

    #[test]
    fn outside_of_host_functions_nothing_is_put_off() {
        let (sender, receiver) = mpsc::channel();
        run_outside_callback(move || sender.send(thread::current().id()).unwrap());
        assert_eq!(receiver.try_recv().unwrap(), thread::current().id());
    }
}
