//! One error that holds all others.

use crate::cuda::DriverError;
pub use crate::device::DeviceError;
use crate::graph::error::GraphError;
use crate::interop::error::InteropError;
#[cfg(target_os = "linux")]
use crate::interop::external::{ExternalError, Refused};
use crate::interop::graphics::{self, GraphicsError};
use crate::launch::error::LaunchError;
use crate::memory::MemoryError;
use crate::module::error::ModuleError;
use crate::panics::{KernelDeadlock, KernelPanic};
use crate::stream::StreamError;
use crate::symbol::SymbolError;
use crate::tensor::TensorMapError;
use crate::texture::TextureError;
pub use crate::unsupported::Unsupported;

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
    /// Memory or semaphores cannot be shared with another API.
    #[cfg(target_os = "linux")]
    #[error(transparent)]
    External(#[from] ExternalError),
    /// An object of OpenGL cannot be registered or mapped.
    #[error(transparent)]
    Graphics(#[from] GraphicsError),
    /// The map of a tensor cannot be made.
    #[error(transparent)]
    TensorMap(#[from] TensorMapError),
    /// A texture or surface cannot be made.
    #[error(transparent)]
    Texture(#[from] TextureError),
    /// Device code from elsewhere cannot be loaded, linked or used.
    #[error(transparent)]
    Module(#[from] ModuleError),
    /// The device does not do that.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// A library with kernels refuses its arguments, for a reason of its own. Such a library converts its error to this one, so that its calls can stand where
    /// those of this crate can, in [`Graph::capture`](crate::Graph::capture) for example.
    #[error(transparent)]
    Library(std::sync::Arc<dyn std::error::Error + Send + Sync>),
}

#[cfg(target_os = "linux")]
impl<S> From<Refused<S>> for Error {
    fn from(refused: Refused<S>) -> Error {
        refused.error.into()
    }
}

impl<S> From<graphics::Refused<S>> for Error {
    fn from(refused: graphics::Refused<S>) -> Error {
        refused.error.into()
    }
}

macro_rules! debug_is_the_text {
    ($($error:ty),* $(,)?) => {$(
        impl ::std::fmt::Debug for $error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
            }
        }
    )*};
}
debug_is_the_text!(
    Error,
    DeviceError,
    DriverError,
    GraphError,
    GraphicsError,
    InteropError,
    KernelDeadlock,
    KernelPanic,
    LaunchError,
    MemoryError,
    ModuleError,
    StreamError,
    SymbolError,
    TensorMapError,
    TextureError,
    Unsupported,
    crate::device::UnknownId,
    crate::module::images::UnknownArch,
);
#[cfg(target_os = "linux")]
debug_is_the_text!(ExternalError);
pub(crate) use debug_is_the_text;

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
