//! Products in every combination of shape, types and layouts, with lines in memory that are longer than those of the matrix.

use warploom::device_std::wmma::{
    Accumulator, B1, ColMajor, Elements, Fragment, Layout, M8N8K4, M8N8K32, M8N8K128, M8N32K16,
    M16N16K8, M16N16K16, M32N8K16, MatrixA, MatrixB, RowMajor, S4, Shape, Tf32, U4,
};
use warploom::prelude::*;
use warploom::{LaunchError, Result};
use warploom_emulator::matrix::{
    BitOperation, Float, Integer, Kind, Shape as Sizes, Sum, multiply_add,
};
use warploom_harness::device_test::on_each_device;

use crate::model::{Inputs, Noise, Stored, lay_out, stride, values};

/// How many products a test makes on the emulator and on a GPU.
const PRODUCTS: [usize; 2] = if cfg!(debug_assertions) {
    [5, 64]
} else {
    [9, 1024]
};

/// What a test launches: factors, sums in rows, sums in columns, results in rows, results in columns.
type Run<'a, T, C, D> = &'a dyn Fn(
    &Stream,
    [&DeviceBuffer<<T as Elements>::Value>; 2],
    [&DeviceBuffer<<C as Elements>::Value>; 2],
    [&mut DeviceBuffer<<D as Elements>::Value>; 2],
) -> std::result::Result<(), LaunchError>;

/// A combination: sizes, and whether the factors are in rows.
struct Case {
    shape: [usize; 3],
    is_row_major: [bool; 2],
}

impl Case {
    fn of<S: Shape, A: Layout, B: Layout>() -> Case {
        Case {
            shape: [S::M, S::N, S::K],
            is_row_major: [A::IS_ROW_MAJOR, B::IS_ROW_MAJOR],
        }
    }

    /// Runs the products of `next` on each device, and compares the bits of the results.
    #[track_caller]
    fn check<T: Stored, C: Stored, D: Stored>(
        &self,
        mut next: impl FnMut() -> (Inputs, Vec<u64>),
        rounds_as_hopper: bool,
        run: Run<'_, T, C, D>,
    ) where
        T::Value: Plain,
    {
        let [m, n, k] = self.shape;
        let all: Vec<(Inputs, Vec<u64>)> = (0..PRODUCTS[1]).map(|_| next()).collect();
        on_each_device(|device, stream| {
            if rounds_as_hopper
                && device.schedule().is_none()
                && device.compute_capability() != (9, 0)
            {
                return Ok(());
            }
            let count = PRODUCTS[usize::from(device.schedule().is_none())];
            let products = &all[..count];
            let upload = |of: fn(&Inputs) -> &[u64], columns, is_row_major| -> Result<_> {
                let memory = products.iter().map(|(inputs, _)| of(inputs));
                let memory = memory.flat_map(|matrix| lay_out::<T>(matrix, columns, is_row_major));
                Ok(device.upload(&memory.collect::<Vec<_>>())?)
            };
            let [a_rows, b_rows] = self.is_row_major;
            let a = upload(|inputs| &inputs.a, k, a_rows)?;
            let b = upload(|inputs| &inputs.b, n, b_rows)?;
            let sums = |is_row_major| -> Result<_> {
                let memory = products.iter();
                let memory =
                    memory.flat_map(|(inputs, _)| lay_out::<C>(&inputs.c, n, is_row_major));
                Ok(device.upload(&memory.collect::<Vec<_>>())?)
            };
            let c = [sums(true)?, sums(false)?];
            let mut rows = device.zeroed::<D::Value>(count * values::<D>(m, n))?;
            let mut columns = device.zeroed::<D::Value>(count * values::<D>(n, m))?;
            run(stream, [&a, &b], [&c[0], &c[1]], [&mut rows, &mut columns])?;
            let found = [rows.to_vec(stream)?, columns.to_vec(stream)?];
            for (found, is_row_major) in found.iter().zip([true, false]) {
                let len = found.len() / count;
                for (number, (_, expected)) in products.iter().enumerate() {
                    let expected = lay_out::<D>(expected, n, is_row_major);
                    let found = &found[number * len..][..len];
                    let differ = |i: &usize| D::bits(found[*i]) != D::bits(expected[*i]);
                    if let Some(at) = (0..len).find(differ) {
                        let (found, expected) = (D::bits(found[at]), D::bits(expected[at]));
                        panic!(
                            "on {}, product {number}, element {at} in memory (in rows: {is_row_major}): {found:#x}, expected was {expected:#x}",
                            device.name()
                        );
                    }
                }
            }
            Ok(())
        });
    }

    #[track_caller]
    fn small_integers<T: Stored, C: Stored, D: Stored>(
        &self,
        combine: fn(i64, i64) -> i64,
        run: Run<'_, T, C, D>,
    ) {
        let mut noise = Noise(3);
        let next = || {
            let (inputs, expected) = noise.small::<T, C>(self.shape, combine);
            (inputs, expected.into_iter().map(D::small).collect())
        };
        self.check::<T, C, D>(next, false, run);
    }

    #[track_caller]
    fn any_numbers<T: Stored, C: Stored, D: Stored>(&self, kind: Kind, run: Run<'_, T, C, D>) {
        let [m, n, k] = self.shape;
        let mut noise = Noise(7);
        let next = || {
            let inputs = noise.any::<T, C>(self.shape);
            let mut expected = inputs.c.clone();
            // Hopper multiplies `Tf32` in two steps, whose sums are rounded.
            let steps = if T::SIZE == 32 { 2 } else { 1 };
            for step in 0..steps {
                let k = k / steps;
                let in_step = |place: usize| place / k == step;
                let a = columns_of(&inputs.a, k * steps, in_step);
                let b = &inputs.b[step * k * n..][..k * n];
                multiply_add(kind, Sizes { m, n, k }, &a, b, &mut expected);
            }
            (inputs, expected)
        };
        self.check::<T, C, D>(next, matches!(kind, Kind::Float { .. }), run);
    }
}

/// The columns of a matrix of `columns` columns whose numbers are `wanted`.
fn columns_of(matrix: &[u64], columns: usize, wanted: impl Fn(usize) -> bool) -> Vec<u64> {
    let elements = matrix.iter().enumerate();
    let some = elements.filter(|(at, _)| wanted(at % columns));
    some.map(|(_, bits)| *bits).collect()
}

const fn float(factors: Float, c: Sum, d: Sum) -> Kind {
    Kind::Float {
        a: factors,
        b: factors,
        c,
        d,
    }
}

const fn integer(bits: u32, signed: bool, saturates: bool) -> Kind {
    let factor = Integer { bits, signed };
    Kind::Integer {
        a: factor,
        b: factor,
        saturates,
    }
}

/// A module with the kernel of one combination and its tests.
macro_rules! product {
    ($name:ident: $shape:ident $t:ty, $a:ident $b:ident, $c:ty => $d:ty, $kind:expr, $combine:expr, $method:ident) => {
        mod $name {
            use super::*;

            type Value<T> = <T as Elements>::Value;
            const M: usize = $shape::M;
            const N: usize = $shape::N;
            const K: usize = $shape::K;
            /// Columns in memory of the results in rows, and in columns.
            const N_WIDTH: usize = stride::<$d>(N);
            const M_WIDTH: usize = stride::<$d>(M);

            const A_LINES: [usize; 2] = if $a::IS_ROW_MAJOR { [M, K] } else { [K, M] };
            const B_LINES: [usize; 2] = if $b::IS_ROW_MAJOR { [K, N] } else { [N, K] };

            /// Each warp takes products in turn.
            #[kernel]
            fn product(
                warp: Warp,
                a: &[Value<$t>],
                b: &[Value<$t>],
                c_rows: &[Value<$c>],
                c_columns: &[Value<$c>],
                mut rows: DisjointSlice2D<Value<$d>, WarpPatches<M, N_WIDTH>>,
                mut columns: DisjointSlice2D<Value<$d>, WarpPatches<N, M_WIDTH>>,
            ) {
                let mut columns = columns.iter_mut(warp);
                for mut patch in rows.iter_mut(warp) {
                    let number = patch.row() / M;
                    let at = |[lines, length]: [usize; 2]| number * values::<$t>(lines, length);
                    let step = |[_, length]: [usize; 2]| stride::<$t>(length);
                    let a = Fragment::<MatrixA, $shape, $t, $a>::load(
                        warp,
                        &a[at(A_LINES)..],
                        step(A_LINES),
                    );
                    let b = Fragment::<MatrixB, $shape, $t, $b>::load(
                        warp,
                        &b[at(B_LINES)..],
                        step(B_LINES),
                    );
                    let c = &c_rows[number * values::<$c>(M, N)..];
                    let c = Fragment::<Accumulator, $shape, $c>::load(
                        warp,
                        c,
                        stride::<$c>(N),
                        RowMajor,
                    );
                    let d: Fragment<Accumulator, $shape, $d> = c.$method(warp, &a, &b);
                    d.store(warp, &mut patch, (0, 0), RowMajor);
                    let c = &c_columns[number * values::<$c>(N, M)..];
                    let c = Fragment::<Accumulator, $shape, $c>::load(
                        warp,
                        c,
                        stride::<$c>(M),
                        ColMajor,
                    );
                    let d: Fragment<Accumulator, $shape, $d> = c.$method(warp, &a, &b);
                    if let Some(mut patch) = columns.next() {
                        d.store(warp, &mut patch, (0, 0), ColMajor);
                    }
                }
            }

            fn run(
                stream: &Stream,
                [a, b]: [&DeviceBuffer<Value<$t>>; 2],
                [c_rows, c_columns]: [&DeviceBuffer<Value<$c>>; 2],
                [rows, columns]: [&mut DeviceBuffer<Value<$d>>; 2],
            ) -> std::result::Result<(), LaunchError> {
                let rows = rows.view_2d_mut(N_WIDTH).unwrap();
                let columns = columns.view_2d_mut(M_WIDTH).unwrap();
                product::launch(
                    stream,
                    Launch::new(3, 64),
                    a,
                    b,
                    c_rows,
                    c_columns,
                    rows,
                    columns,
                )
            }

            //@ rows: WX-1, WX-2, WX-3, WX-4, WX-6, WX-7, E-17
            #[test]
            fn small_integers_are_exact() {
                Case::of::<$shape, $a, $b>().small_integers::<$t, $c, $d>($combine, &run);
            }

            //@ rows: WX-6, WX-7
            #[test]
            fn any_numbers_give_the_bits_of_the_model() {
                Case::of::<$shape, $a, $b>().any_numbers::<$t, $c, $d>($kind, &run);
            }
        }
    };
}

/// All four layouts.
macro_rules! layouts {
    ($name:ident: $shape:ident $t:ty, $c:ty => $d:ty, $kind:expr, $method:ident) => {
        mod $name {
            use super::*;
            product!(rows_rows: $shape $t, RowMajor RowMajor, $c => $d, $kind, |a, b| a * b, $method);
            product!(rows_columns: $shape $t, RowMajor ColMajor, $c => $d, $kind, |a, b| a * b, $method);
            product!(columns_rows: $shape $t, ColMajor RowMajor, $c => $d, $kind, |a, b| a * b, $method);
            product!(columns_columns: $shape $t, ColMajor ColMajor, $c => $d, $kind, |a, b| a * b, $method);
        }
    };
}

/// The three shapes of factors with 8 or 16 bits.
macro_rules! shapes {
    ($name:ident: $t:ty, $c:ty => $d:ty, $kind:expr, $method:ident) => {
        mod $name {
            use super::*;
            layouts!(m16n16k16: M16N16K16 $t, $c => $d, $kind, $method);
            layouts!(m32n8k16: M32N8K16 $t, $c => $d, $kind, $method);
            layouts!(m8n32k16: M8N32K16 $t, $c => $d, $kind, $method);
        }
    };
}

shapes!(f16_to_f32: F16, f32 => f32, float(Float::F16, Sum::F32, Sum::F32), mma);
shapes!(f16_to_f16: F16, F16 => F16, float(Float::F16, Sum::F16, Sum::F16), mma);
shapes!(f16_from_f16_to_f32: F16, F16 => f32, float(Float::F16, Sum::F16, Sum::F32), mma_to);
shapes!(f16_from_f32_to_f16: F16, f32 => F16, float(Float::F16, Sum::F32, Sum::F16), mma_to);
shapes!(bf16: Bf16, f32 => f32, float(Float::Bf16, Sum::F32, Sum::F32), mma);
layouts!(tf32: M16N16K8 Tf32, f32 => f32, float(Float::Tf32, Sum::F32, Sum::F32), mma);
layouts!(f64: M8N8K4 f64, f64 => f64, Kind::Double, mma);
shapes!(i8: i8, i32 => i32, integer(8, true, false), mma);
shapes!(u8: u8, i32 => i32, integer(8, false, false), mma);
shapes!(i8_saturating: i8, i32 => i32, integer(8, true, true), mma_saturating);
shapes!(u8_saturating: u8, i32 => i32, integer(8, false, true), mma_saturating);
product!(s4: M8N8K32 S4, RowMajor ColMajor, i32 => i32, integer(4, true, false), |a, b| a * b, mma);
product!(u4: M8N8K32 U4, RowMajor ColMajor, i32 => i32, integer(4, false, false), |a, b| a * b, mma);
product!(s4_saturating: M8N8K32 S4, RowMajor ColMajor, i32 => i32, integer(4, true, true), |a, b| a * b, mma_saturating);
product!(u4_saturating: M8N8K32 U4, RowMajor ColMajor, i32 => i32, integer(4, false, true), |a, b| a * b, mma_saturating);
product!(b1_xor: M8N8K128 B1, RowMajor ColMajor, i32 => i32, Kind::Bits(BitOperation::Xor), |a, b| a ^ b, mma_xor);
product!(b1_and: M8N8K128 B1, RowMajor ColMajor, i32 => i32, Kind::Bits(BitOperation::And), |a, b| a & b, mma_and);
