//! Whose turn it is: the semaphores of a resource, and their next values.

use super::{ExternalError, ExternalSemaphore, SemaphoreKind};
use crate::device::Device;
use crate::stream::Stream;

/// A timeline semaphore of another API that the host signals and waits for. See [`ExternalSemaphore::of_host`].
pub trait HostTimeline: Send + Sync {
    /// Waits until the semaphore has at least this value. For work that was submitted before; what would never come is an error.
    ///
    /// # Errors
    /// If the other API refuses, or nothing signals the value.
    fn wait(&self, value: u64) -> Result<(), ExternalError>;

    /// Gives the semaphore this value.
    ///
    /// # Errors
    /// If the other API refuses.
    fn signal(&self, value: u64) -> Result<(), ExternalError>;
}

/// How the two sides of a resource tell each other that they are done with it.
#[derive(Debug)]
pub struct Handover {
    semaphores: Semaphores,
    /// What the next acquire waits for, or the next release signals. Of binary semaphores it means nothing.
    next: u64,
    /// Whether this program signalled the present turn.
    was_released: bool,
}

#[derive(Debug)]
enum Semaphores {
    Timeline(ExternalSemaphore),
    Binary {
        done: ExternalSemaphore,
        ready: ExternalSemaphore,
    },
}

/// What the other API does in its turn, before and after its work on the resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The value of the semaphore to wait for; `None` before the first release. Of binary semaphores: the one that this program signals, and 1.
    pub wait: Option<u64>,
    /// The value to give the semaphore. Of binary semaphores: the one that this program waits for, and 1.
    pub signal: u64,
}

impl Handover {
    /// By one timeline semaphore, whose value is a number of turns. The first acquire waits for `first`: the value that the semaphore was made with if this
    /// program begins, a greater one that the other API signals if that does.
    #[must_use]
    pub fn timeline(semaphore: ExternalSemaphore, first: u64) -> Handover {
        Handover {
            semaphores: Semaphores::Timeline(semaphore),
            next: first,
            was_released: false,
        }
    }

    /// By two binary semaphores: the other API signals `done` and this program `ready`. The other API begins.
    #[must_use]
    pub fn binary(done: ExternalSemaphore, ready: ExternalSemaphore) -> Handover {
        Handover {
            semaphores: Semaphores::Binary { done, ready },
            next: 1,
            was_released: false,
        }
    }

    /// Refuses semaphores of another kind or another device.
    pub(super) fn check(&self, device: &Device) -> Result<(), ExternalError> {
        let (all, wanted) = match &self.semaphores {
            Semaphores::Timeline(semaphore) => ([semaphore; 2], SemaphoreKind::Timeline),
            Semaphores::Binary { done, ready } => ([done, ready], SemaphoreKind::Binary),
        };
        for semaphore in all {
            if semaphore.kind() != wanted {
                return Err(ExternalError::SemaphoreKind {
                    wanted,
                    found: semaphore.kind(),
                });
            }
            if !semaphore.device().is_same(device) {
                return Err(ExternalError::WrongDevice {
                    what: "semaphore",
                    found: semaphore.device().name().to_owned(),
                    wanted: device.name().to_owned(),
                });
            }
        }
        Ok(())
    }

    /// The other API's turn, while it has the resource.
    pub(super) fn turn(&self) -> Turn {
        let is_binary = matches!(self.semaphores, Semaphores::Binary { .. });
        let signalled = if is_binary {
            1
        } else {
            self.next.wrapping_sub(1)
        };
        Turn {
            wait: self.was_released.then_some(signalled),
            signal: self.next,
        }
    }

    /// Whether the stream can be used for a hand-over.
    pub(super) fn check_stream(
        &self,
        stream: &Stream,
        what: &'static str,
    ) -> Result<(), ExternalError> {
        match &self.semaphores {
            Semaphores::Timeline(semaphore) => semaphore.check(stream, what),
            Semaphores::Binary { done, .. } => done.check(stream, what),
        }
    }

    /// Lets the stream wait for the other API, which then has no turn any more.
    pub(super) fn wait(&mut self, stream: &Stream) -> Result<(), ExternalError> {
        match &self.semaphores {
            Semaphores::Timeline(semaphore) => {
                let after = self.after()?; // what the release will signal
                semaphore.queue_wait(self.next, stream)?;
                self.next = after;
            }
            Semaphores::Binary { done, .. } => done.queue_wait(1, stream)?,
        }
        Ok(())
    }

    /// Lets the stream signal the other API, whose turn it is then.
    pub(super) fn signal(&mut self, stream: &Stream) -> Result<(), ExternalError> {
        match &self.semaphores {
            Semaphores::Timeline(semaphore) => {
                let after = self.after()?; // what the other API will signal
                semaphore.queue_signal(self.next, stream)?;
                self.next = after;
            }
            Semaphores::Binary { ready, .. } => ready.queue_signal(1, stream)?,
        }
        self.was_released = true;
        Ok(())
    }

    fn after(&self) -> Result<u64, ExternalError> {
        self.next.checked_add(1).ok_or(ExternalError::TimelineEnds)
    }
}
