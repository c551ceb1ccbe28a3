//! Functions for kinds of memory, copies and pools.

use super::super::sys::external::*;
use super::super::sys::graphics::*;
use super::super::sys::memory::*;
use super::super::sys::textures::*;
use super::*;

later! {
    memory {
        since "4.0": fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
        since "4.0": fn cuPointerGetAttribute(value: *mut c_void, attribute: c_int, address: CUdeviceptr);
        since "4.0": fn cuMemAllocPitch_v2(address: *mut CUdeviceptr, pitch: *mut usize, width: usize, height: usize, access: c_uint);
        since "4.0": fn cuMemGetAddressRange_v2(start: *mut CUdeviceptr, bytes: *mut usize, address: CUdeviceptr);
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
        since "5.0": fn cuMipmappedArrayCreate(array: *mut CUmipmappedArray, described: *const CUDA_ARRAY3D_DESCRIPTOR, n_levels: c_uint);
        since "5.0": fn cuMipmappedArrayGetLevel(level: *mut CUarray, array: CUmipmappedArray, number: c_uint);
        since "5.0": fn cuMipmappedArrayDestroy(array: CUmipmappedArray);
        since "5.0": fn cuTexObjectCreate(texture: *mut CUtexObject, resource: *const CUDA_RESOURCE_DESC, described: *const CUDA_TEXTURE_DESC, view: *const CUDA_RESOURCE_VIEW_DESC);
        since "5.0": fn cuTexObjectDestroy(texture: CUtexObject);
        since "5.0": fn cuSurfObjectCreate(surface: *mut CUsurfObject, resource: *const CUDA_RESOURCE_DESC);
        since "5.0": fn cuSurfObjectDestroy(surface: CUsurfObject);
        since "11.1": fn cuDeviceGetTexture1DLinearMaxWidth(width: *mut usize, format: c_int, channels: c_uint, device: CUdevice);
        since "8.0": fn cuMemAdvise(start: CUdeviceptr, bytes: usize, advice: c_int, device: CUdevice);
        since "8.0": fn cuMemPrefetchAsync(start: CUdeviceptr, bytes: usize, to: CUdevice, stream: CUstream);
        since "8.0": fn cuMemRangeGetAttribute(value: *mut c_void, size: usize, attribute: c_int, start: CUdeviceptr, bytes: usize);
        since "10.0": fn cuImportExternalMemory(memory: *mut CUexternalMemory, described: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC);
        since "10.0": fn cuExternalMemoryGetMappedBuffer(address: *mut CUdeviceptr, memory: CUexternalMemory, described: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC);
        since "10.0": fn cuExternalMemoryGetMappedMipmappedArray(array: *mut CUmipmappedArray, memory: CUexternalMemory, described: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC);
        since "3.0": fn cuGraphicsGLRegisterBuffer(resource: *mut CUgraphicsResource, buffer: c_uint, flags: c_uint);
        since "3.0": fn cuGraphicsGLRegisterImage(resource: *mut CUgraphicsResource, image: c_uint, target: c_uint, flags: c_uint);
        since "3.0": fn cuGraphicsUnregisterResource(resource: CUgraphicsResource);
        since "3.0": fn cuGraphicsMapResources(count: c_uint, resources: *mut CUgraphicsResource, stream: CUstream);
        since "3.0": fn cuGraphicsUnmapResources(count: c_uint, resources: *mut CUgraphicsResource, stream: CUstream);
        since "3.2": fn cuGraphicsResourceGetMappedPointer_v2(address: *mut CUdeviceptr, bytes: *mut usize, resource: CUgraphicsResource);
        since "3.0": fn cuGraphicsSubResourceGetMappedArray(array: *mut CUarray, resource: CUgraphicsResource, index: c_uint, level: c_uint);
        since "6.5": fn cuGLGetDevices_v2(count: *mut c_uint, devices: *mut CUdevice, most: c_uint, list: c_uint);
        since "10.0": fn cuDestroyExternalMemory(memory: CUexternalMemory);
        since "10.2": fn cuMemGetAllocationGranularity(bytes: *mut usize, described: *const CUmemAllocationProp, option: c_int);
        since "10.2": fn cuMemCreate(memory: *mut CUmemGenericAllocationHandle, bytes: usize, described: *const CUmemAllocationProp, flags: u64);
        since "10.2": fn cuMemRelease(memory: CUmemGenericAllocationHandle);
        since "10.2": fn cuMemAddressReserve(address: *mut CUdeviceptr, bytes: usize, align: usize, wanted: CUdeviceptr, flags: u64);
        since "10.2": fn cuMemAddressFree(address: CUdeviceptr, bytes: usize);
        since "10.2": fn cuMemMap(address: CUdeviceptr, bytes: usize, offset: usize, memory: CUmemGenericAllocationHandle, flags: u64);
        since "10.2": fn cuMemUnmap(address: CUdeviceptr, bytes: usize);
        since "10.2": fn cuMemSetAccess(address: CUdeviceptr, bytes: usize, access: *const CUmemAccessDesc, count: usize);
        since "10.2": fn cuMemExportToShareableHandle(handle: *mut c_void, memory: CUmemGenericAllocationHandle, kind: c_int, flags: u64);
        since "12.0": fn cuTensorMapEncodeTiled(
            map: *mut CUtensorMap, element: c_int, rank: c_uint, base: *mut c_void, extents: *const u64, strides: *const u64,
            block: *const c_uint, steps: *const c_uint, interleave: c_int, swizzle: c_int, promotion: c_int, fill: c_int,
        );
    }
    unbound {
        since "4.0": fn cuMemcpy2DAsync_v2(copy: *const CUDA_MEMCPY2D, stream: CUstream);
        since "4.0": fn cuMemcpy3DAsync_v2(copy: *const CUDA_MEMCPY3D, stream: CUstream);
        since "11.2": fn cuMemAllocFromPoolAsync(address: *mut CUdeviceptr, bytes: usize, pool: CUmemoryPool, stream: CUstream);
        since "11.2": fn cuMemFreeAsync(address: CUdeviceptr, stream: CUstream);
    }
}
