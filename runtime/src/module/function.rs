//! A loaded kernel, of this program or of another compiler: what it needs, what it prefers, and how many blocks of it there is room for.

use std::fmt;

use crate::cuda;
use crate::cuda::DriverError;
use crate::cuda::module::KernelAttributes;
use crate::device::{Backend, Device};
use crate::kernel::Contract;
use crate::launch::error::LaunchError;
use crate::launch_config::Launch;
use crate::module::error::ModuleError;
use crate::occupancy::{BlockNeeds, Multiprocessor, Occupancy, best_block};
use crate::unsupported::Unsupported;

/// A kernel on a device: `kernel_name::function(&device)` of a `#[kernel]`, or [`Module::function`](super::Module::function).
///
/// On the emulator it is the kernel itself: its registers are unknown, and there are no caches to choose. CUDA: `CUfunction`.
#[derive(Clone)]
pub struct Function {
    name: &'static str,
    contract: Contract,
    loaded: Option<cuda::module::Function>,
    /// After the function, whose context it keeps.
    device: Device,
}

/// What a kernel would rather have more of, where shared memory and the L1 cache are one memory. CUDA: `CUfunc_cache`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CachePreference {
    /// Neither: as the context has it.
    None,
    /// Shared memory.
    Shared,
    /// Cache.
    L1,
    /// As much of one as of the other.
    Equal,
}

/// The block with which most threads of a kernel are there at a time: given by [`Function::best_block`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BestBlock {
    /// Threads of the block.
    pub threads: u32,
    /// Bytes of dynamic shared memory of the block.
    pub dynamic_shared_bytes: u32,
    /// Blocks that are on one multiprocessor at a time.
    pub blocks_per_multiprocessor: u32,
    /// The fewest blocks that fill the device.
    pub blocks: u32,
}

impl BestBlock {
    /// The launch of at least `n` threads in such blocks, as [`Launch::covering`] has it. None at all for 0.
    #[must_use]
    pub fn covering(&self, n: usize) -> Launch {
        self.launch(Launch::covering(n).block(self.threads))
    }

    /// The launch that just fills the device: for kernels whose threads go on with more elements, in strides of the grid.
    #[must_use]
    pub fn filling(&self) -> Launch {
        self.launch(Launch::new(self.blocks, self.threads))
    }

    fn launch(&self, launch: Launch) -> Launch {
        match self.dynamic_shared_bytes {
            0 => launch,
            bytes => launch.dynamic_shared(bytes),
        }
    }
}

impl Function {
    pub(crate) fn new(
        device: &Device,
        name: &'static str,
        contract: Contract,
        loaded: Option<cuda::module::Function>,
    ) -> Function {
        Function {
            name,
            contract,
            loaded,
            device: device.clone(),
        }
    }

    /// The kernel's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    pub(super) fn static_name(&self) -> &'static str {
        self.name
    }

    pub(super) fn contract(&self) -> Contract {
        self.contract
    }

    /// The device that it is loaded on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// What the kernel needs; `None` on the emulator. CUDA: `cuFuncGetAttribute`.
    ///
    /// # Errors
    /// [`LaunchError::Driver`].
    pub fn attributes(&self) -> Result<Option<KernelAttributes>, LaunchError> {
        let attributes = self.loaded.as_ref().map(|loaded| loaded.attributes());
        attributes.transpose().map_err(|e| self.refused(e))
    }

    /// How many blocks of `threads` threads and `dynamic_shared_bytes` bytes of dynamic shared memory are on one multiprocessor at a time,
    /// and what there is least room for.
    ///
    /// The driver gives the number of blocks, the rules of [`occupancy`](crate::occupancy) the rest; on the emulator they give it all, from
    /// its model and without registers and static shared memory. CUDA: `cuOccupancyMaxActiveBlocksPerMultiprocessor`.
    ///
    /// # Errors
    /// [`LaunchError::Driver`].
    pub fn occupancy(
        &self,
        threads: u32,
        dynamic_shared_bytes: u32,
    ) -> Result<Occupancy, LaunchError> {
        let attributes = self.attributes()?;
        let fixed = attributes.map_or(0, |attributes| attributes.shared_bytes);
        let needs = BlockNeeds {
            threads,
            registers: attributes.map_or(0, |attributes| attributes.registers),
            shared_bytes: fixed.saturating_add(dynamic_shared_bytes),
        };
        let mut room = self.multiprocessor().occupancy_of(&needs);
        if self.loaded.is_some() {
            room.blocks = self.blocks(threads, dynamic_shared_bytes, fixed)?;
            room.warps = room.blocks * threads.div_ceil(self.device.0.limits.warp);
        }
        Ok(room)
    }

    /// The block with which most threads are on the device at a time, the largest if there are several; `dynamic_shared_bytes` says how
    /// much dynamic shared memory a block of so many threads takes.
    ///
    /// Keeps to the kernel's own bounds. CUDA: `cuOccupancyMaxPotentialBlockSize`.
    ///
    /// # Errors
    /// [`LaunchError::SharedTooLarge`] if no block has room for what `dynamic_shared_bytes` says, [`LaunchError::TooManyThreads`] if the
    /// block that the kernel declares takes more registers than there are; [`LaunchError::Driver`].
    pub fn best_block(
        &self,
        dynamic_shared_bytes: impl Fn(u32) -> u32,
    ) -> Result<BestBlock, LaunchError> {
        let limits = self.device.0.limits;
        let attributes = self.attributes()?;
        let fixed = attributes.map_or(0, |attributes| attributes.shared_bytes);
        let mut most = attributes.map_or(limits.threads_per_block, |a| a.max_threads);
        if self.contract.max_threads != 0 {
            most = most.min(self.contract.max_threads);
        }
        let only = match self.contract.block {
            [0, 0, 0] => None,
            block => Some(block.map(|extent| extent.max(1)).iter().product()),
        };
        if let Some(given) = only
            && given > most
        {
            return Err(LaunchError::TooManyThreads {
                kernel: self.name,
                given,
                limit: most,
            });
        }
        let full = limits.threads_per_multiprocessor;
        let best = best_block((most, limits.warp), only, full, |threads| {
            self.blocks(threads, dynamic_shared_bytes(threads), fixed)
        })?;
        let smallest = only.unwrap_or(limits.warp.min(most));
        let (threads, blocks_per_multiprocessor) =
            best.ok_or_else(|| LaunchError::SharedTooLarge {
                kernel: self.name,
                given: dynamic_shared_bytes(smallest),
                fixed,
                limit: limits.shared_bytes_opt_in,
                device: self.device.name().to_owned(),
            })?;
        Ok(BestBlock {
            threads,
            dynamic_shared_bytes: dynamic_shared_bytes(threads),
            blocks_per_multiprocessor,
            blocks: blocks_per_multiprocessor.saturating_mul(limits.multiprocessors),
        })
    }

    /// Says what the kernel would rather have more of. GPUs whose memory is not divided so take no notice; launches that differ in it wait
    /// for each other. Without effect on the emulator. CUDA: `cuFuncSetCacheConfig`.
    ///
    /// # Errors
    /// [`LaunchError::Driver`].
    pub fn prefer_cache(&self, preference: CachePreference) -> Result<(), LaunchError> {
        let number = match preference {
            CachePreference::None => 0,
            CachePreference::Shared => 1,
            CachePreference::L1 => 2,
            CachePreference::Equal => 3,
        };
        self.tell(|loaded| loaded.set_cache_config(number))
    }

    /// Says how much of a multiprocessor's memory should be shared memory, in percent of the most that there can be; the driver takes the
    /// next size that the GPU has. `None` leaves it to the driver. Without effect on the emulator.
    ///
    /// CUDA: `CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`.
    ///
    /// # Errors
    /// [`LaunchError::WrongCarveout`] for more than 100 percent; [`LaunchError::Driver`].
    pub fn prefer_shared(&self, percent: Option<u8>) -> Result<(), LaunchError> {
        if let Some(given @ 101..) = percent {
            let kernel = self.name;
            return Err(LaunchError::WrongCarveout { kernel, given });
        }
        self.tell(|loaded| loaded.set_shared_carveout(percent))
    }

    /// Allows launches with up to `bytes` bytes of dynamic shared memory, ahead of them: launches do it by themselves. Without effect on
    /// the emulator. CUDA: `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
    ///
    /// # Errors
    /// [`LaunchError::SharedTooLarge`] for more than a block can have; [`LaunchError::Driver`].
    pub fn allow_dynamic_shared(&self, bytes: u32) -> Result<(), LaunchError> {
        let limit = self.device.0.limits.shared_bytes_opt_in;
        let fixed = self.attributes()?.map_or(0, |a| a.shared_bytes);
        if bytes > limit.saturating_sub(fixed) {
            return Err(LaunchError::SharedTooLarge {
                kernel: self.name,
                given: bytes,
                fixed,
                limit,
                device: self.device.name().to_owned(),
            });
        }
        self.tell(|loaded| loaded.allow_dynamic_shared(bytes))
    }

    /// Puts the function onto the GPU now, rather than with its first launch. Without effect on the emulator. CUDA: `cuFuncLoad`.
    /// Driver: 12.4.
    ///
    /// # Errors
    /// [`LaunchError::Driver`], also if the driver is too old.
    pub fn load(&self) -> Result<(), LaunchError> {
        self.tell(|loaded| loaded.load())
    }

    /// Whether the function is on the GPU already; drivers that load lazily may have put it there when it was looked up. CUDA:
    /// `cuFuncIsLoaded`. Driver: 12.4.
    ///
    /// # Errors
    /// [`ModuleError::Unsupported`] on the emulator, which loads nothing; [`LaunchError::Driver`], also if the driver is too old.
    pub fn is_loaded(&self) -> Result<bool, ModuleError> {
        match &self.loaded {
            Some(loaded) => Ok(loaded.is_loaded().map_err(|e| self.refused(e))?),
            None => Err(Unsupported {
                what: "asking whether a function is loaded",
                device: self.device.name().to_owned(),
                reason: "its kernels are part of the program; ask a GPU".into(),
            }
            .into()),
        }
    }

    /// Blocks of this size that one multiprocessor has places for.
    fn blocks(&self, threads: u32, dynamic_shared: u32, fixed: u32) -> Result<u32, LaunchError> {
        let limits = self.device.0.limits;
        let most_shared = limits.shared_bytes_opt_in.saturating_sub(fixed);
        let possible = (1..=limits.threads_per_block).contains(&threads);
        if !possible || dynamic_shared > most_shared {
            return Ok(0);
        }
        let Some(loaded) = &self.loaded else {
            let needs = BlockNeeds {
                threads,
                registers: 0,
                shared_bytes: dynamic_shared,
            };
            return Ok(self.multiprocessor().occupancy_of(&needs).blocks);
        };
        // The driver counts none for more than was allowed.
        if fixed.saturating_add(dynamic_shared) > limits.shared_bytes {
            self.tell(|loaded| loaded.allow_dynamic_shared(dynamic_shared))?;
        }
        let blocks = loaded.blocks_per_multiprocessor(threads, dynamic_shared);
        blocks.map_err(|e| self.refused(e))
    }

    fn multiprocessor(&self) -> Multiprocessor {
        match &self.device.0.backend {
            Backend::Emulator(emulated) => Multiprocessor::of(emulated.model.unwrap_or_default()),
            Backend::Cuda(_) => Multiprocessor::of_gpu(&self.device.0.limits),
        }
    }

    fn tell(
        &self,
        what: impl FnOnce(&cuda::module::Function) -> Result<(), DriverError>,
    ) -> Result<(), LaunchError> {
        match &self.loaded {
            Some(loaded) => what(loaded).map_err(|e| self.refused(e)),
            None => Ok(()),
        }
    }

    fn refused(&self, source: DriverError) -> LaunchError {
        LaunchError::Driver {
            kernel: self.name,
            source,
        }
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("name", &self.name)
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}
