//! What correctness needs: host IR becomes device IR.
//!
//! [`symbols`] maps what is undefined to what provides it (panics, math, intrinsics); [`retarget`] removes what only hosts have; [`shared`] and
//! [`statics`] move declarations into their address spaces; [`kernels`] turns entries into kernels; [`formatted_panics`] leaves the
//! texts of panics to the host; [`fast_math`] separates kernels whose arithmetic is approximate. After LLVM's optimisation [`locations`] gives
//! panics their kernel, [`local_atomics`] and [`atomics`] spell out what NVPTX would select wrongly, and [`panics`] writes panics into their kernels.
//! Must not know: cargo, files, and [`opt`](crate::opt), which speed needs.

pub(crate) mod asm;
mod atomic_bodies;
pub(crate) mod atomics;
pub(crate) mod fast_math;
pub(crate) mod format_template;
pub(crate) mod formatted_panics;
pub(crate) mod host_code;
pub(crate) mod kernels;
pub(crate) mod library;
pub(crate) mod local_atomics;
pub(crate) mod locations;
mod memory_bodies;
pub(crate) mod merged_constants;
pub(crate) mod panics;
mod register_asm;
pub(crate) mod retarget;
pub(crate) mod shared;
pub(crate) mod statics;
mod stored_values;
pub(crate) mod symbols;
pub(crate) mod target_queries;
mod tensor_memory;
pub(crate) mod warp_group;
