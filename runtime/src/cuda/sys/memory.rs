//! Functions for kinds of memory, copies and pools.

use super::*;

handles! { CUmemoryPool CUarray }

later! {
    memory {
        since "4.0": fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
        since "4.0": fn cuPointerGetAttribute(value: *mut c_void, attribute: c_int, address: CUdeviceptr);
        since "4.0": fn cuMemAllocPitch_v2(address: *mut CUdeviceptr, pitch: *mut usize, width: usize, height: usize, access: c_uint);
        since "4.0": fn cuMemGetAddressRange_v2(start: *mut CUdeviceptr, bytes: *mut usize, address: CUdeviceptr);
        since "4.0": fn cuMemcpy2DAsync_v2(copy: *const CUDA_MEMCPY2D, stream: CUstream);
        since "4.0": fn cuMemcpy3DAsync_v2(copy: *const CUDA_MEMCPY3D, stream: CUstream);
        since "4.0": fn cuMemHostUnregister(start: *mut c_void);
        since "6.5": fn cuMemHostRegister_v2(start: *mut c_void, bytes: usize, flags: c_uint);
        since "11.2": fn cuDeviceGetDefaultMemPool(pool: *mut CUmemoryPool, device: CUdevice);
        since "11.2": fn cuMemPoolCreate(pool: *mut CUmemoryPool, properties: *const CUmemPoolProps);
        since "11.2": fn cuMemPoolDestroy(pool: CUmemoryPool);
        since "11.2": fn cuMemPoolTrimTo(pool: CUmemoryPool, keep: usize);
        since "11.2": fn cuMemPoolGetAttribute(pool: CUmemoryPool, attribute: c_int, value: *mut c_void);
        since "11.2": fn cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: c_int, value: *mut c_void);
        since "4.0": fn cuMemsetD16Async(to: CUdeviceptr, value: u16, count: usize, stream: CUstream);
        since "4.0": fn cuMemsetD32Async(to: CUdeviceptr, value: c_uint, count: usize, stream: CUstream);
        since "4.0": fn cuMemsetD2D8Async(to: CUdeviceptr, pitch: usize, value: u8, width: usize, height: usize, stream: CUstream);
        since "4.0": fn cuMemsetD2D16Async(to: CUdeviceptr, pitch: usize, value: u16, width: usize, height: usize, stream: CUstream);
        since "4.0": fn cuMemsetD2D32Async(to: CUdeviceptr, pitch: usize, value: c_uint, width: usize, height: usize, stream: CUstream);
        since "4.0": fn cuArray3DCreate_v2(array: *mut CUarray, described: *const CUDA_ARRAY3D_DESCRIPTOR);
        since "4.0": fn cuArrayDestroy(array: CUarray);
        since "8.0": fn cuMemAdvise(start: CUdeviceptr, bytes: usize, advice: c_int, device: CUdevice);
        since "8.0": fn cuMemPrefetchAsync(start: CUdeviceptr, bytes: usize, to: CUdevice, stream: CUstream);
        since "8.0": fn cuMemRangeGetAttribute(value: *mut c_void, size: usize, attribute: c_int, start: CUdeviceptr, bytes: usize);
    }
    quick {
        since "11.2": fn cuMemAllocFromPoolAsync(address: *mut CUdeviceptr, bytes: usize, pool: CUmemoryPool, stream: CUstream);
        since "11.2": fn cuMemFreeAsync(address: CUdeviceptr, stream: CUstream);
    }
}

pub(crate) const CU_MEMHOSTALLOC_WRITECOMBINED: c_uint = 4;

pub(crate) const CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY: c_int = 19;
pub(crate) const CU_MEMHOSTREGISTER_PORTABLE: c_uint = 1;
pub(crate) const CU_MEMHOSTREGISTER_DEVICEMAP: c_uint = 2;
pub(crate) const CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED: c_int = 99;
pub(crate) const CU_MEM_ATTACH_HOST: c_uint = 2;
pub(crate) const CU_DEVICE_CPU: CUdevice = -1;
pub(crate) const CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY: c_int = 1;
pub(crate) const CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION: c_int = 2;

pub(crate) const CU_MEMORYTYPE_HOST: c_uint = 1;
pub(crate) const CU_MEMORYTYPE_DEVICE: c_uint = 2;
pub(crate) const CU_MEMORYTYPE_ARRAY: c_uint = 3;
pub(crate) const CU_MEMORYTYPE_UNIFIED: c_uint = 4;

pub(crate) const CUDA_ARRAY3D_LAYERED: c_uint = 1;

pub(crate) const CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: c_int = 115;
const CU_MEM_ALLOCATION_TYPE_PINNED: c_int = 1;
const CU_MEM_LOCATION_TYPE_DEVICE: c_int = 1;

/// What kind of pool `cuMemPoolCreate` makes. `max_bytes` is read since CUDA 12.2, and was reserved before.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct CUmemPoolProps {
    allocation_type: c_int,
    handle_types: c_int,
    location_type: c_int,
    location: c_int,
    security: *mut c_void,
    max_bytes: usize,
    reserved: [u64; 7],
}

impl CUmemPoolProps {
    /// Memory of a GPU, for this process alone.
    pub(crate) fn on_device(device: CUdevice, max_bytes: usize) -> CUmemPoolProps {
        CUmemPoolProps {
            allocation_type: CU_MEM_ALLOCATION_TYPE_PINNED,
            handle_types: 0,
            location_type: CU_MEM_LOCATION_TYPE_DEVICE,
            location: device,
            security: std::ptr::null_mut(),
            max_bytes,
            reserved: [0; 7],
        }
    }
}

const _: () = assert!(size_of::<CUmemPoolProps>() == 88);

/// One side of [`CUDA_MEMCPY2D`]. Which of the three places counts, `kind` says.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Side2D {
    pub(crate) x_bytes: usize,
    pub(crate) y: usize,
    pub(crate) kind: c_uint,
    pub(crate) host: *mut c_void,
    pub(crate) device: CUdeviceptr,
    pub(crate) array: *mut c_void,
    pub(crate) pitch: usize,
}

/// A copy of a rectangle; the driver's name for it has the suffix `_v2`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct CUDA_MEMCPY2D {
    pub(crate) from: Side2D,
    pub(crate) to: Side2D,
    pub(crate) width_bytes: usize,
    pub(crate) height: usize,
}

/// One side of [`CUDA_MEMCPY3D`].
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Side3D {
    pub(crate) x_bytes: usize,
    pub(crate) y: usize,
    pub(crate) z: usize,
    pub(crate) level: usize,
    pub(crate) kind: c_uint,
    pub(crate) host: *mut c_void,
    pub(crate) device: CUdeviceptr,
    pub(crate) array: *mut c_void,
    pub(crate) reserved: *mut c_void,
    pub(crate) pitch: usize,
    pub(crate) rows: usize,
}

/// A copy of a box; the driver's name for it has the suffix `_v2`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct CUDA_MEMCPY3D {
    pub(crate) from: Side3D,
    pub(crate) to: Side3D,
    pub(crate) width_bytes: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// An array; the driver's name for it has the suffix `_v2`. A height or depth of 0 is a dimension less.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct CUDA_ARRAY3D_DESCRIPTOR {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Layers, where `flags` say so.
    pub(crate) depth: usize,
    pub(crate) format: c_int,
    pub(crate) channels: c_uint,
    pub(crate) flags: c_uint,
}

// Sizes of the driver's structures on 64-bit machines.
const _: () = assert!(
    size_of::<CUDA_MEMCPY2D>() == 128
        && size_of::<CUDA_MEMCPY3D>() == 200
        && size_of::<CUDA_ARRAY3D_DESCRIPTOR>() == 40
);
