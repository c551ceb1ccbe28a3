//! Why a map of a tensor is refused.

use crate::cuda::DriverError;

/// Why a [`TensorMap`](crate::TensorMap) cannot be made. Dimensions are counted from 0, the one along which elements lie side by side.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum TensorMapError {
    /// The device has no bulk copies.
    #[error(
        "{device} has compute capability {}.{}, and copies of boxes of tensors need 9.0; copy with the threads of the block, or with `AsyncTiles`", found.0, found.1
    )]
    Capability {
        /// The device's name.
        device: String,
        /// Its compute capability.
        found: (u32, u32),
    },
    /// The first element lies at no multiple of 16 bytes.
    #[error(
        "the tensor begins at address {address:#x}, which is no multiple of 16; begin at another element of the buffer"
    )]
    Misaligned {
        /// Address of the first element.
        address: u64,
    },
    /// A dimension has no elements, or too many.
    #[error(
        "dimension {dimension} of the tensor has {given} elements: 1 to 2^32 are possible; leave an empty tensor out, and divide a larger one"
    )]
    Extent {
        /// The dimension.
        dimension: usize,
        /// Its elements.
        given: usize,
    },
    /// Elements do not lie side by side along the first dimension.
    #[error(
        "the stride of dimension 0 is {given} bytes, and its elements have {size}: they lie side by side; let another dimension be the first"
    )]
    FirstStride {
        /// The stride, in bytes.
        given: u64,
        /// Bytes of an element.
        size: u64,
    },
    /// A stride is no multiple of 16 bytes.
    #[error(
        "the stride of dimension {dimension} is {given} bytes, which is no multiple of 16; pad the rows, as `PitchedBuffer` does"
    )]
    StrideAlign {
        /// The dimension.
        dimension: usize,
        /// The stride, in bytes.
        given: u64,
    },
    /// A stride is 0 or too large.
    #[error(
        "the stride of dimension {dimension} is {given} bytes: 16 to 2^40 - 16 are possible; divide the tensor along this dimension"
    )]
    Stride {
        /// The dimension.
        dimension: usize,
        /// The stride, in bytes.
        given: u64,
    },
    /// The tensor does not lie in the memory.
    #[error(
        "the tensor reaches over {needed} bytes, and the buffer or view has {bytes}; use fewer elements or shorter strides, or a larger buffer: rows that copies write end at multiples of 16 bytes"
    )]
    Memory {
        /// Bytes from the first element to the end of the last; of a tensor to be written, of the 16 bytes that it is in.
        needed: u64,
        /// Bytes that there are.
        bytes: usize,
    },
    /// A box has no elements along a dimension, or too many.
    #[error(
        "dimension {dimension} of the box has {given} elements: 1 to 256 are possible; say `.block([..])`, and let several copies move more"
    )]
    Box {
        /// The dimension.
        dimension: usize,
        /// Its elements.
        given: usize,
    },
    /// A step is 0 or too large.
    #[error(
        "the step along dimension {dimension} is {given} elements: 1 to {most} are possible; leave elements out when the box is read"
    )]
    Step {
        /// The dimension.
        dimension: usize,
        /// The step, in elements.
        given: usize,
        /// The largest.
        most: usize,
    },
    /// A row of a box is no multiple of 16 bytes.
    #[error(
        "dimension 0 of the box has {bytes} bytes, which is no multiple of 16; use more elements or fewer"
    )]
    BoxRow {
        /// Bytes of a row of the box.
        bytes: usize,
    },
    /// A row of a box is longer than what is permuted.
    #[error(
        "dimension 0 of the box has {bytes} bytes, and the swizzle permutes pieces of {span}; use at most {columns} elements, and let several copies move more"
    )]
    Swizzle {
        /// Bytes of a row of the box.
        bytes: usize,
        /// Bytes of a piece.
        span: usize,
        /// Elements of a piece.
        columns: usize,
    },
    /// There is nothing to fill in.
    #[error(
        "elements of type {element} cannot be filled with what is no number; use `Fill::Zeros`, or elements of floating point"
    )]
    Fill {
        /// The type of the elements.
        element: &'static str,
    },
    /// The driver refused the call, or has no such function.
    #[error(transparent)]
    Driver(#[from] DriverError),
}
