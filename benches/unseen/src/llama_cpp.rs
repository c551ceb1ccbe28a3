//! llama.cpp: inference of language models with quantised weights.
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    clippy::needless_range_loop,
    clippy::too_many_lines,
    reason = "kernels are written as a new user writes them; a program with several kernels runs them one after the other"
)]

pub(crate) mod dequantize;
pub(crate) mod mul_mat_vec;
pub(crate) mod norm_and_gate;
pub(crate) mod quantize;
pub(crate) mod rope;
