//! Addresses that a kernel must not access: beyond the end, misaligned, another thread's, freed, the host's, read-only.

mod global; // beyond buffers
mod global_shapes; // beyond buffers, by what the shape of the launch or of the data is
mod lifetime; // what was freed, what never is
mod local; // other threads' variables, the host's memory, constants
mod misaligned; // at no multiple of the size
mod parts; // beyond slices of a part
mod shared; // beyond shared arrays
mod surfaces; // beyond surfaces, and what textures read

use crate::case::File;

pub(crate) const FILES: &[File] = &[
    global::FILE,
    global_shapes::FILE,
    parts::FILE,
    shared::FILE,
    surfaces::FILE,
    local::FILE,
    misaligned::FILE,
    lifetime::FILE,
];
