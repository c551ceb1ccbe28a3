//! The functions of `f64`: accuracy against a reference of about 100 bits, special values, exact results.

mod inputs; // which arguments
#[macro_use]
mod functions; // each function, its bound and its reference
mod accuracy; // a sample on every back end
mod exact; // functions without error, bit by bit
mod exhaustive; // a thousand million arguments, on GPUs
mod reference; // the reference against other computations
mod specials; // zeros, infinities, NaN, thresholds
