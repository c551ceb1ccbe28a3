//! Parboil: kernels of scientific programs.

pub(crate) mod cutcp;
pub(crate) mod lbm;
pub(crate) mod mri_q;
pub(crate) mod sad;
pub(crate) mod sgemm;
pub(crate) mod spmv_jds;
pub(crate) mod stencil7;
pub(crate) mod tpacf;
