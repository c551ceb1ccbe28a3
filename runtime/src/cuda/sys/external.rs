//! Structures and constants of memory and semaphores that other APIs share, and of memory that is mapped by hand.

use super::memory::CUDA_ARRAY3D_DESCRIPTOR;
use super::*;

handles! { CUexternalMemory CUexternalSemaphore }

/// An allocation of `cuMemCreate`.
pub(crate) type CUmemGenericAllocationHandle = u64;

pub(crate) const CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD: c_uint = 1;
pub(crate) const CUDA_EXTERNAL_MEMORY_DEDICATED: c_uint = 1;
pub(crate) const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD: c_uint = 1;
pub(crate) const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD: c_uint = 9;

pub(crate) const CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR: c_int = 1;
const CU_MEM_ALLOCATION_TYPE_PINNED: c_int = 1;
const CU_MEM_LOCATION_TYPE_DEVICE: c_int = 1;
const CU_MEM_ACCESS_FLAGS_PROT_READWRITE: c_int = 3;

/// Memory to import. Of the union of handles, a file descriptor alone is used.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
    kind: c_uint,
    handle: FileDescriptor,
    bytes: u64,
    flags: c_uint,
    reserved: [c_uint; 16],
}

/// A semaphore to import.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
    kind: c_uint,
    handle: FileDescriptor,
    flags: c_uint,
    reserved: [c_uint; 16],
}

/// The union of handles: 16 bytes, aligned as pointers are.
#[repr(C, align(8))]
#[derive(Debug)]
struct FileDescriptor {
    fd: c_int,
    rest: [c_int; 3],
}

impl FileDescriptor {
    fn new(fd: c_int) -> FileDescriptor {
        FileDescriptor { fd, rest: [0; 3] }
    }
}

impl CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
    pub(crate) fn opaque_fd(fd: c_int, bytes: u64, flags: c_uint) -> Self {
        Self {
            kind: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
            handle: FileDescriptor::new(fd),
            bytes,
            flags,
            reserved: [0; 16],
        }
    }
}

impl CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
    pub(crate) fn new(kind: c_uint, fd: c_int) -> Self {
        Self {
            kind,
            handle: FileDescriptor::new(fd),
            flags: 0,
            reserved: [0; 16],
        }
    }
}

/// A part of imported memory.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) flags: c_uint,
    pub(crate) reserved: [c_uint; 16],
}

/// Imported memory as an array with levels of detail.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
    pub(crate) offset: u64,
    pub(crate) described: CUDA_ARRAY3D_DESCRIPTOR,
    pub(crate) n_levels: c_uint,
    pub(crate) reserved: [c_uint; 16],
}

/// A signal or a wait: the value of a timeline semaphore comes first, what else the two structures hold is for other kinds of semaphores.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct CUDA_EXTERNAL_SEMAPHORE_PARAMS {
    value: u64,
    others: [u64; 8],
    flags: c_uint,
    reserved: [c_uint; 16],
}

impl CUDA_EXTERNAL_SEMAPHORE_PARAMS {
    pub(crate) fn new(value: u64) -> Self {
        Self {
            value,
            others: [0; 8],
            flags: 0,
            reserved: [0; 16],
        }
    }
}

/// What `cuMemCreate` allocates.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct CUmemAllocationProp {
    kind: c_int,
    handle_types: c_int,
    location_type: c_int,
    location: c_int,
    win32_meta_data: *mut c_void,
    flags: [u8; 8],
}

impl CUmemAllocationProp {
    /// Memory of a GPU that can be given away as a file descriptor.
    pub(crate) fn shareable(device: CUdevice) -> Self {
        Self {
            kind: CU_MEM_ALLOCATION_TYPE_PINNED,
            handle_types: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
            location_type: CU_MEM_LOCATION_TYPE_DEVICE,
            location: device,
            win32_meta_data: std::ptr::null_mut(),
            flags: [0; 8],
        }
    }
}

/// Who may access mapped memory.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct CUmemAccessDesc {
    location_type: c_int,
    location: c_int,
    flags: c_int,
}

impl CUmemAccessDesc {
    /// A GPU reads and writes.
    pub(crate) fn of_device(device: CUdevice) -> Self {
        Self {
            location_type: CU_MEM_LOCATION_TYPE_DEVICE,
            location: device,
            flags: CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        }
    }
}

// Sizes of the driver's structures on 64-bit machines.
const _: () = assert!(
    size_of::<CUDA_EXTERNAL_MEMORY_HANDLE_DESC>() == 104
        && size_of::<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC>() == 96
        && size_of::<CUDA_EXTERNAL_MEMORY_BUFFER_DESC>() == 88
        && size_of::<CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC>() == 120
        && size_of::<CUDA_EXTERNAL_SEMAPHORE_PARAMS>() == 144
        && size_of::<CUmemAllocationProp>() == 32
        && size_of::<CUmemAccessDesc>() == 12
);
