//! The arithmetic of tensor cores: `D = A · B + C` for one instruction, bit for bit as a Hopper GPU (compute capability 9.0) computes it.
//!
//! Pure functions of bits: nothing here has to do with threads. Other GPUs round at other places of the sum, so their results may differ in the
//! last bits.

mod float; // what the bits of an operand mean
mod fused; // one sum over all products, truncated as hardware does
mod instruction; // which register of which lane holds which element
mod sparse; // products of which A has half of the elements
mod warp_group; // products of which operands are in shared memory

pub use float::Float;
pub use fused::Sum;
pub use instruction::{Fragment, Instruction};
pub use sparse::{Groups, SparseInstruction};
pub(crate) use warp_group::{GroupProduct, Lines, ROWS as GROUP_ROWS};

use float::Value;

/// Rows of A and D, columns of B and D, and the length of the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of A and D.
    pub m: usize,
    /// Columns of B and D.
    pub n: usize,
    /// Columns of A and rows of B.
    pub k: usize,
}

/// The types of the elements, and so the arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Floating point with accumulators of 16 or 32 bits.
    Float {
        /// Elements of A.
        a: Float,
        /// Elements of B.
        b: Float,
        /// Elements of C.
        c: Sum,
        /// Elements of D.
        d: Sum,
    },
    /// `f64`: a chain of fused multiply-adds in ascending order of k.
    Double,
    /// Integers of at most 8 bits, accumulators of type `i32`.
    Integer {
        /// Elements of A.
        a: Integer,
        /// Elements of B.
        b: Integer,
        /// Whether what does not fit becomes the nearest `i32`; otherwise sums wrap. PTX: `.satfinite`.
        saturates: bool,
    },
    /// Single bits: how many of the `k` results of the operation are 1, added to C.
    Bits(BitOperation),
}

/// An integer type of A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// 4 or 8.
    pub bits: u32,
    /// Whether the highest bit is the sign, in two's complement.
    pub signed: bool,
}

/// What is done with a bit of A and one of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitOperation {
    /// 1 if both are. PTX: `.and.popc`.
    And,
    /// 1 if they differ. PTX: `.xor.popc`.
    Xor,
}

/// `d = a · b + d`; each element is the bits of its number, zero-extended.
///
/// Matrices are in row-major order: `a` has `m` rows of `k`, `b` has `k` rows of `n`, `d` has `m` rows of `n`. On entry `d` is C.
///
/// # Panics
/// If a slice has another length.
pub fn multiply_add(kind: Kind, shape: Shape, a: &[u64], b: &[u64], d: &mut [u64]) {
    let Shape { m, n, k } = shape;
    assert_eq!(
        (a.len(), b.len(), d.len()),
        (m * k, k * n, m * n),
        "elements of A, B and C for {shape:?}"
    );
    match kind {
        Kind::Float {
            a: of_a,
            b: of_b,
            c,
            d: sum,
        } => {
            let rows: Vec<Value> = a.iter().map(|bits| of_a.decode(*bits)).collect();
            let columns: Vec<Value> = transposed(b, n).map(|bits| of_b.decode(bits)).collect();
            let halves = of_a.is_converted() || of_b.is_converted();
            for (at, d) in d.iter_mut().enumerate() {
                let row = &rows[at / n * k..][..k];
                let column = &columns[at % n * k..][..k];
                *d = match halves {
                    false => fused::dot_converted(row, column, *d, (c, sum)),
                    true => fused::dot_in_halves(row, column, *d, c, sum),
                };
            }
        }
        Kind::Double => {
            each(d, n, |row, column, c| {
                let products = (0..k).map(|k_| (a[row * k + k_], b[k_ * n + column]));
                products.fold(c, |sum, (a, b)| fused_multiply_add(a, b, sum))
            });
        }
        Kind::Integer {
            a: of_a,
            b: of_b,
            saturates,
        } => {
            each(d, n, |row, column, c| {
                let products =
                    (0..k).map(|k_| of_a.value(a[row * k + k_]) * of_b.value(b[k_ * n + column]));
                let sum = i64::from(c as i32) + products.sum::<i64>();
                let sum = match saturates {
                    true => sum.clamp(i32::MIN.into(), i32::MAX.into()),
                    false => sum,
                };
                u64::from(sum as u32)
            });
        }
        Kind::Bits(operation) => each(d, n, |row, column, c| {
            let bits = (0..k).map(|k_| operation.of(a[row * k + k_], b[k_ * n + column]) & 1);
            u64::from((c as u32).wrapping_add(bits.sum::<u64>() as u32))
        }),
    }
}

/// `a · b + c` of `f64`. Of operands that are not numbers B comes first, then C; the first is the result, as a quiet NaN.
fn fused_multiply_add(a: u64, b: u64, c: u64) -> u64 {
    const QUIET: u64 = 1 << 51;
    const INVALID: u64 = 0xfff8_0000_0000_0000;
    let is_nan = |bits: &u64| f64::from_bits(*bits).is_nan();
    if let Some(nan) = [b, c, a].into_iter().find(is_nan) {
        return nan | QUIET;
    }
    let result = f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c));
    if result.is_nan() {
        INVALID
    } else {
        result.to_bits()
    }
}

/// Replaces each element of `d` by what `of` gives for its row, its column and itself.
fn each(d: &mut [u64], n: usize, of: impl Fn(usize, usize, u64) -> u64) {
    for (at, d) in d.iter_mut().enumerate() {
        *d = of(at / n, at % n, *d);
    }
}

/// The columns of a matrix of `n` columns, one after the other.
fn transposed(of: &[u64], n: usize) -> impl Iterator<Item = u64> {
    (0..n).flat_map(move |column| of.iter().skip(column).step_by(n).copied())
}

impl Kind {
    /// Bits of an element of A, B, C and D.
    #[must_use]
    pub const fn bits(self) -> [u32; 4] {
        match self {
            Self::Float { a, b, c, d } => [a.bits(), b.bits(), c.bits(), d.bits()],
            Self::Double => [64; 4],
            Self::Integer { a, b, .. } => [a.bits, b.bits, 32, 32],
            Self::Bits(_) => [1, 1, 32, 32],
        }
    }
}

impl Integer {
    fn value(self, bits: u64) -> i64 {
        let above = 64 - self.bits;
        match self.signed {
            true => (bits << above).cast_signed() >> above,
            false => (bits << above >> above).cast_signed(),
        }
    }
}

impl BitOperation {
    fn of(self, a: u64, b: u64) -> u64 {
        match self {
            Self::And => a & b,
            Self::Xor => a ^ b,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
