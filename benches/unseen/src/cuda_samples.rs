//! NVIDIA's CUDA samples.

pub(crate) mod histogram256;
