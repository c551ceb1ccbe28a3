//! GPU kernels as ordinary Rust functions: compiled by plain `cargo build` on stable, run on NVIDIA GPUs or on a CPU emulator.
//!
//! ```
//! use warploom::prelude::*;
//!
//! #[kernel]
//! fn saxpy(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
//!     if let Some(y) = y.get_mut(i) {
//!         *y += a * x[i.get()];
//!     }
//! }
//!
//! # fn main() -> warploom::Result<()> {
//! let device = Device::open()?; // a GPU if there is one, else the emulator
//! let stream = device.stream()?;
//! let x = device.upload(&vec![1.0f32; 1000])?;
//! let mut y = device.upload(&vec![2.0f32; 1000])?;
//! saxpy::launch(&stream, Launch::covering(1000), 3.0, &x, &mut y)?;
//! assert!(y.to_vec(&stream)?.iter().all(|&v| v == 5.0));
//! # Ok(())
//! # }
//! ```
//!
//! This crate only joins the others and must not know LLVM: [`device_std`] is what a kernel may call, the rest is the host's side.
//! A crate with kernels also needs `warploom-build` and one line in its `build.rs`; without it kernels run on the emulator only.
#![cfg_attr(docsrs, feature(doc_cfg))] // the documentation says which feature an item needs

mod macros; // what is called in kernels

pub use warploom_device_std as device_std;
#[doc(hidden)]
pub use warploom_device_std::__core; // for the macros
pub use warploom_device_std::{
    constant_static, device_static, dynamic_shared, managed_static, shared_array,
};
pub use warploom_macros::{KernelArg, Plain, kernel};
/// Questions to devices, choices among them, and their settings: what [`Device`] takes and gives.
pub use warploom_runtime::device;
pub use warploom_runtime::{
    Advice, AppendBuffer, ArrayBuffer, ArrayElement, ArrayLevel, ArrayLevelMut, ArrayOptions,
    ArrayShape, ArraySlice, ArraySliceMut, Attach, ChannelFormat, Child, Device, DeviceBuffer,
    DeviceChunks, DeviceChunksMut, DeviceError, DeviceProperties, DeviceSlice, DeviceSlice2DMut,
    DeviceSlice3D, DeviceSlice3DMut, DeviceSliceMut, Dim3, DriverError, Error, Event, EventOptions,
    ExecutableGraph, Extent3, Finished, Graph, GraphError, HostPart, HostPartMut, InteropError,
    KernelFindings, KernelPanic, Launch, LaunchError, Limits, Managed, ManagedBuffer, MemoryError,
    MemoryInUse, MemoryLocation, MemoryUsage, MipmappedArray, Module, ModuleError, Node,
    ObjectsInUse, PastLaunch, PinnedBuffer, PinnedOptions, PinnedSlice, PinnedSliceMut,
    PitchedBuffer, PitchedSlice, PitchedSliceMut, Pool, PoolOptions, PoolUsage, RangeAttributes,
    Result, Sampler, SharedAtomics, Stream, StreamError, StreamOptions, StreamPriorities,
    SurfaceObject, Symbol, SymbolError, TensorMap, TensorMapError, TensorMapMut, TextureError,
    TextureObject, Unsupported, assert_gpu_matches_emulator, checked, interop, launch, model,
    module, occupancy, profile, tensor, testing, texture,
};

/// What most programs import with one line: the macros, the types of kernel parameters, and the host's types.
pub mod prelude {
    pub use crate::device_std::math::Float as _; // `x.rsqrt()` and its kin
    pub use crate::device_std::texture::Normalized;
    pub use crate::device_std::{
        AppendSlice, AsyncTiles, Atomic, AtomicF32, AtomicF64, Bf16, Bf16x2, Block, BlockLeader,
        Chunks, Cluster, Coalesced, CooperativeGrid, DeviceCell, DisjointSlice, DisjointSlice2D,
        DoubleTile, DoubleView, DynamicShared, F16, F16x2, Grid, GridConst, GridStride, Group,
        Index1D, Index2D, Index3D, LaneMask, Linear, Mbarrier, NamedBarrier, Patches, PerBlock,
        PerWarp, Publish, Reclaim, SharedArray, SharedPatches, SharedTile, Stage, Surface1d,
        Surface1dLayered, Surface2d, Surface2dLayered, Surface3d, SurfaceCube, SurfaceCubeLayered,
        TensorSource, TensorTarget, Texture1d, Texture1dLayered, Texture2d, Texture2dLayered,
        Texture3d, TextureCube, TextureCubeLayered, TextureLinear, Tile, TileView, Warp, WarpGroup,
        WarpLeader, WarpPatches, Width, Windows, Windows2D, arch, block_dim, block_idx, grid_dim,
        is_device, lane, sync_threads, thread_idx, warp_id,
    };
    pub use crate::{Device, DeviceBuffer, Dim3, Launch, Stream};
    // The traits and the derives of the same names.
    pub use crate::device_std::{KernelArg, Plain};
    pub use crate::{constant_static, device_static, dynamic_shared, managed_static, shared_array};
    pub use crate::{gpu_print, gpu_println, ptx};
    pub use warploom_macros::{KernelArg, Plain, kernel};
}

/// For the macros of this crate.
#[doc(hidden)]
pub mod __macros {
    pub use warploom_macros::{gpu_print, gpu_println, ptx};
}

// The kernels of the document are compiled.
#[cfg(doctest)]
#[doc = include_str!("../docs/diagnostics.md")]
mod diagnostics {}

//@ rows: EX-3, GFN-2, GFN-5
/// A kernel is launched; it is no function that the host calls:
///
/// ```compile_fail,E0277
/// # use warploom::prelude::*;
/// #[kernel]
/// fn fill(i: Index1D, value: u32, mut y: DisjointSlice<u32>) {
///     if let Some(y) = y.get_mut(i) {
///         *y = value;
///     }
/// }
/// fill(7);
/// ```
/// ```
/// # use warploom::prelude::*;
/// #[kernel]
/// fn fill(i: Index1D, value: u32, mut y: DisjointSlice<u32>) {
///     if let Some(y) = y.get_mut(i) {
///         *y = value;
///     }
/// }
/// let device = Device::emulator();
/// let stream = device.stream()?;
/// let mut y = device.zeroed::<u32>(40)?;
/// fill::launch(&stream, (2, 20), 7, &mut y)?;
/// assert_eq!(y.to_vec(&stream)?, [7; 40]);
/// # Ok::<(), warploom::Error>(())
/// ```
/// Nor does it call itself:
///
/// ```compile_fail,E0277
/// # use warploom::prelude::*;
/// #[kernel]
/// fn again(depth: u32) {
///     if depth > 0 {
///         again(depth - 1);
///     }
/// }
/// ```
#[cfg(doctest)]
pub struct KernelIsNoFunction;
