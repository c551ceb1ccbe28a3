//! Which fragments and products there are, as traits: `loads.rs` and `products.rs` implement them line by line.

use super::elements::{Elements, Registers};
use super::shapes::{Accumulator, Layout, MatrixA, MatrixB};

// Rule: fragment-is-of-the-table
// Tensor cores have some combinations of shape and type; another one has no instruction.
// Rule: factor-has-a-layout
// The instruction that loads or multiplies a factor says how it lies in memory.
// Rule: sums-have-no-layout
// Sums in registers lie the same way for all products; loads and stores say how they do in memory.
/// Types of which a warp has fragments of this role, shape and layout. Implemented for what tensor cores offer.
///
/// Sums have no layout of their own, `()`: loads and stores say how the matrix lies in memory.
#[diagnostic::on_unimplemented(
    message = "tensor cores have no fragment of the role `{Role}`, the shape `{Shape}`, the element type `{Self}` and the layout `{Layout}`",
    label = "no such fragment",
    note = "factors have the layout `RowMajor` or `ColMajor`, sums (`Accumulator`) have none",
    note = "`F16`, `Bf16`, `i8`, `u8` are factors in the shapes M16N16K16, M32N8K16, M8N32K16; `Tf32` in M16N16K8; `f64` in M8N8K4; `S4` and `U4` in M8N8K32, `B1` in M8N8K128, these three with A in rows and B in columns",
    note = "sums are `f32` (and `F16` for factors `F16`), `f64` for `f64`, `i32` for integers and bits"
)]
pub trait Fragments<Role, Shape, Layout>: Elements {
    /// The registers of a lane.
    #[doc(hidden)]
    type Registers: Registers<Word = Self::Word>;
}

/// Factors that are loaded from memory: see [`Fragments`].
pub trait Factor<Role, Shape, Layout>: Fragments<Role, Shape, Layout> {
    /// Lines of neighbours in memory, and elements of a line.
    #[doc(hidden)]
    const LINES: [usize; 2];

    /// The fragment of the matrix at `from`, whose lines lie `stride` elements apart.
    ///
    /// # Safety
    /// All lanes of the warp make this call with the same arguments. The matrix is aligned, and its lines are valid for reads.
    #[doc(hidden)]
    unsafe fn load(from: *const Self::Value, stride: u32) -> Self::Registers;
}

/// Sums: see [`Fragments`].
pub trait Sum<Shape>: Fragments<Accumulator, Shape, ()> {
    /// The fragment of the matrix at `from`, whose lines lie `stride` elements apart.
    ///
    /// # Safety
    /// As [`Factor::load`].
    #[doc(hidden)]
    unsafe fn load<L: Layout>(from: *const Self::Value, stride: u32) -> Self::Registers;

    /// Writes the matrix at `to`.
    ///
    /// # Safety
    /// As [`Factor::load`], valid for writes, which race with nothing.
    #[doc(hidden)]
    unsafe fn store<L: Layout>(registers: &Self::Registers, to: *mut Self::Value, stride: u32);
}

// Rule: product-is-of-the-table
// Each type of factors is added to certain types of sums.
// Rule: fragments-of-a-product-fit
// M, N and K are the same in all four matrices of a product: one type parameter.
/// Factors `Self` whose product in these layouts is added to sums `C` and gives sums `D`.
#[diagnostic::on_unimplemented(
    message = "tensor cores do not multiply `{Self}` in the shape `{Shape}` with A `{A}` and B `{B}`, add `{C}` and give `{D}`",
    label = "no such product",
    note = "`F16` adds to `f32` or `F16`, `Bf16` and `Tf32` to `f32`, `f64` to `f64`, `i8`, `u8`, `S4` and `U4` to `i32`; `B1` has `mma_xor` and `mma_and`"
)]
pub trait Multiply<Shape, A, B, C, D>:
    Factor<MatrixA, Shape, A> + Factor<MatrixB, Shape, B>
where
    C: Fragments<Accumulator, Shape, ()>,
    D: Fragments<Accumulator, Shape, ()>,
{
    /// The product of the matrices plus `c`.
    ///
    /// # Safety
    /// All lanes of the warp make this call.
    #[doc(hidden)]
    unsafe fn multiply(
        a: &<Self as Fragments<MatrixA, Shape, A>>::Registers,
        b: &<Self as Fragments<MatrixB, Shape, B>>::Registers,
        c: &C::Registers,
    ) -> D::Registers;
}

/// As [`Multiply`] for integers, with sums that stop at the ends of `i32`.
#[diagnostic::on_unimplemented(
    message = "tensor cores have no saturating product of `{Self}` in the shape `{Shape}` with A `{A}` and B `{B}`",
    label = "no such product",
    note = "`i8`, `u8`, `S4` and `U4` have one; of other sums, use `saturated`"
)]
pub trait MultiplySaturating<Shape, A, B>: Multiply<Shape, A, B, i32, i32>
where
    i32: Fragments<Accumulator, Shape, ()>,
{
    /// # Safety
    /// All lanes of the warp make this call.
    #[doc(hidden)]
    unsafe fn multiply_saturating(
        a: &<Self as Fragments<MatrixA, Shape, A>>::Registers,
        b: &<Self as Fragments<MatrixB, Shape, B>>::Registers,
        c: &<i32 as Fragments<Accumulator, Shape, ()>>::Registers,
    ) -> <i32 as Fragments<Accumulator, Shape, ()>>::Registers;
}
