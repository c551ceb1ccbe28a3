//! Shapes of products, and which registers their fragments have.

use super::element::{B1, E4m3, E5m2, Element, S4, SumElement, U4};
use super::registers::Registers;
use super::tf32::Tf32;
use crate::{Bf16, F16};

mod sealed {
    pub trait Sealed {}
}

/// The shape of a product: A has `M` rows and `K` columns, B has `K` rows and `N` columns.
pub trait Shape: sealed::Sealed + 'static {
    /// Rows of A, C and D.
    const M: u32;
    /// Columns of B, C and D.
    const N: u32;
    /// Columns of A and rows of B.
    const K: u32;
    /// The shape of C and D.
    type Sums: SumShape;
}

/// The shape of C and D.
pub trait SumShape: sealed::Sealed + 'static {
    /// Rows.
    const M: u32;
    /// Columns.
    const N: u32;
}

macro_rules! shapes {
    ($($name:ident $m:literal $n:literal $k:literal $sums:ident;)*) => {$(
        #[doc = concat!("A has ", $m, " rows, B has ", $n, " columns, sums are of ", $k, " products.")]
        #[derive(Debug)]
        pub enum $name {}

        impl sealed::Sealed for $name {}
        impl Shape for $name {
            const M: u32 = $m;
            const N: u32 = $n;
            const K: u32 = $k;
            type Sums = $sums;
        }
    )*};
}

shapes! {
    M8N8K4 8 8 4 M8N8;
    M16N8K4 16 8 4 M16N8;
    M16N8K8 16 8 8 M16N8;
    M16N8K16 16 8 16 M16N8;
    M16N8K32 16 8 32 M16N8;
    M16N8K64 16 8 64 M16N8;
    M16N8K128 16 8 128 M16N8;
    M16N8K256 16 8 256 M16N8;
}

macro_rules! sum_shapes {
    ($($name:ident $m:literal $n:literal;)*) => {$(
        #[doc = concat!("C and D have ", $m, " rows and ", $n, " columns.")]
        #[derive(Debug)]
        pub enum $name {}

        impl sealed::Sealed for $name {}
        impl SumShape for $name {
            const M: u32 = $m;
            const N: u32 = $n;
        }
    )*};
}

sum_shapes! {
    M8N8 8 8;
    M16N8 16 8;
}

/// Shapes that have elements of `T` in A and B.
#[diagnostic::on_unimplemented(
    message = "no product of the shape `{Self}` has elements of type `{T}`",
    label = "not a shape for these elements",
    note = "F16, Bf16: M16N8K8, M16N8K16; Tf32: M16N8K4, M16N8K8; f64: M8N8K4, M16N8K4, M16N8K8, M16N8K16; i8, u8: M16N8K16, M16N8K32; \
            E4m3, E5m2: M16N8K32; S4, U4: M16N8K32, M16N8K64; B1: M16N8K128, M16N8K256"
)]
pub trait Holds<T: Element>: Shape {
    /// The registers of a lane for A.
    type A: Registers;
    /// The registers of a lane for B.
    type B: Registers;
}

/// Shapes that have elements of `T` in C and D.
#[diagnostic::on_unimplemented(
    message = "no sums of the shape `{Self}` are of type `{T}`",
    label = "not a type of sums",
    note = "M16N8: F16, f32, f64, i32, and Bf16 to be stored; M8N8: f64"
)]
pub trait HoldsSums<T: SumElement>: SumShape {
    /// The registers of a lane.
    type Registers: Registers;
}

macro_rules! held {
    ($($shape:ident: $($element:ident)+, $word:ident $a:literal $b:literal;)*) => {$($(
        impl Holds<$element> for $shape {
            type A = [$word; $a];
            type B = [$word; $b];
        }
    )+)*};
}

held! {
    M16N8K8: F16 Bf16, u32 2 1;
    M16N8K16: F16 Bf16, u32 4 2;
    M16N8K4: Tf32, u32 2 1;
    M16N8K8: Tf32, u32 4 2;
    M8N8K4: f64, f64 1 1;
    M16N8K4: f64, f64 2 1;
    M16N8K8: f64, f64 4 2;
    M16N8K16: f64, f64 8 4;
    M16N8K16: i8 u8, u32 2 1;
    M16N8K32: i8 u8 E4m3 E5m2, u32 4 2;
    M16N8K32: S4 U4, u32 2 1;
    M16N8K64: S4 U4, u32 4 2;
    // Of these only sparse products take fragments.
    M16N8K32: F16 Bf16, u32 8 4;
    M16N8K16: Tf32, u32 8 4;
    M16N8K64: i8 u8 E4m3 E5m2, u32 8 4;
    M16N8K128: S4 U4, u32 8 4;
    M16N8K128: B1, u32 2 1;
    M16N8K256: B1, u32 4 2;
}

macro_rules! held_sums {
    ($($shape:ident: $element:ident, $word:ident $count:literal;)*) => {$(
        impl HoldsSums<$element> for $shape {
            type Registers = [$word; $count];
        }
    )*};
}

held_sums! {
    M16N8: F16, u32 2;
    M16N8: Bf16, u32 2;
    M16N8: f32, f32 4;
    M16N8: i32, i32 4;
    M16N8: f64, f64 4;
    M8N8: f64, f64 2;
}
