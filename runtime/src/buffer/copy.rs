//! Copies of contiguous bytes, and the locks under which work on buffers is queued.

use std::sync::RwLockReadGuard;

use warploom_emulator::check;

use super::Buffer;
use crate::cuda::DriverError;
use crate::cuda::stream::Stream as CudaStream;
use crate::device::Device;
use crate::device::order::{self, Submissions};
use crate::graph::record::{Operation, RecordedCopy};
use crate::memory::MemoryError;
use crate::stream::{Stream, StreamError, reject_in_host_callback};

/// Between which kinds of memory a copy goes. Pageable memory of the host (`HostToDevice`, `DeviceToHost`) has to stay borrowed, so that
/// those copies wait until they are done; the others are queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CopyKind {
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
    PinnedToDevice,
    DeviceToPinned,
}

impl CopyKind {
    pub(super) fn waits(self) -> bool {
        matches!(self, CopyKind::HostToDevice | CopyKind::DeviceToHost)
    }

    /// Tells the emulator's checks that a copy was made. `remarked`: whether a read of uninitialised bytes was reported already.
    #[track_caller]
    pub(super) fn note_emulated(
        self,
        to: *mut u8,
        from: *const u8,
        bytes: usize,
        device: &Device,
        remarked: &mut bool,
    ) {
        match self {
            CopyKind::HostToDevice => check::initialise(to, bytes),
            CopyKind::DeviceToDevice | CopyKind::PinnedToDevice => check::copied(to, from, bytes),
            CopyKind::DeviceToHost | CopyKind::DeviceToPinned => {
                *remarked = *remarked || device.host_reads(from, bytes);
            }
        }
    }
}

/// A copy of `bytes` bytes without gaps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinearCopy {
    pub(crate) kind: CopyKind,
    pub(crate) from: *const u8,
    pub(crate) to: *mut u8,
    pub(crate) bytes: usize,
}

impl LinearCopy {
    /// Does the copy in order with the work on `stream`. `buffers` are those whose memory it touches.
    ///
    /// # Safety
    /// `bytes` bytes can be read at `from` and written at `to`; they do not overlap; addresses of the device and of pinned memory lie in
    /// `buffers`, which belong to the stream's device or are portable; the caller holds a shared borrow of what is read and an exclusive
    /// one of what is written.
    #[track_caller]
    pub(crate) unsafe fn run(
        self,
        buffers: &[&Buffer],
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        // SAFETY: the caller's promise.
        unsafe { self.queue(buffers, stream) }
            .map_err(|error| with_candidate_launches(error, stream))
    }

    /// # Safety
    /// As [`run`](LinearCopy::run).
    #[track_caller]
    unsafe fn queue(self, buffers: &[&Buffer], stream: &Stream) -> Result<(), MemoryError> {
        reject_in_host_callback()?;
        let LinearCopy {
            kind,
            from,
            to,
            bytes,
        } = self;
        if let Some(recording) = stream.recording() {
            check_recordable(kind, buffers, stream)?;
            let copy = Operation::Copy(RecordedCopy {
                to,
                from,
                bytes,
                buffers: buffers.iter().copied().cloned().collect(),
            });
            return Ok(recording.push(copy)?);
        }
        if let Some(cuda) = stream.queue().cuda() {
            let _submissions = record_uses(buffers, stream)?;
            // SAFETY: the caller promises the ranges. Pageable memory stays borrowed until the wait below; device and pinned memory is
            // kept by `buffers`, which note this stream.
            unsafe { self.queue_on_gpu(cuda)? };
        } else {
            let _no_graphs = exclude_graphs(buffers, stream);
            for buffer in buffers {
                buffer.record_use(stream.queue())?;
            }
            let (device, after) = (stream.device(), Some(stream.number()));
            // What is found is the error of the next wait.
            if !device.host_accesses((from, bytes), false, after) {
                device.host_accesses((to, bytes), true, after);
            }
            // SAFETY: on the emulator all addresses are host addresses; the caller promises the ranges.
            unsafe { to.copy_from_nonoverlapping(from, bytes) };
            kind.note_emulated(to, from, bytes, stream.device(), &mut false);
        }
        // Without the locks: the wait prints, and the printer may use the device.
        match kind.waits() {
            true => Ok(stream.synchronize()?),
            false => Ok(()),
        }
    }

    /// # Safety
    /// As [`run`](LinearCopy::run), until the stream has made the copy.
    unsafe fn queue_on_gpu(self, cuda: &CudaStream) -> Result<(), DriverError> {
        let LinearCopy {
            from, to, bytes, ..
        } = self;
        if bytes == 0 {
            return Ok(());
        }
        match self.kind {
            // SAFETY: the caller's promise.
            CopyKind::HostToDevice | CopyKind::PinnedToDevice => unsafe {
                cuda.upload(to.addr() as u64, from, bytes)
            },
            // SAFETY: the caller's promise.
            CopyKind::DeviceToHost | CopyKind::DeviceToPinned => unsafe {
                cuda.download(to, from.addr() as u64, bytes)
            },
            // SAFETY: the caller's promise.
            CopyKind::DeviceToDevice => unsafe {
                cuda.copy(to.addr() as u64, from.addr() as u64, bytes)
            },
        }
    }
}

/// Refuses what a graph has no node for: copies of the host's memory, and buffers of other devices, since a run orders its memory with other
/// work of its own device alone.
pub(super) fn check_recordable(
    kind: CopyKind,
    buffers: &[&Buffer],
    stream: &Stream,
) -> Result<(), MemoryError> {
    if kind != CopyKind::DeviceToDevice {
        let what = "copy to or from the host's memory";
        return Err(StreamError::Recording { what }.into());
    }
    buffers
        .iter()
        .try_for_each(|buffer| buffer.check_own(stream))
}

/// Adds the launches that may have failed to an error: work on memory may be the first call that reports the failure of an earlier kernel.
pub(super) fn with_candidate_launches(mut error: MemoryError, stream: &Stream) -> MemoryError {
    if let MemoryError::Driver(error) = &mut error {
        stream
            .device()
            .add_candidate_launches(Some(stream.number()), error);
    }
    error
}

/// Until the guards are dropped, no graph runs on the emulated devices of `buffers` and of `stream`: portable buffers may belong to others
/// than the stream's.
pub(crate) fn exclude_graphs<'a>(
    buffers: &[&'a Buffer],
    stream: &'a Stream,
) -> Vec<RwLockReadGuard<'a, ()>> {
    order::exclude_graphs(devices(buffers, stream))
}

/// Records a use of `buffers` on `stream`. The work must be queued before the locks are released: no other use is recorded until then.
#[inline]
pub(crate) fn record_uses<'a>(
    buffers: &[&'a Buffer],
    stream: &'a Stream,
) -> Result<Submissions<'a>, MemoryError> {
    reject_in_host_callback()?;
    let locks = order::submissions(devices(buffers, stream));
    for buffer in buffers {
        buffer.record_use(stream.queue())?;
    }
    Ok(locks)
}

/// Almost always one; portable buffers and those of peers bring others.
fn devices<'a>(buffers: &[&'a Buffer], stream: &'a Stream) -> impl Iterator<Item = &'a Device> {
    let of_buffers = buffers.iter().map(|buffer| buffer.device());
    of_buffers.chain([stream.device()])
}
