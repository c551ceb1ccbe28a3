//! The same product on the host.

use warploom::device_std::mma::{E4m3, E5m2};
use warploom::device_std::{Bf16, F16, Plain};

/// Numbers that tests make and compare.
pub(crate) trait Number: Plain {
    /// The nearest number of a small one; an integer for an integer type.
    fn of(x: f64) -> Self;
    fn to_f64(self) -> f64;
    /// By how much a rounded result may differ, relative to the sum of the sizes of all products.
    const TOLERANCE: f64;
}

macro_rules! numbers {
    ($($ty:ident $tolerance:expr, |$x:ident| $of:expr, |$y:ident| $to:expr;)*) => {$(
        impl Number for $ty {
            const TOLERANCE: f64 = $tolerance;

            fn of($x: f64) -> Self {
                $of
            }

            fn to_f64(self) -> f64 {
                let $y = self;
                $to
            }
        }
    )*};
}

numbers! {
    f32 1e-6, |x| x as f32, |x| x.into();
    f64 1e-15, |x| x, |x| x;
    F16 1e-3, |x| F16::from_f32(x as f32), |x| x.to_f32().into();
    Bf16 8e-3, |x| Bf16::from_f32(x as f32), |x| x.to_f32().into();
    E4m3 0.0, |x| E4m3::from_f32(x as f32), |x| x.to_f32().into();
    E5m2 0.0, |x| E5m2::from_f32(x as f32), |x| x.to_f32().into();
    i8 0.0, |x| (x * 50.0) as i8, |x| x.into();
    i32 0.0, |x| (x * 1000.0) as i32, |x| x.into();
}

/// `n` numbers between -2 and 2, without a pattern.
pub(crate) fn noise<T: Number>(n: usize, seed: u64) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..n).map(|_| T::of(4.0 * next() - 2.0)).collect()
}

/// Where an element of a matrix is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    pub(crate) rows: bool,
    pub(crate) leading: usize,
    pub(crate) stride: usize,
}

impl Places {
    pub(crate) fn at(self, batch: usize, row: usize, column: usize) -> usize {
        let (line, within) = if self.rows {
            (row, column)
        } else {
            (column, row)
        };
        batch * self.stride + line * self.leading + within
    }
}

/// The sum of all products of an element, and that of their sizes.
pub(crate) fn dot<T: Number>(
    (a, in_a): (&[T], Places),
    (b, in_b): (&[T], Places),
    (batch, row, column): (usize, usize, usize),
    k: usize,
) -> (f64, f64) {
    let products =
        (0..k).map(|k| a[in_a.at(batch, row, k)].to_f64() * b[in_b.at(batch, k, column)].to_f64());
    products.fold((0.0, 0.0), |(sum, sizes), x| (sum + x, sizes + x.abs()))
}
