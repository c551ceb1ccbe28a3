//! Matrices of a warp: `A · B + C` by tensor cores, of parts that the 32 lanes hold together.
//!
//! A [`Fragment`] is a part of a matrix in the registers of a warp. It is loaded from memory, multiplied by another one, and stored; which lane has which element
//! is not specified, and differs between GPUs. All lanes of the warp make the same calls with the same arguments, so these are for branches that the
//! whole warp takes: on a GPU the lanes else wait for ever, or the results are unspecified, while the emulator reports it. Memory outside of what was checked is never accessed.
//!
//! ```
//! # use warploom_emulator::{run, Shape};
//! use warploom_device_std::wmma::{Accumulator, ColMajor, Fragment, M16N16K16, MatrixA, MatrixB, RowMajor};
//! use warploom_device_std::{DisjointSlice2D, F16, Warp, WarpPatches};
//! /// The product of 16 rows of `a` and 16 columns of `b`, of 64 elements each.
//! fn product(warp: Warp, a: &[F16], b: &[F16], mut c: DisjointSlice2D<f32, WarpPatches<16, 16>>) {
//!     let mut sums = Fragment::<Accumulator, M16N16K16, f32>::filled(0.0);
//!     for k in (0..64).step_by(16) {
//!         let a = Fragment::<MatrixA, M16N16K16, F16, RowMajor>::load(warp, &a[k..], 64);
//!         let b = Fragment::<MatrixB, M16N16K16, F16, ColMajor>::load(warp, &b[k..], 64);
//!         sums = sums.mma(warp, &a, &b);
//!     }
//!     if let Some(mut patch) = c.get_mut(warp) {
//!         sums.store(warp, &mut patch, (0, 0), RowMajor);
//!     }
//! }
//! # #[repr(align(32))]
//! # struct Aligned<T>(T);
//! # let (a, b) = (Aligned([F16::ONE; 1024]), Aligned([F16::from_f32(0.5); 1024]));
//! # let mut c = Aligned([0f32; 256]);
//! # let at = c.0.as_mut_ptr().expose_provenance();
//! # run(Shape::new([1, 1, 1], [32, 1, 1]), &|| unsafe {
//! #     product(Warp::from_launch(), &a.0, &b.0, DisjointSlice2D::from_launch(core::ptr::with_exposed_provenance_mut(at), 16, 16));
//! # })?;
//! # assert_eq!(c.0, [32.0; 256]);
//! # Ok::<(), warploom_emulator::Fault>(())
//! ```
//!
//! | `A` and `B` | sums | shapes | compute capability |
//! |---|---|---|---|
//! | `F16` | `f32`, `F16`, also one added and the other given | M16N16K16, M32N8K16, M8N32K16 | 7.0 |
//! | `Bf16` | `f32` | M16N16K16, M32N8K16, M8N32K16 | 8.0 |
//! | [`Tf32`] | `f32` | M16N16K8 | 8.0 |
//! | `f64` | `f64` | M8N8K4 | 8.0 |
//! | `i8`, `u8` | `i32`, wrapping or saturating | M16N16K16, M32N8K16, M8N32K16 | 7.2 |
//! | [`S4`], [`U4`] | `i32`, wrapping or saturating | M8N8K32 | 7.5, not in images for 9.0 and later |
//! | [`B1`], of which bits that differ are counted | `i32` | M8N8K128 | 7.5, not in images for 9.0 and later |
//! | [`B1`], of which bits that are set in both are counted | `i32` | M8N8K128 | 8.0 |
//!
//! `A` and `B` are row major or column major, of `S4`, `U4` and `B1` in the one way of `A` in rows and `B` in columns. Other combinations do not compile:
//! ```compile_fail,E0277
//! use warploom_device_std::Bf16;
//! use warploom_device_std::wmma::{Fragment, M16N16K8, MatrixA, RowMajor};
//! fn kernel(a: Fragment<MatrixA, M16N16K8, Bf16, RowMajor>) {}
//! ```
//! A part of a matrix begins at a multiple of 32 bytes, and its rows (columns) are a multiple of 16 bytes apart. CUDA's guide has these rules for `half` and `float`; here
//! they hold for all types, but for factors of at most 8 bits, which begin at multiples of 16 bytes: neighbouring parts of them do. Each load and store checks that.
//!
//! CUDA's guide calls `s4`, `u4` and exclusive-or deprecated, to be removed in sm_90: a build that asks for an image of sm_90 or later with one of them is refused. Images below run on newer
//! GPUs, where the driver replaces these instructions by others.
//!
//! Sums of floating-point products are rounded as the GPU's tensor cores do, which CUDA leaves open. The emulator gives the bits of compute capability 9.0: all products of an element and its
//! summand are cut off at 25 bits behind the point of the greatest of them, added exactly, and the sum is rounded toward zero to `f32` or to the nearest `F16`; a result of another type than the
//! summand is that of `f32`, converted. `Tf32` takes two such steps, of four columns of `A` each. `f64` is a chain of fused multiplications and additions, each rounded to nearest. NaN has all bits but the sign, and keeps its own in `f64`.
//!
//! A fragment is no kernel argument and no element of a buffer, and does not leave its thread:
//! ```compile_fail,E0277
//! use warploom_device_std::wmma::{Accumulator, Fragment, M16N16K16};
//! fn kernel(sums: Fragment<Accumulator, M16N16K16, f32>) {
//!     std::thread::scope(|scope| { scope.spawn(move || sums); });
//! }
//! ```

mod call; // a line of the tables as code
mod elements; // numbers in registers
#[cfg(not(warploom_device))]
mod emulated; // the tables for the emulator
mod loads; // the table of loads and stores
mod memory; // loads and stores, checked
mod products; // the table of products
mod shapes; // roles, shapes, layouts
mod traits; // which fragments there are

use core::marker::PhantomData;

pub use crate::mma::{B1, S4, Tf32, U4};
pub use elements::Elements;
pub use shapes::{
    Accumulator, ColMajor, Layout, M8N8K4, M8N8K32, M8N8K128, M8N32K16, M16N16K8, M16N16K16,
    M32N8K16, MatrixA, MatrixB, RowMajor, Shape,
};
pub use traits::{Factor, Fragments, Multiply, MultiplySaturating, Sum};

use crate::{F16, Warp};
use elements::Registers;

/// What instrumented code calls for each symbol of loads, stores and products, beside that of [`intrinsics`](crate::intrinsics).
#[cfg(not(warploom_device))]
#[doc(hidden)]
pub static SHIMS: &[&[crate::intrinsics::Shim]] = &[
    loads::FACTOR_SHIMS,
    loads::PACKED_FACTOR_SHIMS,
    loads::SUM_SHIMS,
    products::BIT_SHIMS,
    products::NIBBLE_SHIMS,
    products::PRODUCT_SHIMS,
    products::SATURATING_SHIMS,
];

/// Device code calls its instructions itself.
#[cfg(warploom_device)]
#[doc(hidden)]
pub static SHIMS: &[&[crate::intrinsics::Shim]] = &[];

/// A part of a matrix in the registers of a warp: this lane's elements of it. CUDA: `wmma::fragment`.
///
/// `Role` is [`MatrixA`], [`MatrixB`] or [`Accumulator`]; the part has the rows and columns that `S` says for it. `T` are the elements, `L` how a factor lies in memory:
/// [`RowMajor`] or [`ColMajor`], none for sums.
///
/// ```
/// use warploom_device_std::F16;
/// use warploom_device_std::wmma::{Accumulator, ColMajor, Fragment, M16N16K16, MatrixA};
/// type A = Fragment<MatrixA, M16N16K16, F16, ColMajor>;
/// type Sums = Fragment<Accumulator, M16N16K16, f32>;
/// assert_eq!((A::ELEMENTS, Sums::ELEMENTS), (16, 8));
/// let sums = Sums::filled(3.0).map(|x| x * 0.5);
/// ```
/// A factor says how it lies in memory, and sums do not:
/// ```compile_fail,E0277
/// use warploom_device_std::F16;
/// use warploom_device_std::wmma::{Fragment, M16N16K16, MatrixA};
/// fn kernel(a: Fragment<MatrixA, M16N16K16, F16>) {}
/// ```
/// ```compile_fail,E0277
/// use warploom_device_std::wmma::{Accumulator, Fragment, M16N16K16, RowMajor};
/// fn kernel(c: Fragment<Accumulator, M16N16K16, f32, RowMajor>) {}
/// ```
pub struct Fragment<Role, S, T: Fragments<Role, S, L>, L = ()> {
    registers: T::Registers,
    _lane: PhantomData<*const (Role, S, L)>,
}

impl<Role, S, T: Fragments<Role, S, L>, L> Clone for Fragment<Role, S, T, L> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<Role, S, T: Fragments<Role, S, L>, L> Copy for Fragment<Role, S, T, L> {}

impl<Role, S, T: Fragments<Role, S, L>, L> Fragment<Role, S, T, L> {
    /// The elements of a lane. Where lanes have more than the matrix, some are copies. CUDA: `num_elements`.
    pub const ELEMENTS: usize = T::Registers::COUNT * size_of::<T::Word>() * 8 / T::BITS;

    /// The values of a lane, as [`map`](Self::map) sees them: for elements of fewer than 8 bits, words. CUDA: `num_storage_elements`.
    pub const VALUES: usize =
        T::Registers::COUNT * size_of::<T::Word>() / size_of::<<T as Elements>::Value>();

    #[inline(always)]
    fn of(registers: T::Registers) -> Self {
        Fragment {
            registers,
            _lane: PhantomData,
        }
    }

    /// A matrix with `value` everywhere, if all lanes say the same. CUDA: `wmma::fill_fragment`.
    #[inline(always)]
    #[must_use]
    pub fn filled(value: T::Value) -> Self {
        Self::of(T::Registers::splat(T::splat(value)))
    }

    /// `f` of each element, if all lanes do the same: scale, bias, activation. Elements of fewer than 8 bits come as words.
    ///
    /// Which lane has which element is not specified, and some may have copies of others' elements: `f` does not depend on lane or order. CUDA: a loop over `x[i]`.
    ///
    /// ```
    /// use warploom_device_std::wmma::{Accumulator, Fragment, M16N16K16};
    /// fn scaled(sums: Fragment<Accumulator, M16N16K16, f32>, alpha: f32) -> Fragment<Accumulator, M16N16K16, f32> {
    ///     sums.map(|x| alpha * x)
    /// }
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn map(self, mut f: impl FnMut(T::Value) -> T::Value) -> Self {
        self.zip_map(self, |x, _| f(x))
    }

    /// `f` of each element of two fragments of the same kind, as [`map`](Self::map).
    ///
    /// ```
    /// use warploom_device_std::wmma::{Accumulator, Fragment, M16N16K16};
    /// type Sums = Fragment<Accumulator, M16N16K16, f32>;
    /// fn blend(product: Sums, alpha: f32, c: Sums, beta: f32) -> Sums {
    ///     product.zip_map(c, |x, c| alpha * x + beta * c)
    /// }
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn zip_map(self, other: Self, mut f: impl FnMut(T::Value, T::Value) -> T::Value) -> Self {
        let registers = self
            .registers
            .zip(other.registers, |a, b| T::zip(a, b, &mut f));
        Self::of(registers)
    }
}

impl<S: Shape, C: Sum<S>> Fragment<Accumulator, S, C> {
    /// `a · b + self`.
    ///
    /// All lanes of the warp make this call. One instruction of tensor cores; lanes wait for each other; orders no memory. How sums are rounded is said in
    /// [the module](self); integers wrap. CUDA: `wmma::mma_sync`. PTX: `wmma.mma`.
    ///
    /// Shapes and layouts are those of the fragments:
    /// ```compile_fail,E0308
    /// use warploom_device_std::{F16, Warp};
    /// use warploom_device_std::wmma::{Accumulator, ColMajor, Fragment, M16N16K16, M32N8K16, MatrixA, MatrixB};
    /// fn kernel(
    ///     warp: Warp,
    ///     a: Fragment<MatrixA, M32N8K16, F16, ColMajor>,
    ///     b: Fragment<MatrixB, M16N16K16, F16, ColMajor>,
    ///     c: Fragment<Accumulator, M16N16K16, f32>,
    /// ) {
    ///     let _ = c.mma(warp, &a, &b);
    /// }
    /// ```
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn mma<T, A, B>(
        self,
        warp: Warp<'_>,
        a: &Fragment<MatrixA, S, T, A>,
        b: &Fragment<MatrixB, S, T, B>,
    ) -> Self
    where
        T: Multiply<S, A, B, C, C>,
    {
        self.mma_to::<C, T, A, B>(warp, a, b)
    }

    /// As [`mma`](Self::mma), with sums of another type in the result: `F16` for `f32`, or `f32` for `F16`.
    ///
    /// ```
    /// use warploom_device_std::{F16, Warp};
    /// use warploom_device_std::wmma::{Accumulator, ColMajor, Fragment, M16N16K16, MatrixA, MatrixB};
    /// fn rounded(
    ///     warp: Warp,
    ///     a: Fragment<MatrixA, M16N16K16, F16, ColMajor>,
    ///     b: Fragment<MatrixB, M16N16K16, F16, ColMajor>,
    ///     c: Fragment<Accumulator, M16N16K16, f32>,
    /// ) -> Fragment<Accumulator, M16N16K16, F16> {
    ///     c.mma_to(warp, &a, &b)
    /// }
    /// ```
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn mma_to<D, T, A, B>(
        self,
        _warp: Warp<'_>,
        a: &Fragment<MatrixA, S, T, A>,
        b: &Fragment<MatrixB, S, T, B>,
    ) -> Fragment<Accumulator, S, D>
    where
        D: Sum<S>,
        T: Multiply<S, A, B, C, D>,
    {
        // SAFETY: the lanes of the warp make this call, or those that do wait for the others.
        Fragment::of(unsafe { T::multiply(&a.registers, &b.registers, &self.registers) })
    }
}

impl<S: Shape> Fragment<Accumulator, S, i32>
where
    i32: Sum<S>,
{
    /// As [`mma`](Self::mma), with results that stop at the least and the greatest `i32`. CUDA: `wmma::mma_sync` with `satf`. PTX: `.satfinite`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn mma_saturating<T, A, B>(
        self,
        _warp: Warp<'_>,
        a: &Fragment<MatrixA, S, T, A>,
        b: &Fragment<MatrixB, S, T, B>,
    ) -> Self
    where
        T: MultiplySaturating<S, A, B>,
    {
        // SAFETY: the lanes of the warp make this call, or those that do wait for the others.
        Fragment::of(unsafe { T::multiply_saturating(&a.registers, &b.registers, &self.registers) })
    }
}

impl Fragment<Accumulator, M8N8K128, i32> {
    /// To each element the number of places at which a row of `a` and a column of `b` differ. CUDA: `wmma::bmma_sync` with `bmmaBitOpXOR`. PTX: `wmma.mma.xor.popc`.
    ///
    /// All lanes of the warp make this call. Not in images for compute capability 9.0 and later.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn mma_xor(
        self,
        _warp: Warp<'_>,
        a: &Fragment<MatrixA, M8N8K128, B1, RowMajor>,
        b: &Fragment<MatrixB, M8N8K128, B1, ColMajor>,
    ) -> Self {
        // SAFETY: the lanes of the warp make this call, or those that do wait for the others.
        Fragment::of(unsafe { products::xor(&a.registers, &b.registers, &self.registers) })
    }

    /// To each element the number of places at which both a row of `a` and a column of `b` are set. CUDA: `wmma::bmma_sync` with `bmmaBitOpAND`.
    /// PTX: `wmma.mma.and.popc`. Compute capability: 8.0.
    ///
    /// All lanes of the warp make this call.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn mma_and(
        self,
        _warp: Warp<'_>,
        a: &Fragment<MatrixA, M8N8K128, B1, RowMajor>,
        b: &Fragment<MatrixB, M8N8K128, B1, ColMajor>,
    ) -> Self {
        // SAFETY: the lanes of the warp make this call, or those that do wait for the others.
        Fragment::of(unsafe { products::and(&a.registers, &b.registers, &self.registers) })
    }
}

/// What `satf` of CUDA's `wmma::mma_sync` does to floating-point sums, behind the product.
macro_rules! saturated {
    ($($ty:ident $zero:expr;)*) => {$(
        impl<S: Shape> Fragment<Accumulator, S, $ty>
        where
            $ty: Sum<S>,
        {
            /// Infinite sums as the greatest number of their sign, and 0 for what is no number. CUDA: `wmma::mma_sync` with `satf`.
            #[inline(always)]
            #[must_use]
            pub fn saturated(self) -> Self {
                self.map(|x| {
                    if x.is_nan() {
                        $zero
                    } else if x.is_infinite() {
                        $ty::MAX.copysign(x)
                    } else {
                        x
                    }
                })
            }
        }
    )*};
}

saturated! {
    f32 0.0;
    F16 F16::ZERO;
}
