//! PolyBench/GPU: linear algebra and stencils.

pub(crate) mod adi;
pub(crate) mod atax;
pub(crate) mod bicg;
pub(crate) mod conv3d;
pub(crate) mod correlation;
pub(crate) mod fdtd2d;
pub(crate) mod gemver;
pub(crate) mod gesummv;
pub(crate) mod gramschmidt;
pub(crate) mod jacobi1d;
pub(crate) mod jacobi2d;
pub(crate) mod lu;
pub(crate) mod mvt;
pub(crate) mod syr2k;
pub(crate) mod syrk;
pub(crate) mod three_mm;
pub(crate) mod two_mm;
