//! What instrumented code calls where device code would call the device library, or the driver.

use std::alloc::Layout;
use std::any::TypeId;
use std::ffi::{CStr, c_char};
use std::fmt;
use std::panic::{Location, resume_unwind};

use crate::detector::Hook;
use crate::engine::fiber;
use crate::engine::panic_record::PanicRecord;
use crate::engine::shared::SharedKey;
use crate::site::{Site, SiteId};
use crate::{detector, intrinsics};

/// Every one of them.
///
/// Those for panics have Rust's own convention and the types of core's panic functions, whose places they take; the same compiler made
/// both sides.
pub static HOST: &[Hook] = &[
    Hook {
        name: "__warploom.host.panic_fmt",
        address: panic_fmt as *const (),
    },
    Hook {
        name: "__warploom.host.panic_str",
        address: panic_str as *const (),
    },
    Hook {
        name: "__warploom.host.panic_bounds_check",
        address: panic_bounds_check as *const (),
    },
    Hook {
        name: "__warploom.host.slice_index_fail",
        address: slice_index_fail as *const (),
    },
    Hook {
        name: "__warploom.host.panic_nounwind",
        address: panic_nounwind as *const (),
    },
    Hook {
        name: "__warploom.host.panic_nounwind_fmt",
        address: panic_nounwind_fmt as *const (),
    },
    Hook {
        name: "__warploom.host.grid_sync",
        address: grid_sync as *const (),
    },
    Hook {
        name: "__warploom.host.end_after_panic",
        address: end_after_panic as *const (),
    },
    Hook {
        name: "__warploom.host.shared_static",
        address: shared_static as *const (),
    },
    Hook {
        name: "__warploom.host.unavailable",
        address: unavailable as *const (),
    },
    Hook {
        name: "__warploom.heap_alloc",
        address: heap_alloc as *const (),
    },
    Hook {
        name: "__warploom.heap_free",
        address: heap_free as *const (),
    },
    Hook {
        name: "__warploom.host.alloc_error",
        address: alloc_error as *const (),
    },
    Hook {
        name: "__warploom.print_ring",
        address: print_ring as *const (),
    },
];

fn panic_fmt(message: fmt::Arguments<'_>, at: &'static Location<'static>) -> ! {
    raise(message.to_string(), Some(at))
}

fn panic_str(message: &str, at: &'static Location<'static>) -> ! {
    raise(message.to_owned(), Some(at))
}

fn panic_bounds_check(index: usize, len: usize, at: &'static Location<'static>) -> ! {
    raise(
        format!("index out of bounds: the len is {len} but the index is {index}"),
        Some(at),
    )
}

fn slice_index_fail(start: usize, end: usize, len: usize, at: &'static Location<'static>) -> ! {
    let message = if start > len {
        format!("range start index {start} out of range for slice of length {len}")
    } else if end > len || start <= end {
        // The second: an inclusive range that ends at `len`.
        format!("range end index {end} out of range for slice of length {len}")
    } else {
        format!("slice index starts at {start} but ends at {end}")
    };
    raise(message, Some(at))
}

fn panic_nounwind(message: &'static str) -> ! {
    raise(message.to_owned(), None)
}

fn panic_nounwind_fmt(
    message: fmt::Arguments<'_>,
    _no_backtrace: bool,
    at: &'static Location<'static>,
) -> ! {
    raise(message.to_string(), Some(at))
}

fn alloc_error(layout: Layout) -> ! {
    raise(
        format!("memory allocation of {} bytes failed", layout.size()),
        None,
    )
}

/// A launch whose thread panics ends by itself.
extern "C-unwind" fn end_after_panic() {}

extern "C-unwind" fn grid_sync(_arrivals: *mut u32) {
    intrinsics::grid_sync();
}

extern "C-unwind" fn shared_static(name: *const c_char, bytes: usize, align: usize) -> *mut u8 {
    struct Instrumented;
    let key = SharedKey {
        site: TypeId::of::<Instrumented>(),
        type_name: "",
        address: name.expose_provenance(),
        declared: fiber::with_running(|running| running.site.get()).unwrap_or_default(),
    };
    intrinsics::shared_of(&key, bytes, align)
}

extern "C-unwind" fn unavailable(name: *const c_char) -> ! {
    // SAFETY: instrumented code hands over a zero-ended constant of the program.
    let text = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    raise(
        format!("a kernel called `{text}`, which no device has"),
        None,
    )
}

extern "C-unwind" fn heap_alloc(bytes: u64) -> *mut u8 {
    detector::heap_alloc(bytes)
}

extern "C-unwind" fn heap_free(start: *mut u8) {
    detector::heap_free(start);
}

extern "C-unwind" fn print_ring() -> *mut u8 {
    intrinsics::print_ring()
}

/// Ends the lane with a panic at a place of the kernel's source; `None`: std does not tell it, and the latest call of the user's code that the
/// lane is in stands for it.
fn raise(message: String, at: Option<&'static Location<'static>>) -> ! {
    let mut record = PanicRecord {
        file: at.map(|at| at.file().to_owned()).unwrap_or_default(),
        line: at.map_or(0, Location::line),
        column: at.map_or(0, Location::column),
        message: message.clone(),
    };
    let call = fiber::with_running(|running| {
        let (thread, checks) = (running.thread.get(), running.checks.as_deref()?);
        let call = checks.latest_call(thread);
        (call != 0).then(|| checks.users_site(thread, SiteId(call)))
    });
    if let (None, Some(call)) = (at, call.flatten()) {
        record.place(Site::of_site(call.0));
    }
    fiber::record_panic(|| record);
    resume_unwind(Box::new(message))
}
