//! Where the code runs: on a device or on the host, and on which architecture.

/// Whether a kernel is running: true on a GPU and on the emulator, false in the host's part of the program.
///
/// In device code a constant, so a branch on it costs nothing. CUDA: `__CUDA_ARCH__` is defined.
///
/// ```
/// assert!(!warploom_device::is_device());
/// ```
#[inline(always)]
#[must_use]
pub fn is_device() -> bool {
    #[cfg(warploom_device)]
    return true;
    #[cfg(not(warploom_device))]
    warploom_emulator::intrinsics::is_running()
}

/// The architecture that this code is compiled for, as 10 × compute capability (75, 80, 90 …); 0 on the emulator and on the host.
///
/// A constant in each image. Code behind `if arch() >= 90` is left out of images for older architectures and does not make a kernel
/// need a newer one. The GPU may be newer than the image. CUDA: `__CUDA_ARCH__ / 10`.
///
/// ```
/// assert_eq!(warploom_device::arch(), 0);
/// ```
#[inline(always)]
#[must_use]
pub fn arch() -> u32 {
    #[cfg(warploom_device)]
    {
        unsafe extern "C" {
            #[link_name = "__warploom.arch"]
            safe fn arch() -> u32;
        }
        arch()
    }
    #[cfg(not(warploom_device))]
    0
}
