//! All programs of the corpus, by suite; `benches/unseen/split.tsv` has a line for each.

use super::kernel_case::Case;
use super::{cuda_samples, polybench, shoc};

/// One line per program.
pub(crate) const CASES: &[&Case] = &[
    &cuda_samples::histogram256::CASE,
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
