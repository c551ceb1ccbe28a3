//! One error for those who do not care which, and what can go wrong with a device itself.

use std::borrow::Cow;

use crate::cuda::DriverError;
use crate::graph::GraphError;
use crate::launch::LaunchError;
use crate::memory::MemoryError;
use crate::model::UnknownModel;
use crate::stream::StreamError;
use crate::symbol::SymbolError;

/// `Result` with [`Error`], so that `?` takes every error of warploom.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Any error of warploom's host side. Each kind has its own type as well; they convert with `?`.
#[derive(Debug, Clone, thiserror::Error)]
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
    /// The device does not do that.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}

/// Something that a device does not do; another device may.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
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
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// `WARPLOOM_DEVICE` has a value that is none of the accepted ones.
    #[error(
        "WARPLOOM_DEVICE is `{value}`, which names no device; use `emulator`, `cuda` or `cuda:N` with N the number of a GPU, or unset it"
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
