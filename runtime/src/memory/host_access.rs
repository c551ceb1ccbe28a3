//! Access of the host to page-locked and managed memory, after the work that uses it.

use std::slice;

use warploom_device_std::Plain;

use super::{ALIGN, AtomicElement, MemoryError};
use crate::buffer::Buffer;
use crate::view::DeviceSlice;

/// The elements of one memory as the host sees them, and for kernels: see
/// [`PinnedBuffer::as_shared_atomics`](super::PinnedBuffer::as_shared_atomics).
pub type SharedAtomics<'a, T> = (
    &'a [<T as AtomicElement>::Atomic],
    DeviceSlice<'a, <T as AtomicElement>::Atomic>,
);

/// The elements to read, as soon as all work that has the memory is done.
///
/// # Safety
/// `buffer` is memory of the host of `len` initialised elements, aligned for `T`; any writer meanwhile borrows its owner exclusively.
#[track_caller]
pub(super) unsafe fn read<T: Plain>(buffer: &Buffer, len: usize) -> Result<&[T], MemoryError> {
    const { assert!(align_of::<T>() <= ALIGN) };
    buffer.host_accesses(false)?;
    buffer.wait()?;
    // SAFETY: the caller's promise; any bytes are values. Streams may read it while the borrow lasts; none writes: the work that writes
    // needs an exclusive borrow, and what was queued before is done.
    Ok(unsafe { slice::from_raw_parts(buffer.host_start().cast(), len) })
}

/// The elements to write, as soon as all work that has the memory is done.
///
/// # Safety
/// As for [`read`]; any user meanwhile borrows its owner.
#[track_caller]
pub(super) unsafe fn write<T: Plain>(
    buffer: &mut Buffer,
    len: usize,
) -> Result<&mut [T], MemoryError> {
    const { assert!(align_of::<T>() <= ALIGN) };
    buffer.host_accesses(true)?;
    buffer.wait()?;
    // SAFETY: as for `read`. No stream uses it: what was queued is done, and new work needs a borrow.
    Ok(unsafe { slice::from_raw_parts_mut(buffer.host_start().cast(), len) })
}

/// The elements as atomics, for host and kernels at the same time, as soon as all work that has the memory is done.
///
/// # Safety
/// As for [`write`]; kernels of the buffer's device reach it at its start.
pub(super) unsafe fn share<T: AtomicElement>(
    buffer: &mut Buffer,
    len: usize,
) -> Result<SharedAtomics<'_, T>, MemoryError> {
    const {
        assert!(size_of::<T>() == size_of::<T::Atomic>());
        assert!(align_of::<T>() >= align_of::<T::Atomic>() && align_of::<T>() <= ALIGN);
    }
    buffer.wait()?; // what runs may be no atomics
    // SAFETY: the caller's promise; elements of the same size and alignment. `buffer` is borrowed exclusively, and what was queued before
    // is done, so that all access meanwhile is atomic.
    let host = unsafe { slice::from_raw_parts(buffer.host_start().cast(), len) };
    // SAFETY: as above.
    let device = unsafe { DeviceSlice::new(buffer, buffer.start().cast(), len) };
    Ok((host, device))
}
