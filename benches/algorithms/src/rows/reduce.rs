//! Sums.

use warploom_algorithms::ReducePlan;
use warploom_algorithms::prelude::*;

use super::{Row, Size};
use crate::bench::{Bench, Done, Memory, Work};
use crate::data::{Element, Entropy, elements};
use crate::results::Value;

pub(crate) const ROWS: &[Row] = &[row::<u32>(), row::<u64>(), row::<f32>()];

const fn row<T: Sum>() -> Row {
    Row {
        algorithm: "reduce",
        of: T::NAME,
        entropies: Entropy::ONE,
        run: sum::<T>,
    }
}

/// Elements with a sum.
pub(super) trait Sum: Element + Value {
    const ZERO: Self;
    /// Rounding: each of the numbers that a thread adds up one after the other adds half a unit in the last place at most.
    const TOLERANCE: f64;

    fn plus(self, other: Self) -> Self;
    /// By plain Rust, with the least rounding.
    fn total(elements: &[Self]) -> Self;
}

macro_rules! wrapping {
    ($($ty:ty)*) => {$(
        impl Sum for $ty {
            const ZERO: Self = 0;
            const TOLERANCE: f64 = 0.0;

            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn total(elements: &[Self]) -> Self {
                elements.iter().fold(0, |a, b| a.wrapping_add(*b))
            }
        }
    )*};
}
wrapping!(u32 u64);

impl Sum for f32 {
    const ZERO: Self = 0.0;
    const TOLERANCE: f64 = 1e-4;

    fn plus(self, other: Self) -> Self {
        self + other
    }

    fn total(elements: &[Self]) -> Self {
        elements.iter().map(|x| f64::from(*x)).sum::<f64>() as f32
    }
}

fn sum<T: Sum>(bench: &mut Bench, size: Size) -> Done {
    let x = bench.input::<T>(size, 0)?;
    let mut plan = ReducePlan::<T>::new(bench.device(), size.n)?;
    bench.compare(
        &Work {
            peer: &format!("cub_reduce_sum_{}", T::NAME),
            inputs: &[x.raw_ptr()],
            m: 0,
            bytes: size.n * size_of::<T>(),
            plan_bytes: plan.bytes(),
            tolerance: T::TOLERANCE,
        },
        |device| device.zeroed::<T>(1),
        |stream, memory, y| {
            let sum = stream.reduce(&x, T::ZERO, T::plus);
            match memory {
                Memory::Planned => sum.plan(&mut plan).into(y),
                Memory::Pooled => sum.into(y),
            }
        },
        |stream, _, y| y.to_vec(stream),
        || vec![T::total(&elements::<T>(size, 0))],
    )
}
