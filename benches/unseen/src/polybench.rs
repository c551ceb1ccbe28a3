//! PolyBench/GPU: linear algebra and stencils.

pub(crate) mod atax;
