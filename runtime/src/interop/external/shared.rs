//! A resource that two APIs share, and who has it.

use std::fmt;
use std::ops::Deref;

use warploom_device_std::Plain;

use super::{ExternalError, Handover, Turn};
use crate::buffer::Buffer;
use crate::memory::{ArrayElement, ArrayLevelMut, DeviceBuffer, MemoryError, MipmappedArray};
use crate::stream::Stream;
use crate::view::DeviceSliceMut;

/// What can be shared: a [`DeviceBuffer`] or a [`MipmappedArray`].
pub trait Resource: sealed::Resource {}

impl<T> Resource for DeviceBuffer<T> {}
impl<T> Resource for MipmappedArray<T> {}

mod sealed {
    use super::{Buffer, DeviceBuffer, MipmappedArray};

    /// What has memory.
    #[expect(private_interfaces, reason = "the trait has no name outside")]
    pub trait Resource {
        fn memory(&self) -> &Buffer;
    }

    #[expect(private_interfaces, reason = "as above")]
    impl<T> Resource for DeviceBuffer<T> {
        fn memory(&self) -> &Buffer {
            self.buffer()
        }
    }

    #[expect(private_interfaces, reason = "as above")]
    impl<T> Resource for MipmappedArray<T> {
        fn memory(&self) -> &Buffer {
            self.buffer()
        }
    }
}

/// A resource that the other API has. Nothing of it can be used here.
///
/// When it is dropped, this program's hold on the memory goes; the other API keeps its own.
#[must_use = "the other API has it; what is dropped cannot be acquired again"]
pub struct Released<R> {
    /// Before the semaphores: freeing it waits for the work that signals them.
    resource: R,
    handover: Handover,
}

/// A resource that this program has: a buffer or an array like any other, until it is [released](Acquired::release).
///
/// The other API waits meanwhile, and goes on waiting if this is dropped.
#[must_use = "the other API waits for its release"]
pub struct Acquired<R> {
    /// As above.
    resource: R,
    handover: Handover,
}

/// A hand-over that failed, with the resource as it was before.
#[derive(thiserror::Error)]
#[error("{error}")]
pub struct Refused<S> {
    /// Why.
    #[source]
    pub error: ExternalError,
    /// What was to be handed over.
    pub resource: S,
}

impl<R: Resource> Released<R> {
    pub(super) fn new(resource: R, handover: Handover) -> Result<Released<R>, ExternalError> {
        handover.check(resource.memory().device())?;
        Ok(Released { resource, handover })
    }

    /// What the other API does in its turn.
    #[must_use]
    pub fn turn(&self) -> Turn {
        self.handover.turn()
    }

    /// Takes the resource back from the other API: work on it, on any stream, starts when that has signalled. Does not wait on the host. CUDA:
    /// `cuWaitExternalSemaphoresAsync`.
    ///
    /// If the other API never signals, work on the resource never starts, and what waits for that work, dropping the resource too, never returns.
    ///
    /// # Errors
    /// [`ExternalError::WrongDevice`]; [`ExternalError::Stream`] for a stream that records a graph; [`ExternalError::TimelineEnds`];
    /// [`ExternalError::Driver`]. On the emulator, whose streams do not wait, [`ExternalError::NotSignalled`]. With each comes the
    /// resource.
    #[expect(
        clippy::result_large_err,
        reason = "it has the resource, as the success does"
    )]
    pub fn acquire(mut self, stream: &Stream) -> Result<Acquired<R>, Refused<Released<R>>> {
        let what = "take memory from another API";
        match hand_over(
            &self.resource,
            &mut self.handover,
            stream,
            what,
            Handover::wait,
        ) {
            Ok(()) => Ok(Acquired {
                resource: self.resource,
                handover: self.handover,
            }),
            Err(error) => Err(Refused {
                error,
                resource: self,
            }),
        }
    }
}

impl<R: Resource> Acquired<R> {
    /// Gives the resource to the other API, which is signalled when all work on it, on any stream, is done. Does not wait on the host. CUDA:
    /// `cuSignalExternalSemaphoresAsync`.
    ///
    /// # Errors
    /// [`ExternalError::InGraph`] while a graph has the memory; else as [`acquire`](Released::acquire). With each comes the resource.
    #[expect(
        clippy::result_large_err,
        reason = "it has the resource, as the success does"
    )]
    pub fn release(mut self, stream: &Stream) -> Result<Released<R>, Refused<Acquired<R>>> {
        let what = "give memory to another API";
        let done = match self.resource.memory().is_in_graph() {
            true => Err(ExternalError::InGraph),
            false => hand_over(
                &self.resource,
                &mut self.handover,
                stream,
                what,
                Handover::signal,
            ),
        };
        match done {
            Ok(()) => Ok(Released {
                resource: self.resource,
                handover: self.handover,
            }),
            Err(error) => Err(Refused {
                error,
                resource: self,
            }),
        }
    }
}

/// Queues a wait or a signal in order with all work on the resource.
fn hand_over<R: Resource>(
    resource: &R,
    handover: &mut Handover,
    stream: &Stream,
    what: &'static str,
    queue: fn(&mut Handover, &Stream) -> Result<(), ExternalError>,
) -> Result<(), ExternalError> {
    handover.check_stream(stream, what)?;
    // Until the locks are released no other work on the resource is queued.
    let _locks = resource.memory().record_use_on(stream)?;
    queue(handover, stream)
}

impl<R> Deref for Acquired<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.resource
    }
}

// The resource itself is never given to be written: another one could be put in its place, and it would stay usable after the release.

impl<T: Plain> Acquired<DeviceBuffer<T>> {
    /// All elements, to write.
    #[must_use]
    pub fn as_slice_mut(&mut self) -> DeviceSliceMut<'_, T> {
        self.resource.as_slice_mut()
    }
}

impl<T: ArrayElement> Acquired<MipmappedArray<T>> {
    /// A level, 0 the finest, to write; see [`MipmappedArray::level_mut`].
    ///
    /// # Errors
    /// [`MemoryError::NoSuchLevel`].
    pub fn level_mut(&mut self, level: u32) -> Result<ArrayLevelMut<'_, T>, MemoryError> {
        self.resource.level_mut(level)
    }

    /// All levels, the finest first; see [`MipmappedArray::levels_mut`].
    #[must_use]
    pub fn levels_mut(&mut self) -> Vec<ArrayLevelMut<'_, T>> {
        self.resource.levels_mut()
    }
}

impl<S> From<Refused<S>> for ExternalError {
    fn from(refused: Refused<S>) -> ExternalError {
        refused.error
    }
}

impl<S> fmt::Debug for Refused<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<R: Resource> fmt::Debug for Released<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Released")
            .field("memory", self.resource.memory())
            .field("turn", &self.turn())
            .finish()
    }
}

impl<R: Resource> fmt::Debug for Acquired<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acquired")
            .field("memory", self.resource.memory())
            .finish_non_exhaustive()
    }
}
