//! Matrices as bits: in memory, with small integers or with any numbers, and what a product of them is.

use warploom::device_std::wmma::{B1, Elements, S4, Tf32, U4};
use warploom::prelude::*;

/// Types of elements as tests see them: bits.
pub(crate) trait Stored: Elements {
    /// Bits of an element.
    const SIZE: usize;
    /// Bits of the exponent; 0 of integers.
    const EXPONENT: usize;
    /// The least and the greatest integer that tests with exact sums take.
    const SMALL: [i64; 2];
    /// Elements in a value of memory.
    const PER_VALUE: usize = size_of::<Self::Value>() * 8 / Self::SIZE;
    /// The bits of a small integer.
    fn small(value: i64) -> u64;
    /// The value in memory with these bits.
    fn value(bits: u64) -> Self::Value;
    /// The bits of a value in memory.
    fn bits(value: Self::Value) -> u64;
}

macro_rules! stored {
    ($($ty:ty, $size:literal $exponent:literal $small:expr, $of_small:expr, $value:expr, $bits:expr;)*) => {$(
        impl Stored for $ty {
            const SIZE: usize = $size;
            const EXPONENT: usize = $exponent;
            const SMALL: [i64; 2] = $small;
            fn small(value: i64) -> u64 {
                let of: fn(i64) -> _ = $of_small;
                u64::from(of(value))
            }
            fn value(bits: u64) -> Self::Value {
                let of: fn(u64) -> _ = $value;
                of(bits)
            }
            fn bits(value: Self::Value) -> u64 {
                u64::from($bits(value))
            }
        }
    )*};
}

stored! {
    F16, 16 5 [-3, 3], |x| F16::from_f32(x as f32).to_bits(), |bits| F16::from_bits(bits as u16), F16::to_bits;
    Bf16, 16 8 [-3, 3], |x| Bf16::from_f32(x as f32).to_bits(), |bits| Bf16::from_bits(bits as u16), Bf16::to_bits;
    Tf32, 32 8 [-3, 3], |x| (x as f32).to_bits(), |bits| Tf32::from_bits(bits as u32), Tf32::to_bits;
    f32, 32 8 [-9, 9], |x| (x as f32).to_bits(), |bits| f32::from_bits(bits as u32), f32::to_bits;
    f64, 64 11 [-9, 9], |x| (x as f64).to_bits(), f64::from_bits, f64::to_bits;
    i8, 8 0 [-128, 127], |x| x as u8, |bits| bits as i8, i8::cast_unsigned;
    u8, 8 0 [0, 255], |x| x as u8, |bits| bits as u8, u8::from;
    i32, 32 0 [-9999, 9999], |x| x as u32, |bits| bits as i32, i32::cast_unsigned;
    S4, 4 0 [-8, 7], |x| x as u8 & 15, |bits| bits as u32, u32::from;
    U4, 4 0 [0, 15], |x| x as u8 & 15, |bits| bits as u32, u32::from;
    B1, 1 0 [0, 1], |x| x as u8 & 1, |bits| bits as u32, u32::from;
}

/// From line to line of `length` elements in memory: so many multiples of 16 bytes as a line has, and one more.
pub(crate) const fn stride<T: Stored>(length: usize) -> usize {
    let unit = 128 / T::SIZE;
    (length.div_ceil(unit) + 1) * unit
}

/// Values in memory of a matrix with so many lines of such a length.
pub(crate) const fn values<T: Stored>(lines: usize, length: usize) -> usize {
    lines * stride::<T>(length) / T::PER_VALUE
}

/// A matrix in memory, whose lines are longer than they need to be.
pub(crate) fn lay_out<T: Stored>(
    matrix: &[u64],
    columns: usize,
    is_row_major: bool,
) -> Vec<T::Value> {
    let rows = matrix.len() / columns;
    let (lines, length) = if is_row_major {
        (rows, columns)
    } else {
        (columns, rows)
    };
    let stride = stride::<T>(length);
    let element = |i: usize| match (i / stride, i % stride) {
        (_, place) if place >= length => 0,
        (line, place) if is_row_major => matrix[line * columns + place],
        (line, place) => matrix[place * columns + line],
    };
    let bits: Vec<u64> = (0..lines * stride).map(element).collect();
    let values = bits.chunks(T::PER_VALUE).map(|chunk| {
        let places = chunk.iter().enumerate();
        T::value(places.fold(0, |all, (i, bits)| all | bits << (i * T::SIZE)))
    });
    values.collect()
}

/// The factors and summands of one product, row by row.
pub(crate) struct Inputs {
    pub(crate) a: Vec<u64>,
    pub(crate) b: Vec<u64>,
    pub(crate) c: Vec<u64>,
}

/// Random numbers: SplitMix64.
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    fn integers<T: Stored>(&mut self, count: usize) -> Vec<i64> {
        let [least, most] = T::SMALL;
        let range = (most - least + 1) as u64;
        (0..count)
            .map(|_| least + (self.next() % range) as i64)
            .collect()
    }

    /// Any bits, or with an exponent near that of 1: `anything` of 64 are of the former kind.
    fn numbers<T: Stored>(&mut self, count: usize, anything: u64) -> Vec<u64> {
        let mut element = || {
            let (any, how) = (self.next() >> (64 - T::SIZE), self.next());
            if T::EXPONENT == 0 || how % 64 < anything {
                return any;
            }
            let fraction = T::SIZE - 1 - T::EXPONENT;
            let exponent = (T::small(1) >> fraction) - 4 + (how >> 8) % 9;
            any & !(((1 << T::EXPONENT) - 1) << fraction) | exponent << fraction
        };
        (0..count).map(|_| element()).collect()
    }

    /// Factors and sums whose products are integers that every type holds, and these: with what `combine` makes of two factors.
    pub(crate) fn small<T: Stored, C: Stored>(
        &mut self,
        [m, n, k]: [usize; 3],
        combine: fn(i64, i64) -> i64,
    ) -> (Inputs, Vec<i64>) {
        let (a, b) = (self.integers::<T>(m * k), self.integers::<T>(k * n));
        let c = self.integers::<C>(m * n);
        let sum = |at: usize| {
            let products = (0..k).map(|i| combine(a[at / n * k + i], b[i * n + at % n]));
            c[at] + products.sum::<i64>()
        };
        let expected = (0..m * n).map(sum).collect();
        let bits = |of: &[i64], to: fn(i64) -> u64| of.iter().map(|x| to(*x)).collect();
        let inputs = Inputs {
            a: bits(&a, T::small),
            b: bits(&b, T::small),
            c: bits(&c, C::small),
        };
        (inputs, expected)
    }

    /// Factors and sums with any bits. In half of the products floating-point numbers are finite and near each other, so that nothing but rounding is tested.
    pub(crate) fn any<T: Stored, C: Stored>(&mut self, [m, n, k]: [usize; 3]) -> Inputs {
        let anything = if self.next().is_multiple_of(2) { 0 } else { 1 };
        Inputs {
            a: self.numbers::<T>(m * k, anything),
            b: self.numbers::<T>(k * n, anything),
            c: self.numbers::<C>(m * n, anything),
        }
    }
}
