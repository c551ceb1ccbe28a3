//! Tensors of other libraries, by [DLPack](https://dmlc.github.io/dlpack/latest/): NumPy, PyTorch, CuPy, JAX and others read and write
//! them.
//!
//! A [`Tensor`] is memory with a type and a shape, and an owner that is released when the memory is no longer needed. It is made of a
//! [`DeviceBuffer`] ([`into_dlpack`](DeviceBuffer::into_dlpack)), a [`PinnedBuffer`], a [`ManagedBuffer`] or of what another library gives
//! ([`Tensor::from_raw_versioned`], [`Tensor::from_raw`]), and becomes the one or the other. Nothing is copied.
//!
//! | memory | the emulator | GPU *n* |
//! |---|---|---|
//! | `kDLCPU` | yes | no |
//! | `kDLCUDA` | no | of GPU *n* |
//! | `kDLCUDAHost` | yes | yes |
//! | `kDLCUDAManaged` | no | yes |
//!
//! # Capsules of Python
//!
//! Python passes a pointer to the structure in a capsule, whose name says which one it is and whether it is used up. This library
//! knows nothing of Python; a binding does this:
//!
//! - Out: [`Tensor::into_raw_versioned`] goes into a capsule named `dltensor_versioned`, [`Tensor::into_raw`] into one named `dltensor`.
//!   The capsule's destructor calls the structure's deleter if the capsule still has that name.
//! - In: take the pointer out of the capsule, rename it to `used_dltensor_versioned` or `used_dltensor`, then call
//!   [`Tensor::from_raw_versioned`] or [`Tensor::from_raw`]. From then on the structure belongs to the tensor, and its deleter is called
//!   once, on errors too. A second consumer finds the new name, and must not take it again.
//! - Order on GPUs: `__dlpack__(stream=…)` gets the number of the stream that the consumer works on. As the producer, adopt it
//!   ([`Stream::from_raw`]) and pass it to [`into_dlpack`](DeviceBuffer::into_dlpack); as the consumer, pass the number of
//!   [`Stream::raw`].
//!
//! ```
//! use warploom_runtime::interop::dlpack::Tensor;
//! # let device = warploom_runtime::Device::emulator();
//! # let stream = device.stream()?;
//!
//! let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
//! let out = x.into_dlpack(&[2, 3], &stream)?.into_raw_versioned(); // for another library
//! # let given = out;
//! // SAFETY: `given` came from a producer, and no other code takes it.
//! let tensor = unsafe { Tensor::from_raw_versioned(given)? };
//! assert_eq!(tensor.shape(), [2, 3]);
//! let y = tensor.into_buffer::<f32>(&device)?;
//! assert_eq!(y.to_vec(&stream)?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
//! # Ok::<(), warploom_runtime::Error>(())
//! ```

mod abi; // the structures
mod element; // which types go through
mod raw; // structures become tensors and back

use std::any::Any;
use std::fmt;
use std::ops::Deref;

pub use abi::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor,
    DeviceType, IS_COPIED, READ_ONLY, VERSION,
};
pub use element::DlElement;

use super::foreign::{ForeignElements, adopt};
use crate::device::Device;
use crate::interop::error::InteropError;
use crate::memory::{DeviceBuffer, ManagedBuffer, MemoryError, PinnedBuffer};
use crate::stream::Stream;

/// Memory with a type and a shape, on its way between libraries. The owner of the memory is released when this is dropped.
pub struct Tensor {
    /// The first element.
    start: *mut u8,
    device: DLDevice,
    element: DLDataType,
    shape: Box<[i64]>,
    /// `None`: row-major, without gaps.
    strides: Option<Box<[i64]>>,
    flags: u64,
    /// Where work on the memory may still be under way.
    after: Option<Stream>,
    /// Dropped when the memory is no longer needed.
    owner: Box<dyn Any + Send>,
}

// SAFETY: `start` is an address of memory that belongs to this tensor alone, by the promise of `from_raw`; the owner may go to any thread.
unsafe impl Send for Tensor {}

/// A buffer whose elements must not be written: all of [`DeviceBuffer`] that needs no `&mut`.
#[derive(Debug)]
pub struct ReadOnly<T>(DeviceBuffer<T>);

impl<T> Deref for ReadOnly<T> {
    type Target = DeviceBuffer<T>;

    fn deref(&self) -> &DeviceBuffer<T> {
        &self.0
    }
}

impl<T: DlElement> DeviceBuffer<T> {
    /// Gives the buffer away as a tensor of this shape, row-major. `stream` is the one that its receiver works on, or waits for:
    /// it waits for all earlier work on the buffer.
    ///
    /// Does not wait on the host. When the receiver is done, the buffer is dropped, on the receiver's thread.
    ///
    /// # Errors
    /// [`InteropError::WrongShape`] if the product of the extents is not the length; the buffer is dropped then. [`InteropError::Memory`]
    /// for a stream of another device, or where a graph has the buffer: its runs would not wait for the receiver.
    pub fn into_dlpack(self, shape: &[usize], stream: &Stream) -> Result<Tensor, InteropError> {
        let extents = extents(shape, self.len())?;
        if self.buffer().is_in_graph() {
            return Err(MemoryError::InGraph.into());
        }
        self.order_on(stream)?;
        let kind = self.buffer().device_type();
        let gpu = self.device().raw_device();
        let device_id = gpu.filter(|_| kind == DeviceType::Cuda).unwrap_or(0);
        let (start, after) = (self.buffer().start(), Some(stream.clone()));
        let lies = (kind, device_id);
        Ok(Tensor::of_ours::<T>(start, lies, extents, after, self))
    }
}

impl<T: DlElement> PinnedBuffer<T> {
    /// Gives the buffer away as a tensor of this shape, row-major, in memory of the host: `kDLCUDAHost`, or `kDLCPU` on the emulator. Waits
    /// for all earlier work on the buffer, so that its receiver may use it at once, on the host too.
    ///
    /// When the receiver is done, the buffer is dropped, on the receiver's thread.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// let host = device.pinned_from(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let tensor = host.into_dlpack(&[2, 2])?;
    /// assert_eq!((tensor.shape(), tensor.device().device_type), (&[2, 2][..], 1));
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`InteropError::WrongShape`] if the product of the extents is not the length; the buffer is dropped then. [`InteropError::Memory`]
    /// for what earlier work reports, or where a graph has the buffer.
    pub fn into_dlpack(self, shape: &[usize]) -> Result<Tensor, InteropError> {
        let extents = extents(shape, self.len())?;
        self.buffer().wait()?;
        let kind = match self.device().is_gpu() {
            true => DeviceType::CudaHost,
            false => DeviceType::Cpu,
        };
        let start = self.buffer().host_start();
        Ok(Tensor::of_ours::<T>(start, (kind, 0), extents, None, self))
    }
}

impl<T: DlElement> ManagedBuffer<T> {
    /// Gives the buffer away as a tensor of this shape, row-major, in managed memory: `kDLCUDAManaged`, or `kDLCPU` on the emulator. Waits
    /// for all earlier work on the buffer, so that its receiver may use it at once, on the host too.
    ///
    /// When the receiver is done, the buffer is dropped, on the receiver's thread.
    ///
    /// # Errors
    /// As [`PinnedBuffer::into_dlpack`].
    pub fn into_dlpack(self, shape: &[usize]) -> Result<Tensor, InteropError> {
        let extents = extents(shape, self.len())?;
        self.buffer().wait()?;
        let (kind, gpu) = match self.device().raw_device() {
            Some(gpu) => (DeviceType::CudaManaged, gpu),
            None => (DeviceType::Cpu, 0),
        };
        let start = self.buffer().host_start();
        Ok(Tensor::of_ours::<T>(
            start,
            (kind, gpu),
            extents,
            None,
            self,
        ))
    }
}

impl Tensor {
    /// A tensor of a whole buffer of ours, which lies in memory of this kind, of this GPU. `after`: where work on it may be under way.
    fn of_ours<T: DlElement>(
        start: *mut u8,
        (kind, device_id): (DeviceType, i32),
        shape: Box<[i64]>,
        after: Option<Stream>,
        buffer: impl Any + Send,
    ) -> Tensor {
        Tensor {
            start,
            device: DLDevice {
                device_type: kind as i32,
                device_id,
            },
            element: T::DATA_TYPE,
            strides: Some(row_major(&shape)),
            shape,
            flags: 0,
            after,
            owner: Box::new(buffer),
        }
    }

    /// Extents, in elements.
    #[must_use]
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// What the elements are.
    #[must_use]
    pub fn element(&self) -> DLDataType {
        self.element
    }

    /// Where the memory is.
    #[must_use]
    pub fn device(&self) -> DLDevice {
        self.device
    }

    /// Whether the elements must not be written.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.flags & READ_ONLY != 0
    }

    /// Whether the elements lie side by side, in row-major order.
    #[must_use]
    pub fn is_contiguous(&self) -> bool {
        let Some(strides) = &self.strides else {
            return true;
        };
        let empty = self.shape.contains(&0);
        let expected = row_major(&self.shape);
        let mut dimensions = self.shape.iter().zip(strides.iter().zip(&expected));
        // The step along a single element is never taken.
        empty || dimensions.all(|(extent, (found, expected))| *extent == 1 || found == expected)
    }

    /// The tensor's memory as a buffer of its elements, in row-major order. The owner is told when the buffer is dropped and its work is
    /// done.
    ///
    /// # Errors
    /// [`InteropError::ReadOnly`]; [`InteropError::ElementType`] if the elements are no `T`; [`InteropError::WrongDevice`] if `device` does
    /// not reach the memory; [`InteropError::NotContiguous`]; [`InteropError::Malformed`], [`InteropError::TooLarge`],
    /// [`InteropError::NullAddress`], [`InteropError::Misaligned`], [`InteropError::UnknownAddress`] if producers err. The owner is told
    /// then, too.
    #[track_caller]
    pub fn into_buffer<T: DlElement>(
        self,
        device: &Device,
    ) -> Result<DeviceBuffer<T>, InteropError> {
        if self.is_read_only() {
            return Err(InteropError::ReadOnly);
        }
        Ok(self.into_read_only(device)?.0)
    }

    /// The same, to read only.
    ///
    /// # Errors
    /// As [`into_buffer`](Tensor::into_buffer), except for [`InteropError::ReadOnly`].
    ///
    /// ```compile_fail,E0596
    /// # use warploom_runtime::{Device, Stream, interop::dlpack::Tensor};
    /// # fn try_it(tensor: Tensor, device: &Device, stream: &Stream) {
    /// let mut x = tensor.into_read_only::<f32>(device).unwrap();
    /// x.copy_from(0, &[1.0], stream).unwrap(); // nothing gives a `&mut DeviceBuffer`
    /// # }
    /// ```
    #[track_caller]
    pub fn into_read_only<T: DlElement>(
        self,
        device: &Device,
    ) -> Result<ReadOnly<T>, InteropError> {
        if self.element != T::DATA_TYPE {
            return Err(InteropError::ElementType {
                found: self.element,
                expected: T::DATA_TYPE,
            });
        }
        let kind = self.kind_for(device)?;
        if !self.is_contiguous() {
            return Err(InteropError::NotContiguous {
                strides: self.strides.clone().unwrap_or_default(),
                shape: self.shape.clone(),
            });
        }
        let len = elements(&self.shape).ok_or(InteropError::TooLarge {
            elements: usize::MAX,
            size: size_of::<T>(),
        })?;
        let Tensor {
            start,
            owner,
            after,
            ..
        } = self;
        let elements = ForeignElements {
            start,
            len,
            is_for_kernels: false,
            device_type: kind,
        };
        // SAFETY: the producer of the tensor promised the memory until its deleter is called, which the owner does when it is dropped.
        let buffer = unsafe { adopt(device, elements, Box::new(move || drop(owner)))? };
        match after {
            Some(stream) if stream.device().is_same(device) => buffer.order_on(&stream)?,
            Some(stream) => stream.synchronize().map_err(MemoryError::from)?,
            None => {} // as the producer promised
        }
        Ok(ReadOnly(buffer))
    }

    /// The kind of memory, if `device` reaches it.
    fn kind_for(&self, device: &Device) -> Result<DeviceType, InteropError> {
        let kind = DeviceType::from_number(self.device.device_type);
        let reached = match (kind, device.raw_device()) {
            (Some(DeviceType::Cpu | DeviceType::CudaHost), None) => kind,
            (Some(DeviceType::Cuda), Some(gpu)) => kind.filter(|_| gpu == self.device.device_id),
            (Some(DeviceType::CudaHost | DeviceType::CudaManaged), Some(_)) => kind,
            _ => None,
        };
        reached.ok_or_else(|| InteropError::WrongDevice {
            found: self.device,
            device: device.name().to_owned(),
            reaches: match device.raw_device() {
                None => "host memory".to_owned(),
                Some(gpu) => {
                    format!("memory of GPU {gpu}, managed memory and page-locked host memory")
                }
            },
        })
    }
}

/// The extents as numbers of a tensor, if they are those of `len` elements.
fn extents(shape: &[usize], len: usize) -> Result<Box<[i64]>, InteropError> {
    let wrong = || InteropError::WrongShape {
        shape: shape.into(),
        len,
    };
    let product = shape.iter().try_fold(1usize, |n, e| n.checked_mul(*e));
    if product != Some(len) {
        return Err(wrong());
    }
    let extents: Result<Box<[i64]>, _> = shape.iter().map(|e| i64::try_from(*e)).collect();
    extents.map_err(|_| wrong())
}

/// The product of the extents.
fn elements(shape: &[i64]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    let mut extents = shape.iter().map(|extent| usize::try_from(*extent).ok());
    extents.try_fold(1usize, |n, extent| n.checked_mul(extent?))
}

/// The strides of elements side by side, the last dimension first. Those of a tensor that is too large are of no use.
fn row_major(shape: &[i64]) -> Box<[i64]> {
    let mut strides: Box<[i64]> = shape.into();
    let mut step = 1i64;
    for stride in strides.iter_mut().rev() {
        let extent = std::mem::replace(stride, step);
        step = step.saturating_mul(extent);
    }
    strides
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor")
            .field("device", &self.device)
            .field("element", &self.element)
            .field("shape", &self.shape)
            .field("strides", &self.strides)
            .finish_non_exhaustive()
    }
}
