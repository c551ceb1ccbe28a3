//! All programs of the corpus, by suite; `benches/unseen/split.tsv` has a line for each.

use super::kernel_case::Case;
use super::{cuda_samples, polybench, shoc};

/// One line per program.
pub(crate) const CASES: &[&Case] = &[
    &cuda_samples::bilateral_filter::CASE,
    &cuda_samples::binomial_options::CASE,
    &cuda_samples::box_filter::CASE,
    &cuda_samples::convolution_separable::CASE,
    &cuda_samples::dct8x8::CASE,
    &cuda_samples::dwt_haar_1d::CASE,
    &cuda_samples::fast_walsh::CASE,
    &cuda_samples::histogram256::CASE,
    &cuda_samples::merge_sort_shared::CASE,
    &cuda_samples::monte_carlo_block::CASE,
    &cuda_samples::quasirandom::CASE,
    &cuda_samples::reduction::CASE,
    &cuda_samples::scalar_prod::CASE,
    &cuda_samples::scan_shared::CASE,
    &polybench::adi::CASE,
    &polybench::atax::CASE,
    &polybench::bicg::CASE,
    &polybench::conv3d::CASE,
    &polybench::correlation::CASE,
    &polybench::fdtd2d::CASE,
    &polybench::gemver::CASE,
    &polybench::gesummv::CASE,
    &polybench::gramschmidt::CASE,
    &polybench::jacobi1d::CASE,
    &polybench::jacobi2d::CASE,
    &polybench::lu::CASE,
    &polybench::mvt::CASE,
    &polybench::syr2k::CASE,
    &polybench::syrk::CASE,
    &polybench::three_mm::CASE,
    &polybench::two_mm::CASE,
    &shoc::triad::CASE,
];
