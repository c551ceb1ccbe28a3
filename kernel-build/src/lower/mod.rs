//! Host IR becomes device IR.
//!
//! In the order in which the linker runs them: [`sines`] puts a sine and its cosine together; [`symbols`] maps what is undefined to what provides it
//! (panics, math, intrinsics); [`retarget`] removes what only hosts have; [`shared`] and [`statics`] move declarations into their address spaces;
//! [`kernels`] turns entries into kernels; after LLVM's optimisation [`local_arrays`] puts small arrays into registers, [`early_checks`] and
//! [`late_checks`] take bounds checks out of loops (of [`rounds`] that are known, [`joined_checks`] where threads meet), [`pinned_loads`] keeps loads
//! before those that are left, [`narrow`] makes index arithmetic narrower, [`locations`] gives panics their kernel, [`atomics`] spells out memory
//! orders, [`panics`] writes panics into their kernels, [`copies`] spells out short copies and [`products`] widens factors. Must not know: cargo, files.

mod affine;
pub(crate) mod answers;
pub(crate) mod asm;
mod atomic_bodies;
pub(crate) mod atomics;
mod beside;
pub(crate) mod copies;
pub(crate) mod counters;
pub(crate) mod early_checks;
mod joined_checks;
pub(crate) mod kept_checks;
pub(crate) mod kernels;
pub(crate) mod late_checks;
pub(crate) mod library;
pub(crate) mod local_arrays;
pub(crate) mod locations;
mod loops;
mod memory_bodies;
pub(crate) mod narrow;
pub(crate) mod panics;
pub(crate) mod pinned_loads;
pub(crate) mod products;
#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod random;
pub(crate) mod retarget;
mod rounds;
pub(crate) mod shared;
pub(crate) mod sines;
pub(crate) mod statics;
pub(crate) mod symbols;
pub(crate) mod walks;
