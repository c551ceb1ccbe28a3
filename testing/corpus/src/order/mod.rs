//! Atomics that do not do what they are there for.

mod fences; // data handed over by fences and flags
mod locks; // locks whose orders are too weak
mod mixed; // atomics and plain accesses to one place
mod scopes; // scopes that do not reach the other thread

use crate::case::File;

pub(crate) const FILES: &[File] = &[mixed::FILE, scopes::FILE, fences::FILE, locks::FILE];
