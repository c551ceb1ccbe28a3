//! Structures of graphs and their nodes.

use super::*;

/// `CUDA_KERNEL_NODE_PARAMS`, the first version.
#[repr(C)]
pub(crate) struct KernelNodeParams {
    pub(crate) function: CUfunction,
    pub(crate) grid: [c_uint; 3],
    pub(crate) block: [c_uint; 3],
    pub(crate) shared_bytes: c_uint,
    pub(crate) params: *mut *mut c_void,
    pub(crate) extra: *mut *mut c_void,
}

/// `CUDA_MEMSET_NODE_PARAMS`, the first version.
#[repr(C)]
pub(crate) struct MemsetNodeParams {
    pub(crate) to: CUdeviceptr,
    pub(crate) pitch: usize,
    pub(crate) value: c_uint,
    pub(crate) element_bytes: c_uint,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

const _: () = assert!(size_of::<KernelNodeParams>() == 56 && size_of::<MemsetNodeParams>() == 40);
