//! Barriers and warp operations that not all threads come to, and waits that never end.

mod block; // barriers of a block, whole and in part
mod stuck; // barriers in memory, polling, grids and clusters
mod warp; // operations of a warp

use crate::case::File;

pub(crate) const FILES: &[File] = &[block::FILE, warp::FILE, stuck::FILE];
