//! All programs of the corpus, by suite; `benches/unseen/split.tsv` has a line for each.

use super::kernel_case::Case;
use super::{cuda_samples, polybench, shoc};

/// One line per program.
pub(crate) const CASES: &[&Case] = &[
    &cuda_samples::histogram256::CASE,
    &polybench::atax::CASE,
    &shoc::triad::CASE,
];
