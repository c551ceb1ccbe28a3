//! Kernels such as those of cuDF: tables, columns, joins.
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    clippy::needless_range_loop,
    clippy::too_many_lines,
    reason = "kernels are written as a new user writes them; a program with several kernels runs them one after the other"
)]

pub(crate) mod bitmap;
pub(crate) mod compaction;
pub(crate) mod hash_join;
pub(crate) mod strings;
