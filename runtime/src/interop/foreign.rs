//! Memory of other owners: how long it is used, and the release function that is called then.

use std::alloc::Layout;
use std::any::type_name;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Mutex;

use warploom_emulator::check::ForeignMemory;

#[cfg(feature = "dlpack")]
use super::dlpack::DeviceType;
use crate::buffer::Buffer;
use crate::device::{Backend, Device};
use crate::interop::error::InteropError;
use crate::memory::DeviceBuffer;
use crate::sync::lock;

/// Memory of another owner. Its release function is called when it is dropped.
pub(crate) struct Foreign {
    start: NonNull<u8>,
    bytes: usize,
    #[cfg(feature = "dlpack")]
    device_type: DeviceType,
    /// On the emulator: what its checks know.
    known: Option<ForeignMemory>,
    release: Mutex<Option<Release>>,
}

type Release = Box<dyn FnOnce() + Send>;

// SAFETY: `start` is an address; readers and writers synchronise themselves.
unsafe impl Send for Foreign {}
// SAFETY: as above.
unsafe impl Sync for Foreign {}

impl Foreign {
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    #[cfg(feature = "dlpack")]
    pub(crate) fn device_type(&self) -> DeviceType {
        self.device_type
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        self.known = None; // before others may use the addresses anew
        if let Some(release) = lock(&self.release).take() {
            release();
        }
    }
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Foreign")
            .field("start", &self.start)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

/// Calls `release` when it is dropped, so that errors release, too.
struct Guard(Option<Release>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(release) = self.0.take() {
            release();
        }
    }
}

/// Where nothing is: aligned for elements of every type.
#[repr(align(256))]
struct Empty;

/// Elements in memory of another owner.
pub(super) struct ForeignElements {
    pub(super) start: *mut u8,
    pub(super) len: usize,
    /// Whether `start` is what kernels need: else the driver is asked for that.
    pub(super) is_for_kernels: bool,
    /// What kind of memory it is to DLPack.
    #[cfg(feature = "dlpack")]
    pub(super) device_type: DeviceType,
}

/// The elements as a buffer. `release` is called once: on an error at once, else when the buffer is dropped and all its work is done.
///
/// # Safety
/// As [`DeviceBuffer::from_raw_parts`].
#[track_caller]
pub(super) unsafe fn adopt<T>(
    device: &Device,
    elements: ForeignElements,
    release: Release,
) -> Result<DeviceBuffer<T>, InteropError> {
    let mut guard = Guard(Some(release));
    let ForeignElements { start, len, .. } = elements;
    let too_large = || InteropError::TooLarge {
        elements: len,
        size: size_of::<T>(),
    };
    let bytes = len.checked_mul(size_of::<T>()).ok_or_else(too_large)?;
    if isize::try_from(bytes).is_err() || start.addr().checked_add(bytes).is_none() {
        return Err(too_large());
    }
    let start = match NonNull::new(start) {
        Some(start) => start,
        None if bytes == 0 => NonNull::<Empty>::dangling().cast(),
        None => return Err(InteropError::NullAddress { elements: len }),
    };
    if !start.addr().get().is_multiple_of(align_of::<T>()) {
        return Err(InteropError::Misaligned {
            address: start.addr().get() as u64,
            align: align_of::<T>(),
            element: type_name::<T>(),
        });
    }
    let (mut start, mut known) = (start, None);
    match &device.0.backend {
        Backend::Emulator(_) => {
            let label = format!("foreign DeviceBuffer<{}>", type_name::<T>());
            known = Some(ForeignMemory::new(start, bytes, Layout::new::<T>(), &label));
        }
        Backend::Cuda(gpu) if bytes > 0 && !elements.is_for_kernels => {
            let given = start.addr().get() as u64;
            let address = gpu.context.address_for_kernels(given)?;
            let address = address.and_then(|found| usize::try_from(found).ok());
            let Some(found) =
                address.and_then(|found| NonNull::new(std::ptr::without_provenance_mut(found)))
            else {
                return Err(InteropError::UnknownAddress {
                    address: given,
                    device: device.name().to_owned(),
                });
            };
            start = found;
        }
        Backend::Cuda(_) => {}
    }
    let foreign = Foreign {
        start,
        bytes,
        #[cfg(feature = "dlpack")]
        device_type: elements.device_type,
        known,
        release: Mutex::new(guard.0.take()),
    };
    Ok(DeviceBuffer::from_buffer(
        Buffer::foreign(device, foreign),
        len,
    ))
}
