//! Operands as bulk copies read them.

use warploom::device_std::mma::{E4m3, E5m2, Tf32};
use warploom::device_std::{Bf16, F16};
use warploom::tensor::{L2Promotion, Swizzle};
use warploom::{DeviceSlice, TensorMap};

use crate::arithmetic::Numbers;
use crate::kernels::warp_groups::DEPTH;

/// Arithmetic whose operands may be read by bulk copies.
#[doc(hidden)]
pub trait Bulk: Numbers {
    /// What a kernel reads an operand by.
    type Map<'a>;

    /// The map of an operand along K with these elements of a line, lines and matrices, whose lines and matrices begin every so many elements, for copies of `lines` lines.
    /// `None` if there are no kernels with bulk copies for these elements, or if lines or matrices do not begin at multiples of 16 bytes.
    fn map<'a>(
        elements: DeviceSlice<'a, Self::Element>,
        extents: [usize; 3],
        distances: [usize; 2],
        lines: usize,
    ) -> Option<Self::Map<'a>>;
}

macro_rules! halves {
    ($($ty:ident)*) => {$(
        impl Bulk for $ty {
            type Map<'a> = TensorMap<'a, $ty, 3>;

            fn map<'a>(
                elements: DeviceSlice<'a, $ty>,
                extents: [usize; 3],
                distances: [usize; 2],
                lines: usize,
            ) -> Option<Self::Map<'a>> {
                let [length, count, matrices] = extents;
                // The distance of a single line or matrix is not used, and must be possible.
                let bytes = |count: usize, distance: usize| match count {
                    0 | 1 => 128,
                    _ => distance.saturating_mul(size_of::<$ty>()),
                };
                TensorMap::builder(elements, [length, count, matrices])
                    .strides([size_of::<$ty>(), bytes(count, distances[0]), bytes(matrices, distances[1])])
                    .block([DEPTH, lines, 1])
                    .swizzle(Swizzle::B128)
                    .l2_promotion(L2Promotion::B256)
                    .build()
                    .ok()
            }
        }
    )*};
}

macro_rules! others {
    ($($ty:ident)*) => {$(
        impl Bulk for $ty {
            type Map<'a> = ();

            fn map<'a>(
                _elements: DeviceSlice<'a, Self::Element>,
                _extents: [usize; 3],
                _distances: [usize; 2],
                _lines: usize,
            ) -> Option<()> {
                None
            }
        }
    )*};
}

halves! { F16 Bf16 }
others! { f32 Tf32 E4m3 E5m2 i8 f64 }
