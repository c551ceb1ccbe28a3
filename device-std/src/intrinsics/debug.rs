//! The end of a kernel that cannot go on.

/// Ends the kernel with an error that costs the host its context. A panic is almost always better. CUDA `__trap` · PTX `trap`.
#[inline(always)]
pub fn trap() -> ! {
    #[cfg(warploom_device)]
    {
        unsafe extern "C" {
            #[link_name = "__warploom.trap"]
            fn device() -> !;
        }
        // SAFETY: takes nothing, never returns.
        unsafe { device() }
    }
    #[cfg(not(warploom_device))]
    warploom_emulator::intrinsics::trap()
}

/// For instrumented code on the emulator.
#[cfg(not(warploom_device))]
pub(crate) const SHIMS: &[super::Shim] = &[{
    extern "C-unwind" fn shim() -> ! {
        trap()
    }
    super::Shim {
        symbol: "__warploom.trap",
        address: shim as *const (),
    }
}];
