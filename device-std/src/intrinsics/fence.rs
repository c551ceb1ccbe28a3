//! The order in which others see a thread's accesses.

use super::Intrinsic;

intrinsics! {
    /// Orders this thread's accesses before the fence and those after it, as seen by its block.
    /// CUDA `__threadfence_block` · PTX `fence.sc.cta`, 6.0 · sm_70.
    scalar fn fence_block() = "fence.cta";
    /// Orders this thread's accesses before the fence and those after it, as seen by the device.
    /// CUDA `__threadfence` · PTX `fence.sc.gpu`, 6.0 · sm_70.
    scalar fn fence_device() = "fence.gpu";
    /// Orders this thread's accesses before the fence and those after it, as seen by the device, its peers and the host.
    /// CUDA `__threadfence_system` · PTX `fence.sc.sys`, 6.0 · sm_70.
    scalar fn fence_system() = "fence.sys";
}
