//! Panics, integer overflow, and what is only slow.

mod panics; // safe code that ends a thread
mod slow; // performance

use crate::case::File;

pub(crate) const FILES: &[File] = &[panics::FILE, slow::FILE];
