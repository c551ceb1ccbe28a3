//! Parallel algorithms for [`warploom`]: reduce, scan, select, sort and others, device-wide, generic over types and closures.
//!
//! The traits of the [`prelude`] add them to [`Stream`]: [`Reductions`], [`Scans`], [`Selections`], [`Sorts`], [`SortedInputs`], [`Transforms`], [`Histograms`]. Inputs are buffers, slices, or values that are computed on the way ([`Input`]).
//! The modules [`block`] and [`warp`] have pieces for kernels of one's own.
//! Kernels are generic: a crate that calls an algorithm compiles the kernels of that algorithm for the types that it uses, and no others. So it
//! needs `warploom-build` and the line in `build.rs`, as every crate with kernels.

mod algorithms; // the methods of a stream
mod arg; // the smallest or largest element, and its place
mod begins; // where runs begin in the elements of a warp
pub mod block; // what the threads of a block do together, in kernels
mod by_key; // runs of equal keys
mod deterministic; // what all earlier tiles have, always the same way
mod error; // why an algorithm did not run
mod extremes; // the ends of the order of keys
mod for_each; // a function that may change each element
mod histogram; // how often each number comes
pub mod input; // what algorithms read
mod lookback; // what all earlier tiles have
mod merge; // two sorted inputs to one
mod merge_path; // equal parts of a merge
mod merge_sort; // sorting by a comparison
mod output; // what algorithms write
mod radix_sort; // sort by digits
mod reduce; // all elements to one value
mod runs; // runs of equal elements
mod scan; // what all elements up to each have
mod scatter; // elements to places
mod search; // many values in a sorted input
mod segmented_arg; // the smallest or largest element of each segment
mod segmented_reduce; // each segment to one value
mod segmented_scan; // what all elements of a segment up to each have
mod segmented_sort; // many sorts at once
mod select; // the elements for which a predicate holds
mod set_operation; // union, intersection, differences
mod state; // values as words
mod three_way; // each element to one of three parts
mod tile; // the elements of a block
mod tile_states; // memory for what tiles have
mod top_k; // the largest or smallest elements
mod transform; // each element by itself
mod tuning; // elements per thread
pub mod warp; // what the lanes of a warp do together, in kernels

pub use algorithms::{
    Histograms, OnStream, Reductions, Scans, Selections, SortedInputs, Sorts, Transforms,
};
pub use arg::{ArgPlan, ArgReduce};
pub use by_key::{ByKey, ByKeyPlan};
pub use error::Error;
pub use extremes::Extremes;
pub use for_each::ForEachMut;
pub use histogram::{EvenHistograms, Histogram, IntoCounts, RangeHistograms, Sample, Single};
pub use input::{Input, IntoInput, Item, constant, counting};
pub use merge::{Merge, MergePairs, MergePlan};
pub use merge_sort::{MergeSort, MergeSortPairs, MergeSortPlan};
pub use output::IntoOutput;
pub use radix_sort::{
    IntoSlice, RadixBits, RadixFields, RadixKey, Sort, SortInPlace, SortPairs, SortPlan,
};
pub use reduce::{Reduce, ReducePlan};
pub use runs::Runs;
pub use scan::{Scan, ScanPlan};
pub use scatter::{Scatter, ScatterOf};
pub use search::{SearchMany, SearchOf};
pub use segmented_arg::{SegmentedArg, SegmentedArgPlan};
pub use segmented_reduce::SegmentedReduce;
pub use segmented_scan::{SegmentedScan, SegmentedScanPlan};
pub use segmented_sort::{SegmentedSort, SegmentedSortPlan};
pub use select::{Changed, Choose, Mapped, Select, SelectPlan, Where};
pub use set_operation::{
    Difference, Intersection, SetOperation, SetPlan, SetRule, SymmetricDifference, Union,
};
pub use three_way::ThreeWayPartition;
pub use top_k::{TopK, TopKPairs, TopKPairsPlan, TopKPlan};
pub use transform::{Gather, Transform};

/// What most programs import with one line: the methods of a [`Stream`], and of what can be read.
pub mod prelude {
    pub use crate::{
        Histograms, IntoInput, Reductions, Scans, Selections, SortedInputs, Sorts, Transforms,
    };
}

#[cfg(doc)]
use warploom::Stream;

// The example of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
