//! Rodinia: a suite of heterogeneous computing, programs of many fields.
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    clippy::needless_range_loop,
    clippy::too_many_lines,
    reason = "kernels are written as a new user writes them; a program with several kernels runs them one after the other"
)]

pub(crate) mod backprop;
pub(crate) mod bfs;
pub(crate) mod btree;
pub(crate) mod cfd;
pub(crate) mod gaussian;
pub(crate) mod hotspot;
pub(crate) mod hotspot3d;
pub(crate) mod kmeans;
pub(crate) mod lavamd;
pub(crate) mod leukocyte;
pub(crate) mod lud;
pub(crate) mod nn;
pub(crate) mod nw;
pub(crate) mod particlefilter;
pub(crate) mod pathfinder;
pub(crate) mod srad;
pub(crate) mod streamcluster;
