//! Memory of a device without a type, and which stream used it last.
//!
//! Protocol, for GPUs (on the emulator every use is over when the call returns):
//! 1. Who gives a stream work on a buffer holds the device's submission lock from [`Buffer::hand_to`] until the work is queued.
//! 2. `last` is the stream with the latest work. [`Buffer::hand_to`] makes another stream wait for it, so all earlier work
//!    is done before later work starts, and waiting for `last` means waiting for all.
//! 3. The memory is freed after waiting for `last`.

use std::alloc::Layout;
use std::any::type_name;
use std::fmt;
use std::ptr;
use std::sync::{Arc, Mutex};

use warploom_device::Plain;
use warploom_emulator::check::{self, Birth, GlobalMemory};

use crate::cuda::DriverError;
use crate::cuda::memory::DeviceMemory;
use crate::cuda::stream::Stream as CudaStream;
use crate::device::{Backend, Device, lock};
use crate::interop::Foreign;
use crate::interop::dlpack::DeviceType;
use crate::memory::MemoryError;
use crate::stream::{Queue, Stream};

/// Every buffer starts at a multiple of this, as the driver's do.
const ALIGN: usize = 256;

pub(crate) struct Buffer {
    memory: Memory,
    last: Mutex<Option<Arc<Queue>>>,
    device: Device,
}

enum Memory {
    /// No bytes.
    Empty,
    Host(GlobalMemory),
    Cuda(DeviceMemory),
    /// Of somebody else, who is told when it is dropped.
    Foreign(Foreign),
}

impl Buffer {
    /// Memory for `len` elements, which the caller fills before he hands it on, unless it is born uninitialised: 0xA5 in each byte on the
    /// emulator, which tells its checks what is written.
    #[track_caller]
    pub(crate) fn new<T>(device: &Device, len: usize, birth: Birth) -> Result<Buffer, MemoryError> {
        let size = size_of::<T>();
        let out_of_memory = || MemoryError::OutOfMemory {
            elements: len,
            size,
            device: device.name().to_owned(),
        };
        let memory = match (len.checked_mul(size), &device.0.backend) {
            (None, _) => return Err(out_of_memory()),
            (Some(0), _) => Memory::Empty,
            (Some(bytes), Backend::Emulator(_)) => {
                let label = format!("DeviceBuffer<{}>", type_name::<T>());
                let memory = GlobalMemory::new(bytes, Layout::new::<T>(), birth, &label);
                Memory::Host(memory.ok_or_else(out_of_memory)?)
            }
            (Some(bytes), Backend::Cuda(gpu)) => Memory::Cuda(
                DeviceMemory::new(Arc::clone(&gpu.context), bytes)?.ok_or_else(out_of_memory)?,
            ),
        };
        Ok(Buffer {
            memory,
            last: Mutex::new(None),
            device: device.clone(),
        })
    }

    /// Memory of somebody else, on this device.
    pub(crate) fn foreign(device: &Device, memory: Foreign) -> Buffer {
        Buffer {
            memory: Memory::Foreign(memory),
            last: Mutex::new(None),
            device: device.clone(),
        }
    }

    /// What kind of memory it is to other libraries.
    pub(crate) fn device_type(&self) -> DeviceType {
        match &self.memory {
            Memory::Foreign(memory) => memory.kind(),
            _ => DeviceType::of(&self.device),
        }
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// Where the memory starts: a host address on the emulator, the device's address as a bare number on a GPU. Never null.
    pub(crate) fn start(&self) -> *mut u8 {
        match &self.memory {
            Memory::Empty => ptr::without_provenance_mut(ALIGN),
            Memory::Host(memory) => memory.start().as_ptr(),
            Memory::Foreign(memory) => memory.start(),
            Memory::Cuda(memory) => {
                ptr::without_provenance_mut(usize::try_from(memory.address()).unwrap_or(ALIGN))
            }
        }
    }

    /// Refuses a stream of another device.
    pub(crate) fn check_device(&self, stream: &Stream) -> Result<(), MemoryError> {
        if self.device.is_same(stream.device()) {
            return Ok(());
        }
        Err(MemoryError::WrongDevice {
            buffer: self.device.name().to_owned(),
            stream: stream.device().name().to_owned(),
        })
    }

    /// Notes that `queue` uses this memory next, and makes it wait for the stream that used it before. Under the submission lock.
    pub(crate) fn hand_to(&self, queue: &Arc<Queue>) -> Result<(), DriverError> {
        let mut last = lock(&self.last);
        match &*last {
            Some(last) if Arc::ptr_eq(last, queue) => return Ok(()),
            Some(last) => {
                if let Some(stream) = queue.cuda() {
                    last.hand_over_to(stream)?;
                }
            }
            None => {}
        }
        *last = Some(Arc::clone(queue));
        Ok(())
    }

    /// Copies `source` to the start of this memory, which no stream has used yet.
    pub(crate) fn fill_from<T: Plain>(&self, source: &[T]) -> Result<(), MemoryError> {
        let bytes = size_of_val(source);
        match &self.memory {
            Memory::Empty | Memory::Foreign(_) => {} // foreign memory is never new
            // SAFETY: the memory was made for the bytes of `source`, and no one else has it yet.
            Memory::Host(memory) => unsafe {
                memory
                    .start()
                    .as_ptr()
                    .copy_from_nonoverlapping(source.as_ptr().cast(), bytes);
            },
            Memory::Cuda(memory) => {
                let Some(stream) = self.own_stream() else {
                    return Ok(());
                };
                // The wait is needed: a copy from pageable memory may be still on its way when the call returns.
                // SAFETY: the memory was made for the bytes of `source`; both live until the wait is over.
                unsafe { stream.upload(memory.address(), source.as_ptr().cast(), bytes)? };
                stream.synchronize()?;
            }
        }
        Ok(())
    }

    /// Writes zero to every byte of this memory, which no stream has used yet.
    pub(crate) fn fill_zero(&self, bytes: usize) -> Result<(), MemoryError> {
        match &self.memory {
            Memory::Empty | Memory::Foreign(_) => {}
            // SAFETY: the memory has `bytes` bytes (the caller made it so), and no one else has it yet.
            Memory::Host(memory) => unsafe { memory.start().as_ptr().write_bytes(0, bytes) },
            Memory::Cuda(memory) => {
                let Some(stream) = self.own_stream() else {
                    return Ok(());
                };
                // SAFETY: as above; the memory lives until the wait is over.
                unsafe { stream.zero(memory.address(), bytes)? };
                stream.synchronize()?;
            }
        }
        Ok(())
    }

    fn own_stream(&self) -> Option<&CudaStream> {
        match &self.device.0.backend {
            Backend::Cuda(gpu) => Some(&gpu.own_stream),
            Backend::Emulator(_) => None,
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let last = lock(&self.last).take();
        if let Some(stream) = last.as_ref().and_then(|queue| queue.cuda()) {
            // Errors: the context is broken, and nothing runs any more. Whoever synchronises next is told.
            let _ = stream.synchronize();
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = match &self.memory {
            Memory::Empty => 0,
            Memory::Host(memory) => memory.bytes(),
            Memory::Foreign(memory) => memory.bytes(),
            Memory::Cuda(_) => return f.debug_struct("Buffer").finish_non_exhaustive(),
        };
        f.debug_struct("Buffer")
            .field("bytes", &bytes)
            .finish_non_exhaustive()
    }
}

/// Copies between host memory and device memory, or within the latter; waits until it is done.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Copy {
    /// From this host address to the device address.
    In { from: *const u8, to: *mut u8 },
    /// From this device address to the host address.
    Out { from: *const u8, to: *mut u8 },
    /// From device address to device address; queued, not waited for.
    Within { from: *const u8, to: *mut u8 },
}

impl Copy {
    /// Does the copy in order with the work on `stream`. `buffers` are those whose memory it touches.
    ///
    /// # Safety
    /// `bytes` bytes can be read at `from` and written at `to`; they do not overlap; device addresses lie in `buffers`, which
    /// belong to the stream's device; the caller holds a shared borrow of what is read and an exclusive one of what is written.
    #[track_caller]
    pub(crate) unsafe fn run(
        self,
        bytes: usize,
        buffers: &[&Buffer],
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        let (Copy::In { from, to } | Copy::Out { from, to } | Copy::Within { from, to }) = self;
        let Backend::Cuda(gpu) = &stream.device().0.backend else {
            // SAFETY: on the emulator all addresses are host addresses; the caller promises the ranges.
            unsafe { to.copy_from_nonoverlapping(from, bytes) };
            match self {
                Copy::Within { .. } => {
                    check::copied(to, from, bytes);
                    return Ok(());
                }
                Copy::In { .. } => check::initialise(to, bytes),
                Copy::Out { .. } => stream.device().host_reads(from, bytes),
            }
            return Ok(stream.synchronize()?);
        };
        let Some(cuda) = stream.queue().cuda() else {
            return Ok(());
        };
        let submission = gpu.submission();
        for buffer in buffers {
            buffer.hand_to(stream.queue())?;
        }
        if bytes > 0 {
            // SAFETY: the caller promises the ranges. Host memory stays borrowed until the wait below; device memory is kept by
            // `buffers`, which note this stream.
            unsafe {
                match self {
                    Copy::In { from, to } => cuda.upload(to.addr() as u64, from, bytes)?,
                    Copy::Out { from, to } => cuda.download(to, from.addr() as u64, bytes)?,
                    Copy::Within { from, to } => {
                        cuda.copy(to.addr() as u64, from.addr() as u64, bytes)?;
                    }
                }
            }
        }
        drop(submission);
        match self {
            Copy::Within { .. } => Ok(()),
            Copy::In { .. } | Copy::Out { .. } => Ok(stream.synchronize()?),
        }
    }
}
