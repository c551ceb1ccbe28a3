//! NVIDIA's CUDA samples.

pub(crate) mod bilateral_filter;
pub(crate) mod binomial_options;
pub(crate) mod box_filter;
pub(crate) mod convolution_separable;
pub(crate) mod dct8x8;
pub(crate) mod dwt_haar_1d;
pub(crate) mod fast_walsh;
pub(crate) mod histogram256;
pub(crate) mod image_denoising;
pub(crate) mod merge_sort_shared;
pub(crate) mod monte_carlo_block;
pub(crate) mod optical_flow;
pub(crate) mod quasirandom;
pub(crate) mod recursive_gaussian;
pub(crate) mod reduction;
pub(crate) mod scalar_prod;
pub(crate) mod scan_shared;
pub(crate) mod sobol_qrng;
