//! What can go wrong before and during an algorithm.

use std::sync::Arc;

use warploom::{LaunchError, MemoryError, StreamError};

/// Why an algorithm did not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An output or a plan is for fewer elements than there are.
    #[error(
        "{what} has room for {room} elements, but {needed} are needed; make it with at least that many"
    )]
    TooShort {
        /// What is too short.
        what: &'static str,
        /// Elements that it has room for.
        room: usize,
        /// Elements that are needed.
        needed: usize,
    },
    /// Two inputs that belong together have different lengths.
    #[error("{first} has {first_len} elements and {second} has {second_len}; they must be as many")]
    DifferentLengths {
        /// The first input.
        first: &'static str,
        /// Its length.
        first_len: usize,
        /// The second input.
        second: &'static str,
        /// Its length.
        second_len: usize,
    },
    /// More elements than an algorithm takes.
    #[error("{what} takes at most {most} elements, and there are {len}; split the input")]
    TooMany {
        /// The algorithm.
        what: &'static str,
        /// Elements at most.
        most: u64,
        /// Elements that there are.
        len: usize,
    },
    /// [`Input::step_by`](crate::Input::step_by) with 0.
    #[error("a step of 0 gives the first element for ever; take a step of at least 1")]
    StepOfZero,
    /// A histogram of samples that are nowhere.
    #[error(
        "the range of samples of channel {channel} is empty, or not finite; its end must be larger than its start"
    )]
    EmptyRange {
        /// The number of the channel.
        channel: usize,
    },
    /// An argument has a value that the algorithm does not take.
    #[error("{what} is {value}, and must be {must}")]
    Argument {
        /// The argument.
        what: &'static str,
        /// Its value.
        value: u64,
        /// Which values are possible.
        must: &'static str,
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

/// So that algorithms can be recorded by [`Graph::capture`](warploom::Graph::capture).
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

impl Error {
    /// That `what` has room for `needed` elements.
    pub(crate) fn check_room(what: &'static str, room: usize, needed: usize) -> Result<(), Error> {
        if room < needed {
            return Err(Error::TooShort { what, room, needed });
        }
        Ok(())
    }
}
