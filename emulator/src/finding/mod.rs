//! What a finding is, and where those of one run are collected.

mod report; // its class, severity, sides and notes
mod sink; // folds equal findings, counts them, bounds their number
pub(crate) mod trace; // where the user's part of a call stack is

pub use report::{Code, Note, Place, Report, Severity, Side, Who};
pub use sink::{Key, Sink};
