//! Which of the two compilations of the user's crate this is.

/// One crate is compiled twice: as usual, and once more for the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    /// The ordinary compilation; kernels run on the CPU here.
    Host,
    /// The nested compilation whose code is retargeted to the GPU.
    Device,
}

impl Pass {
    /// The pass of the rustc process that runs this macro.
    pub(crate) fn current() -> Self {
        match std::env::var_os("WARPLOOM_DEVICE_PASS") {
            Some(value) if value == "1" => Pass::Device,
            _ => Pass::Host,
        }
    }
}
