//! The driver's types, structures and constants, under the driver's own names.
//!
//! Must not know: how functions are found and called ([`driver`](super::driver)), what they are used for.

#![allow(non_camel_case_types, reason = "names are the driver's own")]

use std::ffi::{c_int, c_uint, c_void};

pub(crate) mod external; // memory and semaphores that other APIs share
pub(crate) mod graphics; // resources that graphics interfaces share
pub(crate) mod graphs; // nodes of graphs
pub(crate) mod memory; // kinds of memory, copies, pools
pub(crate) mod modules; // compiling, linking, functions' attributes
mod streams; // streams, events, callbacks
pub(crate) mod textures; // what textures and surfaces are made of

pub(crate) use streams::*;

pub(crate) type CUresult = c_int;
pub(crate) type CUdevice = c_int;
pub(crate) type CUdeviceptr = u64;

macro_rules! handles {
    ($($name:ident)*) => { $(
        #[repr(transparent)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $name(pub(crate) *mut c_void);

        impl $name {
            pub(crate) const NULL: $name = $name(std::ptr::null_mut());
        }

        // SAFETY: a handle is a number to us; the driver lets every thread use it.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}
    )* };
}

use handles;
handles! { CUcontext CUmodule CUfunction CUlinkState CUstream CUevent CUgraph CUgraphNode CUgraphExec }

pub(crate) const CUDA_ERROR_INVALID_VALUE: CUresult = 1;
pub(crate) const CUDA_ERROR_OUT_OF_MEMORY: CUresult = 2;
pub(crate) const CUDA_ERROR_DEVICE_UNAVAILABLE: CUresult = 46;
pub(crate) const CUDA_ERROR_NO_DEVICE: CUresult = 100;
pub(crate) const CUDA_ERROR_INVALID_DEVICE: CUresult = 101;
pub(crate) const CUDA_ERROR_INVALID_CONTEXT: CUresult = 201;
pub(crate) const CUDA_ERROR_NOT_FOUND: CUresult = 500;
pub(crate) const CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED: CUresult = 704;
pub(crate) const CUDA_ERROR_PEER_ACCESS_NOT_ENABLED: CUresult = 705;
pub(crate) const CUDA_ERROR_NOT_SUPPORTED: CUresult = 801;

pub(crate) const CU_LIMIT_MALLOC_HEAP_SIZE: c_int = 2;
pub(crate) const CU_STREAM_NON_BLOCKING: c_uint = 1;
pub(crate) const CU_STREAM_PER_THREAD: usize = 2;
pub(crate) const CU_POINTER_ATTRIBUTE_DEVICE_POINTER: c_int = 3;
pub(crate) const CU_EVENT_DISABLE_TIMING: c_uint = 2;
pub(crate) const CU_MEMHOSTALLOC_PORTABLE: c_uint = 1;
pub(crate) const CU_MEMHOSTALLOC_DEVICEMAP: c_uint = 2;
pub(crate) const CU_MEM_ATTACH_GLOBAL: c_uint = 1;

pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: c_int = 1;
pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM: [c_int; 3] = [2, 3, 4];
pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM: [c_int; 3] = [5, 6, 7];
pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: c_int = 8;
pub(crate) const CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY: c_int = 9;
pub(crate) const CU_DEVICE_ATTRIBUTE_WARP_SIZE: c_int = 10;
pub(crate) const CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: c_int = 16;
pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: c_int = 39;
pub(crate) const CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY: [c_int; 2] = [75, 76];
pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: c_int = 81;
pub(crate) const CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS: c_int = 89;
pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: c_int = 97;
pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: c_int = 106;
pub(crate) const CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK: c_int = 111;

pub(crate) const CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: c_int = 0;
pub(crate) const CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: c_int = 1;
pub(crate) const CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: c_int = 2;
pub(crate) const CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: c_int = 3;
pub(crate) const CU_FUNC_ATTRIBUTE_NUM_REGS: c_int = 4;
pub(crate) const CU_FUNC_ATTRIBUTE_PTX_VERSION: c_int = 5;
pub(crate) const CU_FUNC_ATTRIBUTE_BINARY_VERSION: c_int = 6;
pub(crate) const CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: c_int = 8;
pub(crate) const CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: c_int = 14;

pub(crate) const CU_LAUNCH_ATTRIBUTE_COOPERATIVE: c_int = 2;
pub(crate) const CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: c_int = 4;
pub(crate) const CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION: c_int = 6;

/// What `cuLaunchKernelEx` is told of a launch.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct CUlaunchConfig {
    pub(crate) grid: [c_uint; 3],
    pub(crate) block: [c_uint; 3],
    pub(crate) shared_bytes: c_uint,
    pub(crate) stream: CUstream,
    pub(crate) attributes: *const CUlaunchAttribute,
    pub(crate) n_attributes: c_uint,
}

/// One fact about a launch; the value is a union of 64 bytes, of which ours fill at most twelve.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct CUlaunchAttribute {
    pub(crate) id: c_int,
    pad: c_int,
    value: [c_uint; 16],
}

impl CUlaunchAttribute {
    /// A value whose first words are these.
    pub(crate) fn new<const N: usize>(id: c_int, words: [c_uint; N]) -> CUlaunchAttribute {
        let mut value = [0; 16];
        for (to, from) in value.iter_mut().zip(words) {
            *to = from;
        }
        CUlaunchAttribute { id, pad: 0, value }
    }
}

// Sizes of the driver's structures on 64-bit machines.
const _: () = assert!(size_of::<CUlaunchAttribute>() == 72 && size_of::<CUlaunchConfig>() == 56);
