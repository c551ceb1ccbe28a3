//! Types of the elements of tensors that bulk copies move.

use crate::mma::{E4m3, E5m2};
use crate::wmma::Tf32;
use crate::{Bf16, F16, Plain};

mod sealed {
    pub trait Sealed {}
}

/// The element of a tensor that bulk copies move.
///
/// CUDA: `CUtensorMapDataType`.
///
/// ```compile_fail,E0277
/// fn element<T: warploom_device_std::tma::TensorElement>() {}
/// element::<u128>(); // no tensor map has such elements
/// ```
#[diagnostic::on_unimplemented(
    message = "tensors of bulk copies have no elements of type `{Self}`",
    note = "they have `u8`, `i8`, `E4m3`, `E5m2`, `u16`, `u32`, `i32`, `u64`, `i64`, `F16`, `Bf16`, `f32`, `f64` or `wmma::Tf32`"
)]
pub trait TensorElement: Plain + sealed::Sealed {
    /// The driver's number of the type.
    #[doc(hidden)]
    const TYPE: u32;
}

/// Elements that a copy can add to those of a tensor: wrapping, or rounded to nearest.
pub trait ReduceAdd: TensorElement {}

/// Elements of which a copy can keep the lesser or the greater.
pub trait ReduceMinMax: TensorElement {}

/// Elements whose bits a copy can combine.
pub trait ReduceBits: TensorElement {}

/// Elements that a copy can count up or down.
pub trait ReduceCount: TensorElement {}

macro_rules! elements {
    ($($ty:ty = $number:literal: $($reduce:ident)*;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl TensorElement for $ty {
            const TYPE: u32 = $number;
        }
        $(impl $reduce for $ty {})*
    )*};
}

elements! {
    u8 = 0: ;
    i8 = 0: ;
    E4m3 = 0: ;
    E5m2 = 0: ;
    u16 = 1: ;
    u32 = 2: ReduceAdd ReduceMinMax ReduceBits ReduceCount;
    i32 = 3: ReduceAdd ReduceMinMax ReduceBits;
    u64 = 4: ReduceAdd ReduceMinMax ReduceBits;
    i64 = 5: ReduceMinMax;
    F16 = 6: ReduceAdd ReduceMinMax;
    f32 = 7: ReduceAdd;
    f64 = 8: ReduceAdd;
    Bf16 = 9: ReduceAdd ReduceMinMax;
    Tf32 = 11: ;
}
