//! Structures and constants of memory, copies and pools.

use super::*;

handles! { CUmemoryPool CUarray CUmipmappedArray }

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
pub(crate) const CUDA_ARRAY3D_SURFACE_LDST: c_uint = 2;
pub(crate) const CUDA_ARRAY3D_CUBEMAP: c_uint = 4;
pub(crate) const CUDA_ARRAY3D_TEXTURE_GATHER: c_uint = 8;

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

/// The map of a tensor, which the driver writes and only devices read.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub(crate) struct CUtensorMap(pub(crate) [u64; 16]);

const _: () = assert!(size_of::<CUtensorMap>() == 128 && align_of::<CUtensorMap>() == 64);
