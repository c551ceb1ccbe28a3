//! What a kernel may call: indices, barriers, warp operations, shared memory, outputs, atomics.
//!
//! One interface, two bodies: in the device pass (`cfg(warploom_device)`) everything ends in the symbols of [`intrinsics`], which the
//! device linker lowers; in an ordinary build it ends in the emulator's functions of the same names. Everything above that table is
//! written once. Must not know: the driver, the macros, LLVM.
//!
//! Start at [`index`] and [`output`]: which thread writes which element, and why no two threads write the same one. Then [`block`] and [`shared`].
#![no_std]
#![cfg_attr(warploom_device, feature(auto_traits, negative_impls, specialization))]
#![cfg_attr(
    warploom_device,
    expect(
        incomplete_features,
        reason = "specialization asks one question, whose answer does not depend on lifetimes"
    )
)]

extern crate alloc;

/// The core library as expansions of macros name it: in a user's crate `::core` is whatever `extern crate .. as core` makes of it.
#[doc(hidden)]
pub use core as __core;

pub mod address; // which memory a pointer points into
pub mod atomic; // every width, order and scope
pub mod barrier; // barriers that ask, barriers for a part of the warps
pub mod block; // the block as a group: barrier, size, leader; the grid
pub mod cluster; // blocks that reach each other's shared memory
mod const_text; // texts of errors in constants
pub mod debug; // break points, counters of the profiler
pub mod dependent_launch; // kernels that start before those ahead of them have ended
#[doc(hidden)]
pub mod derived; // what the derives check
pub mod dpx; // minima and maxima of sums
#[cfg(warploom_device)]
pub mod foreign; // bodies for instructions that only hosts have
pub mod grid; // blocks that all wait for each other
pub mod grid_const; // a parameter that all threads read at one place
pub mod groups; // threads that work together: tiles, coalesced lanes, reductions over a block
pub mod half; // 16-bit floating point
#[cfg(warploom_device)]
pub mod heap; // what `Box` and `Vec` call
pub mod hint; // copies of loops, likely branches, alignment
#[cfg(warploom_device)]
mod host_address; // which types may hold an address of the host
pub mod index; // the free functions of CUDA, and the thread's own index
pub mod integer; // what std's integers cannot do
pub mod intrinsics; // the one table
pub mod kernel; // what the device pass tells the linker about a kernel
#[doc(hidden)]
pub mod layout; // fingerprints of types, which a launch compares
pub mod math; // the functions of a C library, and CUDA's
pub mod memory; // cache hints, prefetches, copies by a block
pub mod mma; // products of small matrices on tensor cores
pub mod output; // slices that hand each thread its own elements
#[cfg(warploom_device)]
pub mod panic; // the panic entry points of `core`
pub mod panic_record; // how a panicked thread tells the host
pub mod pipeline; // copies into shared memory that go on beside the threads, barriers in memory
pub mod plain; // which types may cross between host and kernel
pub mod print; // `gpu_println!`: what a thread leaves for the host
pub mod round; // arithmetic in a rounding of choice
pub mod scope; // ties witnesses to one thread of one launch
pub mod shared; // tiles in phases, raw arrays, dynamic shared memory
pub mod statics; // global, constant and managed memory with names
pub mod surface; // images that kernels write
pub mod target; // where the code runs
pub mod tcgen05; // products whose sums are in tensor memory
pub mod texture; // images that kernels read through the texture units
pub mod time; // clocks, and sleep
pub mod tma; // copies of many bytes, and of boxes of tensors
pub mod vector; // two, three or four numbers in one value
pub mod warp; // shuffles, votes, reductions
pub mod wgmma; // products of tiles of shared memory, by four warps
pub mod wmma; // matrices of a warp: tensor cores

pub use atomic::{Atomic, AtomicF32, AtomicF64, atomic_add};
pub use barrier::NamedBarrier;
pub use block::{Block, BlockLeader, Grid, sync_threads};
pub use cluster::{Cluster, ClusterArrival};
pub use dependent_launch::launch_dependents;
pub use grid::CooperativeGrid;
pub use grid_const::GridConst;
pub use groups::{Coalesced, Group, Tile, WarpGroup};
pub use half::{Bf16, Bf16x2, F16, F16x2};
pub use index::{
    Dim3, Index1D, Index2D, Index3D, block_dim, block_idx, grid_dim, lane, thread_idx, warp_id,
};
pub use output::{
    AppendSlice, Chunks, DisjointSlice, DisjointSlice2D, GridStride, Linear, Patches, PerBlock,
    PerWarp, WarpPatches, Windows, Windows2D,
};
pub use pipeline::{Arrival, AsyncTiles, Mbarrier, Stage};
pub use plain::{KernelArg, Plain, SliceElement};
pub use shared::{
    Carve, DoubleTile, DoubleView, DynamicShared, Publish, Reclaim, SharedArray, SharedLayout,
    SharedPatches, SharedTile, TileView,
};
pub use statics::{ConstantStatic, DeviceCell, DeviceStatic, ManagedStatic};
pub use surface::{
    Surface1d, Surface1dLayered, Surface2d, Surface2dLayered, Surface3d, SurfaceCube,
    SurfaceCubeLayered,
};
pub use target::{FeatureSet, arch, feature_set, is_device};
pub use texture::{
    Texel, Texture1d, Texture1dLayered, Texture2d, Texture2dLayered, Texture3d, TextureCube,
    TextureCubeLayered, TextureLinear,
};
pub use tma::{TensorElement, TensorSource, TensorTarget};
pub use warp::{LaneMask, Warp, WarpLeader, Width};
