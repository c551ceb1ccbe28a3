//! What can go wrong between OpenGL and kernels.

use std::sync::Arc;

use warploom::interop::graphics::GraphicsError;

/// Why OpenGL cannot be opened, or an object not be made, mapped or unmapped.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum OpenGlError {
    /// There is no EGL.
    #[error("EGL, libEGL.so.1, cannot be opened: {reason}; install it (Debian: libegl1)")]
    LoaderNotFound {
        /// The system's answer.
        reason: String,
    },
    /// EGL lacks something that contexts without windows need.
    #[error(
        "EGL has no {lacking}; install a newer driver, or Mesa 22 or later (Debian: libegl-mesa0)"
    )]
    TooOld {
        /// Function or extension.
        lacking: String,
    },
    /// No device of EGL does what is needed.
    #[error(
        "no EGL device gives OpenGL 4.5 {wanted}; found: {found}. A driver must be installed, and __EGL_VENDOR_LIBRARY_FILENAMES, if it is set, must name it; \
         `OpenGlOptions::allow_copies` takes a device that the kernels' GPU shares nothing with"
    )]
    NoDevice {
        /// What for.
        wanted: String,
        /// All devices that EGL has, each with the reason.
        found: String,
    },
    /// The context cannot be made current on this thread.
    #[error(
        "the context cannot be made current on this thread ({reason}); release another window system's context first"
    )]
    NotCurrent {
        /// EGL's answer.
        reason: String,
    },
    /// A buffer that OpenGL does not take.
    #[error("a buffer of {len} elements of {size} bytes cannot be made; share 1 to {limit} bytes")]
    BufferSize {
        /// Elements.
        len: usize,
        /// Bytes of one of them.
        size: usize,
        /// The most bytes that a buffer can have here.
        limit: usize,
    },
    /// An image that OpenGL does not have.
    #[error(
        "an image of {extent:?} texels of {element} cannot be made; it has 1 to {limit} along each side, and 1, 2 or 4 channels"
    )]
    Image {
        /// Width, height and depth.
        extent: [usize; 3],
        /// The element type.
        element: &'static str,
        /// The longest side.
        limit: usize,
    },
    /// A call of OpenGL failed.
    #[error("{call} failed: {code}")]
    Call {
        /// The function.
        call: &'static str,
        /// What `glGetError` says.
        code: String,
    },
    /// The kernels' side refused.
    #[error(transparent)]
    Graphics(#[from] GraphicsError),
}

/// The text that people read, so that `unwrap` and a `main` that returns it show that.
impl std::fmt::Debug for OpenGlError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl From<OpenGlError> for warploom::Error {
    fn from(error: OpenGlError) -> warploom::Error {
        match error {
            OpenGlError::Graphics(error) => error.into(),
            other => warploom::Error::Library(Arc::new(other)),
        }
    }
}
