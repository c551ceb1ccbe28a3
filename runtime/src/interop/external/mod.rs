//! Memory and semaphores that another API shares with CUDA: Vulkan above all. On Linux, by opaque file descriptors.
//!
//! A resource has one owner at a time, and the type says which. The other API's is a [`Released`], which gives nothing of the memory away. [`Released::acquire`] makes
//! a stream wait until the other API is done, and gives an [`Acquired`], which is a buffer or an array like any other; [`Acquired::release`] makes the stream
//! signal, when all work on the memory is done, and consumes it:
//!
//! ```text
//!   the other API            semaphore                 this program
//!   ─────────────            ─────────                 ────────────
//!   works on the memory                                Released: no access
//!   signals Turn::signal ──▶ n ──────────────────────▶ acquire(stream)
//!                                                      Acquired: launches, copies, textures
//!   waits Turn::wait ◀────── n + 1 ◀────────────────── release(stream)
//!   works on the memory                                Released, with the turn after that
//! ```
//!
//! | here | CUDA |
//! |---|---|
//! | [`Device::import_buffer`] | `cuImportExternalMemory`, `cuExternalMemoryGetMappedBuffer` |
//! | [`Device::import_mipmapped_array`] | `cuImportExternalMemory`, `cuExternalMemoryGetMappedMipmappedArray` |
//! | [`Device::import_semaphore`] | `cuImportExternalSemaphore` |
//! | [`ExternalSemaphore::signal`], [`Acquired::release`] | `cuSignalExternalSemaphoresAsync` |
//! | [`ExternalSemaphore::wait`], [`Released::acquire`] | `cuWaitExternalSemaphoresAsync` |
//! | [`Device::export_buffer`] | `cuMemCreate`, `cuMemMap`, `cuMemExportToShareableHandle` |
//!
//! The emulator has the same interface over host memory: [`HostMemory`] and [`HostSemaphore`] stand for the other API's objects, so that programs and tests run
//! without a GPU. `warploom-vulkan` makes all of it out of Vulkan's objects. Memory of Direct3D, which exists on Windows alone, is not taken.
//!
//! ```
//! use warploom_runtime::interop::external::{ExternalPlace, Handover, HostMemory, HostSemaphore, SemaphoreKind};
//! # let device = warploom_runtime::Device::emulator();
//! # let stream = device.stream()?;
//! // What Vulkan would have made: memory for four numbers, and a semaphore.
//! let (memory, semaphore) = (HostMemory::new(16)?, HostSemaphore::new()?);
//! // SAFETY: memory and semaphore of the emulator; the code below keeps to the turns.
//! let shared = unsafe {
//!     let ours = device.import_semaphore(semaphore.fd()?, SemaphoreKind::Timeline)?;
//!     device.import_buffer::<u32>(memory.fd()?, ExternalPlace::new(16), 4, Handover::timeline(ours, 0))?
//! };
//! let mut ours = shared.acquire(&stream)?;
//! ours.as_slice_mut().copy_from(0, &[1, 2, 3, 4], &stream)?;
//! let theirs = ours.release(&stream)?;
//! let turn = theirs.turn();
//! assert_eq!((Some(semaphore.value()), turn.signal), (turn.wait, 2)); // the other API may use the memory
//! // SAFETY: it is the other side's turn.
//! assert_eq!(unsafe { memory.start().cast::<u32>().add(2).read() }, 3);
//! semaphore.signal(turn.signal)?;
//! let ours = theirs.acquire(&stream)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What the other API has cannot be used:
//!
//! ```compile_fail,E0382
//! # use warploom_runtime::{DeviceBuffer, Stream, interop::external::Acquired};
//! fn draw(mut ours: Acquired<DeviceBuffer<u32>>, stream: &Stream) {
//!     let theirs = ours.release(stream);
//!     ours.as_slice_mut(); // it is the other API's
//! }
//! ```
//!
//! Nor can a part of it be kept:
//!
//! ```compile_fail,E0505
//! # use warploom_runtime::{DeviceBuffer, Stream, interop::external::Acquired};
//! fn draw(mut ours: Acquired<DeviceBuffer<u32>>, stream: &Stream) {
//!     let part = ours.as_slice_mut();
//!     let theirs = ours.release(stream);
//!     part.to_vec(stream);
//! }
//! ```
//!
//! And no buffer takes the place of another one, which would stay usable while the other API has it:
//!
//! ```compile_fail,E0594,E0596
//! # use warploom_runtime::{DeviceBuffer, interop::external::Acquired};
//! fn swap(mut ours: Acquired<DeviceBuffer<u32>>, mut other: DeviceBuffer<u32>) {
//!     std::mem::swap(&mut *ours, &mut other);
//! }
//! ```

mod error; // what can go wrong
mod handover; // whose turn it is
mod host; // the other side, without a GPU
mod import; // memory, in and out
mod semaphore; // what streams signal and wait for
mod shared; // a resource, and who has it

pub use error::ExternalError;
pub use handover::{Handover, HostTimeline, Turn};
pub use host::{HostMemory, HostSemaphore};
pub use import::{Exported, ExternalPlace};
pub use semaphore::{ExternalSemaphore, SemaphoreKind};
pub use shared::{Acquired, Refused, Released, Resource};

#[cfg(doc)]
use crate::Device;

#[cfg(test)]
mod tests;
