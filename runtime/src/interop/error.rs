//! What can go wrong between libraries.

#[cfg(feature = "dlpack")]
use super::dlpack::{DLDataType, DLDevice};
use crate::cuda::DriverError;
use crate::memory::MemoryError;
use crate::unsupported::Unsupported;

/// Why a handle, memory or a tensor of another library cannot be taken, or one of ours not be given.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum InteropError {
    /// A stream of another context.
    #[error(
        "the stream does not belong to the primary context of {device}; make it in that context, which CUDA's runtime interface and cudarc use"
    )]
    WrongContext {
        /// The device's name.
        device: String,
    },
    /// The default stream that each thread has for itself.
    #[error(
        "the stream is the default stream of each thread (CU_STREAM_PER_THREAD), which is another one on every thread; use a stream of its own, or the legacy default stream (null)"
    )]
    PerThreadStream,
    /// Elements, and no address.
    #[error("the address of {elements} elements is null; pass the address of the first one")]
    NullAddress {
        /// Elements that should be there.
        elements: usize,
    },
    /// An address that no element can have.
    #[error(
        "address {address:#x} is no place for {element}, which is aligned to {align} bytes; copy the memory to an aligned place first"
    )]
    Misaligned {
        /// The address.
        address: u64,
        /// What it has to be a multiple of.
        align: usize,
        /// The element type.
        element: &'static str,
    },
    /// More elements than there are addresses for.
    #[error(
        "{elements} elements of {size} bytes are more than a machine can address; check the length and the shape"
    )]
    TooLarge {
        /// Elements.
        elements: usize,
        /// Bytes of one of them.
        size: usize,
    },
    /// Memory of which the driver knows nothing.
    #[error(
        "the driver knows no memory at address {address:#x} that kernels on {device} can reach; pass device memory, managed memory, or page-locked host memory"
    )]
    UnknownAddress {
        /// The address.
        address: u64,
        /// The device's name.
        device: String,
    },
    /// There is no tensor.
    #[cfg(feature = "dlpack")]
    #[error("the tensor is a null pointer; a capsule can be consumed once only")]
    NullTensor,
    /// A tensor of another version of DLPack.
    #[cfg(feature = "dlpack")]
    #[error(
        "the tensor has DLPack version {major}.{minor}, and this library reads version 1 only; ask the producer for version 1"
    )]
    Version {
        /// Its major version.
        major: u32,
        /// Its minor version.
        minor: u32,
    },
    /// A tensor that contradicts itself.
    #[cfg(feature = "dlpack")]
    #[error("the tensor is malformed: {what}; this is an error of its producer")]
    Malformed {
        /// How.
        what: &'static str,
    },
    /// The elements are of another type.
    #[cfg(feature = "dlpack")]
    #[error(
        "the tensor has elements of type {found}, not {expected}; convert it first, or take a buffer of its type"
    )]
    ElementType {
        /// The tensor's.
        found: DLDataType,
        /// Those asked for.
        expected: DLDataType,
    },
    /// The elements of a tensor or an array do not lie side by side.
    #[error(
        "the elements of shape {shape:?} with strides {strides:?} do not lie side by side in row-major order; make a copy that does"
    )]
    NotContiguous {
        /// Its extents, in elements.
        shape: Box<[i64]>,
        /// Its strides, in elements.
        strides: Box<[i64]>,
    },
    /// The tensor lies elsewhere.
    #[cfg(feature = "dlpack")]
    #[error(
        "the tensor lies in {found}, but {device} reaches {reaches} only; move the tensor there first"
    )]
    WrongDevice {
        /// Where it lies.
        found: DLDevice,
        /// The device's name.
        device: String,
        /// What that device can use.
        reaches: String,
    },
    /// A tensor that must not be written.
    #[cfg(feature = "dlpack")]
    #[error("the tensor is read-only; take it with `Tensor::into_read_only`, or make a copy first")]
    ReadOnly,
    /// A shape that is not that of the buffer.
    #[error(
        "the shape {shape:?} is not that of the buffer's {len} elements; use extents whose product is the length"
    )]
    WrongShape {
        /// The extents.
        shape: Box<[usize]>,
        /// The buffer's elements.
        len: usize,
    },
    /// The driver refused a call.
    #[error("cannot share with other libraries: {0}")]
    Driver(#[from] DriverError),
    /// Memory cannot be handed over: it belongs to another device than the stream.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The device does not do that.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}
