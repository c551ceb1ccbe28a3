//! What is measured, as data: a row is an algorithm for one type, with the function that runs it at one size.
//!
//! One file per algorithm; [`ROWS`] has the lists of all files.

mod by_key; // runs of equal keys
mod extremes; // the smallest and the largest element
mod histogram; // counts of bins
mod merge; // two sorted halves
mod merge_sort; // sorts by comparison
mod pieces; // blocks and warps
mod places; // elements from and to places
mod reduce; // sums
mod scan; // sums up to each element
mod segmented; // segments
mod select; // selections and partitions
mod sort; // sorts by digits
mod sorted_inputs; // searches and sets
mod transform; // a value of each element

use std::fmt;

use super::bench::{Bench, Done};
use super::data::Entropy;

/// All rows.
pub(crate) const ROWS: &[&[Row]] = &[
    reduce::ROWS,
    extremes::ROWS,
    scan::ROWS,
    by_key::ROWS,
    segmented::ROWS,
    select::ROWS,
    histogram::ROWS,
    merge_sort::ROWS,
    merge::ROWS,
    sorted_inputs::ROWS,
    sort::ROWS,
    transform::ROWS,
    places::ROWS,
    pieces::ROWS,
];

/// One algorithm for one type.
pub(crate) struct Row {
    /// As the page has it.
    pub(crate) algorithm: &'static str,
    /// The type of the elements.
    pub(crate) of: &'static str,
    /// What inputs it is measured with.
    pub(crate) entropies: &'static [Entropy],
    /// Makes the inputs of a size and calls [`Bench::compare`] once.
    pub(crate) run: fn(&mut Bench, Size) -> Done,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.algorithm, self.of)
    }
}

/// How large an input is, and which.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Size {
    /// Elements.
    pub(crate) n: usize,
    /// How random they are.
    pub(crate) entropy: Entropy,
}
