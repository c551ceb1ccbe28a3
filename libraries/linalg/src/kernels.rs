//! The kernels: what each of them does is in its file.

pub(crate) mod attention; // softmax(Q · Kᵀ) · V on tensor cores
pub(crate) mod finish; // from sums to stored results
pub(crate) mod loads; // tiles of operands for tensor cores, by asynchronous copies
pub(crate) mod problem; // what all kernels are told
pub(crate) mod quad; // four neighbours at once
pub(crate) mod simt; // fused multiply-adds, a tile of registers for each thread
pub(crate) mod splits; // the sums of parts of K
pub(crate) mod tensor; // tensor cores, by `mma.sync`
pub(crate) mod warp_groups; // tensor cores of Hopper, by `wgmma`
pub(crate) mod warp_tiles; // what lanes hold of a tile, for each type of elements
