//! Kernels such as those of FAISS: search for similar vectors.

pub(crate) mod l2_nearest;
pub(crate) mod product_quantizer;
