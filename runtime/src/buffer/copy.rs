//! Copies of bytes in a row.

use std::sync::RwLockReadGuard;

use warploom_emulator::check;

use super::Buffer;
use crate::device::Device;
use crate::device::order::{self, Submissions};
use crate::graph::record::{KeptCopy, Operation};
use crate::memory::MemoryError;
use crate::stream::{Stream, StreamError, refuse_inside};

/// Copies between host memory and device memory, or within the latter.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Copy {
    /// From this host address to the device address; waits until it is done.
    In { from: *const u8, to: *mut u8 },
    /// From this device address to the host address; waits until it is done.
    Out { from: *const u8, to: *mut u8 },
    /// From device address to device address; queued, not waited for.
    Within { from: *const u8, to: *mut u8 },
    /// From an address of pinned memory to the device address; queued, not waited for.
    InPinned { from: *const u8, to: *mut u8 },
    /// From this device address to an address of pinned memory; queued, not waited for.
    OutPinned { from: *const u8, to: *mut u8 },
}

impl Copy {
    /// Does the copy in order with the work on `stream`. `buffers` are those whose memory it touches.
    ///
    /// # Safety
    /// `bytes` bytes can be read at `from` and written at `to`; they do not overlap; addresses of the device and of pinned memory lie in
    /// `buffers`, which belong to the stream's device or are portable; the caller holds a shared borrow of what is read and an exclusive
    /// one of what is written.
    #[track_caller]
    pub(crate) unsafe fn run(
        self,
        bytes: usize,
        buffers: &[&Buffer],
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        // SAFETY: the caller's promise.
        unsafe { self.queue(bytes, buffers, stream) }.map_err(|error| suspect(error, stream))
    }

    /// # Safety
    /// As [`run`](Copy::run).
    #[track_caller]
    unsafe fn queue(
        self,
        bytes: usize,
        buffers: &[&Buffer],
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        refuse_inside()?;
        let (Copy::In { from, to }
        | Copy::Out { from, to }
        | Copy::Within { from, to }
        | Copy::InPinned { from, to }
        | Copy::OutPinned { from, to }) = self;
        if let Some(recording) = stream.recording() {
            let Copy::Within { .. } = self else {
                let what = "copy to or from the host's memory";
                return Err(StreamError::Recording { what }.into());
            };
            // A run orders its memory with other work of its own device alone.
            for buffer in buffers {
                buffer.check_own(stream)?;
            }
            let copy = Operation::Copy(KeptCopy {
                to,
                from,
                bytes,
                buffers: buffers.iter().copied().cloned().collect(),
            });
            return Ok(recording.push(copy)?);
        }
        let Some(cuda) = stream.queue().cuda() else {
            let locks = no_graphs(buffers, stream);
            for buffer in buffers {
                buffer.hand_to(stream.queue())?;
            }
            // SAFETY: on the emulator all addresses are host addresses; the caller promises the ranges.
            unsafe { to.copy_from_nonoverlapping(from, bytes) };
            match self {
                Copy::Within { .. } | Copy::InPinned { .. } => check::copied(to, from, bytes),
                Copy::OutPinned { .. } => {
                    stream.device().host_reads(from, bytes);
                }
                Copy::In { .. } => check::initialise(to, bytes),
                Copy::Out { .. } => {
                    stream.device().host_reads(from, bytes);
                }
            }
            drop(locks); // the wait prints, and who is told may use the device
            return match self {
                Copy::In { .. } | Copy::Out { .. } => Ok(stream.synchronize()?),
                Copy::Within { .. } | Copy::InPinned { .. } | Copy::OutPinned { .. } => Ok(()),
            };
        };
        let submission = hand_all(buffers, stream)?;
        if bytes > 0 {
            // SAFETY: the caller promises the ranges. Host memory stays borrowed until the wait below; device and pinned memory is kept
            // by `buffers`, which note this stream.
            unsafe {
                match self {
                    Copy::In { from, to } | Copy::InPinned { from, to } => {
                        cuda.upload(to.addr() as u64, from, bytes)?;
                    }
                    Copy::Out { from, to } | Copy::OutPinned { from, to } => {
                        cuda.download(to, from.addr() as u64, bytes)?;
                    }
                    Copy::Within { from, to } => {
                        cuda.copy(to.addr() as u64, from.addr() as u64, bytes)?;
                    }
                }
            }
        }
        drop(submission);
        match self {
            Copy::Within { .. } | Copy::InPinned { .. } | Copy::OutPinned { .. } => Ok(()),
            Copy::In { .. } | Copy::Out { .. } => Ok(stream.synchronize()?),
        }
    }
}

/// The error of work on memory, which may be the first to hear that a kernel before it failed.
pub(super) fn suspect(mut error: MemoryError, stream: &Stream) -> MemoryError {
    if let MemoryError::Driver(error) = &mut error {
        stream.device().name_suspects(Some(stream.number()), error);
    }
    error
}

/// While they live, no graph runs on the emulated devices of `buffers` and of `stream`: portable buffers bring others than the stream's.
pub(crate) fn no_graphs<'a>(
    buffers: &[&'a Buffer],
    stream: &'a Stream,
) -> Vec<RwLockReadGuard<'a, ()>> {
    order::no_graphs(devices(buffers, stream))
}

/// Hands `buffers` to `stream`. Until the locks are released nobody else hands them on: the work must be queued by then.
pub(crate) fn hand_all<'a>(
    buffers: &[&'a Buffer],
    stream: &'a Stream,
) -> Result<Submissions<'a>, MemoryError> {
    refuse_inside()?;
    let locks = order::submissions(devices(buffers, stream));
    for buffer in buffers {
        buffer.hand_to(stream.queue())?;
    }
    Ok(locks)
}

/// Almost always one; portable buffers and those of peers bring others.
fn devices<'a>(buffers: &[&'a Buffer], stream: &'a Stream) -> impl Iterator<Item = &'a Device> {
    let of_buffers = buffers.iter().map(|buffer| buffer.device());
    of_buffers.chain([stream.device()])
}
