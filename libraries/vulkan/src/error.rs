//! What can go wrong between Vulkan and kernels.

use std::sync::Arc;

use ash::vk;
use warploom::interop::external::ExternalError;

/// Why Vulkan cannot be opened, or a resource not be shared or handed over.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum VulkanError {
    /// There is no loader of Vulkan.
    #[error(
        "the Vulkan loader, libvulkan.so.1, cannot be opened: {reason}; install it (Debian: libvulkan1)"
    )]
    LoaderNotFound {
        /// The system's answer.
        reason: String,
    },
    /// No device of Vulkan does what is needed, or none is the GPU.
    #[error(
        "no Vulkan device can share memory with {device}; found: {found}. A driver of Vulkan for it must be installed, and VK_DRIVER_FILES, if it is set, must name it"
    )]
    NoDevice {
        /// The device of the kernels.
        device: String,
        /// All devices that Vulkan has, each with the reason.
        found: String,
    },
    /// The validation layer was asked for and is not installed.
    #[error(
        "the layer VK_LAYER_KHRONOS_validation is not installed; install it (Debian: vulkan-validationlayers), or set VK_LAYER_PATH, or leave `VulkanOptions::validation` out"
    )]
    NoValidation,
    /// No memory of the device has what a shared resource needs.
    #[error(
        "no memory type of the device is {wanted} among those of the resource ({types:#x}); use other usage flags"
    )]
    NoMemoryType {
        /// What it should be.
        wanted: &'static str,
        /// A bit for each memory type that the resource may be in.
        types: u32,
    },
    /// A usage that needs more of Vulkan than [`Vulkan`](crate::Vulkan) enables, or none.
    #[error("a shared resource cannot have the usage {given:#x}; use some of {known:#x}")]
    Usage {
        /// The flags given.
        given: u32,
        /// All flags that there may be.
        known: u32,
    },
    /// The device has no such buffers.
    #[error("a buffer of {given} bytes is more than the device has: {limit}; share several")]
    BufferTooLarge {
        /// Its size.
        given: u64,
        /// The device's limit.
        limit: u64,
    },
    /// Vulkan needs more memory for a buffer than CUDA exports for its elements.
    #[error(
        "Vulkan needs {needed} bytes for the buffer, and CUDA exports {given} for its elements; make it with `shared_buffer`"
    )]
    MemoryTooSmall {
        /// Bytes that Vulkan asks for.
        needed: u64,
        /// Bytes that CUDA gave.
        given: u64,
    },
    /// The device has no such images to share.
    #[error(
        "the device shares no image of {width} x {height} texels of {element} with this usage ({result}; at most {limit:?}); use another size, element or usage"
    )]
    Image {
        /// The width in texels.
        width: u32,
        /// The height in texels.
        height: u32,
        /// The element type.
        element: &'static str,
        /// The longest sides of images of this kind; zeros if there are none.
        limit: [u32; 2],
        /// The device's answer.
        result: vk::Result,
    },
    /// An image whose rows have gaps, on the emulator, whose arrays have none.
    #[error(
        "the rows of an image of width {width} are {pitch} bytes apart instead of {row_bytes}, from byte {offset} on; on the emulator choose a width whose rows are a multiple of 64 bytes"
    )]
    RowsHaveGaps {
        /// The width in texels.
        width: u32,
        /// Bytes from one row to the next.
        pitch: u64,
        /// Bytes of a row.
        row_bytes: u64,
        /// Where the first row starts.
        offset: u64,
    },
    /// Vulkan was given the resource, and the work that signals its return was not submitted.
    #[error(
        "Vulkan has the resource, and no submission returns it; call `Vulkan::submit` with it before `acquire`"
    )]
    NotSubmitted,
    /// Work on the resource was submitted in this turn.
    #[error(
        "work of Vulkan on the resource was submitted already; acquire and release it before the next submission, or submit both at once"
    )]
    AlreadySubmitted,
    /// The resource was made by another [`Vulkan`](crate::Vulkan).
    #[error("the resource belongs to another Vulkan device; submit it to the one that made it")]
    OtherDevice,
    /// Vulkan did not finish in time.
    #[error(
        "Vulkan's work on the resource is not done after {seconds} seconds; look for a wait in it that nothing signals"
    )]
    TimeOut {
        /// How long was waited.
        seconds: u64,
    },
    /// A call of Vulkan failed.
    #[error("{call} failed: {result}")]
    Call {
        /// The function.
        call: &'static str,
        /// Its answer.
        result: vk::Result,
    },
    /// The kernels' side refused.
    #[error(transparent)]
    External(#[from] ExternalError),
}

impl VulkanError {
    /// A failed call, by its name.
    pub(crate) fn of(call: &'static str) -> impl Fn(vk::Result) -> VulkanError {
        move |result| VulkanError::Call { call, result }
    }
}

/// The text that people read, so that `unwrap` and a `main` that returns it show that.
impl std::fmt::Debug for VulkanError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl From<VulkanError> for warploom::Error {
    fn from(error: VulkanError) -> warploom::Error {
        match error {
            VulkanError::External(error) => error.into(),
            other => warploom::Error::Library(Arc::new(other)),
        }
    }
}
