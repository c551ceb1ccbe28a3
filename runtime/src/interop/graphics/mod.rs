//! Buffers and images of OpenGL, registered once and mapped for kernels whenever they work on them.
//!
//! An object has one user at a time, and the type says which. OpenGL's is a [`Registered`], which gives nothing of the memory away.
//! [`Registered::map`] makes it a [`Mapped`], which is a buffer or an array like any other; [`Mapped::unmap`] consumes it. The driver orders both
//! sides: work of the stream starts when the calls of OpenGL before `map` are done, and calls after `unmap` start when the stream's work is done.
//! The host does not wait.
//!
//! | here | CUDA |
//! |---|---|
//! | [`Device::register_gl_buffer`] | `cuGraphicsGLRegisterBuffer` |
//! | [`Device::register_gl_image`] | `cuGraphicsGLRegisterImage` |
//! | [`Registered::map`] | `cuGraphicsMapResources`, `cuGraphicsResourceGetMappedPointer`, `cuGraphicsSubResourceGetMappedArray` |
//! | [`Mapped::unmap`] | `cuGraphicsUnmapResources` |
//! | dropping a [`Registered`] | `cuGraphicsUnregisterResource` |
//! | [`ReadWrite`], [`ReadOnly`], [`WriteDiscard`] | `CU_GRAPHICS_REGISTER_FLAGS_NONE`, `…_READ_ONLY`, `…_WRITE_DISCARD` |
//! | [`Device::is_of_gl_context`] | `cuGLGetDevices` |
//!
//! Where OpenGL does not render on the device, above all on the emulator, [`Device::copied_buffer`] and [`Device::copied_image`] give the same types: the contents
//! are copied when the object is mapped, and back when it is unmapped, by a [`HostSide`]. `warploom-gl` makes all of it out of OpenGL's objects, with a
//! context that needs no window.
//!
//! An object belongs to a context of OpenGL, which is current on one thread, so that none of these types leaves its thread; what a [`Mapped`] gives
//! does.
//!
//! ```
//! use warploom_runtime::interop::graphics::{GraphicsError, HostSide, ReadWrite};
//!
//! /// What OpenGL has, on the host.
//! struct Pixels(std::rc::Rc<std::cell::RefCell<Vec<u8>>>);
//!
//! impl HostSide for Pixels {
//!     fn read(&mut self, to: &mut [u8]) -> Result<(), GraphicsError> {
//!         to.copy_from_slice(&self.0.borrow());
//!         Ok(())
//!     }
//!
//!     fn write(&mut self, from: &[u8]) -> Result<(), GraphicsError> {
//!         self.0.borrow_mut().copy_from_slice(from);
//!         Ok(())
//!     }
//! }
//! # let device = warploom_runtime::Device::emulator();
//! # let stream = device.stream()?;
//! let theirs = std::rc::Rc::new(std::cell::RefCell::new(vec![1; 4]));
//! let registered = device.copied_buffer::<u8, _>(4, ReadWrite, Pixels(theirs.clone()))?;
//! let mut ours = registered.map(&stream)?;
//! assert_eq!(ours.to_vec(&stream)?, [1; 4]);
//! ours.as_slice_mut().copy_from(1, &[7, 8], &stream)?; // or a kernel
//! let registered = ours.unmap(&stream)?;
//! assert_eq!(*theirs.borrow(), [1, 7, 8, 1]);
//! # Ok::<(), warploom_runtime::Error>(())
//! ```
//!
//! What was unmapped cannot be used:
//!
//! ```compile_fail,E0382
//! # use warploom_runtime::{DeviceBuffer, Stream, interop::graphics::Mapped};
//! fn draw(mut ours: Mapped<DeviceBuffer<u32>>, stream: &Stream) {
//!     let theirs = ours.unmap(stream);
//!     ours.as_slice_mut(); // it is OpenGL's
//! }
//! ```
//!
//! Nor can a part of it be kept:
//!
//! ```compile_fail,E0505
//! # use warploom_runtime::{DeviceBuffer, Stream, interop::graphics::Mapped};
//! fn draw(mut ours: Mapped<DeviceBuffer<u32>>, stream: &Stream) {
//!     let part = ours.as_slice_mut();
//!     let theirs = ours.unmap(stream);
//!     part.to_vec(stream);
//! }
//! ```
//!
//! It is mapped once at a time:
//!
//! ```compile_fail,E0382
//! # use warploom_runtime::{DeviceBuffer, Stream, interop::graphics::Registered};
//! fn twice(theirs: Registered<DeviceBuffer<u32>>, stream: &Stream) {
//!     let one = theirs.map(stream);
//!     let two = theirs.map(stream);
//! }
//! ```
//!
//! Kernels do not write what was registered to be read:
//!
//! ```compile_fail,E0599
//! # use warploom_runtime::{DeviceBuffer, Stream, interop::graphics::{Mapped, ReadOnly}};
//! fn write(mut ours: Mapped<DeviceBuffer<u32>, ReadOnly>) {
//!     ours.as_slice_mut();
//! }
//! ```
//!
//! And the object stays with the thread of its context:
//!
//! ```compile_fail,E0277
//! # use warploom_runtime::{DeviceBuffer, Stream, interop::graphics::Registered};
//! fn elsewhere(theirs: Registered<DeviceBuffer<u32>>) {
//!     std::thread::spawn(move || drop(theirs));
//! }
//! ```
//!
//! ```compile_fail,E0277
//! # use warploom_runtime::{DeviceBuffer, Stream, interop::graphics::Mapped};
//! fn elsewhere(ours: Mapped<DeviceBuffer<u32>>, stream: Stream) {
//!     std::thread::spawn(move || drop(ours.unmap(&stream)));
//! }
//! ```

mod access; // what kernels do with an object
mod error; // what can go wrong
mod object; // what can be registered
mod register; // objects of OpenGL, and copies of them
mod registered; // an object, and who uses it

pub use access::{Access, ReadOnly, ReadWrite, Writable, WriteDiscard};
pub use error::GraphicsError;
pub use object::Object;
pub use register::{GlImage, HostSide};
pub use registered::{Mapped, Refused, Registered};

#[cfg(doc)]
use crate::Device;

#[cfg(test)]
mod tests;
