//! SHOC: a benchmark suite for heterogeneous machines.

pub(crate) mod fft;
pub(crate) mod md;
pub(crate) mod md5hash;
pub(crate) mod stencil2d;
pub(crate) mod triad;
