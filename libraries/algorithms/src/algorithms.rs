//! The algorithms as methods of a stream, in a trait for each family.

mod histograms; // how many samples are in each bin
mod reductions; // to one value for all, for a segment or for a run
mod scans; // what all elements up to each have
mod selections; // some of the elements
mod sorted_inputs; // merges, searches, set operations
mod sorts; // by digits and by comparison
mod transforms; // elements from elements, and to other places

pub use histograms::Histograms;
pub use reductions::Reductions;
pub use scans::Scans;
pub use selections::Selections;
pub use sorted_inputs::SortedInputs;
pub use sorts::Sorts;
pub use transforms::Transforms;

use warploom::Stream;

mod sealed {
    pub trait Sealed {}
    impl Sealed for warploom::Stream {}
}

/// A [`Stream`], which has the methods of the traits of this crate.
pub trait OnStream: sealed::Sealed {
    /// The stream.
    #[doc(hidden)]
    fn stream(&self) -> &Stream;
}

impl OnStream for Stream {
    fn stream(&self) -> &Stream {
        self
    }
}
