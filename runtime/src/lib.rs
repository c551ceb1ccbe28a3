//! Host API of warploom: devices, streams, events, memory and launches, on the CUDA driver or on the emulator.
//!
//! Takes kernels that the `kernel` attribute described and the device code that the program carries; runs them where
//! [`Device::open`] says. Must not know: LLVM, the syntax of kernels. Start at [`device`], then [`launch`].
//!
//! | here | CUDA |
//! |---|---|
//! | [`Device`] | `CUdevice` and its primary context |
//! | [`Stream`], [`Event`] | `CUstream`, `CUevent` |
//! | [`DeviceBuffer`], [`DeviceSlice`], [`DeviceSliceMut`] | `CUdeviceptr` and a length |
//! | [`Launch`] | the launch configuration `<<<grid, block, shared>>>` |
//! | [`Module`], [`module::Function`], [`module::Linker`] | `CUmodule`, `CUfunction`, `CUlinkState` |
//! | [`profile`] | NVTX, `cuProfilerStart` |
//! | [`KernelPanic`] | none: a kernel that fails gives no message there |
//!
//! ```
//! use warploom_runtime::Device;
//!
//! let device = Device::emulator();
//! let stream = device.stream()?;
//! let mut x = device.upload(&[1.0f32, 2.0, 3.0])?;
//! x.copy_from(1, &[5.0], &stream)?;
//! assert_eq!(x.to_vec(&stream)?, [1.0, 5.0, 3.0]);
//! # Ok::<(), warploom_runtime::Error>(())
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))] // the documentation says which feature an item needs

mod buffer; // memory of a device, and which stream used it last
pub mod checked; // what the emulator finds in kernels
mod cuda; // the driver
pub mod device; // where kernels run
pub mod error; // one error for those who do not care which
mod event; // marks in a stream's work
pub mod graph; // work that is recorded once and run often
mod heap; // how much memory kernels may allocate
pub mod interop; // handles, memory and tensors of other libraries
mod kernel; // the description of a kernel
pub mod launch; // what the expansion of `kernel` calls
mod launch_config; // the shape that a user asks for
mod launch_shape; // the shape of a checked launch
mod limits; // what a device runs at most
pub mod memory; // typed buffers
pub mod model; // which GPU the emulator stands for
pub mod module; // device code: what the program carries, and what others made
pub mod occupancy; // how many blocks are on a multiprocessor
pub mod panics; // a panic of a kernel becomes an `Err`
mod past_launch; // launches as later errors name them
mod print; // what kernels print becomes text
pub mod profile; // names for profilers
mod stream; // queues of work
pub mod symbol; // statics of device code
mod sync; // locks
pub mod tensor; // maps of tensors, for copies of boxes
pub mod testing; // the emulator against a GPU
pub mod texture; // memory that kernels find elements in by coordinates
mod unsupported; // what a device does not do
pub mod view; // parts of buffers

pub use checked::KernelFindings;
pub use cuda::DriverError;
pub use device::{Device, DeviceProperties, Limits};
pub use error::{DeviceError, Error, Result, Unsupported};
pub use event::{Event, EventOptions};
pub use graph::{Child, ExecutableGraph, Graph, GraphError, Node};
pub use interop::InteropError;
pub use launch::{Dim3, Launch, LaunchError};
pub use memory::{
    Advice, AppendBuffer, ArrayBuffer, ArrayElement, ArrayLevel, ArrayLevelMut, ArrayOptions,
    ArrayShape, ArraySlice, ArraySliceMut, Attach, ChannelFormat, DeviceBuffer, DeviceChunks,
    DeviceChunksMut, DeviceSlice3D, DeviceSlice3DMut, Extent3, HostPart, HostPartMut,
    ManagedBuffer, MemoryError, MemoryInUse, MemoryLocation, MemoryUsage, MipmappedArray,
    ObjectsInUse, PinnedBuffer, PinnedOptions, PinnedSlice, PinnedSliceMut, PitchedBuffer,
    PitchedSlice, PitchedSliceMut, Pool, PoolOptions, PoolUsage, RangeAttributes, SharedAtomics,
};
#[doc(hidden)]
pub use module::embedded;
pub use module::{Module, ModuleError};
pub use panics::{KernelPanic, PastLaunch};
pub use stream::{Finished, Stream, StreamError, StreamOptions, StreamPriorities};
pub use symbol::{Managed, Symbol, SymbolError};
pub use tensor::{TensorMap, TensorMapError, TensorMapMut};
pub use texture::{Sampler, SurfaceObject, TextureError, TextureObject};
pub use view::{DeviceSlice, DeviceSlice2DMut, DeviceSliceMut};
