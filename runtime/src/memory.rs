//! Typed buffers in a device's memory, and in memory of the host that a device reaches.

mod append; // elements whose number a kernel finds out
mod array; // memory without addresses
mod atomics; // what threads may write together
mod chunks; // buffers cut up
mod extent; // widths, heights and depths
mod fill; // one value everywhere
mod host_access; // elements that the host reaches itself
mod managed; // one memory for host and kernels
mod pinned; // page-locked memory of the host
mod pitched; // rows and planes
mod pool; // allocation in order with a stream's work
mod registered; // vectors that become page-locked
mod slice3d; // rectangles and boxes
mod usage; // what is allocated and not freed

use std::fmt;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::RangeBounds;

use warploom_device_std::Plain;

use crate::buffer::{ALIGN, Buffer, CopyKind, LinearCopy};
use crate::cuda::DriverError;
use crate::device::Device;
use crate::launch::arguments::SliceArg;
use crate::stream::{Stream, StreamError};
use crate::unsupported::Unsupported;
use crate::view::{DeviceSlice, DeviceSlice2DMut, DeviceSliceMut};

pub use append::AppendBuffer;
pub(crate) use array::Place;
pub use array::{
    ArrayBuffer, ArrayElement, ArrayLevel, ArrayLevelMut, ArrayOptions, ArrayShape, ChannelFormat,
    MipmappedArray,
};
pub use atomics::AtomicElement;
pub use chunks::{DeviceChunks, DeviceChunksMut};
pub use extent::{Extent3, HostPart, HostPartMut};
pub use host_access::SharedAtomics;
pub use managed::{Advice, Attach, ManagedBuffer, MemoryLocation, RangeAttributes};
pub use pinned::{PinnedBuffer, PinnedOptions, PinnedSlice, PinnedSliceMut};
pub use pitched::PitchedBuffer;
pub use pool::{Pool, PoolOptions, PoolUsage};
pub use slice3d::{
    ArraySlice, ArraySliceMut, DeviceSlice3D, DeviceSlice3DMut, Opaque, Pitched, PitchedSlice,
    PitchedSliceMut,
};
pub use usage::{MemoryInUse, MemoryUsage, ObjectsInUse};

pub(crate) use pool::{EmulatedPool, Used};
pub(crate) use registered::{Registered, Storage};
pub(crate) use usage::{LiveObject, Object, UsageCounters};

/// An array of `T` in a device's memory.
///
/// Kernels take `&DeviceBuffer<T>` for `&[T]` and `&mut DeviceBuffer<T>` for outputs. Work on several streams needs no care:
/// a stream that uses the buffer first waits, on the device, for the stream that used it last. Dropping the buffer waits for
/// that stream too, then frees the memory. CUDA: `CUdeviceptr` with a length.
///
/// ```
/// # let device = warploom_runtime::Device::emulator();
/// # let stream = device.stream()?;
/// let mut x = device.zeroed::<u32>(4)?;
/// x.copy_from(2, &[7, 8], &stream)?;
/// assert_eq!(x.to_vec(&stream)?, [0, 0, 7, 8]);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
///
/// Buffers start at multiples of 256 bytes, so elements cannot ask for more:
/// ```compile_fail,E0080
/// # use warploom_runtime::Device;
/// #[derive(Clone, Copy)]
/// #[repr(C, align(512))]
/// struct Page([u8; 512]);
/// // SAFETY: bytes.
/// unsafe impl warploom_device_std::Plain for Page {}
/// let pages = Device::emulator().zeroed::<Page>(3);
/// ```
/// ```compile_fail,E0080
/// # use warploom_runtime::Device;
/// # #[derive(Clone, Copy)]
/// # #[repr(C, align(512))]
/// # struct Page([u8; 512]);
/// # // SAFETY: bytes.
/// # unsafe impl warploom_device_std::Plain for Page {}
/// let (device, stream) = (Device::emulator(), Device::emulator().stream().unwrap());
/// let pages = device.pool().unwrap().alloc_uninit::<Page>(3, &stream);
/// ```
pub struct DeviceBuffer<T> {
    buffer: Buffer,
    len: usize,
    element: PhantomData<T>,
}

/// Why memory cannot be allocated, cut or copied.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The device has no room for the buffer.
    #[error(
        "{device} has no room for {elements} elements of {size} bytes; drop other buffers first, or work on smaller parts"
    )]
    OutOfMemory {
        /// Elements asked for.
        elements: usize,
        /// Bytes of one element.
        size: usize,
        /// The device's name.
        device: String,
    },
    /// A range of elements does not lie in the buffer or view.
    #[error(
        "elements {start}..{end} do not lie in the {len} elements there are; use a range within 0..{len}"
    )]
    OutOfRange {
        /// First element of the range.
        start: usize,
        /// End of the range; one past its last element.
        end: usize,
        /// Elements that there are.
        len: usize,
    },
    /// A copy does not fit.
    #[error(
        "cannot copy {given} elements to or from element {at} on: the buffer has {len} elements; use a shorter slice or a smaller start"
    )]
    CopyOutOfRange {
        /// Elements to copy.
        given: usize,
        /// Where to start in the buffer.
        at: usize,
        /// Elements of the buffer.
        len: usize,
    },
    /// Kernels appended more elements than there is room for.
    #[error(
        "kernels appended {given} elements to a buffer with room for {capacity}, and the others were left out; make it with `device.append_buffer({given})`, or `clear` it between launches"
    )]
    AppendedTooMany {
        /// Elements that were appended, those included that were left out.
        given: u64,
        /// Elements that there is room for.
        capacity: usize,
    },
    /// A buffer cannot be seen as rows of this width.
    #[error("cannot see {len} elements as rows of {width}; use a width that divides the length")]
    NotRectangular {
        /// Elements that there are.
        len: usize,
        /// Elements of a row.
        width: usize,
    },
    /// A buffer cannot be cut into parts without elements.
    #[error("cannot cut {len} elements into chunks of 0; use chunks of 1 element or more")]
    EmptyChunks {
        /// Elements that there are.
        len: usize,
    },
    /// There are not as many elements as rows and planes of this extent have.
    #[error(
        "{given} elements do not make {extent}; use as many as width, height and depth multiply to"
    )]
    LengthMismatch {
        /// Elements that there are.
        given: usize,
        /// Width, height and depth asked for.
        extent: Extent3,
    },
    /// The two sides of a copy have different extents.
    #[error(
        "cannot copy {from} elements to {to}: both sides of a copy have one width, height and depth; cut the larger one with `part`"
    )]
    ExtentMismatch {
        /// Extent of the source.
        from: Extent3,
        /// Extent of the target.
        to: Extent3,
    },
    /// An array has no elements along one side, or more than the device's arrays have.
    #[error(
        "cannot make a {shape}: on {device} the {side} of such an array can be 1 to {limit}, not {given}; use several arrays, or a linear or pitched buffer"
    )]
    ArrayExtent {
        /// What was asked for.
        shape: ArrayShape,
        /// Which side: `width`, `height`, `depth` or `layers`.
        side: &'static str,
        /// How many elements, or layers, were asked for.
        given: usize,
        /// The most that there can be.
        limit: usize,
        /// The device's name.
        device: String,
    },
    /// An array is to be gathered from that is no plane.
    #[error(
        "cannot make a {shape} to gather from: that is a 2-D array without layers; leave `with_gather` out: kernels gather from layers and cubes without it"
    )]
    ArrayGather {
        /// What was asked for.
        shape: ArrayShape,
    },
    /// An array is to have no levels of detail, or more than its sides can be halved.
    #[error(
        "cannot make a {shape} in {given} levels of detail: 1 to {most} levels are possible, as each is half as long as the one before; use fewer, or a larger array"
    )]
    ArrayLevels {
        /// What was asked for.
        shape: ArrayShape,
        /// Levels asked for.
        given: u32,
        /// The most that there can be.
        most: u32,
    },
    /// There is no level of detail of this number.
    #[error(
        "an array has no level {given}: there are {levels} levels, counted from 0; use a lower level, or make the array with more"
    )]
    NoSuchLevel {
        /// The level asked for.
        given: u32,
        /// Levels that there are.
        levels: u32,
    },
    /// The host wants to touch memory that a graph has.
    #[error(
        "the host cannot access memory that a graph uses, because runs of the graph hold no borrow; drop the graph first, or copy to other memory"
    )]
    InGraph,
    /// Buffer and stream belong to different devices.
    #[error(
        "the buffer belongs to another device ({buffer}) than the stream ({stream}); make both from the same `Device` or its clones"
    )]
    WrongDevice {
        /// The buffer's device.
        buffer: String,
        /// The stream's device.
        stream: String,
    },
    /// Earlier work failed: a kernel panicked, for example.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// The driver refused a call.
    #[error("work on the GPU's memory failed: {0}")]
    Driver(#[from] DriverError),
    /// The device does not do that.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}

impl<T> DeviceBuffer<T> {
    pub(crate) fn from_buffer(buffer: Buffer, len: usize) -> DeviceBuffer<T> {
        DeviceBuffer {
            buffer,
            len,
            element: PhantomData,
        }
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The memory alone.
    pub(crate) fn into_buffer(self) -> Buffer {
        self.buffer
    }

    /// The driver's `CUdeviceptr` of the first element, for code that calls the driver itself; a host address on the emulator.
    ///
    /// Valid until the buffer is dropped. Work that other code queues on it is not ordered with the runtime's.
    #[must_use]
    pub fn raw_ptr(&self) -> u64 {
        self.buffer.start().addr() as u64
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device whose memory this is.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// All elements, to read.
    #[must_use]
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        // SAFETY: the memory holds `len` elements, borrowed like `self`.
        unsafe { DeviceSlice::new(&self.buffer, self.buffer.start().cast(), self.len) }
    }

    /// All elements, to write.
    #[must_use]
    pub fn as_slice_mut(&mut self) -> DeviceSliceMut<'_, T> {
        // SAFETY: the memory holds `len` elements, borrowed like `self`.
        unsafe { DeviceSliceMut::new(&self.buffer, self.buffer.start().cast(), self.len) }
    }

    /// The elements of `range`, to read.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the range and the length.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, T>, MemoryError> {
        self.as_slice().slice(range)
    }

    /// The elements of `range`, to write.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the range and the length.
    pub fn slice_mut(
        &mut self,
        range: impl RangeBounds<usize>,
    ) -> Result<DeviceSliceMut<'_, T>, MemoryError> {
        self.as_slice_mut().into_slice(range)
    }

    /// The elements before `mid` and those from `mid` on, to write both in one launch.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] if `mid` is above the length.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// let mut x = device.zeroed::<f32>(10)?;
    /// let (left, right) = x.split_at_mut(4)?;
    /// assert_eq!((left.len(), right.len()), (4, 6));
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn split_at_mut(
        &mut self,
        mid: usize,
    ) -> Result<(DeviceSliceMut<'_, T>, DeviceSliceMut<'_, T>), MemoryError> {
        self.as_slice_mut().split_at(mid)
    }

    /// All elements as rows of `width` elements, to write; the first row first.
    ///
    /// # Errors
    /// [`MemoryError::NotRectangular`] if the last row would not be full.
    pub fn view_2d_mut(&mut self, width: usize) -> Result<DeviceSlice2DMut<'_, T>, MemoryError> {
        self.as_slice_mut().into_rows(width)
    }
}

impl<T: Plain> DeviceBuffer<T> {
    /// Copies all elements to the host, in order with the work on `stream`. CUDA: `cuMemcpyDtoHAsync`, then a wait.
    ///
    /// # Errors
    /// A kernel's panic and a GPU's failure, as [`Stream::synchronize`] reports them; [`MemoryError::WrongDevice`].
    #[track_caller]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>, MemoryError> {
        self.as_slice().to_vec(stream)
    }

    /// Copies element `i` to the host, in order with the work on `stream`: a sum, a count. CUDA: `cuMemcpyDtoHAsync`, then a wait.
    ///
    /// Each call waits for the work; for several elements use [`copy_to`](DeviceBuffer::copy_to).
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names `i` and the length. As [`to_vec`](DeviceBuffer::to_vec).
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[1u8, 2, 3])?;
    /// assert_eq!(x.get(2, &stream)?, 3);
    /// assert!(x.get(3, &stream).is_err());
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn get(&self, i: usize, stream: &Stream) -> Result<T, MemoryError> {
        self.as_slice().get(i, stream)
    }

    /// Copies `source` into elements `at..at + source.len()` of this buffer (elements of `T`, not bytes).
    ///
    /// In order with the work on `stream`; returns when the copy is done. CUDA: `cuMemcpyHtoDAsync`, then a wait.
    ///
    /// # Errors
    /// [`MemoryError::CopyOutOfRange`] names both lengths if `source` does not fit; nothing is copied then.
    /// [`MemoryError::WrongDevice`] likewise. A kernel's panic and a GPU's failure, as [`Stream::synchronize`] reports them;
    /// with a panic the copy is made all the same.
    #[track_caller]
    pub fn copy_from(
        &mut self,
        at: usize,
        source: &[T],
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.as_slice_mut().copy_from(at, source, stream)
    }

    /// Copies elements `at..at + target.len()` of this buffer into `target`.
    ///
    /// In order with the work on `stream`; returns when the copy is done. CUDA: `cuMemcpyDtoHAsync`, then a wait.
    ///
    /// # Errors
    /// As [`copy_from`](DeviceBuffer::copy_from).
    #[track_caller]
    pub fn copy_to(&self, at: usize, target: &mut [T], stream: &Stream) -> Result<(), MemoryError> {
        self.as_slice().copy_to(at, target, stream)
    }

    /// Copies `source`, which lies on the same device, into elements `at..at + source.len()` of this buffer.
    ///
    /// Queued on `stream`; does not wait. CUDA: `cuMemcpyDtoDAsync`.
    ///
    /// # Errors
    /// [`MemoryError::CopyOutOfRange`] names both lengths if `source` does not fit; nothing is copied then.
    /// [`MemoryError::WrongDevice`], [`MemoryError::Driver`].
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[1u8, 2, 3])?;
    /// let mut y = device.zeroed::<u8>(4)?;
    /// y.copy_from_device(2, x.slice(1..)?, &stream)?;
    /// assert_eq!(y.to_vec(&stream)?, [0, 0, 2, 3]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn copy_from_device<'a>(
        &mut self,
        at: usize,
        source: impl SliceArg<'a, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError>
    where
        T: 'a,
    {
        self.as_slice_mut().copy_from_device(at, source, stream)
    }
}

impl<T: Plain> DeviceSliceMut<'_, T> {
    /// Copies `source` into elements `at..at + source.len()`; see [`DeviceBuffer::copy_from`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::copy_from`].
    #[track_caller]
    pub fn copy_from(
        &mut self,
        at: usize,
        source: &[T],
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.buffer().check_device(stream)?;
        let to = self.span().window(at, source.len())?;
        let copy = LinearCopy {
            kind: CopyKind::HostToDevice,
            from: source.as_ptr().cast(),
            to: to.cast(),
            bytes: size_of_val(source),
        };
        // SAFETY: `window` checked the range; `source` is borrowed, this view exclusively so; the device was checked.
        unsafe { copy.run(&[self.buffer()], stream) }
    }

    /// Copies `source`, which lies on the same device; see [`DeviceBuffer::copy_from_device`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::copy_from_device`].
    pub fn copy_from_device<'a>(
        &mut self,
        at: usize,
        source: impl SliceArg<'a, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError>
    where
        T: 'a,
    {
        let source = source.bind();
        self.buffer().check_home(stream)?;
        source.buffer().check_home(stream)?;
        let to = self.span().window(at, source.len())?;
        let copy = LinearCopy {
            kind: CopyKind::DeviceToDevice,
            from: source.parts().as_ptr().cast(),
            to: to.cast(),
            bytes: source.len() * size_of::<T>(),
        };
        // SAFETY: `window` checked the range; `source` is a view of `len` elements, and cannot overlap this exclusive one;
        // both devices were checked.
        unsafe { copy.run(&[self.buffer(), source.buffer()], stream) }
    }
}

impl<T: Plain> DeviceSlice<'_, T> {
    /// Copies all elements to the host; see [`DeviceBuffer::to_vec`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::to_vec`].
    #[track_caller]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>, MemoryError> {
        let mut elements = Vec::with_capacity(self.len());
        // SAFETY: the vector has room for `len` elements.
        unsafe { self.read(self.ptr(), elements.as_mut_ptr(), self.len(), stream)? };
        // SAFETY: the copy wrote `len` elements.
        unsafe { elements.set_len(self.len()) };
        Ok(elements)
    }

    /// Copies element `i` to the host; see [`DeviceBuffer::get`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::get`].
    #[track_caller]
    pub fn get(&self, i: usize, stream: &Stream) -> Result<T, MemoryError> {
        let one = self.span().slice(i..=i)?;
        let mut element = MaybeUninit::uninit();
        // SAFETY: there is room for one element.
        unsafe { self.read(one.ptr, element.as_mut_ptr(), one.len, stream)? };
        // SAFETY: the copy wrote it, and any bytes are a value.
        Ok(unsafe { element.assume_init() })
    }

    /// Copies elements `at..at + target.len()` into `target`; see [`DeviceBuffer::copy_to`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::copy_to`].
    #[track_caller]
    pub fn copy_to(&self, at: usize, target: &mut [T], stream: &Stream) -> Result<(), MemoryError> {
        let from = self.span().window(at, target.len())?;
        // SAFETY: `target` has room for its length, and the range was checked.
        unsafe { self.read(from, target.as_mut_ptr(), target.len(), stream) }
    }

    /// # Safety
    /// `target` has room for `len` elements that no one else uses; as many of this view's are at `from`.
    #[track_caller]
    unsafe fn read(
        &self,
        from: *const T,
        target: *mut T,
        len: usize,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.buffer().check_device(stream)?;
        let copy = LinearCopy {
            kind: CopyKind::DeviceToHost,
            from: from.cast(),
            to: target.cast(),
            bytes: len * size_of::<T>(),
        };
        // SAFETY: the caller promises both ranges; this view is borrowed; the device was checked.
        unsafe { copy.run(&[self.buffer()], stream) }
    }
}

impl<T> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceBuffer")
            .field("len", &self.len)
            .field("device", self.device())
            .finish_non_exhaustive()
    }
}
