//! Functions for kinds of memory, copies and pools.

use super::*;

later! {
    memory {
        since "4.0": fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
        since "4.0": fn cuMemsetD16Async(to: CUdeviceptr, value: u16, count: usize, stream: CUstream);
        since "4.0": fn cuMemsetD32Async(to: CUdeviceptr, value: c_uint, count: usize, stream: CUstream);
        since "4.0": fn cuMemsetD2D8Async(to: CUdeviceptr, pitch: usize, value: u8, width: usize, height: usize, stream: CUstream);
        since "4.0": fn cuMemsetD2D16Async(to: CUdeviceptr, pitch: usize, value: u16, width: usize, height: usize, stream: CUstream);
        since "4.0": fn cuMemsetD2D32Async(to: CUdeviceptr, pitch: usize, value: c_uint, width: usize, height: usize, stream: CUstream);
        since "8.0": fn cuMemAdvise(start: CUdeviceptr, bytes: usize, advice: c_int, device: CUdevice);
        since "8.0": fn cuMemPrefetchAsync(start: CUdeviceptr, bytes: usize, to: CUdevice, stream: CUstream);
        since "8.0": fn cuMemRangeGetAttribute(value: *mut c_void, size: usize, attribute: c_int, start: CUdeviceptr, bytes: usize);
    }
}

pub(crate) const CU_MEMHOSTALLOC_WRITECOMBINED: c_uint = 4;

pub(crate) const CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY: c_int = 19;
pub(crate) const CU_MEM_ATTACH_HOST: c_uint = 2;
pub(crate) const CU_DEVICE_CPU: CUdevice = -1;
pub(crate) const CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY: c_int = 1;
pub(crate) const CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION: c_int = 2;
