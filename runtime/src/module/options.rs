//! Options of the driver's compiler.

use crate::cuda::jit::{Jit, Setting};
use crate::cuda::numbers as n;
use crate::module::error::ModuleError;
use crate::module::images::{Arch, Reach};

/// Bytes kept of each log, unless the options say more.
const LOG_BYTES: usize = 16 * 1024;

/// How the driver compiles PTX, and what it says then. The default is the driver's own, for the device's architecture.
///
/// CUDA: `CUjit_option`, with the options that `cuModuleLoadDataEx` and `cuLinkCreate` document; those for NVIDIA's internal use are
/// not offered.
///
/// ```
/// use warploom_runtime::module::{CacheMode, JitOptions};
/// let options = JitOptions::new().max_registers(64).line_info(true).cache_mode(CacheMode::L2).verbose(true);
/// # let _ = options;
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct JitOptions {
    max_registers: Option<u32>,
    threads_per_block: Option<u32>,
    optimisation: Option<u32>,
    target: Option<Arch>,
    prefer_binary: Option<bool>,
    debug_info: bool,
    line_info: bool,
    verbose: bool,
    cache_mode: Option<CacheMode>,
    log_bytes: Option<usize>,
}

/// Where loads from global memory are kept. CUDA: `CUjit_cacheMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CacheMode {
    /// As the architecture has it.
    Default,
    /// In the L2 cache alone: `-dlcm=cg`.
    L2,
    /// In both caches: `-dlcm=ca`.
    L1AndL2,
}

impl JitOptions {
    /// The driver's defaults.
    pub fn new() -> JitOptions {
        JitOptions::default()
    }

    /// At most so many registers per thread, 1 to 255. Kernels with launch bounds keep to those. CUDA: `CU_JIT_MAX_REGISTERS`,
    /// `-maxrregcount`.
    pub fn max_registers(self, registers: u32) -> JitOptions {
        JitOptions {
            max_registers: Some(registers),
            ..self
        }
    }

    /// Blocks of at least so many threads are to fit, as far as registers go.
    /// [`Module::threads_per_block`](super::Module::threads_per_block) says what it came to. CUDA: `CU_JIT_THREADS_PER_BLOCK`; the driver
    /// refuses it together with a target.
    pub fn threads_per_block(self, threads: u32) -> JitOptions {
        JitOptions {
            threads_per_block: Some(threads),
            ..self
        }
    }

    /// From 0, which compiles fastest, to 4, the default. CUDA: `CU_JIT_OPTIMIZATION_LEVEL`.
    pub fn optimisation(self, level: u32) -> JitOptions {
        JitOptions {
            optimisation: Some(level),
            ..self
        }
    }

    /// Compiles for this architecture rather than for the device's: for cubins that other devices load. CUDA: `CU_JIT_TARGET`.
    pub fn target(self, arch: Arch) -> JitOptions {
        JitOptions {
            target: Some(arch),
            ..self
        }
    }

    /// What the driver takes of a fat binary that has no machine code for exactly this GPU: machine code that runs all the same, or PTX.
    /// CUDA: `CU_JIT_FALLBACK_STRATEGY`.
    pub fn prefer_binary(self, wanted: bool) -> JitOptions {
        JitOptions {
            prefer_binary: Some(wanted),
            ..self
        }
    }

    /// With all that a debugger needs; slow code. CUDA: `CU_JIT_GENERATE_DEBUG_INFO`.
    pub fn debug_info(self, wanted: bool) -> JitOptions {
        JitOptions {
            debug_info: wanted,
            ..self
        }
    }

    /// With the lines of the source, for profilers. CUDA: `CU_JIT_GENERATE_LINE_INFO`.
    pub fn line_info(self, wanted: bool) -> JitOptions {
        JitOptions {
            line_info: wanted,
            ..self
        }
    }

    /// With registers, spills and memory of each kernel in [`Module::log`](super::Module::log). CUDA: `CU_JIT_LOG_VERBOSE`.
    pub fn verbose(self, wanted: bool) -> JitOptions {
        JitOptions {
            verbose: wanted,
            ..self
        }
    }

    /// Where loads from global memory are kept. CUDA: `CU_JIT_CACHE_MODE`.
    pub fn cache_mode(self, mode: CacheMode) -> JitOptions {
        JitOptions {
            cache_mode: Some(mode),
            ..self
        }
    }

    /// Keeps up to so many bytes of each log; 16 KiB unless said otherwise.
    pub fn log_bytes(self, bytes: usize) -> JitOptions {
        JitOptions {
            log_bytes: Some(bytes),
            ..self
        }
    }

    /// What the driver is told of a link, which takes no code for other GPUs than its own.
    pub(super) fn link(&self) -> Result<Jit, ModuleError> {
        if let Some(wanted) = self.prefer_binary {
            return Err(ModuleError::Setting {
                option: "JitOptions::prefer_binary",
                given: u64::from(wanted),
                allowed: "it only without a link",
            });
        }
        self.jit()
    }

    /// What the driver is told.
    pub(super) fn jit(&self) -> Result<Jit, ModuleError> {
        let bytes = self.log_bytes.unwrap_or(LOG_BYTES);
        // The driver takes 32 bits.
        let bytes = bytes.clamp(1, u32::MAX as usize);
        Ok(Jit::new(&self.settings()?, bytes))
    }

    fn settings(&self) -> Result<Vec<Setting>, ModuleError> {
        self.check()?;
        let mut settings = vec![(n::CU_JIT_WALL_TIME, 0)];
        let mut set = |key, value: Option<u32>| {
            settings.extend(value.map(|value| (key, value as usize)));
        };
        set(n::CU_JIT_MAX_REGISTERS, self.max_registers);
        set(n::CU_JIT_THREADS_PER_BLOCK, self.threads_per_block);
        set(n::CU_JIT_OPTIMIZATION_LEVEL, self.optimisation);
        set(
            n::CU_JIT_FALLBACK_STRATEGY,
            self.prefer_binary.map(u32::from),
        );
        set(n::CU_JIT_GENERATE_DEBUG_INFO, self.debug_info.then_some(1));
        set(n::CU_JIT_GENERATE_LINE_INFO, self.line_info.then_some(1));
        set(n::CU_JIT_LOG_VERBOSE, self.verbose.then_some(1));
        let mode = self.cache_mode.map(|mode| match mode {
            CacheMode::Default => 0,
            CacheMode::L2 => 1,
            CacheMode::L1AndL2 => 2,
        });
        set(n::CU_JIT_CACHE_MODE, mode);
        match self.target {
            Some(arch) => settings.push((n::CU_JIT_TARGET, target_number(arch))),
            // Not beside a number of threads, which the driver refuses; the context's target is what it takes then, too.
            None if self.threads_per_block.is_none() => {
                settings.push((n::CU_JIT_TARGET_FROM_CUCONTEXT, 0));
            }
            None => {}
        }
        Ok(settings)
    }

    fn check(&self) -> Result<(), ModuleError> {
        let wrong = |option, given: u32, allowed| {
            Err(ModuleError::Setting {
                option,
                given: u64::from(given),
                allowed,
            })
        };
        match (
            self.max_registers,
            self.optimisation,
            self.threads_per_block,
        ) {
            (Some(n @ (0 | 256..)), _, _) => {
                wrong("JitOptions::max_registers", n, "1 to 255 registers")
            }
            (_, Some(level @ 5..), _) => {
                wrong("JitOptions::optimisation", level, "the levels 0 to 4")
            }
            (_, _, Some(threads @ (0 | 1025..))) => wrong(
                "JitOptions::threads_per_block",
                threads,
                "1 to 1024 threads",
            ),
            (_, _, Some(threads)) if self.target.is_some() => wrong(
                "JitOptions::threads_per_block",
                threads,
                "it only without JitOptions::target",
            ),
            _ => Ok(()),
        }
    }
}

fn target_number(arch: Arch) -> usize {
    let (major, minor) = arch.capability;
    let number = (10 * major + minor) as usize;
    number
        + match arch.reach {
            Reach::General => 0,
            Reach::Family => n::CU_COMPUTE_FAMILY_TARGET_BASE,
            Reach::Exact => n::CU_COMPUTE_ACCELERATED_TARGET_BASE,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(options: &JitOptions) -> Vec<Setting> {
        let mut settings = options.settings().unwrap();
        settings.sort_unstable();
        settings
    }

    //@ rows: GDR-8
    #[test]
    fn the_default_compiles_for_the_context() {
        assert_eq!(
            settings(&JitOptions::new()),
            [
                (n::CU_JIT_WALL_TIME, 0),
                (n::CU_JIT_TARGET_FROM_CUCONTEXT, 0)
            ]
        );
    }

    //@ rows: GDR-8, GCO-10
    #[test]
    fn every_option_has_the_drivers_number_and_value() {
        let options = JitOptions::new()
            .max_registers(255)
            .optimisation(0)
            .target(Arch::exact(9, 0))
            .prefer_binary(true)
            .debug_info(true)
            .line_info(true)
            .verbose(true)
            .cache_mode(CacheMode::L1AndL2);
        assert_eq!(
            settings(&options),
            [
                (0, 255),
                (2, 0),
                (7, 0),
                (9, 0x1_0000 + 90),
                (10, 1),
                (11, 1),
                (12, 1),
                (13, 1),
                (14, 2)
            ]
        );
        let options = JitOptions::new().threads_per_block(256);
        assert_eq!(settings(&options), [(1, 256), (2, 0)]);
        assert_eq!(target_number(Arch::family(10, 0)), 0x2_0000 + 100);
        assert_eq!(target_number(Arch::new(8, 6)), 86);
    }

    #[test]
    fn values_that_the_driver_does_not_take_are_refused() {
        let new = JitOptions::new;
        for (options, said) in [
            (new().max_registers(0), "JitOptions::max_registers is 0"),
            (
                new().max_registers(256),
                "max_registers is 256, but the driver's compiler takes 1 to 255",
            ),
            (new().optimisation(5), "JitOptions::optimisation is 5"),
            (new().threads_per_block(0), "threads_per_block is 0"),
            (new().threads_per_block(1025), "takes 1 to 1024 threads"),
            (
                new().threads_per_block(64).target(Arch::new(8, 0)),
                "only without JitOptions::target",
            ),
        ] {
            let text = options.jit().unwrap_err().to_string();
            assert!(text.contains(said), "{text}");
        }
        let text = new().prefer_binary(true).link().unwrap_err().to_string();
        assert!(text.contains("it only without a link"), "{text}");
        assert!(new().link().is_ok());
    }
}
