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
    /// Operands of attention do not fit together.
    #[error("{first} have {first_size} {what} and {second} have {second_size}; they must be equal")]
    DifferentHeads {
        /// What is counted.
        what: &'static str,
        /// The one operand.
        first: &'static str,
        /// Its number.
        first_size: usize,
        /// The other operand.
        second: &'static str,
        /// Its number.
        second_size: usize,
    },
    /// There is no kernel for heads of this dimension.
    #[error(
        "rows of heads have {given} elements, and attention has kernels for 64 and 128; pad the rows with zeros and give the scale"
    )]
    HeadDimension {
        /// Elements of a row.
        given: usize,
    },
    /// Heads of queries cannot be shared out to those of keys.
    #[error(
        "there are {queries} heads of queries and {keys} of keys; the one must be a multiple of the other"
    )]
    UnevenHeads {
        /// Heads of the queries.
        queries: usize,
        /// Heads of keys and values.
        keys: usize,
    },
    /// A buffer ends before the last row.
    #[error("{what} has {len} elements, and the last row ends at {needed}; make the buffer longer")]
    HeadsTooShort {
        /// The buffer.
        what: &'static str,
        /// Its elements.
        len: usize,
        /// Elements that are needed.
        needed: usize,
    },
    /// Rows of results overlap.
    #[error(
        "rows of {what} begin {stride} elements apart where {length} elements belong together; take a distance of at least that"
    )]
    RowsOverlap {
        /// What is written.
        what: &'static str,
        /// The distance.
        stride: usize,
        /// Elements of what begins there.
        length: usize,
    },
    /// Scores cannot be multiplied with this.
    #[error(
        "the scale of scores is {given}, and 1e-30 to 1e30 are possible; for a negative scale, negate the queries"
    )]
    Scale {
        /// The scale.
        given: f32,
    },
    /// Starts of packed sequences fall, or lead beyond the tokens.
    #[error(
        "start {index} of {what} is {given}, and {least} to {most} are possible; give rising starts within the tokens, the end of the last sequence included"
    )]
    Sequences {
        /// Queries or keys.
        what: &'static str,
        /// The number of the start; 0 if there is none.
        index: usize,
        /// The start.
        given: usize,
        /// The start before.
        least: usize,
        /// The number of tokens.
        most: usize,
    },
    /// The device lacks the instructions.
    #[error(
        "{what} needs compute capability {needed}, and the device has {has}; use another device"
    )]
    TooOld {
        /// What was wanted.
        what: &'static str,
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
