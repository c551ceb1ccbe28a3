//! Single-precision mathematics: how far every function is from the exact value, on every back end.
//!
//! A kernel per function computes `f32` result and `f64` reference for many arguments and keeps the largest error; the bounds are the
//! column *float* of CUDA's table.

mod binary; // pairs of arguments
mod exact; // exact results, and results that are no floats
mod exhaustive; // all arguments of one-argument functions
mod fast; // the fast forms
mod fast_math; // kernels with `fast_math`
mod ptx_fast; // what the fast forms become
mod reference; // f64 functions that libm lacks
mod ulp; // distances between floats
mod unary; // the table of one-argument functions

/// The committed figures, of an H200: every function that is measured stands there, with the bound of its test.
#[track_caller]
pub(crate) fn assert_committed(name: &str, bound: u32) {
    let text = include_str!("../../../../benches/results/math/accuracy/nvidia-h200.tsv");
    let committed = warploom_harness::math_accuracy::bound(text, "f32", name);
    assert_eq!(
        committed,
        Ok(Some(bound)),
        "{name} in benches/results/math/accuracy/nvidia-h200.tsv"
    );
}
