//! The panic entry points of `core`, for kernels: write a [`PanicRecord`], then end the thread.
//!
//! The device linker puts these in place of `core::panicking::panic_fmt` and the like, whose LLVM signatures they have: arguments in
//! Rust's own convention, the caller's location, which `#[track_caller]` passes unseen, as the last one. The thread ends with PTX
//! `exit`, not `trap`: the context stays usable and barriers count the thread as arrived.

use crate::hint::keep_as_loop;
use crate::panic_record::PanicRecord;
use crate::{block_idx, intrinsics as raw, thread_idx};
use core::fmt::{self, Write};
use core::panic::Location;
use core::ptr::write_volatile;
use core::sync::atomic::{AtomicU32, Ordering};

mod device {
    use crate::panic_record::PanicRecord;
    unsafe extern "C" {
        /// The record of this launch in mapped host memory, or null.
        #[link_name = "__warploom.panic_record"]
        pub(super) fn panic_record() -> *mut PanicRecord;
        /// The claim word of this launch in device memory, or null.
        #[link_name = "__warploom.panic_claim"]
        pub(super) fn panic_claim() -> *mut u32;
        /// The number of the kernel that a location belongs to, which the linker writes behind it; 0 if several kernels share the code.
        #[link_name = "__warploom.kernel_of"]
        pub(super) fn kernel_of(at: *const u8) -> u32;
        /// Ends the thread.
        #[link_name = "__warploom.exit"]
        pub(super) fn exit() -> !;
    }
}

/// Whether a thread has panicked since the host last looked.
pub(crate) fn happened() -> bool {
    // SAFETY: the linker gives the symbol a body of the declared type.
    let claim = unsafe { device::panic_claim() };
    // SAFETY: the claim word is null or aligned, valid for the launch and only accessed atomically.
    !claim.is_null() && unsafe { AtomicU32::from_ptr(claim) }.load(Ordering::Relaxed) != 0
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
    report(Some(at), |record| record.text(args))
}

/// In place of `core::panicking::panic`, and of `std::panicking::begin_panic` with a text.
#[cold]
#[inline(never)]
#[unsafe(no_mangle)]
pub fn __warploom_panic_str(message: &'static str, at: &'static Location<'static>) -> ! {
    report(Some(at), |record| record.literal(message))
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
    report(Some(at), |record| record.bounds(index, len))
}

/// In place of `core::slice::index::slice_index_fail`; the texts are those of `core`, so that both back ends say the same.
#[cold]
#[inline(never)]
#[unsafe(no_mangle)]
pub fn __warploom_slice_index_fail(
    start: usize,
    end: usize,
    len: usize,
    at: &'static Location<'static>,
) -> ! {
    // Piece by piece: with `format_args!` each kernel that takes a part of a slice would carry `core::fmt`, its stack and its registers.
    report(Some(at), |record| {
        if start > len {
            record.push("range start index ");
            record.decimal(start);
            record.out_of_range(len);
        } else if end > len || start <= end {
            // The second: an inclusive range that ends at `len`.
            record.push("range end index ");
            record.decimal(end);
            record.out_of_range(len);
        } else {
            record.push("slice index starts at ");
            record.decimal(start);
            record.push(" but ends at ");
            record.decimal(end);
            record.literal("");
        }
    })
}

/// In place of `core::panicking::panic_nounwind`.
#[cold]
#[inline(never)]
#[unsafe(no_mangle)]
pub fn __warploom_panic_nounwind(message: &'static str) -> ! {
    report(None, |record| record.literal(message))
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
    report(Some(at), |record| record.text(args))
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
    report(None, |record| record.out_of_memory(bytes))
}

/// Writes the record if this thread is the first, and ends the thread in any case. Steps as numbered in [`crate::panic_record`].
#[cold]
#[inline(always)]
fn report(at: Option<&'static Location<'static>>, message: impl FnOnce(&mut Record)) -> ! {
    // SAFETY: the linker gives these symbols bodies of the declared types; record and claim word are null or valid for the launch.
    let at_host = unsafe { device::panic_record() };
    // SAFETY: as above.
    let claim = unsafe { device::panic_claim() };
    if !at_host.is_null() && !claim.is_null() {
        // SAFETY: the claim word is aligned, valid for the launch and only accessed atomically.
        let first = unsafe { AtomicU32::from_ptr(claim) }.swap(1, Ordering::Relaxed) == 0; // 1
        if first {
            let mut record = Record {
                at: at_host,
                text_len: 0,
            };
            record.place(at); // 2
            message(&mut record);
            raw::fence_system(); // 3
            // SAFETY: as in `Record`.
            let ready = unsafe { &raw mut (*at_host).ready };
            // SAFETY: as in `Record`.
            unsafe { write_volatile(ready, 1) }; // 4
        }
    }
    // SAFETY: ends the thread; nothing of it is left. 5
    unsafe { device::exit() }
}

/// The record, claimed by this thread. Host memory: written once, field by field, never read.
///
/// Invariant: `at` is valid for writes while the launch runs, and the claim word keeps all other threads away.
struct Record {
    at: *mut PanicRecord,
    text_len: usize,
}

macro_rules! put {
    ($record:expr, $($field:ident $([$at:literal])? = $value:expr),* $(,)?) => {
        $(
            // SAFETY: the invariant of `Record`.
            let to = unsafe { &raw mut (*$record.at).$field $([$at])? };
            // SAFETY: the invariant of `Record`.
            unsafe { write_volatile(to, $value) };
        )*
    };
}

impl Record {
    #[inline(always)]
    fn place(&mut self, at: Option<&'static Location<'static>>) {
        let (block, thread) = (block_idx(), thread_idx());
        let kernel = at.map_or(0, |at| {
            // SAFETY: the symbol has the declared type; every location in device code has a number behind it.
            unsafe { device::kernel_of(core::ptr::from_ref(at).cast()) }
        });
        // One by one: an array would be made in local memory first, which each kernel that can panic would then have.
        put!(
            self,
            kernel = kernel,
            block[0] = block.x,
            block[1] = block.y,
            block[2] = block.z,
            thread[0] = thread.x,
            thread[1] = thread.y,
            thread[2] = thread.z,
        );
        let (file, line, column) = at.map_or(("", 0, 0), |at| (at.file(), at.line(), at.column()));
        // A plain loop: this code stands in each kernel that can panic.
        let file = file.as_bytes();
        let mut rest = file
            .get(file.len().saturating_sub(256)..)
            .unwrap_or_default();
        let mut len = 0;
        while let [byte, others @ ..] = rest {
            keep_as_loop();
            // SAFETY: the invariant of `Record`.
            let file = unsafe { &raw mut (*self.at).file }.cast::<u8>();
            // SAFETY: `rest` began with at most 256 bytes.
            let to = unsafe { file.add(len) };
            // SAFETY: the invariant of `Record`.
            unsafe { write_volatile(to, *byte) };
            len += 1;
            rest = others;
        }
        put!(self, file_len = len as u32, line = line, column = column);
    }

    #[inline(always)]
    fn bounds(&mut self, index: usize, len: usize) {
        put!(
            self,
            kind = PanicRecord::BOUNDS,
            index = index as u64,
            len = len as u64,
            text_len = 0
        );
    }

    /// What std says on the host, without `core::fmt`.
    fn out_of_memory(&mut self, bytes: usize) {
        self.push("memory allocation of ");
        self.decimal(bytes);
        self.literal(" bytes failed");
    }

    fn out_of_range(&mut self, len: usize) {
        self.push(" out of range for slice of length ");
        self.decimal(len);
        self.literal("");
    }

    /// Digit by digit, from the first: an array of them would be local memory, and a plain division could panic in turn.
    fn decimal(&mut self, number: usize) {
        let parts = |unit: usize| number.checked_div(unit).unwrap_or(0);
        let mut unit = 1;
        while parts(unit) >= 10 {
            unit *= 10;
        }
        while unit != 0 {
            self.byte(b'0' + (parts(unit) % 10) as u8);
            unit /= 10;
        }
    }

    fn literal(&mut self, message: &str) {
        self.push(message);
        put!(
            self,
            kind = PanicRecord::TEXT,
            text_len = self.text_len as u32
        );
    }

    fn text(&mut self, args: fmt::Arguments<'_>) {
        match args.as_str() {
            Some(message) => self.push(message),
            // An error means that the buffer is full or that a `Display` gave up: what was written so far is the message.
            None => drop(fmt::write(self, args)),
        }
        put!(
            self,
            kind = PanicRecord::TEXT,
            text_len = self.text_len as u32
        );
    }

    fn push(&mut self, message: &str) {
        for byte in message.as_bytes().iter().take(1024 - self.text_len) {
            self.byte(*byte);
        }
    }

    #[inline(always)]
    fn byte(&mut self, byte: u8) {
        if self.text_len < 1024 {
            // SAFETY: the invariant of `Record`.
            let text = unsafe { &raw mut (*self.at).text }.cast::<u8>();
            // SAFETY: `text_len` is below 1024.
            let to = unsafe { text.add(self.text_len) };
            // SAFETY: the invariant of `Record`.
            unsafe { write_volatile(to, byte) };
            self.text_len += 1;
        }
    }
}

impl Write for Record {
    fn write_str(&mut self, message: &str) -> fmt::Result {
        self.push(message);
        if self.text_len < 1024 {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}
