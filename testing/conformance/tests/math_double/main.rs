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

/// The committed figures, of an H200: every function that is measured stands there, with the bound of its test.
#[track_caller]
pub(crate) fn assert_committed(name: &str, bound: u32) {
    let text = include_str!("../../../../benches/results/math/accuracy/nvidia-h200.tsv");
    let committed = warploom_harness::math_accuracy::bound(text, "f64", name);
    assert_eq!(
        committed,
        Ok(Some(bound)),
        "{name} in benches/results/math/accuracy/nvidia-h200.tsv"
    );
}
