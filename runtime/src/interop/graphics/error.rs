//! Why an object of OpenGL cannot be registered or mapped.

use crate::cuda::DriverError;
use crate::interop::error::InteropError;
use crate::memory::{ArrayShape, MemoryError};
use crate::stream::StreamError;
use crate::unsupported::Unsupported;

/// Why an object of OpenGL cannot be registered, mapped or unmapped.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum GraphicsError {
    /// A buffer without bytes, or more than there are addresses for.
    #[error(
        "a buffer of {len} elements of {size} bytes cannot be registered; register 1 byte at least, and what an address space holds at most"
    )]
    Length {
        /// Elements.
        len: usize,
        /// Bytes of one of them.
        size: usize,
    },
    /// OpenGL's buffer is shorter than it was said to be.
    #[error(
        "the buffer of OpenGL has {found} bytes, not {wanted}; register it with the length that it was made with"
    )]
    TooShort {
        /// Bytes that it has.
        found: usize,
        /// Bytes that it should have.
        wanted: usize,
    },
    /// No object without a name.
    #[error(
        "0 is the name of no object of OpenGL; pass the name that `glGen…` or `glCreate…` gave"
    )]
    NoName,
    /// An array that is not registered, or a target of another form.
    #[error(
        "a {target} of OpenGL cannot be a {shape}; use a plane for a 2-D texture or a renderbuffer, three dimensions for a 3-D texture, without gathers"
    )]
    Shape {
        /// What the object is.
        target: &'static str,
        /// The array's shape.
        shape: ArrayShape,
    },
    /// Object and stream are not of one device.
    #[error(
        "the stream belongs to {found}, but the object is registered for {wanted}; use one device for objects and streams"
    )]
    WrongDevice {
        /// The stream's device.
        found: String,
        /// The object's device.
        wanted: String,
    },
    /// A graph still has the memory, so its runs might use it while OpenGL does.
    #[error(
        "a graph has the memory, and could run while OpenGL uses it; drop the graph and its executables before `unmap`"
    )]
    InGraph,
    /// The other side's copy failed.
    #[error("cannot {what}: {reason}")]
    Host {
        /// What was tried.
        what: &'static str,
        /// The other side's answer.
        reason: String,
    },
    /// The driver refused a call.
    #[error("cannot share with OpenGL: {0}")]
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
