//! The functions of `f64`: accuracy against a reference of about 100 bits, special values, exact results.
#![allow(
    clippy::neg_cmp_op_on_partial_ord,
    clippy::too_many_lines,
    clippy::panic,
    reason = "NaN counts as the worst error, tables of cases are long, and tests panic"
)]

mod inputs; // which arguments
#[macro_use]
mod functions; // each function, its bound and its reference
mod accuracy; // a sample on every back end
mod exact; // functions without error, bit by bit
mod exhaustive; // a thousand million arguments, on GPUs
mod reference; // the reference against other computations
mod specials; // zeros, infinities, NaN, thresholds
