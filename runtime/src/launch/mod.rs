//! How a kernel is started: the shape, the contract, the arguments, and [`submit`], which the expansion of `kernel` calls.
//!
//! Everything is checked before the driver or the emulator sees it. Users need [`Launch`] and, to pass parts of buffers on,
//! the traits [`SliceArg`], [`SliceMutArg`], [`Slice2DMutArg`] and [`AppendArg`]; the rest is for generated code.

pub(crate) mod arguments; // buffers as kernels take them
mod attributes; // what the driver says of a kernel
pub(crate) mod blocking; // launches that wait
pub(crate) mod cache; // kernels that were launched before
mod check; // what is refused before anything runs
mod element; // which slices are only read
pub(crate) mod emulate; // on the CPU
pub(crate) mod error; // what is said then
mod load; // the loaded kernel of a launch
mod misuse; // kernels that are called as functions
mod peers; // memory of other devices
mod relaunch; // the same launch again
mod request; // one launch on its way
mod residency; // clusters and cooperative grids
pub(crate) mod submit; // to the driver or the emulator
pub(crate) mod values; // values as kernels take them

pub use crate::cuda::module::KernelAttributes;
pub use crate::kernel::{Contract, Kernel, Param, ParamKind};
pub use crate::launch_config::{Launch, Shape};
pub use crate::tensor::{BoundTensorMap, TensorSourceArg, TensorTargetArg};
pub use crate::texture::{BoundTexture, SurfaceArg, TextureArg};
pub use arguments::{
    AppendArg, Arg, BoundSlice, Elements, SameElement, Slice2DMutArg, SliceArg, SliceMutArg,
    SliceParts,
};
pub use attributes::{attributes, function};
#[doc(hidden)]
pub use element::{ElementOf, MayBeWritten, OnlyRead};
pub use error::{LaunchError, requires_failed};
#[doc(hidden)]
pub use misuse::{AsFunction, Callable};
pub use request::ThreadBody;
pub use submit::submit;
pub use values::{ByValue, ClosureArg, GridBarrier};
pub use warploom_device_std::Dim3;
