//! llm.c: training of a language model in plain C and CUDA.
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    clippy::needless_range_loop,
    clippy::too_many_lines,
    reason = "kernels are written as a new user writes them; a program with several kernels runs them one after the other"
)]

pub(crate) mod attention_softmax;
pub(crate) mod crossentropy;
pub(crate) mod elementwise;
pub(crate) mod encoder;
pub(crate) mod layernorm;
pub(crate) mod optimizer;
pub(crate) mod permute;
