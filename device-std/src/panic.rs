//! The panic entry points of `core`, for kernels: write a [`PanicRecord`], then end the thread.
//!
//! The device linker puts these in place of `core::panicking::panic_fmt` and the like, whose LLVM signatures they have: arguments in
//! Rust's own convention, the caller's location, which `#[track_caller]` passes unseen, as the last one. The thread ends with PTX
//! `exit`, not `trap`: the context stays usable and barriers count the thread as arrived.
//!
//! These bodies stand in each kernel that can panic, at each place where it can: they store a few numbers, of which the host makes the text.

use crate::panic_record::PanicRecord;
use crate::{block_idx, thread_idx};
use core::fmt::{self, Write};
use core::panic::Location;
use core::ptr::write_volatile;
use core::sync::atomic::{AtomicU64, Ordering};

mod device {
    unsafe extern "C" {
        /// The module's variable with the record's address and [`PanicRecord::FREE`]; 0 if no host waits.
        #[link_name = "__warploom.panic_record"]
        pub(super) fn panic_record() -> *mut u64;
        /// The address of a location, behind which the linker has written the number of the kernel that it belongs to.
        #[link_name = "__warploom.panic_place"]
        pub(super) fn panic_place(at: *const u8) -> u64;
        /// Writes a record's `ready`, after all that the thread has written, for the whole system.
        #[link_name = "__warploom.panic_ready"]
        pub(super) fn panic_ready(ready: *mut u32, kind: u32);
        /// Keeps a function for the linker, which removes this call.
        #[link_name = "__warploom.keep"]
        pub(super) fn keep(function: *const ());
        /// Ends the thread.
        #[link_name = "__warploom.exit"]
        pub(super) fn exit() -> !;
    }
}

/// Whether a thread has panicked since the host last looked.
pub(crate) fn happened() -> bool {
    let value = variable().load(Ordering::Relaxed);
    value != 0 && value & PanicRecord::FREE == 0
}

fn variable() -> &'static AtomicU64 {
    // SAFETY: the linker gives the symbol a body of the declared type.
    let variable = unsafe { device::panic_record() };
    // SAFETY: a variable of the module, aligned, and only accessed atomically.
    unsafe { AtomicU64::from_ptr(variable) }
}

/// Ends the thread without a word.
pub(crate) fn leave() -> ! {
    // SAFETY: takes nothing, never returns.
    unsafe { device::exit() }
}

/// In place of `core::panicking::panic_fmt`.
#[cold]
#[inline(never)]
#[unsafe(no_mangle)]
pub fn __warploom_panic_fmt(args: fmt::Arguments<'_>, at: &'static Location<'static>) -> ! {
    keep_panics_with_values();
    report(Some(at), PanicRecord::WRITTEN, |record| record.format(args))
}

macro_rules! panics_with_values {
    ($($name:ident($($word:ident),+);)+) => {
        $(
            /// The linker calls it in place of [`__warploom_panic_fmt`] where it knows the types of the arguments: the message is in the form of
            /// `warploom_manifest::message`, and the host formats it.
            #[cold]
            #[inline(never)]
            #[unsafe(no_mangle)]
            #[allow(clippy::too_many_arguments, reason = "each is a register of the thread")]
            pub fn $name(message: *const u8, len: usize, at: &'static Location<'static>, $($word: u64),+) -> ! {
                report(Some(at), PanicRecord::FORMATTED, |record| {
                    for (number, word) in [$($word),+].into_iter().enumerate() {
                        record.value(number, word);
                    }
                    [message.expose_provenance() as u64, len as u64]
                })
            }
        )+

        /// No code names them before the linker does.
        #[inline(always)]
        fn keep_panics_with_values() {
            $(
                // SAFETY: the symbol has the declared type, and the linker removes the call.
                unsafe { device::keep($name as *const ()) };
            )+
        }
    };
}

panics_with_values! {
    __warploom_panic_values_1(a);
    __warploom_panic_values_2(a, b);
    __warploom_panic_values_3(a, b, c);
    __warploom_panic_values_4(a, b, c, d);
    __warploom_panic_values_5(a, b, c, d, e);
    __warploom_panic_values_6(a, b, c, d, e, f);
    __warploom_panic_values_7(a, b, c, d, e, f, g);
    __warploom_panic_values_8(a, b, c, d, e, f, g, h);
}

/// In place of `core::panicking::panic`, and of all panics with a constant text.
#[cold]
#[inline(never)]
#[unsafe(no_mangle)]
pub fn __warploom_panic_str(message: &'static str, at: &'static Location<'static>) -> ! {
    report(Some(at), PanicRecord::LITERAL, |record| {
        record.literal(message)
    })
}

/// In place of `core::option::expect_failed`, and of `std::panicking::begin_panic` with a text: the message may be in memory that the host cannot
/// read. The linker makes a constant one [`__warploom_panic_str`].
#[cold]
#[inline(never)]
#[unsafe(no_mangle)]
pub fn __warploom_panic_expect(message: &str, at: &'static Location<'static>) -> ! {
    report(Some(at), PanicRecord::WRITTEN, |record| {
        record.push(message);
        [record.text_len as u64, 0]
    })
}

/// In place of `core::panicking::panic_bounds_check`.
#[cold]
#[inline(never)]
#[unsafe(no_mangle)]
pub fn __warploom_panic_bounds_check(
    index: usize,
    len: usize,
    at: &'static Location<'static>,
) -> ! {
    report(Some(at), PanicRecord::BOUNDS, |_| {
        [index as u64, len as u64]
    })
}

/// In place of `core::slice::index::slice_index_fail`.
#[cold]
#[inline(never)]
#[unsafe(no_mangle)]
pub fn __warploom_slice_index_fail(
    start: usize,
    end: usize,
    len: usize,
    at: &'static Location<'static>,
) -> ! {
    report(Some(at), PanicRecord::RANGE, |record| {
        record.value(0, len as u64);
        [start as u64, end as u64]
    })
}

/// In place of `core::panicking::panic_nounwind`.
#[cold]
#[inline(never)]
#[unsafe(no_mangle)]
pub fn __warploom_panic_nounwind(message: &'static str) -> ! {
    report(None, PanicRecord::LITERAL, |record| record.literal(message))
}

/// In place of `core::panicking::panic_nounwind_fmt`.
#[cold]
#[inline(never)]
#[unsafe(no_mangle)]
pub fn __warploom_panic_nounwind_fmt(
    args: fmt::Arguments<'_>,
    _no_backtrace: bool,
    at: &'static Location<'static>,
) -> ! {
    report(Some(at), PanicRecord::WRITTEN, |record| record.format(args))
}

/// In place of `std::process::abort`: the thread ends, as after a panic.
#[cold]
#[inline(never)]
#[unsafe(no_mangle)]
pub fn __warploom_abort() -> ! {
    __warploom_panic_nounwind("the thread called `abort`")
}

/// The heap is full. The source location of the allocation is not available.
#[cold]
#[inline(never)]
pub(crate) fn out_of_memory(bytes: usize) -> ! {
    report(None, PanicRecord::OUT_OF_MEMORY, |_| [bytes as u64, 0])
}

/// Writes the record if this thread is the first, and ends the thread in any case. Steps as numbered in [`crate::panic_record`].
///
/// `message` writes what the kind has beside the first two values, and gives these.
#[cold]
#[inline(always)]
fn report(
    at: Option<&'static Location<'static>>,
    kind: u32,
    message: impl FnOnce(&mut Record) -> [u64; 2],
) -> ! {
    let value = variable().fetch_and(!PanicRecord::FREE, Ordering::Relaxed); // 1
    if value & PanicRecord::FREE != 0 {
        let address = value.wrapping_sub(PanicRecord::FREE);
        let mut record = Record {
            at: core::ptr::with_exposed_provenance_mut(address as usize),
            text_len: 0,
        };
        let [first, second] = message(&mut record); // 2
        let place = at.map_or(0, |at| {
            // SAFETY: the symbol has the declared type; every location in device code has a number behind it.
            unsafe { device::panic_place(core::ptr::from_ref(at).cast()) }
        });
        record.head(place, first, second);
        // SAFETY: the invariant of `Record`.
        let ready = unsafe { &raw mut (*record.at).ready };
        // SAFETY: aligned and valid, as above; the host reads it atomically.
        unsafe { device::panic_ready(ready, kind) }; // 3
    }
    // SAFETY: ends the thread; nothing of it is left. 4
    unsafe { device::exit() }
}

/// The record, claimed by this thread. Host memory: written once, field by field, never read.
///
/// Invariant: `at` is valid for writes while the launch runs, and the module's variable keeps all other threads away.
struct Record {
    at: *mut PanicRecord,
    text_len: usize,
}

macro_rules! put {
    ($record:expr, $($field:ident $([$at:expr])? = $value:expr),* $(,)?) => {
        $(
            // SAFETY: the invariant of `Record`.
            unsafe { (*$record.at).$field $([$at])? = $value };
        )*
    };
}

impl Record {
    /// Not volatile, so that the back end writes two words at once.
    #[inline(always)]
    fn head(&mut self, place: u64, first: u64, second: u64) {
        let (block, thread) = (block_idx(), thread_idx());
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        put!(
            self,
            place = place,
            first = first,
            second = second,
            thread_yz = pair(thread.y, thread.z),
            block_xy = pair(block.x, block.y),
            block_z_thread_x = pair(block.z, thread.x),
        );
    }

    fn literal(&self, message: &'static str) -> [u64; 2] {
        [
            message.as_ptr().expose_provenance() as u64,
            message.len() as u64,
        ]
    }

    #[inline(always)]
    fn value(&mut self, number: usize, value: u64) {
        if number < PanicRecord::VALUES_MAX {
            put!(self, values[number] = value);
        }
    }

    fn format(&mut self, args: fmt::Arguments<'_>) -> [u64; 2] {
        match args.as_str() {
            Some(message) => self.push(message),
            // An error means that the buffer is full or that a `Display` gave up: what was written so far is the message.
            None => drop(fmt::write(self, args)),
        }
        [self.text_len as u64, 0]
    }

    fn push(&mut self, message: &str) {
        for byte in message
            .as_bytes()
            .iter()
            .take(PanicRecord::TEXT_MAX - self.text_len)
        {
            // SAFETY: the invariant of `Record`.
            let text = unsafe { &raw mut (*self.at).text }.cast::<u8>();
            // SAFETY: `text_len` is below the length of the text: no more bytes are taken than are left.
            let to = unsafe { text.add(self.text_len) };
            // SAFETY: the invariant of `Record`.
            unsafe { write_volatile(to, *byte) };
            self.text_len += 1;
        }
    }
}

impl Write for Record {
    fn write_str(&mut self, message: &str) -> fmt::Result {
        self.push(message);
        if self.text_len < PanicRecord::TEXT_MAX {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}
