//! What a kernel may call: indices, barriers, warp operations, shared memory, outputs, atomics.
//!
//! One interface, two bodies: in the device pass (`cfg(warploom_device)`) everything ends in the symbols of [`intrinsics`], which the
//! device linker lowers; in an ordinary build it ends in the emulator's functions of the same names. Everything above that table is
//! written once. Must not know: the driver, the macros, LLVM.
//!
//! Start at [`index`] and [`output`]: who writes where, and why two threads never write one element. Then [`block`] and [`shared`].
#![no_std]

extern crate alloc;

pub mod atomic; // floating point atomics, one `atomic_add` for all
pub mod block; // the block as a group: barrier, size, leader; the grid
pub mod debug; // break points, counters of the profiler
#[cfg(warploom_device)]
pub mod foreign; // bodies for instructions that only hosts have
#[cfg(warploom_device)]
pub mod heap; // what `Box` and `Vec` call
pub mod hint; // copies of loops, likely branches, alignment
pub mod index; // the free functions of CUDA, and the thread's own index
pub mod intrinsics; // the one table
pub mod kernel; // what the device pass tells the linker about a kernel
pub mod math; // the functions of a C library, and CUDA's
pub mod output; // slices that hand each thread its own elements
#[cfg(warploom_device)]
pub mod panic; // the panic entry points of `core`
pub mod panic_record; // how a panicked thread tells the host
pub mod plain; // which types may cross between host and kernel
pub mod print; // `gpu_println!`: what a thread leaves for the host
pub mod scope; // ties witnesses to one thread of one launch
pub mod shared; // tiles in phases, raw arrays, dynamic shared memory
pub mod target; // where the code runs
pub mod time; // clocks, and sleep
pub mod warp; // shuffles, votes, reductions

pub use atomic::{AtomicF32, AtomicF64, atomic_add};
pub use block::{Block, BlockLeader, Grid, sync_threads};
pub use index::{
    Dim3, Index1D, Index2D, Index3D, block_dim, block_idx, grid_dim, lane, thread_idx, warp_id,
};
pub use output::{Chunks, DisjointSlice, DisjointSlice2D, GridStride, Linear, PerBlock};
pub use plain::{KernelArg, Plain, SliceElement};
pub use shared::{DynamicShared, SharedArray, SharedTile, TileView};
pub use target::{FeatureSet, arch, feature_set, is_device};
pub use warp::Warp;
