//! What can go wrong with a device itself.

use warploom_emulator::UnknownModel;

use super::limit::ContextLimit;
use super::options::text_of;
use super::properties::ComputeMode;
use crate::cuda::{DriverError, OpenError};
use crate::unsupported::Unsupported;

impl From<OpenError> for DeviceError {
    fn from(error: OpenError) -> DeviceError {
        match error {
            OpenError::DriverNotFound { tried } => DeviceError::DriverNotFound { tried },
            OpenError::DriverTooOld { library, missing } => {
                DeviceError::DriverTooOld { library, missing }
            }
            OpenError::NoDevice => DeviceError::NoDevice,
            OpenError::NoSuchDevice { given, count } => DeviceError::NoSuchDevice { given, count },
            OpenError::ContextActive {
                ordinal,
                wanted,
                active,
            } => DeviceError::ContextActive {
                ordinal,
                wanted,
                active,
            },
            OpenError::Driver(error) => DeviceError::Driver(error),
        }
    }
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
    /// The machine's administrator lets no process use this GPU.
    #[error(
        "cannot open cuda:{given}: its compute mode is Prohibited; use another GPU, or let `nvidia-smi -c` change the mode"
    )]
    Prohibited {
        /// The GPU's number.
        given: u32,
    },
    /// Another process has this GPU for itself.
    #[error(
        "cannot open cuda:{given}: its compute mode is {mode}, and another process uses it; wait, use another GPU, or let `nvidia-smi -c` change the mode"
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
        /// What the driver answers to opening the GPU.
        source: DriverError,
    },
    /// The options of a context cannot be changed any more.
    #[error(
        "cannot open cuda:{ordinal} with {}: its context is there already, with {}; open it with these options before any other code does",
        text_of(*wanted), text_of(*active)
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
        /// The device whose work would reach out.
        device: String,
        /// The device whose memory it would reach.
        peer: String,
        /// Why not, and what works instead.
        reason: String,
    },
    /// A device cannot be reset while objects of it exist.
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
