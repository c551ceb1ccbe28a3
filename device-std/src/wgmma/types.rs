//! Which types of elements multiply.

use crate::mma::{E4m3, E5m2, Element, Holds, M16N8K8, M16N8K16, M16N8K32, SumElement, Tf32};
use crate::{Bf16, F16, Plain};

mod sealed {
    pub trait Sealed {}
}

/// What A and B consist of: [`F16`], [`Bf16`], [`Tf32`], [`E4m3`], [`E5m2`], `i8`, `u8`.
pub trait Input: Element + Plain + sealed::Sealed {
    /// Elements of a row that an instruction multiplies: those of 32 bytes.
    const K: usize = 32 / size_of::<Self>();
    /// Part of the number of an instruction.
    #[doc(hidden)]
    const NUMBER: u32;
    /// The product of a warp that has as many elements of a row: its fragment of A is what a warp of the group holds when A is in registers.
    type Shape: Holds<Self, A = [u32; 4]>;
}

/// What D consists of: `f32`, [`F16`], `i32`.
pub trait Sum: SumElement + sealed::Sealed {
    /// Part of the number of an instruction.
    #[doc(hidden)]
    const SUM_NUMBER: u32;
}

/// Elements of A that are multiplied with those of type `B` and added to those of type `D`.
///
/// ```compile_fail,E0277
/// use warploom_device_std::{Bf16, F16, wgmma::{Batch, KMajor, Operand}};
/// fn mixed<'v>(batch: Batch<'v, 64, f32>, a: Operand<'v, F16, 64, KMajor>, b: Operand<'v, Bf16, 64, KMajor>) {
///     let _ = batch.multiply_add(a, b); // no tensor core multiplies `F16` with `Bf16`
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "a warp group cannot multiply `{Self}` with `{B}` and add to `{D}`",
    label = "no tensor core has this combination of types",
    note = "the combinations are in the documentation of `device_std::wgmma`"
)]
pub trait Multiply<B: Input, D: Sum>: Input {}

/// Elements whose tiles may have rows of k, which are read transposed: those of 16 bits.
pub trait SixteenBits: Input {}

impl SixteenBits for F16 {}
impl SixteenBits for Bf16 {}

macro_rules! inputs {
    ($($ty:ident $number:literal $shape:ident;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Input for $ty {
            const NUMBER: u32 = $number;
            type Shape = $shape;
        }
    )*};
}

inputs! {
    F16 0 M16N8K16;
    Bf16 1 M16N8K16;
    Tf32 2 M16N8K8;
    E4m3 3 M16N8K32;
    E5m2 4 M16N8K32;
    i8 5 M16N8K32;
    u8 6 M16N8K32;
}

macro_rules! sums {
    ($($ty:ident $number:literal;)*) => {$(
        impl Sum for $ty {
            const SUM_NUMBER: u32 = $number;
        }
    )*};
}

impl sealed::Sealed for f32 {}
impl sealed::Sealed for i32 {}
sums! {
    F16 0;
    f32 1;
    i32 2;
}

// Each combination of types is an instruction; what has none would be a loop that looks like one.
macro_rules! products {
    ($($a:ident $b:ident: $($d:ident)+;)*) => {$($(
        impl Multiply<$b, $d> for $a {}
    )+)*};
}

products! {
    F16 F16: F16 f32;
    Bf16 Bf16: f32;
    Tf32 Tf32: f32;
    E4m3 E4m3: F16 f32;
    E4m3 E5m2: F16 f32;
    E5m2 E4m3: F16 f32;
    E5m2 E5m2: F16 f32;
    i8 i8: i32;
    i8 u8: i32;
    u8 i8: i32;
    u8 u8: i32;
}
