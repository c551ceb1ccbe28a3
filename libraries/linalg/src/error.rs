//! What can go wrong before and during a product.

use std::sync::Arc;

use warploom::{LaunchError, MemoryError, StreamError};

/// Why a product did not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two matrices do not fit together.
    #[error("{first} is {first_size} and {second} is {second_size}; they must be equal")]
    DifferentSizes {
        /// The extent of the one.
        first: &'static str,
        /// Its size.
        first_size: usize,
        /// The extent of the other.
        second: &'static str,
        /// Its size.
        second_size: usize,
    },
    /// A buffer ends before the last element of its matrix.
    #[error(
        "{what} has {len} elements, but {rows} x {columns} with {leading} from line to line and {batches} matrices reach to {needed}; make the buffer longer"
    )]
    TooShort {
        /// The matrix.
        what: &'static str,
        /// Elements of the buffer.
        len: usize,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
        /// Elements from one line to the next.
        leading: usize,
        /// Matrices in the buffer.
        batches: usize,
        /// Elements that are needed.
        needed: usize,
    },
    /// Lines of a matrix overlap.
    #[error(
        "lines of {what} begin every {leading} elements and have {length}; take a distance of at least that"
    )]
    LinesOverlap {
        /// The matrix.
        what: &'static str,
        /// Elements from one line to the next.
        leading: usize,
        /// Elements of a line.
        length: usize,
    },
    /// The matrices of the result overlap.
    #[error(
        "the matrices of {what} begin every {stride} elements and have {length}; take a distance of at least that"
    )]
    BatchesOverlap {
        /// The matrix.
        what: &'static str,
        /// Elements from one matrix to the next.
        stride: usize,
        /// Elements of a matrix.
        length: usize,
    },
    /// More than a product takes.
    #[error("{what} is {value}, and a product takes at most {most}; split it")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its value, or the largest number where it does not fit.
        value: usize,
        /// The largest that is possible.
        most: usize,
    },
    /// The plan was made for another product.
    #[error("the plan is for {what} {planned}, and the product has {given}; make a plan for it")]
    OtherPlan {
        /// What differs.
        what: &'static str,
        /// What the plan is for.
        planned: usize,
        /// What was given.
        given: usize,
    },
    /// The device has no kernel of this family.
    #[error(
        "{kernel} needs compute capability {needed}, and the device has {has}; take a plan of `MatmulPlan::new`"
    )]
    NoTensorCores {
        /// The kernel.
        kernel: &'static str,
        /// The compute capability that it needs, as 80 for 8.0.
        needed: u32,
        /// That of the device.
        has: u32,
    },
    /// Memory could not be allocated, copied or filled.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A kernel could not be launched.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A kernel of the stream failed.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// Another error of the runtime.
    #[error(transparent)]
    Runtime(#[from] warploom::Error),
}

/// So that products can be recorded by [`Graph::capture`](warploom::Graph::capture).
impl From<Error> for warploom::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Memory(error) => error.into(),
            Error::Launch(error) => error.into(),
            Error::Stream(error) => error.into(),
            Error::Runtime(error) => error,
            own => warploom::Error::Library(Arc::new(own)),
        }
    }
}
