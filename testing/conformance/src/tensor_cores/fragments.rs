//! Every combination of shape, types and layouts of a warp's matrices (WMMA), and hashes of their results.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::numbers::{
    Distribution, Number, element_of_a, element_of_b, element_of_c, hash_of_element,
};
use super::{Rows, counted};
use warploom::device_std::mma::{B1, S4, Tf32, U4};
use warploom::device_std::wmma::{
    Accumulator, ColMajor, Elements, Factor, Fragment, Layout, M8N8K4, M8N8K32, M8N8K128, M8N32K16,
    M16N16K8, M16N16K16, M32N8K16, MatrixA, MatrixB, RowMajor, Shape, Sum,
};
use warploom::prelude::*;

/// One combination of shape, types and layouts of A and B.
pub trait FragmentCase: 'static {
    /// Shape, then the types of D, of A and B, and of C.
    const NAME: &'static str;
    /// Sizes.
    type Shape: Shape;
    /// The layout of A.
    type LayoutA: Layout;
    /// The layout of B.
    type LayoutB: Layout;
    /// The elements of A and B.
    type Factor: Packed
        + Factor<MatrixA, Self::Shape, Self::LayoutA>
        + Factor<MatrixB, Self::Shape, Self::LayoutB>;
    /// The elements of C.
    type C: Number + Plain + Default + Sum<Self::Shape> + Elements<Value = Self::C>;
    /// The elements of D.
    type D: Number + Plain + Sum<Self::Shape> + Elements<Value = Self::D>;

    /// `a · b + c`
    fn multiply(
        warp: Warp<'_>,
        a: &FragmentA<Self>,
        b: &FragmentB<Self>,
        c: Fragment<Accumulator, Self::Shape, Self::C>,
    ) -> Fragment<Accumulator, Self::Shape, Self::D>;
}

/// The fragment of A of a case.
pub type FragmentA<F> = Fragment<
    MatrixA,
    <F as FragmentCase>::Shape,
    <F as FragmentCase>::Factor,
    <F as FragmentCase>::LayoutA,
>;

/// The fragment of B of a case.
pub type FragmentB<F> = Fragment<
    MatrixB,
    <F as FragmentCase>::Shape,
    <F as FragmentCase>::Factor,
    <F as FragmentCase>::LayoutB,
>;

/// Values in memory of the longest matrix of factors, and columns of the widest matrix of sums.
const MOST: [usize; 2] = [512, 32];

/// Adds to `sum` the hashes of all elements of D of the products `first..first + products`, as [`super::hash`] does. Blocks of one warp take products in turn.
#[kernel(block(32))]
pub fn hash_fragments<F: FragmentCase>(
    warp: Warp,
    block: Block,
    first: u64,
    products: u64,
    distribution: u32,
    sum: &[AtomicU64],
    mut a: SharedTile<<F::Factor as Elements>::Value, { MOST[0] }>,
    mut b: SharedTile<<F::Factor as Elements>::Value, { MOST[0] }>,
    mut c: SharedTile<F::C, { MOST[0] }>,
    mut d: SharedPatches<F::D, { MOST[1] }, { MOST[1] }, 1>,
) {
    let (m, n, k) = (F::Shape::M, F::Shape::N, F::Shape::K);
    let distribution = Distribution::of(distribution);
    let mut product = first + u64::from(block_idx().x);
    let mut own = 0u64;
    while product < first + products {
        let rows = Rows {
            product,
            distribution,
        };
        let by_row = |row, k| element_of_a::<F::Factor>(rows, row, k);
        fill::<F::Factor, F::LayoutA>(&mut a, [m, k], by_row);
        let by_row = |k, column| element_of_b::<F::Factor>(rows, k, column);
        fill::<F::Factor, F::LayoutB>(&mut b, [k, n], by_row);
        c.fill(|slot| match slot < m * n {
            true => element_of_c::<F::C>(rows, slot / n, slot % n),
            false => F::C::default(),
        });
        let (published_a, published_b, published_c) = (a, b, c).publish(&block);
        let stride = |is_row_major, [rows, columns]: [usize; 2]| match is_row_major {
            true => stride::<F::Factor>(columns),
            false => stride::<F::Factor>(rows),
        };
        let a_stride = stride(F::LayoutA::IS_ROW_MAJOR, [m, k]);
        let b_stride = stride(F::LayoutB::IS_ROW_MAJOR, [k, n]);
        let result = F::multiply(
            warp,
            &FragmentA::<F>::load(warp, &published_a, a_stride),
            &FragmentB::<F>::load(warp, &published_b, b_stride),
            Fragment::<Accumulator, F::Shape, F::C>::load(warp, &published_c, n, RowMajor),
        );
        if let Some(mut patch) = d.get_mut(warp) {
            result.store(warp, &mut patch, (0, 0), RowMajor);
        }
        let published_d = d.publish(&block);
        let mut element = warp.lane() as usize;
        while element < m * n {
            let (row, column) = (element / n, element % n);
            let bits = published_d.patch(0)[row][column].bits();
            let hash = hash_of_element(product, row as u64, column as u64, bits);
            own = own.wrapping_add(hash);
            element += 32;
        }
        ((a, b, c), d) = (
            (published_a, published_b, published_c).reclaim(&block),
            published_d.reclaim(&block),
        );
        product += u64::from(grid_dim().x);
    }
    sum[0].fetch_add(own, Relaxed);
}

/// The hash of the results of these products on this device. The number of warps has no influence on it.
///
/// # Errors
/// Those of launches and copies.
pub fn hash_of_fragments<F: FragmentCase>(
    stream: &Stream,
    products: std::ops::Range<u64>,
    distribution: Distribution,
    warps: u32,
) -> warploom::Result<u64> {
    let (first, count) = (products.start, products.end - products.start);
    let distribution = distribution as u32;
    counted(stream, |sum| {
        let sum = sum.as_atomic();
        hash_fragments::<F>::launch(stream, (warps, 32), first, count, distribution, sum)
    })
}

/// Elements from line to line in memory: a line, in multiples of 16 bytes.
const fn stride<T: Packed>(length: usize) -> usize {
    length.next_multiple_of(128 / T::BITS)
}

/// Writes a matrix of this size into a tile.
#[inline(always)]
fn fill<T: Packed, L: Layout>(
    tile: &mut SharedTile<'_, T::Value, { MOST[0] }>,
    [rows, columns]: [usize; 2],
    element: impl Fn(usize, usize) -> T,
) {
    let (lines, length) = match L::IS_ROW_MAJOR {
        true => (rows, columns),
        false => (columns, rows),
    };
    let stride = stride::<T>(length);
    let per_value = size_of::<T::Value>() * 8 / T::BITS;
    tile.fill(|slot| {
        let first = slot * per_value;
        let (line, place) = (first / stride, first % stride);
        if line >= lines || place >= length {
            return T::Value::default();
        }
        T::pack(|i| match L::IS_ROW_MAJOR {
            true => element(line, place + i),
            false => element(place + i, line),
        })
    });
}

/// Factors, as they are packed in memory.
pub trait Packed: Number + Elements<Value: Default> {
    /// The value in memory of these elements, the first in the lowest bits.
    #[doc(hidden)]
    fn pack(element: impl FnMut(usize) -> Self) -> Self::Value;
}

macro_rules! packed {
    (whole $($ty:ident)*) => {$(
        impl Packed for $ty {
            #[inline(always)]
            fn pack(mut element: impl FnMut(usize) -> Self) -> Self {
                element(0)
            }
        }
    )*};
    (words $($ty:ident)*) => {$(
        impl Packed for $ty {
            #[inline(always)]
            fn pack(mut element: impl FnMut(usize) -> Self) -> u32 {
                let bits = |i| (element(i).bits() as u32) << (i * Self::BITS);
                (0..32 / Self::BITS).map(bits).fold(0, |all, bits| all | bits)
            }
        }
    )*};
}

packed!(whole F16 Bf16 Tf32 f64 i8 u8);
packed!(words S4 U4 B1);

macro_rules! case {
    ($name:ident $shape:ident $factor:ident $c:ident $d:ident $method:ident [$($a:ident $b:ident),*]) => {
        #[doc = concat!("`", stringify!($name), "`, with the layouts of A and B")]
        #[allow(non_camel_case_types, reason = "the name of the instruction")]
        pub struct $name<A, B>(PhantomData<(A, B)>);

        $(
            impl FragmentCase for $name<$a, $b> {
                const NAME: &'static str = stringify!($name);
                type Shape = $shape;
                type LayoutA = $a;
                type LayoutB = $b;
                type Factor = $factor;
                type C = $c;
                type D = $d;

                #[inline(always)]
                fn multiply(
                    warp: Warp<'_>,
                    a: &FragmentA<Self>,
                    b: &FragmentB<Self>,
                    c: Fragment<Accumulator, $shape, $c>,
                ) -> Fragment<Accumulator, $shape, $d> {
                    c.$method(warp, a, b)
                }
            }
        )*
    };
}

macro_rules! cases {
    ($each:ident $layouts:tt $($name:ident: $shape:ident $factor:ident $c:ident $d:ident $method:ident;)*) => {
        $(case!($name $shape $factor $c $d $method $layouts);)*

        /// Calls `with` for each case, with the layouts of A and B that it has.
        #[macro_export]
        macro_rules! $each {
            ($with:ident) => { $($with!($name $layouts);)* };
        }
    };
}

cases! {
    each_fragment_case [RowMajor RowMajor, RowMajor ColMajor, ColMajor RowMajor, ColMajor ColMajor]
    wmma_m16n16k16_f32_f16_f32: M16N16K16 F16 f32 f32 mma;
    wmma_m16n16k16_f16_f16_f16: M16N16K16 F16 F16 F16 mma;
    wmma_m16n16k16_f32_f16_f16: M16N16K16 F16 F16 f32 mma_to;
    wmma_m16n16k16_f16_f16_f32: M16N16K16 F16 f32 F16 mma_to;
    wmma_m16n16k16_f32_bf16_f32: M16N16K16 Bf16 f32 f32 mma;
    wmma_m16n16k16_s32_s8_s32: M16N16K16 i8 i32 i32 mma;
    wmma_m16n16k16_s32_u8_s32: M16N16K16 u8 i32 i32 mma;
    wmma_m16n16k16_s32_s8_s32_satfinite: M16N16K16 i8 i32 i32 mma_saturating;
    wmma_m16n16k16_s32_u8_s32_satfinite: M16N16K16 u8 i32 i32 mma_saturating;
    wmma_m32n8k16_f32_f16_f32: M32N8K16 F16 f32 f32 mma;
    wmma_m32n8k16_f16_f16_f16: M32N8K16 F16 F16 F16 mma;
    wmma_m32n8k16_f32_f16_f16: M32N8K16 F16 F16 f32 mma_to;
    wmma_m32n8k16_f16_f16_f32: M32N8K16 F16 f32 F16 mma_to;
    wmma_m32n8k16_f32_bf16_f32: M32N8K16 Bf16 f32 f32 mma;
    wmma_m32n8k16_s32_s8_s32: M32N8K16 i8 i32 i32 mma;
    wmma_m32n8k16_s32_u8_s32: M32N8K16 u8 i32 i32 mma;
    wmma_m32n8k16_s32_s8_s32_satfinite: M32N8K16 i8 i32 i32 mma_saturating;
    wmma_m32n8k16_s32_u8_s32_satfinite: M32N8K16 u8 i32 i32 mma_saturating;
    wmma_m8n32k16_f32_f16_f32: M8N32K16 F16 f32 f32 mma;
    wmma_m8n32k16_f16_f16_f16: M8N32K16 F16 F16 F16 mma;
    wmma_m8n32k16_f32_f16_f16: M8N32K16 F16 F16 f32 mma_to;
    wmma_m8n32k16_f16_f16_f32: M8N32K16 F16 f32 F16 mma_to;
    wmma_m8n32k16_f32_bf16_f32: M8N32K16 Bf16 f32 f32 mma;
    wmma_m8n32k16_s32_s8_s32: M8N32K16 i8 i32 i32 mma;
    wmma_m8n32k16_s32_u8_s32: M8N32K16 u8 i32 i32 mma;
    wmma_m8n32k16_s32_s8_s32_satfinite: M8N32K16 i8 i32 i32 mma_saturating;
    wmma_m8n32k16_s32_u8_s32_satfinite: M8N32K16 u8 i32 i32 mma_saturating;
    wmma_m16n16k8_f32_tf32_f32: M16N16K8 Tf32 f32 f32 mma;
    wmma_m8n8k4_f64_f64_f64: M8N8K4 f64 f64 f64 mma;
}

cases! {
    each_fragment_case_of_few_bits [RowMajor ColMajor]
    wmma_m8n8k32_s32_s4_s32: M8N8K32 S4 i32 i32 mma;
    wmma_m8n8k32_s32_u4_s32: M8N8K32 U4 i32 i32 mma;
    wmma_m8n8k32_s32_s4_s32_satfinite: M8N8K32 S4 i32 i32 mma_saturating;
    wmma_m8n8k32_s32_u4_s32_satfinite: M8N8K32 U4 i32 i32 mma_saturating;
    wmma_m8n8k128_s32_b1_s32_xor: M8N8K128 B1 i32 i32 mma_xor;
    wmma_m8n8k128_s32_b1_s32_and: M8N8K128 B1 i32 i32 mma_and;
}
