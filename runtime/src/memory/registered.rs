//! Vectors of the host that become page-locked where they are.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::Arc;

use warploom_device_std::Plain;
use warploom_emulator::check::{self, Birth};

use super::{MemoryError, PinnedBuffer, PinnedOptions};
use crate::buffer::{Buffer, Kind, Memory};
use crate::cuda::pinned::Registration;
use crate::device::{Backend, Device};
use crate::stream::reject_in_host_callback;
use crate::unsupported::Unsupported;

impl Device {
    /// Page-locks the elements of a vector where they are, and takes them over: for data that is there already and too large to be copied.
    /// [`PinnedBuffer::take_vec`] gives the vector back. CUDA: `cuMemHostRegister`.
    ///
    /// The vector is taken over, not borrowed: a borrow that is forgotten would end while a copy may still run. On errors it stays what it
    /// is. To make page-locked memory anew, [`pinned`](Device::pinned) is faster.
    ///
    /// # Errors
    /// [`MemoryError::Unsupported`] if it is to be write-combined, which only new memory can be, or if the GPU cannot page-lock, or cannot
    /// map, memory that is there; what the driver reports.
    ///
    /// ```
    /// use warploom_runtime::PinnedOptions;
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let mut data = vec![1u32, 2, 3];
    /// let mut host = device.register(&mut data, PinnedOptions::new())?;
    /// let mut x = device.zeroed::<u32>(3)?;
    /// x.copy_from_pinned(0, &host, &stream)?;
    /// assert_eq!(host.take_vec()?, [1, 2, 3]); // waits for the copy
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn register<T: Plain>(
        &self,
        elements: &mut Vec<T>,
        options: PinnedOptions,
    ) -> Result<PinnedBuffer<T>, MemoryError> {
        reject_in_host_callback()?;
        if options.is_write_combined() {
            return Err(self.cannot_register(
                "memory that is there is cached; make it with `device.pinned_with`",
            ));
        }
        let (bytes, len) = (size_of_val(&**elements), elements.len());
        let start = elements.as_mut_ptr().cast::<u8>();
        let pin = match &self.0.backend {
            _ if bytes == 0 => Pin::None,
            Backend::Emulator(_) => {
                let label = format!("PinnedBuffer<{}>", std::any::type_name::<T>());
                let (size, align) = (size_of::<T>(), align_of::<T>());
                let kind = check::Kind::Global;
                check::allocate(start, bytes, size, align, kind, Birth::Initialised, &label);
                Pin::Emulated(start)
            }
            Backend::Cuda(gpu) => {
                if options.is_mapped() && !gpu.context.can_map_host_memory()? {
                    return Err(self.cannot_register("the GPU does not reach memory of the host"));
                }
                if !gpu.context.can_register()? {
                    return Err(self.cannot_register(
                        "the GPU takes memory only as the driver makes it; copy to `device.pinned`",
                    ));
                }
                let context = Arc::clone(&gpu.context);
                // SAFETY: the memory of the vector, which `Registered` keeps until it is unregistered; it is taken below, and nothing
                // in between can fail.
                Pin::Cuda(unsafe { Registration::new(context, start, bytes, options.flags()) }?)
            }
        };
        let memory = Memory::Registered(Registered {
            pin,
            storage: Storage::new(std::mem::take(elements)),
        });
        let buffer = Buffer::of_memory(self, memory, Kind::Pinned, bytes);
        let buffer = buffer.portable(options.is_portable());
        Ok(PinnedBuffer::from_buffer(buffer, len, options))
    }

    fn cannot_register(&self, reason: &'static str) -> MemoryError {
        MemoryError::Unsupported(Unsupported {
            what: "page-locking this memory where it is",
            device: self.name().to_owned(),
            reason: reason.into(),
        })
    }
}

impl<T: Plain> PinnedBuffer<T> {
    /// The elements as a vector; the buffer is empty then. Waits until all work that has the buffer is done.
    ///
    /// A vector that was [registered](Device::register) comes back itself; the elements of other page-locked memory are copied. CUDA:
    /// `cuMemHostUnregister`.
    ///
    /// # Errors
    /// As [`as_slice`](PinnedBuffer::as_slice); the elements stay in the buffer then.
    pub fn take_vec(&mut self) -> Result<Vec<T>, MemoryError> {
        let elements = self.as_slice()?; // waits
        let fresh = |memory: &PinnedBuffer<T>| {
            Buffer::of_memory(memory.device(), Memory::Empty, Kind::Pinned, 0)
                .portable(memory.options().is_portable())
        };
        if !self.buffer.is_registered() {
            let copy = elements.to_vec();
            self.empty_with(fresh(self));
            return Ok(copy);
        }
        let len = self.len();
        let empty = fresh(self);
        let buffer = self.empty_with(empty);
        let Some(storage) = buffer.take_storage() else {
            return Ok(vec![]);
        };
        debug_assert_eq!(storage.len, len);
        // SAFETY: made of a vector of `T` by `register`: a buffer keeps the type of its elements.
        Ok(unsafe { storage.into_vec() })
    }
}

/// A vector's memory, and what made it page-locked.
#[derive(Debug)]
pub(crate) struct Registered {
    pub(crate) pin: Pin,
    pub(crate) storage: Storage,
}

/// What made memory page-locked; undone when it is dropped.
#[derive(Debug)]
pub(crate) enum Pin {
    None,
    /// The emulator's checks know this address.
    Emulated(*mut u8),
    Cuda(Registration),
}

// SAFETY: an address that is only compared.
unsafe impl Send for Pin {}
// SAFETY: as above.
unsafe impl Sync for Pin {}

impl Drop for Pin {
    fn drop(&mut self) {
        if let Pin::Emulated(start) = self {
            check::free(*start);
        }
    }
}

impl Registered {
    /// Where kernels see it.
    pub(crate) fn device_start(&self) -> Option<*mut u8> {
        match &self.pin {
            Pin::None => None,
            Pin::Emulated(start) => Some(*start),
            Pin::Cuda(registration) => {
                let address = usize::try_from(registration.address()?).ok()?;
                Some(std::ptr::without_provenance_mut(address))
            }
        }
    }
}

/// A vector taken apart, its type forgotten; frees it when it is dropped.
#[derive(Debug)]
pub(crate) struct Storage {
    start: NonNull<u8>,
    len: usize,
    capacity: usize,
    /// Puts the vector together again and drops it.
    free: unsafe fn(NonNull<u8>, usize, usize),
}

// SAFETY: owns memory of plain elements, which are `Send`.
unsafe impl Send for Storage {}
// SAFETY: as above; readers and writers of the elements synchronise themselves.
unsafe impl Sync for Storage {}

impl Storage {
    fn new<T: Plain>(elements: Vec<T>) -> Storage {
        /// # Safety
        /// The parts of a `Vec<T>` that is gone.
        unsafe fn free<T>(start: NonNull<u8>, len: usize, capacity: usize) {
            // SAFETY: the caller's promise.
            drop(unsafe { Vec::from_raw_parts(start.as_ptr().cast::<T>(), len, capacity) });
        }
        let mut elements = ManuallyDrop::new(elements);
        let start = elements.as_mut_ptr().cast();
        Storage {
            start: NonNull::new(start).unwrap_or(NonNull::dangling()), // never null
            len: elements.len(),
            capacity: elements.capacity(),
            free: free::<T>,
        }
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// # Safety
    /// Made of a `Vec<T>`.
    unsafe fn into_vec<T>(self) -> Vec<T> {
        let parts = ManuallyDrop::new(self);
        let start = parts.start.as_ptr().cast();
        // SAFETY: the parts of a vector of this type, whose elements are initialised as they always were; the destructor does not run.
        unsafe { Vec::from_raw_parts(start, parts.len, parts.capacity) }
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        // SAFETY: the parts of a vector of the type that `free` was made for.
        unsafe { (self.free)(self.start, self.len, self.capacity) };
    }
}
