//! The functions of one or two `f64`, by their C names. Plain Rust, the same on the device and on the emulator.
//!
//! Each says how far its result may be from the exact value, in units in the last place (ulp): CUDA's bounds, measured against
//! `testing/conformance/src/reference`. Special values are those of C: NaN in, NaN out; signs of zeros kept; overflow gives infinity,
//! results below the normal numbers lose digits gradually. Functions of reciprocals start from a seed of the hardware, so that the
//! last bit of their results may differ between GPU and emulator; no other result does.
#![allow(
    clippy::excessive_precision,
    clippy::unreadable_literal,
    clippy::inconsistent_digit_grouping,
    reason = "coefficients are as they were computed"
)]
#![allow(
    clippy::neg_cmp_op_on_partial_ord,
    clippy::manual_range_contains,
    reason = "NaN goes the way of the negation, and a comparison is an instruction"
)]

mod error; // erf, erfc and inverses
mod exact; // rounding, exponents, neighbours
mod exponential; // exp, exp2, exp10, expm1
mod gamma; // tgamma, lgamma
mod hyperbolic; // sinh, cosh, tanh and inverses
mod inverse; // asin, acos, atan, atan2
mod logarithm; // log, log2, log10, log1p
mod machine; // words, polynomials, reciprocals
mod power; // pow, roots, hypot
mod reduction; // large arguments of trigonometric functions
mod remainder; // fmod, remainder, remquo
mod trigonometric; // sin, cos, tan, and of multiples of pi

pub use error::{erf, erfc, erfcinv, erfinv};
pub use exact::{
    ceil, copysign, fdim, floor, frexp, ilogb, ldexp, llrint, llround, logb, lrint, lround, modf,
    nan, nearbyint, nextafter, rint, round, roundeven, scalbln, scalbn, trunc,
};
pub use exponential::{exp, exp2, exp10, expm1};
pub use gamma::{lgamma, tgamma};
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use inverse::{acos, asin, atan, atan2};
pub use logarithm::{log, log1p, log2, log10};
pub use power::{cbrt, hypot, pow, rcbrt, rsqrt};
pub use remainder::{fmod, remainder, remquo};
pub use trigonometric::{cos, cospi, sin, sincos, sincospi, sinpi, tan};
