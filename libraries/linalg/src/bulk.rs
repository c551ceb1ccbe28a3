//! Operands as bulk copies read them.

use warploom::device_std::mma::{E4m3, E5m2, Tf32};
use warploom::device_std::{Bf16, F16};
use warploom::tensor::{L2Promotion, Swizzle};
use warploom::{DeviceSlice, TensorMap, TensorMapError};

use crate::arithmetic::Numbers;
use crate::kernels::warp_groups::DEPTH_BYTES;

/// An operand in memory, for a map of it: its lines are along K or across it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    /// Whether neighbours in memory are along K.
    pub(crate) along_k: bool,
    /// Elements along K.
    pub(crate) k: usize,
    /// Rows of A, or columns of B.
    pub(crate) extent: usize,
    pub(crate) matrices: usize,
    /// Elements from one line to the next, and from one matrix to the next.
    pub(crate) distances: [usize; 2],
}

/// Arithmetic whose operands may be read by bulk copies.
#[doc(hidden)]
pub trait Bulk: Numbers {
    /// What a kernel reads an operand by.
    type Map<'a>;
    /// Whether there are kernels with bulk copies for operands along K, and for those across it.
    const ALONG_AND_ACROSS: [bool; 2];

    /// The map of an operand, for copies that fill stages with `extent` rows or columns.
    fn map<'a>(
        elements: DeviceSlice<'a, Self::Element>,
        lines: Lines,
        extent: usize,
    ) -> Result<Self::Map<'a>, TensorMapError>;
}

macro_rules! in_bulk {
    ($($ty:ident across: $across:literal;)*) => {$(
        impl Bulk for $ty {
            type Map<'a> = TensorMap<'a, Self::Element, 3>;
            const ALONG_AND_ACROSS: [bool; 2] = [true, $across];

            fn map<'a>(
                elements: DeviceSlice<'a, Self::Element>,
                lines: Lines,
                extent: usize,
            ) -> Result<Self::Map<'a>, TensorMapError> {
                let size = size_of::<Self::Element>();
                let in_row = DEPTH_BYTES / size;
                let (length, count, block) = if lines.along_k {
                    (lines.k, lines.extent, [in_row, extent, 1])
                } else {
                    (lines.extent, lines.k, [in_row, in_row, 1])
                };
                // The distance of a single line or matrix is not used, and must be possible.
                let bytes = |count: usize, distance: usize| match count {
                    0 | 1 => 128,
                    _ => distance.saturating_mul(size),
                };
                let [line, matrix] = lines.distances;
                TensorMap::builder(elements, [length, count, lines.matrices])
                    .strides([size, bytes(count, line), bytes(lines.matrices, matrix)])
                    .block(block)
                    .swizzle(Swizzle::B128)
                    .l2_promotion(L2Promotion::B256)
                    .build()
            }
        }
    )*};
}

macro_rules! by_threads {
    ($($ty:ident)*) => {$(
        impl Bulk for $ty {
            type Map<'a> = ();
            const ALONG_AND_ACROSS: [bool; 2] = [false; 2];

            fn map<'a>(
                _elements: DeviceSlice<'a, Self::Element>,
                _lines: Lines,
                _extent: usize,
            ) -> Result<(), TensorMapError> {
                Ok(())
            }
        }
    )*};
}

in_bulk! {
    F16 across: true;
    Bf16 across: true;
    Tf32 across: false;
    E4m3 across: false;
    E5m2 across: false;
    i8 across: false;
}
by_threads! { f32 f64 }
