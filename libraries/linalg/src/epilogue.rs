//! What happens to each sum before it is stored.

use crate::arithmetic::Sum;

/// Where an element of the result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its row.
    pub row: usize,
    /// Its column.
    pub column: usize,
    /// The number of its matrix.
    pub batch: usize,
}

/// A function of a sum and its place, whose result is stored: each closure of this form that captures plain values.
pub trait Epilogue<S: Sum>: Fn(S, Place) -> S + Copy + Send + Sync + 'static {}

impl<S: Sum, F: Fn(S, Place) -> S + Copy + Send + Sync + 'static> Epilogue<S> for F {}

/// The larger of `x` and 0.
#[inline(always)]
#[must_use]
pub fn relu(x: f32) -> f32 {
    x.max(0.0)
}

/// `x` times the part of a normal distribution below `x`, by the usual formula with a hyperbolic tangent (PyTorch: `approximate="tanh"`).
///
/// It is computed as `x / (1 + exp(-2 y))`, with `y` the argument of the tangent.
#[inline(always)]
#[must_use]
pub fn gelu(x: f32) -> f32 {
    let y = 0.797_884_6 * (x + 0.044_715 * x * x * x);
    x / (1.0 + (-2.0 * y).exp())
}
