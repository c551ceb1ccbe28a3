//! All tiles of all elements, in all layouts, at sizes with edges.

use warploom::device_std::mma::{E4m3, E5m2, Tf32};
use warploom::prelude::*;
use warploom_harness::device_test::devices;
use warploom_linalg::prelude::*;
use warploom_linalg::{
    Arithmetic, Candidate, ColumnMajor, Error, Extents, Layout, Matmul, MatmulPlan, Output,
    RowMajor,
};

use crate::reference::{Number, Places, dot, noise};

/// How matrices of a test are in memory.
trait Arranged: Layout {
    fn matrix<'a, T: Plain>(
        x: &'a DeviceBuffer<T>,
        rows: usize,
        columns: usize,
    ) -> Matrix<'a, T, Self>;
    fn matrix_mut<'a, T: Plain>(
        x: &'a mut DeviceBuffer<T>,
        rows: usize,
        columns: usize,
    ) -> MatrixMut<'a, T, Self>;
    const IN_ROWS: bool;
}

macro_rules! arranged {
    ($($layout:ident $new:ident $rows:literal;)*) => {$(
        impl Arranged for $layout {
            const IN_ROWS: bool = $rows;

            fn matrix<'a, T: Plain>(x: &'a DeviceBuffer<T>, rows: usize, columns: usize) -> Matrix<'a, T, Self> {
                Matrix::$new(x, rows, columns)
            }

            fn matrix_mut<'a, T: Plain>(x: &'a mut DeviceBuffer<T>, rows: usize, columns: usize) -> MatrixMut<'a, T, Self> {
                MatrixMut::$new(x, rows, columns)
            }
        }
    )*};
}

arranged! {
    RowMajor row_major true;
    ColumnMajor column_major false;
}

/// A product of a test.
#[derive(Clone, Copy, Debug)]
struct Case {
    extents: Extents,
    /// Elements beside each line.
    beside: usize,
    alpha: f64,
    beta: f64,
}

impl Case {
    const fn new(m: usize, n: usize, k: usize) -> Case {
        let extents = Extents {
            m,
            n,
            k,
            batches: 1,
        };
        Case {
            extents,
            beside: 0,
            alpha: 1.0,
            beta: 0.0,
        }
    }

    fn places(self, rows: bool, (height, width): (usize, usize)) -> (Places, usize) {
        let (length, lines) = if rows {
            (width, height)
        } else {
            (height, width)
        };
        let leading = length + self.beside;
        let stride = leading * lines + self.beside;
        let places = Places {
            rows,
            leading,
            stride,
        };
        (places, stride * self.extents.batches)
    }
}

/// Runs a product with each candidate whose number of parts of K is among the first two of its tile, and compares all elements.
#[track_caller]
#[expect(clippy::panic, reason = "that is how a test fails")]
fn check<A, O, LA, LB, LC>(case: Case)
where
    A: Arithmetic,
    A::Element: Number,
    A::Sum: Number,
    O: Output<A::Sum> + Number,
    LA: Arranged,
    LB: Arranged,
    LC: Arranged,
    Build: Product<A, LA, LB>,
{
    let Case {
        extents,
        alpha,
        beta,
        ..
    } = case;
    let Extents { m, n, k, batches } = extents;
    let (in_a, a_len) = case.places(LA::IN_ROWS, (m, k));
    let (in_b, b_len) = case.places(LB::IN_ROWS, (k, n));
    let (in_c, c_len) = case.places(LC::IN_ROWS, (m, n));
    let (a, b) = (noise::<A::Element>(a_len, 1), noise::<A::Element>(b_len, 2));
    let former = noise::<O>(c_len, 3);
    for device in devices() {
        for candidate in candidates::<A>(&device, extents) {
            let run = || -> Result<Vec<O>, Error> {
                let stream = device.stream()?;
                let (a, b) = (device.upload(&a)?, device.upload(&b)?);
                let mut c = device.upload(&former)?;
                let mut plan = MatmulPlan::<A>::with(&device, extents, candidate)?;
                let a = LA::matrix(&a, m, k)
                    .leading(in_a.leading)
                    .batches(batches, in_a.stride);
                let b = LB::matrix(&b, k, n)
                    .leading(in_b.leading)
                    .batches(batches, in_b.stride);
                let to = LC::matrix_mut(&mut c, m, n)
                    .leading(in_c.leading)
                    .batches(batches, in_c.stride);
                let product = <Build as Product<A, LA, LB>>::product(&stream, a, b);
                product
                    .alpha(A::Sum::of(alpha))
                    .beta(A::Sum::of(beta))
                    .plan(&mut plan)
                    .into(to)?;
                Ok(c.to_vec(&stream)?)
            };
            let what = format!("{} {candidate:?} {case:?}", device.name());
            let c = run().unwrap_or_else(|error| panic!("{what}: {error}"));
            let mut written = vec![false; c.len()];
            for (batch, row, column) in each(batches, m, n) {
                let at = in_c.at(batch, row, column);
                written[at] = true;
                let (sum, sizes) = dot((&a, in_a), (&b, in_b), (batch, row, column), k);
                let (alpha, beta) = (A::Sum::of(alpha).to_f64(), A::Sum::of(beta).to_f64());
                let mut expected = alpha * sum;
                if beta != 0.0 {
                    expected += beta * former[at].to_f64();
                }
                let most = O::TOLERANCE * expected.abs()
                    + <Build as Product<A, LA, LB>>::TOLERANCE * sizes * alpha.abs();
                let found = c[at].to_f64();
                assert!(
                    (found - expected).abs() <= most,
                    "{what}: [{batch}, {row}, {column}] is {found}, not {expected} (+- {most})"
                );
            }
            for (at, written) in written.iter().enumerate() {
                assert!(
                    *written || c[at].to_f64() == former[at].to_f64(),
                    "{what}: element {at} is beside the matrix"
                );
            }
        }
    }
}

/// One candidate of each tile, and one with parts of K where there is one.
fn candidates<A: Arithmetic>(device: &Device, extents: Extents) -> Vec<Candidate> {
    let mut chosen: Vec<Candidate> = Vec::new();
    for candidate in MatmulPlan::<A>::candidates(device, extents) {
        let is_like = |c: &&Candidate| {
            (c.family, c.rows, c.columns, c.splits > 1)
                == (
                    candidate.family,
                    candidate.rows,
                    candidate.columns,
                    candidate.splits > 1,
                )
        };
        if chosen.iter().find(is_like).is_none() {
            chosen.push(candidate);
        }
    }
    chosen
}

fn each(batches: usize, m: usize, n: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..batches).flat_map(move |batch| {
        (0..m).flat_map(move |row| (0..n).map(move |column| (batch, row, column)))
    })
}

/// The product of an arithmetic.
enum Build {}

trait Product<A: Arithmetic, LA: Layout, LB: Layout> {
    /// By how much sums may differ, relative to that of the sizes of all products.
    const TOLERANCE: f64;

    fn product<'a>(
        stream: &'a Stream,
        a: Matrix<'a, A::Element, LA>,
        b: Matrix<'a, A::Element, LB>,
    ) -> Matmul<'a, A, LA, LB>;
}

macro_rules! products {
    ($($ty:ident $element:ident $tolerance:expr, $($tf32:ident)?;)*) => {$(
        impl<LA: Layout, LB: Layout> Product<$ty, LA, LB> for Build {
            const TOLERANCE: f64 = $tolerance;

            fn product<'a>(stream: &'a Stream, a: Matrix<'a, $element, LA>, b: Matrix<'a, $element, LB>) -> Matmul<'a, $ty, LA, LB> {
                stream.matmul(a, b)$(.$tf32())?
            }
        }
    )*};
}

products! {
    f32 f32 1e-6,;
    Tf32 f32 2e-3, tf32;
    F16 F16 1e-6,;
    Bf16 Bf16 1e-6,;
    E4m3 E4m3 1e-3,;
    E5m2 E5m2 1e-3,;
    i8 i8 0.0,;
    f64 f64 1e-15,;
}

macro_rules! tests {
    ($($name:ident: $arithmetic:ident $output:ident $a:ident $b:ident $c:ident, $($case:expr),+;)*) => {$(
        #[test]
        fn $name() {
            $(check::<$arithmetic, $output, $a, $b, $c>($case);)+
        }
    )*};
}

impl Case {
    const fn scaled(self, alpha: f64, beta: f64) -> Case {
        Case {
            alpha,
            beta,
            ..self
        }
    }

    const fn beside(self, beside: usize) -> Case {
        Case { beside, ..self }
    }

    const fn batches(self, batches: usize) -> Case {
        let extents = Extents {
            batches,
            ..self.extents
        };
        Case { extents, ..self }
    }
}

tests! {
    bf16_rows_columns: Bf16 f32 RowMajor ColumnMajor RowMajor, Case::new(70, 90, 300).scaled(2.0, 1.0), Case::new(150, 300, 72), Case::new(1, 1, 1), Case::new(17, 20, 8).batches(3);
    bf16_rows_rows: Bf16 f32 RowMajor RowMajor RowMajor, Case::new(72, 88, 136).beside(8), Case::new(9, 136, 24).batches(2);
    bf16_columns_rows: Bf16 f32 ColumnMajor RowMajor RowMajor, Case::new(40, 65, 70).beside(3), Case::new(40, 64, 64);
    bf16_columns_columns: Bf16 Bf16 ColumnMajor ColumnMajor ColumnMajor, Case::new(33, 47, 65).scaled(0.5, -1.0), Case::new(200, 16, 128);
    f16_rows_columns: F16 F16 RowMajor ColumnMajor RowMajor, Case::new(20, 130, 96).scaled(0.25, 1.0);
    bf16_in_bulk: Bf16 Bf16 RowMajor ColumnMajor RowMajor, Case::new(131, 270, 200).scaled(2.0, -1.0);
    bf16_in_bulk_columns: Bf16 F16 RowMajor ColumnMajor ColumnMajor, Case::new(140, 90, 136).beside(8).batches(2);
    f16_in_bulk_in_parts: F16 f32 RowMajor ColumnMajor RowMajor, Case::new(20, 34, 520).scaled(0.5, 1.0);
    bf16_in_bulk_across_b: Bf16 Bf16 RowMajor RowMajor RowMajor, Case::new(131, 272, 200).scaled(2.0, -1.0);
    bf16_in_bulk_across_a: Bf16 f32 ColumnMajor ColumnMajor RowMajor, Case::new(136, 70, 264).batches(2);
    f16_in_bulk_across_both: F16 F16 ColumnMajor RowMajor ColumnMajor, Case::new(136, 264, 75).beside(8).batches(2), Case::new(264, 72, 520);
    i8_in_bulk: i8 i32 RowMajor ColumnMajor RowMajor, Case::new(131, 270, 400).scaled(3.0, -2.0), Case::new(20, 34, 1040).batches(2);
    e4m3_in_bulk: E4m3 Bf16 RowMajor ColumnMajor RowMajor, Case::new(131, 270, 400).scaled(2.0, -1.0);
    e5m2_in_bulk_columns: E5m2 f32 RowMajor ColumnMajor ColumnMajor, Case::new(140, 66, 272).beside(16).batches(2);
    tf32_in_bulk: Tf32 f32 RowMajor ColumnMajor RowMajor, Case::new(131, 270, 100).scaled(2.0, -1.0);
    f32_rows_rows: f32 f32 RowMajor RowMajor RowMajor, Case::new(70, 90, 130).scaled(2.0, 1.0), Case::new(130, 140, 20), Case::new(270, 140, 20), Case::new(5, 6, 7).batches(3);
    f32_columns_columns: f32 f32 ColumnMajor ColumnMajor RowMajor, Case::new(66, 129, 33).beside(1), Case::new(64, 64, 64);
    f64_rows_columns: f64 f64 RowMajor ColumnMajor RowMajor, Case::new(34, 70, 130).scaled(2.0, 1.0), Case::new(3, 5, 16).batches(2);
    f64_columns_rows: f64 f64 ColumnMajor RowMajor RowMajor, Case::new(34, 70, 40), Case::new(33, 65, 17).beside(1);
    tf32_columns_rows: Tf32 f32 ColumnMajor RowMajor RowMajor, Case::new(36, 68, 40), Case::new(35, 67, 40);
    tf32_rows_columns: Tf32 f32 RowMajor ColumnMajor RowMajor, Case::new(36, 68, 40), Case::new(36, 68, 41);
    i8_rows_columns: i8 i32 RowMajor ColumnMajor ColumnMajor, Case::new(36, 68, 160), Case::new(20, 30, 129).scaled(3.0, -2.0);
    e4m3_rows_rows: E4m3 F16 RowMajor RowMajor ColumnMajor, Case::new(36, 68, 160);
    e5m2_rows_columns: E5m2 f32 RowMajor ColumnMajor RowMajor, Case::new(18, 40, 128);
}

#[test]
fn a_view_begins_at_any_element() {
    let (m, n, k) = (20, 30, 40);
    let (a, b) = (noise::<Bf16>(m * k + 1, 1), noise::<Bf16>(k * n + 3, 2));
    let places = |rows, leading| Places {
        rows,
        leading,
        stride: 0,
    };
    for device in devices() {
        let run = || -> Result<Vec<f32>, Error> {
            let stream = device.stream()?;
            let (a, b) = (device.upload(&a)?, device.upload(&b)?);
            let mut c = device.zeroed(m * n + 1)?;
            let (a, b) = (
                Matrix::row_major(a.slice(1..)?, m, k),
                Matrix::column_major(b.slice(3..)?, k, n),
            );
            stream
                .matmul(a, b)
                .into(MatrixMut::row_major(c.slice_mut(1..)?, m, n))?;
            Ok(c.to_vec(&stream)?)
        };
        let c = run().unwrap();
        assert_eq!(c[0].to_bits(), 0);
        for (_, row, column) in each(1, m, n) {
            let (sum, sizes) = dot(
                (&a[1..], places(true, k)),
                (&b[3..], places(false, k)),
                (0, row, column),
                k,
            );
            let found = f64::from(c[1 + row * n + column]);
            assert!(
                (found - sum).abs() <= 1e-6 * sizes,
                "{}: [{row}, {column}] is {found}, not {sum}",
                device.name()
            );
        }
    }
}
