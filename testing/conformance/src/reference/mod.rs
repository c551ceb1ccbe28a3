//! Arithmetic of about 100 bits, to check functions of `f64` against: plain Rust, for hosts and kernels.
//!
//! Each function is computed in another way than the one under test: series, continued fractions, and Newton's method on the
//! inverse. Where a seed is taken from the function under test, its error enters squared or cubed.
#![allow(
    clippy::approx_constant,
    clippy::excessive_precision,
    reason = "first parts of constants that have a second"
)]

mod double_double; // the numbers
mod elementary; // exponentials, logarithms, powers
mod special; // error and gamma functions
mod trigonometric; // sines, tangents and inverses

pub use double_double::{Dd, Scaled, ulp_error_f64};
pub use elementary::*;
pub use special::*;
pub use trigonometric::*;
