//! Accesses of several threads to one place, of which one writes, without a barrier between them.

mod algorithms; // reduce, scan, matmul, transpose, sort: one barrier dropped
mod blocks; // between blocks, in global memory
mod bulk; // bulk copies, in flight and before
mod exits; // threads that write and return before a barrier
mod fragments; // matrices of warps, in shared memory
mod global; // within a block, in global memory
mod host; // what the host does before it has waited
mod rows; // rows of matrices, and fragments
mod same_value; // all write the same
mod shared; // between the warps of a block, in shared memory
mod shared_reuse; // shared memory that is used twice
mod streams; // launches of two streams
mod warp; // within a warp
mod warp_groups; // products of warp groups

use crate::case::File;

pub(crate) const FILES: &[File] = &[
    shared::FILE,
    exits::FILE,
    shared_reuse::FILE,
    algorithms::FILE,
    warp::FILE,
    fragments::FILE,
    rows::FILE,
    global::FILE,
    blocks::FILE,
    bulk::FILE,
    same_value::FILE,
    streams::FILE,
    host::FILE,
    warp_groups::FILE,
];
