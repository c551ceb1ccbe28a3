//! What a device says about itself.

use std::fmt;

use crate::cuda::PhysicalDevice;
use crate::device::emulated::host_memory;
use crate::device::{Attribute, Backend, Device, DeviceError, PciId, Uuid};

/// What a device says about itself. CUDA: `cudaDeviceProp`.
///
/// What launches can have at most is in [`Limits`](crate::Limits), everything else in [`Device::attribute`]. `None` is what a device has
/// not: the emulator has no clocks, no bus and no cache.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct DeviceProperties {
    /// Its name.
    pub name: String,
    /// Its number, from 0: that of [`Device::cuda`], or the place in [`Emulator::devices`](crate::model::Emulator::devices).
    pub ordinal: u32,
    /// Whether it is a GPU.
    pub is_gpu: bool,
    /// The number that stays with the board.
    pub uuid: Uuid,
    /// Where it sits.
    pub pci: PciId,
    /// Compute capability: major, minor.
    pub compute_capability: (u32, u32),
    /// Bytes of memory; on the emulator those of the host.
    pub total_memory: u64,
    /// Multiprocessors; on the emulator, those of the board that its model names.
    pub multiprocessors: u32,
    /// Registers of 32 bits that a block can have.
    pub registers_per_block: u32,
    /// Registers of 32 bits of a multiprocessor.
    pub registers_per_multiprocessor: u32,
    /// Bytes between two rows at most, in copies of rows.
    pub max_pitch_bytes: u32,
    /// The multiprocessors' highest clock, in kHz.
    pub clock_khz: Option<u32>,
    /// The memory's highest clock, in kHz.
    pub memory_clock_khz: Option<u32>,
    /// Bits of the way to the memory.
    pub memory_bus_bits: Option<u32>,
    /// Bytes of the L2 cache.
    pub l2_bytes: Option<u32>,
    /// Bytes of the L2 cache that can be kept for chosen data.
    pub persisting_l2_bytes: Option<u32>,
    /// Who may use it.
    pub compute_mode: ComputeMode,
    /// Whether its memory corrects errors.
    pub ecc: bool,
    /// Whether it shares the host's memory: mapped memory then needs no copies.
    pub integrated: bool,
    /// Whether Windows' driver is the one for computation (TCC); false elsewhere.
    pub tcc: bool,
    /// Whether kernels that run too long are ended.
    pub kernel_timeout: bool,
    /// Whether kernels can use host memory.
    pub can_map_host_memory: bool,
    /// Whether any host memory can be registered for that.
    pub host_register: bool,
    /// Whether kernels of several streams run at a time.
    pub concurrent_kernels: bool,
    /// How many copies go on beside kernels: 1 is one direction, 2 is both.
    pub async_engines: u32,
    /// Whether host and devices share one range of addresses.
    pub unified_addressing: bool,
    /// Whether there is managed memory.
    pub managed_memory: bool,
    /// Whether host and kernels can use managed memory at the same time.
    pub concurrent_managed_access: bool,
    /// Whether kernels can use any host memory, without asking.
    pub pageable_memory_access: bool,
    /// Whether its atomics on host memory are atomic for the host.
    pub host_native_atomics: bool,
    /// Whether there are cooperative grids.
    pub cooperative_launch: bool,
    /// Whether there are clusters.
    pub cluster_launch: bool,
    /// Whether streams allocate from pools.
    pub memory_pools: bool,
    /// Whether streams have priorities that count.
    pub stream_priorities: bool,
    /// Whether a kernel can be interrupted for another.
    pub compute_preemption: bool,
    /// Whether its board has several GPUs.
    pub multi_gpu_board: bool,
}

/// Who may use a GPU; the machine's administrator says it with `nvidia-smi -c`. CUDA: `CUcomputemode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ComputeMode {
    /// Any number of processes.
    Default,
    /// One thread at a time; drivers of today have it no more.
    ExclusiveThread,
    /// No process.
    Prohibited,
    /// One process at a time, with all its threads.
    ExclusiveProcess,
    /// A mode that came with a later driver, by CUDA's number.
    Other(i32),
}

impl ComputeMode {
    pub(crate) fn of(number: i32) -> ComputeMode {
        match number {
            0 => ComputeMode::Default,
            1 => ComputeMode::ExclusiveThread,
            2 => ComputeMode::Prohibited,
            3 => ComputeMode::ExclusiveProcess,
            other => ComputeMode::Other(other),
        }
    }
}

/// As `nvidia-smi` names them.
impl fmt::Display for ComputeMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ComputeMode::Default => f.write_str("Default"),
            ComputeMode::ExclusiveThread => f.write_str("Exclusive_Thread"),
            ComputeMode::Prohibited => f.write_str("Prohibited"),
            ComputeMode::ExclusiveProcess => f.write_str("Exclusive_Process"),
            ComputeMode::Other(number) => write!(f, "mode {number}"),
        }
    }
}

/// What is not an attribute.
pub(super) struct Identity {
    pub(super) name: String,
    pub(super) ordinal: u32,
    pub(super) is_gpu: bool,
    pub(super) uuid: Uuid,
    pub(super) total_memory: u64,
}

impl DeviceProperties {
    /// From the answers to attributes; `None`: the device knows none of this name.
    pub(super) fn collect<E>(
        known: Identity,
        ask: &mut dyn FnMut(Attribute) -> Result<Option<i32>, E>,
    ) -> Result<DeviceProperties, E> {
        let mut ask = |attribute| -> Result<Option<u32>, E> {
            Ok(ask(attribute)?.map(|answer| u32::try_from(answer).unwrap_or(0)))
        };
        let mut number = |attribute| Ok(ask(attribute)?.unwrap_or(0));
        let compute_capability = (
            number(Attribute::COMPUTE_CAPABILITY_MAJOR)?,
            number(Attribute::COMPUTE_CAPABILITY_MINOR)?,
        );
        let pci = PciId {
            domain: number(Attribute::PCI_DOMAIN_ID)?,
            bus: number(Attribute::PCI_BUS_ID)?,
            slot: number(Attribute::PCI_DEVICE_ID)?,
        };
        let mode = number(Attribute::COMPUTE_MODE)?;
        let multiprocessors = number(Attribute::MULTIPROCESSOR_COUNT)?;
        let registers_per_block = number(Attribute::MAX_REGISTERS_PER_BLOCK)?;
        let registers_per_multiprocessor = number(Attribute::MAX_REGISTERS_PER_MULTIPROCESSOR)?;
        let max_pitch_bytes = number(Attribute::MAX_PITCH)?;
        let async_engines = number(Attribute::ASYNC_ENGINE_COUNT)?;
        let mut size = |attribute| Ok(ask(attribute)?.filter(|size| *size != 0));
        let clock_khz = size(Attribute::CLOCK_RATE)?;
        let memory_clock_khz = size(Attribute::MEMORY_CLOCK_RATE)?;
        let memory_bus_bits = size(Attribute::GLOBAL_MEMORY_BUS_WIDTH)?;
        let l2_bytes = size(Attribute::L2_CACHE_SIZE)?;
        let persisting_l2_bytes = size(Attribute::MAX_PERSISTING_L2_CACHE_SIZE)?;
        let mut flag = |attribute| Ok(ask(attribute)?.is_some_and(|flag| flag != 0));
        Ok(DeviceProperties {
            name: known.name,
            ordinal: known.ordinal,
            is_gpu: known.is_gpu,
            uuid: known.uuid,
            pci,
            compute_capability,
            total_memory: known.total_memory,
            multiprocessors,
            registers_per_block,
            registers_per_multiprocessor,
            max_pitch_bytes,
            clock_khz,
            memory_clock_khz,
            memory_bus_bits,
            l2_bytes,
            persisting_l2_bytes,
            compute_mode: ComputeMode::of(mode.cast_signed()),
            async_engines,
            ecc: flag(Attribute::ECC_ENABLED)?,
            integrated: flag(Attribute::INTEGRATED)?,
            tcc: flag(Attribute::TCC_DRIVER)?,
            kernel_timeout: flag(Attribute::KERNEL_EXEC_TIMEOUT)?,
            can_map_host_memory: flag(Attribute::CAN_MAP_HOST_MEMORY)?,
            host_register: flag(Attribute::HOST_REGISTER_SUPPORTED)?,
            concurrent_kernels: flag(Attribute::CONCURRENT_KERNELS)?,
            unified_addressing: flag(Attribute::UNIFIED_ADDRESSING)?,
            managed_memory: flag(Attribute::MANAGED_MEMORY)?,
            concurrent_managed_access: flag(Attribute::CONCURRENT_MANAGED_ACCESS)?,
            pageable_memory_access: flag(Attribute::PAGEABLE_MEMORY_ACCESS)?,
            host_native_atomics: flag(Attribute::HOST_NATIVE_ATOMIC_SUPPORTED)?,
            cooperative_launch: flag(Attribute::COOPERATIVE_LAUNCH)?,
            cluster_launch: flag(Attribute::CLUSTER_LAUNCH)?,
            memory_pools: flag(Attribute::MEMORY_POOLS_SUPPORTED)?,
            stream_priorities: flag(Attribute::STREAM_PRIORITIES_SUPPORTED)?,
            compute_preemption: flag(Attribute::COMPUTE_PREEMPTION_SUPPORTED)?,
            multi_gpu_board: flag(Attribute::MULTI_GPU_BOARD)?,
        })
    }

    /// Those of a GPU, which need not be open.
    pub(super) fn of_gpu(found: PhysicalDevice) -> Result<DeviceProperties, DeviceError> {
        let name = found.name()?;
        let device = name.clone();
        let asked = || -> Result<_, crate::DriverError> {
            let known = Identity {
                name,
                ordinal: found.ordinal,
                is_gpu: true,
                uuid: Uuid(found.uuid()?),
                total_memory: found.total_memory()?,
            };
            DeviceProperties::collect(known, &mut |attribute| found.attribute(attribute.number()))
        };
        asked().map_err(|source| DeviceError::Query {
            what: "ask for the properties".to_owned(),
            device,
            source: source.into(),
        })
    }
}

impl Device {
    /// What the device says about itself. CUDA: `cudaGetDeviceProperties`.
    ///
    /// # Errors
    /// [`DeviceError::Query`] if the driver refuses. None on the emulator.
    ///
    /// ```
    /// let properties = warploom_runtime::Device::emulator().properties()?;
    /// assert_eq!(properties.compute_capability, (9, 0));
    /// assert!(properties.can_map_host_memory && !properties.concurrent_kernels);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn properties(&self) -> Result<DeviceProperties, DeviceError> {
        match &self.0.backend {
            Backend::Cuda(gpu) => DeviceProperties::of_gpu(gpu.context.physical_device()),
            Backend::Emulator(emulated) => {
                let known = Identity {
                    name: self.name().to_owned(),
                    ordinal: emulated.ordinal,
                    is_gpu: false,
                    uuid: emulated.uuid(),
                    total_memory: host_memory().map_or(0, |memory| memory.total),
                };
                DeviceProperties::collect(known, &mut |attribute| Ok(emulated.attribute(attribute)))
            }
        }
    }

    /// The number of this device: that of [`Device::cuda`], or the place in [`Emulator::devices`](crate::model::Emulator::devices).
    #[must_use]
    pub fn ordinal(&self) -> u32 {
        match &self.0.backend {
            Backend::Cuda(gpu) => gpu.context.physical_device().ordinal,
            Backend::Emulator(emulated) => emulated.ordinal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Identity {
        Identity {
            name: "test".to_owned(),
            ordinal: 3,
            is_gpu: true,
            uuid: Uuid([7; 16]),
            total_memory: 1 << 37,
        }
    }

    //@ rows: GDV-1, GDV-6, GPL-6
    #[test]
    fn each_property_is_the_answer_to_its_attribute() {
        // The number itself as the answer: no two fields can be mixed up.
        let mut ask = |attribute: Attribute| Ok::<_, ()>(Some(attribute.number()));
        let all = DeviceProperties::collect(known(), &mut ask).unwrap();
        assert_eq!(all.compute_capability, (75, 76));
        assert_eq!((all.pci.domain, all.pci.bus, all.pci.slot), (50, 33, 34));
        assert_eq!(
            (all.multiprocessors, all.max_pitch_bytes, all.async_engines),
            (16, 11, 40)
        );
        assert_eq!(
            (all.registers_per_block, all.registers_per_multiprocessor),
            (12, 82)
        );
        assert_eq!(
            (all.clock_khz, all.memory_clock_khz, all.memory_bus_bits),
            (Some(13), Some(36), Some(37))
        );
        assert_eq!(
            (all.l2_bytes, all.persisting_l2_bytes),
            (Some(38), Some(108))
        );
        assert_eq!(all.compute_mode, ComputeMode::Other(20));
    }

    //@ rows: GDV-1, GDV-6, GPL-6
    #[test]
    fn each_flag_follows_its_attribute_alone() {
        let of = |wanted: Attribute| {
            let mut ask = |asked| Ok::<_, ()>(Some(i32::from(asked == wanted)));
            DeviceProperties::collect(known(), &mut ask).unwrap()
        };
        type Flag = fn(&DeviceProperties) -> bool;
        let flags: [(i32, Flag); 19] = [
            (32, |p| p.ecc),
            (18, |p| p.integrated),
            (35, |p| p.tcc),
            (17, |p| p.kernel_timeout),
            (19, |p| p.can_map_host_memory),
            (99, |p| p.host_register),
            (31, |p| p.concurrent_kernels),
            (41, |p| p.unified_addressing),
            (83, |p| p.managed_memory),
            (89, |p| p.concurrent_managed_access),
            (88, |p| p.pageable_memory_access),
            (86, |p| p.host_native_atomics),
            (95, |p| p.cooperative_launch),
            (120, |p| p.cluster_launch),
            (115, |p| p.memory_pools),
            (78, |p| p.stream_priorities),
            (90, |p| p.compute_preemption),
            (84, |p| p.multi_gpu_board),
            (40, |p| p.async_engines == 1),
        ];
        for (number, flag) in flags {
            assert!(flag(&of(Attribute::of(number))), "{number}");
            assert!(!flag(&of(Attribute::of(9999))), "{number}");
        }
    }

    //@ rows: GDV-1
    #[test]
    fn what_an_old_driver_does_not_know_is_not_there() {
        let all = DeviceProperties::collect(known(), &mut |_| Ok::<_, ()>(None)).unwrap();
        assert_eq!(
            (all.clock_khz, all.l2_bytes, all.cluster_launch),
            (None, None, false)
        );
        assert_eq!(all.compute_mode, ComputeMode::Default);
        assert_eq!(
            (&*all.name, all.ordinal, all.total_memory),
            ("test", 3, 1 << 37)
        );
    }

    //@ rows: GDV-5
    #[test]
    fn modes_have_the_drivers_numbers() {
        use ComputeMode::*;
        let modes: Vec<_> = (0..5).map(ComputeMode::of).collect();
        assert_eq!(
            modes,
            [
                Default,
                ExclusiveThread,
                Prohibited,
                ExclusiveProcess,
                Other(4)
            ]
        );
        assert_eq!(Prohibited.to_string(), "Prohibited");
    }
}
