//! Why memory or a semaphore cannot be shared with another API.

use super::SemaphoreKind;
use crate::cuda::DriverError;
use crate::interop::error::InteropError;
use crate::memory::MemoryError;
use crate::stream::StreamError;
use crate::unsupported::Unsupported;

/// Why memory or a semaphore of another API cannot be taken or used, or ours not be given.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ExternalError {
    /// The resource does not lie within the allocation.
    #[error(
        "{bytes} bytes from byte {offset} on are not within an allocation of {allocation_bytes} bytes; pass the size that the allocation was made with, and the resource's offset in it"
    )]
    OutOfRange {
        /// Where the resource starts.
        offset: u64,
        /// Its size.
        bytes: u64,
        /// The allocation's size.
        allocation_bytes: u64,
    },
    /// No element can be at this offset.
    #[error(
        "offset {offset} is no place for {element}, which is aligned to {align} bytes; bind the resource to a multiple of that"
    )]
    Misaligned {
        /// The offset.
        offset: u64,
        /// What it has to be a multiple of.
        align: usize,
        /// The element type.
        element: &'static str,
    },
    /// A buffer without bytes.
    #[error("a shared buffer cannot be empty; share at least one element of at least one byte")]
    Empty,
    /// A dedicated allocation has one resource, at its start.
    #[error(
        "a dedicated allocation starts with its resource, not at byte {offset}; leave `dedicated` or the offset out"
    )]
    DedicatedOffset {
        /// The offset given.
        offset: u64,
    },
    /// The file behind the descriptor is shorter than the allocation is said to be. On the emulator.
    #[error(
        "the file descriptor has {found} bytes, not {wanted}; pass the size of the memory that was exported"
    )]
    FileTooShort {
        /// Its bytes.
        found: u64,
        /// Bytes that it should have.
        wanted: u64,
    },
    /// A semaphore of the other kind.
    #[error(
        "a hand-over of this form needs a {wanted} semaphore, and this is a {found} one; import it as what it was made"
    )]
    SemaphoreKind {
        /// The kind that is needed.
        wanted: SemaphoreKind,
        /// The semaphore's.
        found: SemaphoreKind,
    },
    /// Memory, semaphore and stream are not of one device.
    #[error(
        "the {what} belongs to {found}, but the memory is shared with {wanted}; use one device for memory, semaphores and streams"
    )]
    WrongDevice {
        /// What is of another device.
        what: &'static str,
        /// Its device.
        found: String,
        /// The memory's device.
        wanted: String,
    },
    /// A graph still has the memory, so its runs might use it while the other API does.
    #[error(
        "a graph has the memory, and could run while the other API uses it; drop the graph and its executables before the release"
    )]
    InGraph,
    /// The semaphore has not been signalled. On the emulator, which does all work at once.
    #[error(
        "the semaphore has the value {found}, and the emulator, which does all work at once, would wait for {wanted} for ever; let the other API signal it before the call"
    )]
    NotSignalled {
        /// Its value.
        found: u64,
        /// The value waited for.
        wanted: u64,
    },
    /// A timeline cannot go back, nor stay.
    #[error(
        "cannot signal the value {given}: the timeline is at {found}; signal greater values only"
    )]
    NotGreater {
        /// The value to be signalled.
        given: u64,
        /// The semaphore's.
        found: u64,
    },
    /// The timeline has no more values.
    #[error("the timeline semaphore is at its last value; start again with a new one")]
    TimelineEnds,
    /// A semaphore on the host failed, or the system refused memory to be shared.
    #[error("cannot {what}: {reason}")]
    Host {
        /// What was tried.
        what: &'static str,
        /// The system's, or the other API's, answer.
        reason: String,
    },
    /// The driver refused a call.
    #[error("cannot share with another API: {0}")]
    Driver(#[from] DriverError),
    /// The memory cannot be used.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Earlier work of the stream failed.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// The memory cannot become a buffer.
    #[error(transparent)]
    Interop(#[from] InteropError),
    /// The device does not do that.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}
