//! What the emulator answers when it is asked about itself.

use crate::device::{Attribute, Emulated, MemoryInfo, Uuid};
use crate::model::{Model, ModelLimits};

/// The domain of PCI buses that emulated devices are on: no machine has it.
const DOMAIN: i32 = 0xE000;

/// Registers of a multiprocessor, and what a block of it can have: the same on all models (CUDA Programming Guide, technical
/// specifications).
const REGISTERS: i32 = 65_536;

impl Emulated {
    /// The answer to an attribute; `None` for what is not modelled.
    pub(super) fn attribute(&self, attribute: Attribute) -> Option<i32> {
        let limits = self.model.unwrap_or_default().limits();
        let (major, minor) = limits.compute_capability;
        let [block, grid] = [ModelLimits::BLOCK, ModelLimits::GRID];
        // Whether the model's board shares the host's memory.
        let integrated = [Model::CC_8_7, Model::CC_12_1].contains(&self.model.unwrap_or_default());
        let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        Some(match attribute {
            Attribute::MAX_THREADS_PER_BLOCK => number(ModelLimits::THREADS_PER_BLOCK),
            Attribute::MAX_BLOCK_DIM_X => number(block[0]),
            Attribute::MAX_BLOCK_DIM_Y => number(block[1]),
            Attribute::MAX_BLOCK_DIM_Z => number(block[2]),
            Attribute::MAX_GRID_DIM_X => number(grid[0]),
            Attribute::MAX_GRID_DIM_Y => number(grid[1]),
            Attribute::MAX_GRID_DIM_Z => number(grid[2]),
            Attribute::MAX_SHARED_MEMORY_PER_BLOCK => number(ModelLimits::SHARED_BYTES),
            Attribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN => number(limits.shared_bytes_opt_in),
            Attribute::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR => {
                number(limits.shared_bytes_per_multiprocessor)
            }
            Attribute::RESERVED_SHARED_MEMORY_PER_BLOCK => number(limits.shared_bytes_reserved),
            Attribute::TOTAL_CONSTANT_MEMORY => number(ModelLimits::CONSTANT_BYTES),
            Attribute::WARP_SIZE => number(ModelLimits::WARP),
            Attribute::MAX_PITCH => i32::MAX,
            Attribute::MAX_REGISTERS_PER_BLOCK | Attribute::MAX_REGISTERS_PER_MULTIPROCESSOR => {
                REGISTERS
            }
            Attribute::MULTIPROCESSOR_COUNT => number(limits.multiprocessors),
            Attribute::MAX_THREADS_PER_MULTIPROCESSOR => number(limits.threads_per_multiprocessor),
            Attribute::MAX_BLOCKS_PER_MULTIPROCESSOR => number(limits.blocks_per_multiprocessor),
            Attribute::COMPUTE_CAPABILITY_MAJOR => number(major),
            Attribute::COMPUTE_CAPABILITY_MINOR => number(minor),
            Attribute::PCI_DOMAIN_ID => DOMAIN,
            Attribute::PCI_BUS_ID => number(self.ordinal),
            Attribute::INTEGRATED => i32::from(integrated),
            Attribute::CLUSTER_LAUNCH => i32::from(limits.cluster_blocks > 0),
            Attribute::CAN_MAP_HOST_MEMORY
            | Attribute::UNIFIED_ADDRESSING
            | Attribute::MANAGED_MEMORY
            | Attribute::CONCURRENT_MANAGED_ACCESS
            | Attribute::HOST_NATIVE_ATOMIC_SUPPORTED
            | Attribute::CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
            | Attribute::HOST_REGISTER_SUPPORTED
            | Attribute::MEMORY_POOLS_SUPPORTED
            | Attribute::COOPERATIVE_LAUNCH => 1,
            // Work is done when a call returns: nothing overlaps. Any process may use it. What checks kernels knows no other host memory.
            Attribute::PCI_DEVICE_ID
            | Attribute::COMPUTE_MODE
            | Attribute::GPU_OVERLAP
            | Attribute::ASYNC_ENGINE_COUNT
            | Attribute::CONCURRENT_KERNELS
            | Attribute::KERNEL_EXEC_TIMEOUT
            | Attribute::COMPUTE_PREEMPTION_SUPPORTED
            | Attribute::STREAM_PRIORITIES_SUPPORTED
            | Attribute::ECC_ENABLED
            | Attribute::TCC_DRIVER
            | Attribute::PAGEABLE_MEMORY_ACCESS
            | Attribute::MULTI_GPU_BOARD
            | Attribute::COOPERATIVE_MULTI_DEVICE_LAUNCH
            | Attribute::MAX_PERSISTING_L2_CACHE_SIZE => 0,
            _ => return image_limit(attribute),
        })
    }

    /// `warploom`, the compute capability and the number.
    pub(super) fn uuid(&self) -> Uuid {
        let (major, minor) = self.model.unwrap_or_default().limits().compute_capability;
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(b"warploom");
        bytes[8..10].copy_from_slice(&[major as u8, minor as u8]);
        bytes[12..].copy_from_slice(&self.ordinal.to_be_bytes());
        Uuid(bytes)
    }
}

/// What limits textures and surfaces: the same for all models (CUDA Programming Guide, technical specifications), as an H100's driver answers.
fn image_limit(attribute: Attribute) -> Option<i32> {
    Some(match attribute {
        Attribute::MAXIMUM_TEXTURE1D_WIDTH
        | Attribute::MAXIMUM_TEXTURE2D_WIDTH
        | Attribute::MAXIMUM_SURFACE2D_WIDTH
        | Attribute::MAXIMUM_TEXTURE2D_LINEAR_WIDTH => 131_072,
        Attribute::MAXIMUM_TEXTURE2D_HEIGHT | Attribute::MAXIMUM_SURFACE2D_HEIGHT => 65_536,
        Attribute::MAXIMUM_TEXTURE2D_LINEAR_HEIGHT => 65_000,
        Attribute::MAXIMUM_TEXTURE2D_LINEAR_PITCH => 2_097_120,
        Attribute::MAXIMUM_TEXTURE3D_WIDTH
        | Attribute::MAXIMUM_TEXTURE3D_HEIGHT
        | Attribute::MAXIMUM_TEXTURE3D_DEPTH
        | Attribute::MAXIMUM_SURFACE3D_WIDTH
        | Attribute::MAXIMUM_SURFACE3D_HEIGHT
        | Attribute::MAXIMUM_SURFACE3D_DEPTH => 16_384,
        Attribute::MAXIMUM_TEXTURE1D_LAYERED_WIDTH
        | Attribute::MAXIMUM_TEXTURE2D_LAYERED_WIDTH
        | Attribute::MAXIMUM_TEXTURE2D_LAYERED_HEIGHT
        | Attribute::MAXIMUM_TEXTURECUBEMAP_WIDTH
        | Attribute::MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH
        | Attribute::MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH
        | Attribute::MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH
        | Attribute::MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT
        | Attribute::MAXIMUM_TEXTURE2D_GATHER_WIDTH
        | Attribute::MAXIMUM_TEXTURE2D_GATHER_HEIGHT
        | Attribute::MAXIMUM_SURFACE1D_WIDTH
        | Attribute::MAXIMUM_SURFACE1D_LAYERED_WIDTH
        | Attribute::MAXIMUM_SURFACE2D_LAYERED_WIDTH
        | Attribute::MAXIMUM_SURFACE2D_LAYERED_HEIGHT
        | Attribute::MAXIMUM_SURFACECUBEMAP_WIDTH
        | Attribute::MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH
        | Attribute::MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE => 32_768,
        Attribute::MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE
        | Attribute::MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE => 8_192,
        Attribute::MAXIMUM_TEXTURE1D_LAYERED_LAYERS
        | Attribute::MAXIMUM_TEXTURE2D_LAYERED_LAYERS
        | Attribute::MAXIMUM_SURFACE1D_LAYERED_LAYERS
        | Attribute::MAXIMUM_SURFACE2D_LAYERED_LAYERS => 2_048,
        Attribute::MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS
        | Attribute::MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS => 2_046,
        Attribute::TEXTURE_ALIGNMENT | Attribute::SURFACE_ALIGNMENT => 512,
        Attribute::TEXTURE_PITCH_ALIGNMENT => 32,
        Attribute::MAXIMUM_TEXTURE1D_LINEAR_WIDTH => 1 << 28,
        _ => return None,
    })
}

/// The host's memory; `None` where the system does not tell (Linux does).
pub(super) fn host_memory() -> Option<MemoryInfo> {
    parse(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn parse(text: &str) -> Option<MemoryInfo> {
    let bytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let number = line.trim().strip_suffix("kB")?.trim();
        Some(number.parse::<u64>().ok()? * 1024)
    };
    Some(MemoryInfo {
        free: bytes("MemAvailable:")?,
        total: bytes("MemTotal:")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_memory_is_read() {
        let text = "MemTotal:       32561564 kB\nMemFree:         1000000 kB\nMemAvailable:   28000000 kB\n";
        let memory = parse(text).unwrap();
        assert_eq!(
            (memory.free, memory.total),
            (28_000_000 << 10, 32_561_564 << 10)
        );
        assert!(parse("MemTotal: 12 MB").is_none());
    }

    //@ rows: GDV-1
    #[test]
    fn the_emulator_answers_as_its_limits_say() {
        for model in Model::all() {
            let emulated = Emulated {
                model: Some(model),
                ..Emulated::default()
            };
            let limits = crate::Limits::of(model);
            let ask = |attribute| emulated.attribute(attribute).unwrap().unsigned_abs();
            assert_eq!(ask(Attribute::MULTIPROCESSOR_COUNT), limits.multiprocessors);
            assert_eq!(
                ask(Attribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
                limits.shared_bytes_opt_in
            );
            assert_eq!(
                ask(Attribute::MAX_BLOCKS_PER_MULTIPROCESSOR),
                limits.blocks_per_multiprocessor
            );
            assert_eq!(
                ask(Attribute::CLUSTER_LAUNCH) != 0,
                limits.cluster_blocks != 0
            );
            assert_eq!(emulated.attribute(Attribute::GPU_PCI_DEVICE_ID), None);
        }
    }
}
