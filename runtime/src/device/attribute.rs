//! Everything a device can be asked by number.

use std::fmt;

use crate::device::{Backend, Device, DeviceError};
use crate::unsupported::Unsupported;

/// Something that a device can be asked; the answer is a number. CUDA: `CUdevice_attribute`, whose names these are.
///
/// Those that most programs want stand, with types, in [`DeviceProperties`](crate::device::DeviceProperties).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Attribute(i32);

macro_rules! attributes {
    ($($name:ident = $number:literal, $text:literal;)*) => {
        impl Attribute {
            $(
                #[doc = $text]
                pub const $name: Attribute = Attribute($number);
            )*

            /// All that have a name here, in the order of their numbers.
            pub const ALL: &[Attribute] = &[$(Attribute($number)),*];

            /// CUDA's name, without `CU_DEVICE_ATTRIBUTE_`; `None` for a number that came with a later CUDA.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }
    };
}

impl Attribute {
    /// The attribute of CUDA's number, for those that have no name here.
    #[must_use]
    pub const fn of(number: i32) -> Attribute {
        Attribute(number)
    }

    /// CUDA's number.
    #[must_use]
    pub const fn number(self) -> i32 {
        self.0
    }
}

impl fmt::Debug for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// CUDA's name, or its number where it has none here.
impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "attribute {}", self.0),
        }
    }
}

impl Device {
    /// Asks the device one thing. CUDA: `cuDeviceGetAttribute`.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] if the driver knows no attribute of this number, or the emulator does not model it;
    /// [`DeviceError::Query`] if the driver refuses.
    ///
    /// ```
    /// use warploom_runtime::{Device, device::Attribute};
    /// let device = Device::emulator();
    /// assert_eq!(device.attribute(Attribute::WARP_SIZE)?, 32);
    /// let error = device.attribute(Attribute::of(100_000)).unwrap_err().to_string();
    /// assert!(error.contains("attribute 100000"), "{error}");
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn attribute(&self, attribute: Attribute) -> Result<i32, DeviceError> {
        let answer = match &self.0.backend {
            Backend::Cuda(gpu) => gpu
                .context
                .physical_device()
                .attribute(attribute.0)
                .map_err(|source| self.refused(format!("ask for {attribute}"), source))?,
            Backend::Emulator(emulated) => emulated.attribute(attribute),
        };
        let reason = if self.is_gpu() {
            "this driver knows no such attribute; a later one may"
        } else {
            "the emulator does not model that"
        };
        answer.ok_or_else(|| {
            DeviceError::Unsupported(Unsupported {
                what: "the question",
                device: self.name().to_owned(),
                reason: format!("{attribute}: {reason}").into(),
            })
        })
    }
}

attributes! {
    MAX_THREADS_PER_BLOCK = 1, "Threads of a block at most.";
    MAX_BLOCK_DIM_X = 2, "Threads of a block along x at most.";
    MAX_BLOCK_DIM_Y = 3, "Threads of a block along y at most.";
    MAX_BLOCK_DIM_Z = 4, "Threads of a block along z at most.";
    MAX_GRID_DIM_X = 5, "Blocks of a grid along x at most.";
    MAX_GRID_DIM_Y = 6, "Blocks of a grid along y at most.";
    MAX_GRID_DIM_Z = 7, "Blocks of a grid along z at most.";
    MAX_SHARED_MEMORY_PER_BLOCK = 8, "Bytes of shared memory that a block has without asking.";
    TOTAL_CONSTANT_MEMORY = 9, "Bytes of constant memory.";
    WARP_SIZE = 10, "Threads of a warp.";
    MAX_PITCH = 11, "Bytes between two rows at most, in copies of rows.";
    MAX_REGISTERS_PER_BLOCK = 12, "Registers of 32 bits that a block can have.";
    CLOCK_RATE = 13, "The multiprocessors' highest clock, in kHz.";
    TEXTURE_ALIGNMENT = 14, "Textures start at multiples of this many bytes.";
    GPU_OVERLAP = 15, "Whether it copies while kernels run; the older form of `ASYNC_ENGINE_COUNT`.";
    MULTIPROCESSOR_COUNT = 16, "Multiprocessors.";
    KERNEL_EXEC_TIMEOUT = 17, "Whether kernels that run too long are ended.";
    INTEGRATED = 18, "Whether it shares the host's memory.";
    CAN_MAP_HOST_MEMORY = 19, "Whether kernels can use host memory.";
    COMPUTE_MODE = 20, "Who may use it; see `ComputeMode`.";
    MAXIMUM_TEXTURE1D_WIDTH = 21, "Width of a 1-D texture at most.";
    MAXIMUM_TEXTURE2D_WIDTH = 22, "Width of a 2-D texture at most.";
    MAXIMUM_TEXTURE2D_HEIGHT = 23, "Height of a 2-D texture at most.";
    MAXIMUM_TEXTURE3D_WIDTH = 24, "Width of a 3-D texture at most.";
    MAXIMUM_TEXTURE3D_HEIGHT = 25, "Height of a 3-D texture at most.";
    MAXIMUM_TEXTURE3D_DEPTH = 26, "Depth of a 3-D texture at most.";
    MAXIMUM_TEXTURE2D_LAYERED_WIDTH = 27, "Width of a layered 2-D texture at most.";
    MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = 28, "Height of a layered 2-D texture at most.";
    MAXIMUM_TEXTURE2D_LAYERED_LAYERS = 29, "Layers of a 2-D texture at most.";
    SURFACE_ALIGNMENT = 30, "Surfaces start at multiples of this many bytes.";
    CONCURRENT_KERNELS = 31, "Whether kernels of several streams run at a time.";
    ECC_ENABLED = 32, "Whether its memory corrects errors.";
    PCI_BUS_ID = 33, "Its bus.";
    PCI_DEVICE_ID = 34, "Its slot on the bus.";
    TCC_DRIVER = 35, "Whether Windows' driver is the one for computation (TCC).";
    MEMORY_CLOCK_RATE = 36, "The memory's highest clock, in kHz.";
    GLOBAL_MEMORY_BUS_WIDTH = 37, "Bits of the way to its memory.";
    L2_CACHE_SIZE = 38, "Bytes of the L2 cache.";
    MAX_THREADS_PER_MULTIPROCESSOR = 39, "Threads that are on a multiprocessor at a time.";
    ASYNC_ENGINE_COUNT = 40, "How many copies go on beside kernels: 1 is one direction, 2 is both.";
    UNIFIED_ADDRESSING = 41, "Whether host and devices share one range of addresses.";
    MAXIMUM_TEXTURE1D_LAYERED_WIDTH = 42, "Width of a layered 1-D texture at most.";
    MAXIMUM_TEXTURE1D_LAYERED_LAYERS = 43, "Layers of a 1-D texture at most.";
    CAN_TEX2D_GATHER = 44, "Of no use any more: see the next two.";
    MAXIMUM_TEXTURE2D_GATHER_WIDTH = 45, "Width of a 2-D texture that is gathered from.";
    MAXIMUM_TEXTURE2D_GATHER_HEIGHT = 46, "Height of a 2-D texture that is gathered from.";
    MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE = 47, "Width of a 3-D texture in its other shape.";
    MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE = 48, "Height of a 3-D texture in its other shape.";
    MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE = 49, "Depth of a 3-D texture in its other shape.";
    PCI_DOMAIN_ID = 50, "Its domain of buses.";
    TEXTURE_PITCH_ALIGNMENT = 51, "Rows of textures in linear memory start at multiples of this many bytes.";
    MAXIMUM_TEXTURECUBEMAP_WIDTH = 52, "Width of a cube map at most.";
    MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH = 53, "Width of a layered cube map at most.";
    MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS = 54, "Layers of a cube map at most.";
    MAXIMUM_SURFACE1D_WIDTH = 55, "Width of a 1-D surface at most.";
    MAXIMUM_SURFACE2D_WIDTH = 56, "Width of a 2-D surface at most.";
    MAXIMUM_SURFACE2D_HEIGHT = 57, "Height of a 2-D surface at most.";
    MAXIMUM_SURFACE3D_WIDTH = 58, "Width of a 3-D surface at most.";
    MAXIMUM_SURFACE3D_HEIGHT = 59, "Height of a 3-D surface at most.";
    MAXIMUM_SURFACE3D_DEPTH = 60, "Depth of a 3-D surface at most.";
    MAXIMUM_SURFACE1D_LAYERED_WIDTH = 61, "Width of a layered 1-D surface at most.";
    MAXIMUM_SURFACE1D_LAYERED_LAYERS = 62, "Layers of a 1-D surface at most.";
    MAXIMUM_SURFACE2D_LAYERED_WIDTH = 63, "Width of a layered 2-D surface at most.";
    MAXIMUM_SURFACE2D_LAYERED_HEIGHT = 64, "Height of a layered 2-D surface at most.";
    MAXIMUM_SURFACE2D_LAYERED_LAYERS = 65, "Layers of a 2-D surface at most.";
    MAXIMUM_SURFACECUBEMAP_WIDTH = 66, "Width of a cube map surface at most.";
    MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH = 67, "Width of a layered cube map surface at most.";
    MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS = 68, "Layers of a cube map surface at most.";
    MAXIMUM_TEXTURE1D_LINEAR_WIDTH = 69, "Of no use any more: the width depends on the element.";
    MAXIMUM_TEXTURE2D_LINEAR_WIDTH = 70, "Width of a 2-D texture in linear memory at most.";
    MAXIMUM_TEXTURE2D_LINEAR_HEIGHT = 71, "Height of a 2-D texture in linear memory at most.";
    MAXIMUM_TEXTURE2D_LINEAR_PITCH = 72, "Bytes between rows of a 2-D texture in linear memory at most.";
    MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH = 73, "Width of a 2-D texture with mipmaps at most.";
    MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT = 74, "Height of a 2-D texture with mipmaps at most.";
    COMPUTE_CAPABILITY_MAJOR = 75, "The number before the dot of its compute capability.";
    COMPUTE_CAPABILITY_MINOR = 76, "The number after it.";
    MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH = 77, "Width of a 1-D texture with mipmaps at most.";
    STREAM_PRIORITIES_SUPPORTED = 78, "Whether streams have priorities.";
    GLOBAL_L1_CACHE_SUPPORTED = 79, "Whether the L1 cache keeps global memory.";
    LOCAL_L1_CACHE_SUPPORTED = 80, "Whether the L1 cache keeps local memory.";
    MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81, "Bytes of shared memory of a multiprocessor.";
    MAX_REGISTERS_PER_MULTIPROCESSOR = 82, "Registers of 32 bits of a multiprocessor.";
    MANAGED_MEMORY = 83, "Whether there is managed memory.";
    MULTI_GPU_BOARD = 84, "Whether its board has several GPUs.";
    MULTI_GPU_BOARD_GROUP_ID = 85, "The same number for all GPUs of a board.";
    HOST_NATIVE_ATOMIC_SUPPORTED = 86, "Whether its atomics on host memory are atomic for the host.";
    SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = 87, "How many times faster `f32` is than `f64`.";
    PAGEABLE_MEMORY_ACCESS = 88, "Whether kernels can use any host memory, without asking.";
    CONCURRENT_MANAGED_ACCESS = 89, "Whether host and kernels can use managed memory at the same time.";
    COMPUTE_PREEMPTION_SUPPORTED = 90, "Whether a kernel can be interrupted for another.";
    CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91, "Whether registered host memory has the same address in kernels.";
    CAN_USE_STREAM_MEM_OPS = 92, "Whether streams can wait for values in memory; its older form.";
    CAN_USE_64_BIT_STREAM_MEM_OPS = 93, "The same for values of 64 bits; its older form.";
    CAN_USE_STREAM_WAIT_VALUE_NOR = 94, "Whether they can wait for a bit that is 0; its older form.";
    COOPERATIVE_LAUNCH = 95, "Whether there are cooperative grids.";
    COOPERATIVE_MULTI_DEVICE_LAUNCH = 96, "Whether a cooperative grid can span devices; CUDA gave that up.";
    MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97, "Bytes of shared memory that a block can ask for.";
    CAN_FLUSH_REMOTE_WRITES = 98, "Whether a stream can make others' writes visible.";
    HOST_REGISTER_SUPPORTED = 99, "Whether host memory can be registered.";
    PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 100, "Whether it uses the host's own page tables.";
    DIRECT_MANAGED_MEM_ACCESS_FROM_HOST = 101, "Whether the host reaches managed memory on the device without moving it.";
    VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102, "Whether addresses and memory can be managed apart.";
    HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103, "Whether memory can be given to other processes as a file descriptor.";
    HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = 104, "The same as a handle of Windows.";
    HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED = 105, "The same as a handle of Windows' kernel.";
    MAX_BLOCKS_PER_MULTIPROCESSOR = 106, "Blocks that are on a multiprocessor at a time.";
    GENERIC_COMPRESSION_SUPPORTED = 107, "Whether memory can be compressed.";
    MAX_PERSISTING_L2_CACHE_SIZE = 108, "Bytes of the L2 cache that can be kept for chosen data.";
    MAX_ACCESS_POLICY_WINDOW_SIZE = 109, "Bytes that one choice of such data can cover.";
    GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED = 110, "Whether network cards reach memory that is managed apart from its addresses.";
    RESERVED_SHARED_MEMORY_PER_BLOCK = 111, "Bytes of shared memory that each block takes beside its own.";
    SPARSE_CUDA_ARRAY_SUPPORTED = 112, "Whether arrays can have holes.";
    READ_ONLY_HOST_REGISTER_SUPPORTED = 113, "Whether host memory can be registered to be read only.";
    TIMELINE_SEMAPHORE_INTEROP_SUPPORTED = 114, "Whether it takes part in semaphores that count.";
    MEMORY_POOLS_SUPPORTED = 115, "Whether streams allocate from pools.";
    GPU_DIRECT_RDMA_SUPPORTED = 116, "Whether network cards reach its memory.";
    GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS = 117, "How their writes are made visible, as bits.";
    GPU_DIRECT_RDMA_WRITES_ORDERING = 118, "For whom their writes are visible without that.";
    MEMPOOL_SUPPORTED_HANDLE_TYPES = 119, "As what pools can be given to other processes, as bits.";
    CLUSTER_LAUNCH = 120, "Whether there are clusters.";
    DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED = 121, "Whether arrays can get their memory later.";
    CAN_USE_64_BIT_STREAM_MEM_OPS_V2 = 122, "Whether streams can wait for values of 64 bits.";
    CAN_USE_STREAM_WAIT_VALUE_NOR_V2 = 123, "Whether streams can wait for a bit that is 0.";
    DMA_BUF_SUPPORTED = 124, "Whether its memory can be given to other drivers of Linux.";
    IPC_EVENT_SUPPORTED = 125, "Whether events go between processes.";
    MEM_SYNC_DOMAIN_COUNT = 126, "How many kinds of work fence their memory apart.";
    TENSOR_MAP_ACCESS_SUPPORTED = 127, "Whether kernels copy tiles by tensor maps.";
    HANDLE_TYPE_FABRIC_SUPPORTED = 128, "Whether memory can be given to other machines on its fabric.";
    UNIFIED_FUNCTION_POINTERS = 129, "Whether functions have the same address on all devices.";
    NUMA_CONFIG = 130, "Whether its memory is a node of the host's: 0 is no.";
    NUMA_ID = 131, "Which node.";
    MULTICAST_SUPPORTED = 132, "Whether several devices' memory can be written at a time.";
    MPS_ENABLED = 133, "Whether processes share it by a server (MPS).";
    HOST_NUMA_ID = 134, "The host's node that is nearest.";
    D3D12_CIG_SUPPORTED = 135, "Whether it computes in the queues of Direct3D 12.";
    MEM_DECOMPRESS_ALGORITHM_MASK = 136, "Which compressed data it unpacks, as bits.";
    MEM_DECOMPRESS_MAXIMUM_LENGTH = 137, "Bytes of one such piece at most.";
    VULKAN_CIG_SUPPORTED = 138, "Whether it computes in the queues of Vulkan.";
    GPU_PCI_DEVICE_ID = 139, "Maker and product, as PCI numbers them.";
    GPU_PCI_SUBSYSTEM_ID = 140, "The board's maker and product, as PCI numbers them.";
    HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 141, "Whether memory of the host's nodes can be managed apart from its addresses.";
    HOST_NUMA_MEMORY_POOLS_SUPPORTED = 142, "Whether there are pools of memory of the host's nodes.";
    HOST_NUMA_MULTINODE_IPC_SUPPORTED = 143, "Whether such memory can be given to other machines.";
    HOST_MEMORY_POOLS_SUPPORTED = 144, "Whether there are pools of host memory.";
    HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 145, "Whether host memory can be managed apart from its addresses.";
    HOST_ALLOC_DMA_BUF_SUPPORTED = 146, "Whether its host memory can be given to other drivers of Linux.";
    ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED = 147, "Whether only some of its atomics on host memory are atomic for the host.";
}

#[cfg(test)]
mod tests {
    use super::*;

    //@ rows: GDV-1
    #[test]
    fn names_and_numbers_have_no_gaps() {
        let numbers: Vec<_> = Attribute::ALL.iter().map(|a| a.number()).collect();
        assert_eq!(numbers, (1..=147).collect::<Vec<_>>());
        assert_eq!(Attribute::CLUSTER_LAUNCH.number(), 120);
        assert_eq!(format!("{:?}", Attribute::of(41)), "UNIFIED_ADDRESSING");
        assert_eq!(Attribute::of(9999).to_string(), "attribute 9999");
    }
}
