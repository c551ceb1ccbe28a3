//! Which addresses there are: allocations of global memory, their bytes, and where they come from.
//!
//! The runtime says what it allocates and frees ([`allocate`], [`free`]); a run uses a [`Snapshot`] of that.

mod allocation; // one piece of memory, and which of its bytes have a value
mod classify; // what an access is that does not lie in one of them
mod foreign; // memory of others
mod global; // memory of the emulated device
mod heap; // what kernels allocate
mod init; // which bytes have a value
mod local; // accesses outside of a local variable
mod parts; // slices of a part
mod program; // what the operating system has at an address
mod registry; // all of them, and what was freed
mod report; // findings in words
mod snapshot; // what a run's accesses are compared with
mod surface; // accesses outside of a surface
mod words; // what reports call memory

use std::alloc::Layout;
use std::panic::Location;

use crate::engine::fiber::end_lane;
use crate::memory_kind::{Birth, Kind};
use crate::site::Origin;

pub(crate) use allocation::Allocation;
use allocation::Extent;
pub(crate) use classify::{Access, How};
use classify::{Verdict, classify};
pub use foreign::ForeignMemory;
pub use global::{GlobalMemory, keep_freed_memory};
pub(crate) use heap::heap_free;
pub(crate) use heap::leaks;
pub use heap::{heap_alloc, limit_heap};
pub(crate) use init::{copy_values, look_at_values, tell};
pub(crate) use local::outside as outside_local;
pub(crate) use snapshot::Snapshot;
pub(crate) use surface::outside as outside_surface;

/// Makes memory known to the checks: `bytes` bytes from `start` on, of elements of `element` bytes (1 if that is not known) with
/// alignment `align`. `label` is what reports call it: the static's name, or the buffer's type; it may be empty. They name the caller's
/// place as well. Memory of the emulated device is better made as [`GlobalMemory`], which does this itself.
///
/// ```
/// use warploom_emulator::check::{Birth, Kind, allocate, free};
///
/// let table = [1_u32, 2, 3];
/// let start = table.as_ptr().cast();
/// allocate(start, 12, 4, 4, Kind::Constant, Birth::Initialised, "TABLE");
/// free(start);
/// ```
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

/// As [`allocate`], for memory with its own place in the source: a static.
pub fn allocate_at(
    start: *const u8,
    layout: Layout,
    element: Layout,
    kind: Kind,
    label: &str,
    made: Origin,
) {
    let extent = Extent {
        start: start.addr(),
        bytes: layout.size(),
        element: element.size(),
        align: element.align(),
        zone: 0,
    };
    registry::add(extent, (kind, Birth::Initialised), label, made);
}

/// The checks forget the memory that starts there: it is its owner's alone again, and an access is one to memory of the host.
pub fn free(start: *const u8) {
    registry::give_back(start.addr());
}

/// The host wrote these bytes.
pub fn initialise(start: *const u8, bytes: usize) {
    if let Some(memory) = registry::find(start.addr()) {
        memory.mark(start.addr(), bytes);
    }
}

/// The host copies these bytes from one piece of memory to another: which of them have a value goes with them.
pub fn copied(to: *const u8, from: *const u8, bytes: usize) {
    copy_values(to.addr(), from.addr(), bytes);
}

/// What reports call the memory at an address outside of a run.
pub(super) fn name_of(address: usize) -> Option<String> {
    let (one, snapshot) = (registry::find(address)?, Snapshot::empty());
    Some(words::Words::new(&snapshot, &one, address).element(address))
}

/// A warning, if the host reads bytes here that neither it nor a kernel has written. Names the caller's place.
///
/// ```
/// use std::alloc::Layout;
/// use warploom_emulator::check::{Birth, Code, GlobalMemory, host_reads, initialise};
///
/// let memory = GlobalMemory::new(8, Layout::new::<u32>(), Birth::Uninitialised, "").ok_or("no memory")?;
/// let start = memory.start().as_ptr();
/// initialise(start, 4);
/// assert!(host_reads(start, 4).is_none());
/// let report = host_reads(start, 8).ok_or("nothing found")?;
/// assert_eq!(report.code, Code::GLOBAL_UNINIT);
/// # Ok::<(), &str>(())
/// ```
#[must_use]
#[track_caller]
pub fn host_reads(start: *const u8, bytes: usize) -> Option<crate::finding::Report> {
    init::host_read(start.addr(), bytes)
}

/// Native code ran on the device's memory, and it is not known any more which bytes have no value. To be called after each run that is not
/// checked, or the host's next read of what the run wrote is a finding.
///
/// ```
/// use std::alloc::Layout;
/// use warploom_emulator::check::{Birth, GlobalMemory, forget_values, host_reads};
///
/// let memory = GlobalMemory::new(8, Layout::new::<u32>(), Birth::Uninitialised, "").ok_or("no memory")?;
/// assert!(host_reads(memory.start().as_ptr(), 8).is_some());
/// forget_values();
/// assert!(host_reads(memory.start().as_ptr(), 8).is_none());
/// # Ok::<(), &str>(())
/// ```
pub fn forget_values() {
    registry::mark_all();
}

/// What reports call the memory from `start` on, during the next run on this OS thread: the name of the kernel's parameter.
pub fn name(start: *const u8, label: &str) {
    name_view(start, 0, label);
}

/// [`name`], for `bytes` bytes that the kernel sees under this name; 0 if that is not known. Nothing without a label.
pub fn name_view(start: *const u8, bytes: usize, label: &str) {
    if !label.is_empty() {
        registry::name(start.addr(), bytes, label);
    }
}

/// What reports call the element of `allocation` that an address lies in: `x[4097]`.
pub(crate) fn element(snapshot: &Snapshot, allocation: &Allocation, address: usize) -> String {
    words::Words::new(snapshot, allocation, address).element(address)
}

/// The next run on this OS thread only reads these bytes: its kernel knows them through shared slices alone. Where they are all of an allocation and
/// have values, reads of them are not remembered, and a write is a finding ([`Code::READ_ONLY`](crate::finding::Code::READ_ONLY)).
///
/// ```
/// use warploom_emulator::check::{Birth, Kind, allocate, free, reads_only};
///
/// let table = [1_u32, 2, 3];
/// let start = table.as_ptr().cast();
/// allocate(start, 12, 4, 4, Kind::Global, Birth::Initialised, "table");
/// reads_only(start, 12);
/// // … a run …
/// free(start);
/// ```
pub fn reads_only(start: *const u8, bytes: usize) {
    registry::reads_only(start.addr(), bytes);
}

/// The next run on this OS thread gets a slice of these bytes. Where an allocation is passed by slices alone, which are a part of it, an access in front of the first
/// or behind the last is out of bounds ([`Code::GLOBAL_BOUNDS`](crate::finding::Code::GLOBAL_BOUNDS)); [`may_lead_to`] says what else there is.
///
/// ```
/// use warploom_emulator::check::{gets_slice, forget_views, may_lead_to};
///
/// let table = [1_u32, 2, 3];
/// gets_slice(table.as_ptr().cast(), 8); // of two
/// may_lead_to(Some(table.as_ptr().addr() as u64)); // and the address of all three
/// // … a run …
/// # forget_views();
/// ```
pub fn gets_slice(start: *const u8, bytes: usize) {
    registry::with_ways(|ways| ways.add_slice(start.addr(), bytes));
}

/// The next run on this OS thread gets a number or a pointer, of which nothing is known but the value; `None`: something that may have any address in it.
pub fn may_lead_to(word: Option<u64>) {
    let word = word.map(usize::try_from);
    match word {
        Some(Err(_)) => {} // no address
        Some(Ok(word)) => registry::with_ways(|ways| ways.add_word(Some(word))),
        None => registry::with_ways(|ways| ways.add_word(None)),
    }
}

/// Forgets names and what is only read, if no run on this OS thread began since they were given.
pub fn forget_views() {
    registry::forget_views();
    super::turn::forget_turn();
}

/// Looks closely at an access of the lane that runs, and says what is wrong with it: see [`classify`]. The memory that it lies in, if that is
/// global; `None`: it lies elsewhere and may happen. Does not return if the access must not happen.
#[cold]
#[inline(never)]
pub(crate) fn admit(snapshot: &Snapshot, access: Access) -> Option<&Allocation> {
    match classify(snapshot, access) {
        Verdict::Global(found) => Some(found),
        Verdict::Fine => None,
        Verdict::Ends(finding) => {
            tell(finding.code(), finding.site(), || finding.report());
            end_lane()
        }
    }
}

#[cfg(test)]
mod tests;
