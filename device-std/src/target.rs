//! Where the code runs: on a device or on the host, and on which architecture.

/// Whether a kernel is running: true on a GPU and on the emulator, false in the host's part of the program.
///
/// In device code a constant, so a branch on it costs nothing. CUDA: `__CUDA_ARCH__` is defined.
///
/// ```
/// assert!(!warploom_device_std::is_device());
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
/// assert_eq!(warploom_device_std::arch(), 0);
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

/// Whether this is device code that runs on the emulator: it then takes the ways of the newest architecture that the emulator models.
#[inline(always)]
pub(crate) fn is_instrumented() -> bool {
    #[cfg(warploom_device)]
    {
        unsafe extern "C" {
            #[link_name = "__warploom.instrumented"]
            safe fn instrumented() -> u32;
        }
        instrumented() != 0
    }
    #[cfg(not(warploom_device))]
    false
}

/// The threads of a block if they are a constant of the code (`#[kernel(block(..))]`), else 0: always 0 on the emulator and on the host.
#[inline(always)]
pub(crate) fn constant_block() -> u32 {
    #[cfg(warploom_device)]
    {
        unsafe extern "C" {
            #[link_name = "__warploom.constant_block"]
            safe fn constant_block() -> u32;
        }
        constant_block()
    }
    #[cfg(not(warploom_device))]
    0
}

/// Which features of its architecture code may use.
///
/// ```
/// use warploom_device_std::{FeatureSet, feature_set};
/// let _set: FeatureSet = feature_set(); // of the code that runs
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FeatureSet {
    /// Those that all newer architectures keep: `sm_90`.
    Base,
    /// Those of exactly this architecture too, as 10 × compute capability: 90 for `sm_90a`, 100 for `sm_100a`.
    Specific(u32),
}

/// The features that this code is compiled for: [`FeatureSet::Specific`] in images that `Arch::exactly` asked for, in those for `sm_90a` that kernels which ask get of themselves, and in
/// those for `sm_100a` of kernels that use [`tcgen05`](crate::tcgen05).
///
/// A constant in each image; `Base` on the emulator and on the host. There are no images for families (`sm_100f`).
/// CUDA: `__CUDA_ARCH_SPECIFIC__`.
///
/// ```
/// use warploom_device_std::{FeatureSet, feature_set};
/// assert_eq!(feature_set(), FeatureSet::Base);
/// ```
#[inline(always)]
#[must_use]
pub fn feature_set() -> FeatureSet {
    #[cfg(warploom_device)]
    {
        unsafe extern "C" {
            #[link_name = "__warploom.arch_specific"]
            safe fn arch_specific() -> u32;
        }
        match arch_specific() {
            0 => FeatureSet::Base,
            arch => FeatureSet::Specific(arch),
        }
    }
    #[cfg(not(warploom_device))]
    FeatureSet::Base
}
