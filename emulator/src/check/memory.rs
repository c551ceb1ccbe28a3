//! Which addresses there are: allocations of global memory, their bytes, and where they come from.
//!
//! The runtime says what it allocates and frees ([`allocate`], [`free`]); a run looks at a [`Snapshot`] of that.

mod allocation; // one piece of memory, and which of its bytes have a value
mod classify; // what an access is that does not lie in one of them
mod global; // memory of the emulated device
mod program; // what the operating system has at an address
mod registry; // all of them, and what was freed
mod report; // findings in words
mod snapshot; // what a run's accesses are compared with
mod trace; // where the user's part of a call stack is
mod words; // what reports call memory

use std::panic::Location;

pub(crate) use allocation::{Allocation, Origin};
use allocation::{End, Extent};
pub(crate) use classify::{Access, Finding, How, Verdict, classify};
pub use global::GlobalMemory;
pub(crate) use report::who;
pub(crate) use snapshot::Snapshot;

/// What memory it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A buffer in global memory.
    Global,
    /// A static in global memory.
    Static,
    /// A static in constant memory, or a constant of the program: kernels only read it.
    Constant,
    /// A kernel's parameters: kernels only read them.
    Parameter,
    /// A piece of the device's heap.
    Heap,
    /// The library's own memory, which is not checked.
    Internal,
}

/// Whether an allocation's bytes have a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Birth {
    /// All of them.
    Initialised,
    /// None.
    Uninitialised,
}

/// Makes memory known to the checks: `bytes` bytes from `start` on, of elements of `element` bytes (1 if that is not known) with
/// alignment `align`. `label` is what reports call it (`DeviceBuffer<f32>`); it may be empty. Reports name the caller's place.
#[track_caller]
pub fn allocate(
    start: *const u8,
    bytes: usize,
    element: usize,
    align: usize,
    kind: Kind,
    birth: Birth,
    label: &str,
) {
    let extent = Extent {
        start: start.addr(),
        bytes,
        element,
        align,
        zone: 0,
    };
    registry::add(extent, (kind, birth), label, Location::caller().into());
}

/// The memory that starts there is freed: an access to it is an error from now on, until the address is allocated again.
pub fn free(start: *const u8) {
    registry::remove(
        start.addr(),
        End {
            trace: None,
            by: None,
        },
    );
}

/// The host wrote these bytes.
pub fn initialise(start: *const u8, bytes: usize) {
    if let Some(memory) = registry::find(start.addr()) {
        memory.mark(start.addr(), bytes);
    }
}

/// What reports call the memory from `start` on, during the next run on this OS thread: the name of the kernel's parameter.
pub fn name(start: *const u8, label: &str) {
    registry::name(start.addr(), label);
}

/// Ends the lane that runs, after its access was reported: it unwinds as after a panic, but counts as no panic of its own.
#[cold]
pub(crate) fn end_lane() -> ! {
    std::panic::resume_unwind(Box::new(Ended))
}

/// The payload that unwinds a lane whose access must not happen.
pub(crate) struct Ended;
