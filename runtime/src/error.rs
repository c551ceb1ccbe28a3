//! One error for those who do not care which, and what can go wrong with a device itself.

use std::borrow::Cow;
use std::fmt;

use crate::cuda::DriverError;
use crate::device::{ComputeMode, ContextLimit, options_text};
use crate::graph::GraphError;
use crate::interop::InteropError;
use crate::launch::LaunchError;
use crate::memory::MemoryError;
use crate::model::UnknownModel;
use crate::module::ModuleError;
use crate::panics::{KernelDeadlock, KernelPanic};
use crate::stream::StreamError;
use crate::symbol::SymbolError;

/// `Result` with [`Error`], so that `?` takes every error of warploom.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Any error of warploom's host side. Each kind has its own type as well; they convert with `?`.
///
/// The `Debug` form of all of them is the text that people read, so that `unwrap`, `expect` and a `main` that returns a [`Result`] show it.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A device cannot be opened.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Memory cannot be allocated or copied.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Work on a stream failed; a kernel panicked, for example.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// A kernel cannot be launched.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A graph cannot be made, changed or run.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A static of device code cannot be reached.
    #[error(transparent)]
    Symbol(#[from] SymbolError),
    /// Handles, memory or tensors of other libraries cannot be taken or given.
    #[error(transparent)]
    Interop(#[from] InteropError),
    /// Device code from elsewhere cannot be loaded, linked or used.
    #[error(transparent)]
    Module(#[from] ModuleError),
    /// The device does not do that.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}

macro_rules! debug_is_the_text {
    ($($error:ty),* $(,)?) => {$(
        impl fmt::Debug for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}
debug_is_the_text!(
    Error,
    DeviceError,
    DriverError,
    GraphError,
    InteropError,
    KernelDeadlock,
    KernelPanic,
    LaunchError,
    MemoryError,
    ModuleError,
    StreamError,
    SymbolError,
    Unsupported,
    crate::device::UnknownId,
    crate::module::images::UnknownArch,
    crate::profile::NoTool,
    crate::testing::Failure,
    crate::testing::Mismatch,
);

/// Something that a device does not do; another device may.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{device} does not support {what}: {reason}")]
pub struct Unsupported {
    /// What was asked for.
    pub what: &'static str,
    /// The device's name.
    pub device: String,
    /// Why it does not, and what to do instead.
    pub reason: Cow<'static, str>,
}

/// Why a device cannot be opened.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// `WARPLOOM_DEVICE` has a value that is none of the accepted ones.
    #[error(
        "WARPLOOM_DEVICE is `{value}`, which names no device; use `emulator`, `cuda`, `cuda:N` with N the number of a GPU, its UUID or its place on the PCI bus, or unset it"
    )]
    UnknownChoice {
        /// The variable's value.
        value: String,
    },
    /// `WARPLOOM_EMULATE` has a value that is none of the accepted ones.
    #[error("WARPLOOM_EMULATE: {0}; use one of them, or unset it")]
    UnknownModel(UnknownModel),
    /// No NVIDIA driver is installed, as on most machines without an NVIDIA GPU.
    #[error(
        "found no NVIDIA driver, tried {tried}; install one, or run on the CPU with WARPLOOM_DEVICE=emulator"
    )]
    DriverNotFound {
        /// The names of the library, each with the reason why it could not be loaded.
        tried: String,
    },
    /// The installed driver lacks functions that warploom needs.
    #[error(
        "the NVIDIA driver in {library} lacks {missing}; update the driver, or run on the CPU with WARPLOOM_DEVICE=emulator"
    )]
    DriverTooOld {
        /// The library that was loaded.
        library: String,
        /// The functions that it lacks.
        missing: String,
    },
    /// The driver is installed, but sees no GPU.
    #[error(
        "the NVIDIA driver sees no GPU; check CUDA_VISIBLE_DEVICES, or run on the CPU with WARPLOOM_DEVICE=emulator"
    )]
    NoDevice,
    /// There is no GPU of this number.
    #[error(
        "cannot open cuda:{given}: GPUs are numbered from 0, and the NVIDIA driver sees {count}; use a smaller number, or WARPLOOM_DEVICE=emulator"
    )]
    NoSuchDevice {
        /// The number asked for.
        given: u32,
        /// How many GPUs there are.
        count: u32,
    },
    /// `WARPLOOM_EMULATED_DEVICES` is no number that can be.
    #[error(
        "WARPLOOM_EMULATED_DEVICES is `{value}`, which is not a number from 1 to {most}; use one, or unset it"
    )]
    UnknownCount {
        /// The variable's value.
        value: String,
        /// The most that there can be.
        most: u32,
    },
    /// The emulator has no device of this number.
    #[error(
        "cannot open emulator:{given}: they are numbered from 0, and there are {count}; use a smaller number, or set WARPLOOM_EMULATED_DEVICES"
    )]
    NoSuchEmulated {
        /// The number asked for.
        given: u32,
        /// How many there are.
        count: u32,
    },
    /// No GPU has this UUID or place, or several have.
    #[error("{fits} of the GPUs that the NVIDIA driver sees fits `{wanted}`; there are: {seen}")]
    NoSuchId {
        /// What was asked for.
        wanted: String,
        /// `none` or `several`.
        fits: &'static str,
        /// What there is.
        seen: String,
    },
    /// The machine's administrator lets nobody use this GPU.
    #[error(
        "cannot open cuda:{given}: its compute mode is Prohibited; use another GPU, or let `nvidia-smi -c` change the mode"
    )]
    Prohibited {
        /// The GPU's number.
        given: u32,
    },
    /// Another process has this GPU for itself.
    #[error(
        "cannot open cuda:{given}: its compute mode is {mode}, and somebody else uses it; wait, use another GPU, or let `nvidia-smi -c` change the mode"
    )]
    Busy {
        /// The GPU's number.
        given: u32,
        /// Its mode.
        mode: ComputeMode,
    },
    /// Several GPUs were tried.
    #[error("none of the GPUs can be used: {reasons}")]
    NoneOpens {
        /// Why each cannot.
        reasons: String,
    },
    /// A kernel of this process failed in a way that ends more than its context.
    #[error(
        "cuda:{ordinal} is lost to this process: {source}; the driver gives a process no new context after such a fault of a kernel: start the \
         work again in a new process, and let a child process run kernels that may fault"
    )]
    LostToProcess {
        /// The GPU's number.
        ordinal: u32,
        /// What the driver says to whoever opens the GPU.
        source: DriverError,
    },
    /// The options of a context cannot be changed any more.
    #[error(
        "cannot open cuda:{ordinal} with {}: its context is there already, with {}; open it with these options before anybody else does",
        options_text(*wanted), options_text(*active)
    )]
    ContextActive {
        /// The GPU's number.
        ordinal: u32,
        /// The flags asked for, as the driver numbers them.
        wanted: u32,
        /// Those that the context has.
        active: u32,
    },
    /// There is no context.
    #[error(
        "the context is a null pointer; pass one that `cuCtxCreate` gave, or open the GPU with `Device::cuda`"
    )]
    NullContext,
    /// A value that a limit cannot have.
    #[error("cannot set the {limit} of {device} to {given}: {reason}")]
    Limit {
        /// Which limit.
        limit: ContextLimit,
        /// The value asked for.
        given: usize,
        /// The device's name.
        device: String,
        /// Why not.
        reason: String,
    },
    /// One device cannot reach the other's memory.
    #[error("{device} cannot reach the memory of {peer}: {reason}")]
    Peer {
        /// Whose work would reach out.
        device: String,
        /// Whose memory it would reach.
        peer: String,
        /// Why not, and what works instead.
        reason: String,
    },
    /// A device cannot be reset while somebody has something of it.
    #[error(
        "cannot reset {device}: {others} other things of it are still there; drop its clones, streams, events and buffers first"
    )]
    StillUsed {
        /// The device's name.
        device: String,
        /// How many there are.
        others: usize,
    },
    /// The driver refused to answer, or to do something.
    #[error("cannot {what} of {device}: {source}")]
    Query {
        /// What was wanted.
        what: String,
        /// The device's name.
        device: String,
        /// What the driver answered.
        source: Box<DriverError>,
    },
    /// The driver refused a call.
    #[error("cannot open the GPU: {0}")]
    Driver(#[from] DriverError),
    /// The device does not do that.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
