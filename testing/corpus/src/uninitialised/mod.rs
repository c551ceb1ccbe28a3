//! Reads of memory that was never written, or whose copy has not arrived yet.

mod copies; // copies that were not waited for
mod global; // buffers and the heap
mod shared; // shared memory

use crate::case::File;

pub(crate) const FILES: &[File] = &[shared::FILE, global::FILE, copies::FILE];
