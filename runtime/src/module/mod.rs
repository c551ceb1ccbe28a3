//! Device code that other compilers made: PTX, cubins and fat binaries, their kernels and variables; and [`Function`], a loaded kernel,
//! of any origin.
//!
//! | here | CUDA |
//! |---|---|
//! | [`Code::ptx`], [`Code::binary`], [`Code::file`] | what `cuModuleLoadData` takes |
//! | [`Device::load`], [`Device::load_with`], [`JitOptions`] | `cuModuleLoadDataEx` with `CUjit_option` |
//! | [`Device::linker`], [`Linker`] | `cuLinkCreate`, `cuLinkAddData`, `cuLinkComplete`, `cuLinkDestroy` |
//! | [`Module::kernel`], [`ForeignKernel::launch`] | `cuModuleGetFunction`, `cuLaunchKernel` |
//! | [`Module::symbol`] | `cuModuleGetGlobal` |
//! | [`Function`] | `cuFuncGetAttribute`, `cuFuncSetAttribute`, `cuFuncSetCacheConfig`, `cuOccupancyMaxActiveBlocksPerMultiprocessor` |
//! | [`images`] | which image a GPU gets |
//! | [`carried_ptx`] | the text that `nvcc --ptx` writes |
//!
//! Kernels under `#[kernel]` need none of this to be launched: the program carries their code.
//!
//! # Loading
//!
//! Names belong to a module: several modules with equal names do not meet. A module is unloaded when the last of its kernels, variables and
//! clones is dropped; that waits for the device if any of its kernels was launched.
//!
//! The code of `#[kernel]`s is loaded by the first launch that needs it, one module for each crate target. Whether the driver then
//! puts all functions of a module onto the GPU, or each when it is first launched, it decides by the variable `CUDA_MODULE_LOADING` (`LAZY`
//! or `EAGER`), which has to be set before the program opens a GPU; since CUDA 12.2 it is lazy unless told otherwise. warploom leaves that
//! as it is. [`Device::loads_lazily`] says what the driver does, and [`Function::load`] loads one function ahead of its first launch: what
//! is to be timed, or must not wait for a kernel that still runs, should be loaded first.
//!
//! # Only on a GPU
//!
//! The emulator runs the Rust code of kernels, and no PTX: loading and linking are [`Unsupported`] there.
//! [`Function`]s of `#[kernel]`s, and [`images`], work everywhere.

mod carried; // the program's own PTX, to read
mod code; // PTX and binaries
pub(crate) mod embedded; // what the program carries
pub(crate) mod error; // why not
mod foreign; // launches of other people's kernels
pub(crate) mod function; // a loaded kernel
pub mod images; // which GPU runs which code
mod link; // several pieces into one
mod options; // of the driver's compiler
mod signature; // types of kernels' parameters
mod symbol; // variables

use std::fmt;
use std::sync::Arc;

use crate::cuda;
use crate::cuda::jit::Jit;
use crate::cuda::module::LoadError;
use crate::cuda::numbers::CU_JIT_THREADS_PER_BLOCK;
use crate::device::{Backend, Device, Gpu};
use crate::unsupported::Unsupported;

pub use carried::{CarriedPtx, carried_ptx};
pub use code::{Code, CodeKind};
#[doc(hidden)]
pub use embedded::embedded;
pub use error::ModuleError;
pub use foreign::ForeignKernel;
pub use function::{BestBlock, CachePreference, Function};
pub use link::{Linked, Linker};
pub use options::{CacheMode, JitOptions};
pub use signature::{Arguments, ForeignArg, ForeignParam, Signature, Value};
pub use symbol::ModuleSymbol;

/// Loaded device code. Clones are the same module. CUDA: `CUmodule`.
///
/// ```no_run
/// use warploom_runtime::{Device, Launch, module::Code};
/// let device = Device::cuda(0)?;
/// let stream = device.stream()?;
/// let module = device.load(&Code::file("vector_add.ptx")?)?;
/// // extern "C" __global__ void add(const float *a, const float *b, float *sum, int n)
/// let add = module.kernel::<(*const f32, *const f32, *mut f32, i32)>("add")?;
/// let (a, b) = (device.upload(&[1.0f32; 100])?, device.upload(&[2.0f32; 100])?);
/// let mut sum = device.zeroed::<f32>(100)?;
/// // SAFETY: `add` has these parameters, and stays below index 100.
/// unsafe { add.launch(&stream, Launch::covering(100), (&a, &b, &mut sum, 100))? };
/// assert_eq!(sum.to_vec(&stream)?, [3.0; 100]);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct Module(Arc<Loaded>);

/// A module on a GPU.
struct Loaded {
    name: String,
    log: String,
    milliseconds: Option<f32>,
    threads_per_block: Option<u32>,
    module: Arc<cuda::module::Module>,
    /// After the module, whose context it keeps.
    device: Device,
}

impl Device {
    /// Loads code for this device, with the driver's own options. CUDA: `cuModuleLoadDataEx`.
    ///
    /// # Errors
    /// As [`load_with`](Device::load_with).
    ///
    /// ```
    /// use warploom_runtime::{Device, module::{Code, ModuleError}};
    /// let code = Code::ptx(".version 7.0\n.target sm_75\n.address_size 64\n")?;
    /// let refused = Device::emulator().load(&code);
    /// assert!(matches!(refused, Err(ModuleError::Unsupported(_))));
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn load(&self, code: &Code<'_>) -> Result<Module, ModuleError> {
        self.load_with(code, &JitOptions::new())
    }

    /// Loads code for this device: compiles PTX, chooses in fat binaries. Prints what kernels have left so far. CUDA: `cuModuleLoadDataEx`.
    ///
    /// # Errors
    /// [`ModuleError::Unsupported`] on the emulator. [`ModuleError::WrongArch`] for code that does not run here,
    /// [`ModuleError::Setting`] for options that there are not, [`ModuleError::Refused`] with the compiler's log and its first line with an
    /// error.
    pub fn load_with(&self, code: &Code<'_>, options: &JitOptions) -> Result<Module, ModuleError> {
        self.flush_prints();
        let gpu = self.gpu_for("loading PTX, cubins and fat binaries")?;
        check_arch(code, self)?;
        let mut jit = options.jit()?;
        let context = Arc::clone(&gpu.context);
        // SAFETY: `Code` is whole: PTX ends with a zero byte, and headers name no byte behind the end.
        let module = unsafe { cuda::module::Module::load_code(context, code.bytes(), &mut jit) };
        let module = module.map_err(|error| refused(code.name(), code.as_ptx(), error))?;
        Ok(Module(Arc::new(Loaded {
            name: code.name().to_owned(),
            log: jit.logs().info,
            milliseconds: jit.milliseconds(),
            threads_per_block: threads_per_block(&jit),
            module,
            device: self.clone(),
        })))
    }

    /// Starts a link of several pieces of code, with the driver's own options. CUDA: `cuLinkCreate`.
    ///
    /// # Errors
    /// As [`linker_with`](Device::linker_with).
    pub fn linker(&self) -> Result<Linker, ModuleError> {
        self.linker_with(&JitOptions::new())
    }

    /// Starts a link of several pieces of code. CUDA: `cuLinkCreate`.
    ///
    /// # Errors
    /// [`ModuleError::Unsupported`] on the emulator, [`ModuleError::Setting`] for options that there are not, and what the driver reports.
    pub fn linker_with(&self, options: &JitOptions) -> Result<Linker, ModuleError> {
        let gpu = self.gpu_for("linking PTX, cubins and fat binaries")?;
        Linker::new(Arc::clone(&gpu.context), options)
    }

    /// Whether the driver puts functions onto the GPU when they are first launched, rather than all of a module when it is loaded.
    /// CUDA: `cuModuleGetLoadingMode`; the variable `CUDA_MODULE_LOADING` decides. Driver: 11.7.
    ///
    /// # Errors
    /// [`ModuleError::Unsupported`] on the emulator, which loads nothing; [`ModuleError::Driver`] if the driver does not know.
    pub fn loads_lazily(&self) -> Result<bool, ModuleError> {
        let gpu = self.gpu_for("the driver's way of loading")?;
        Ok(gpu.context.loads_lazily()?)
    }

    fn gpu_for(&self, what: &'static str) -> Result<&Gpu, ModuleError> {
        match &self.0.backend {
            Backend::Cuda(gpu) => Ok(gpu),
            Backend::Emulator(_) => Err(Unsupported {
                what,
                device: self.name().to_owned(),
                reason: "it runs the Rust code of kernels, and no PTX; write the kernel under `#[kernel]`, or open a GPU with `Device::cuda`".into(),
            }
            .into()),
        }
    }
}

impl Module {
    /// The device that it is loaded on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// The name of the code, as messages show it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What the driver's compiler said about code that it took; with [`JitOptions::verbose`] what each kernel needs. Empty for code that
    /// was compiled before, and if the driver found it in its cache.
    #[must_use]
    pub fn log(&self) -> &str {
        &self.0.log
    }

    /// Milliseconds that the driver's compiler took, if it says so.
    #[must_use]
    pub fn compile_ms(&self) -> Option<f32> {
        self.0.milliseconds
    }

    /// Threads per block that the compiler made room for, where [`JitOptions::threads_per_block`] asked for that.
    #[must_use]
    pub fn threads_per_block(&self) -> Option<u32> {
        self.0.threads_per_block
    }

    /// The names of all kernels, sorted; `None` if the driver (before 12.4) cannot tell. CUDA: `cuModuleEnumerateFunctions`.
    #[must_use]
    pub fn kernel_names(&self) -> Option<Vec<String>> {
        self.0.module.function_names()
    }
}

/// Refuses code that this device does not run by the rules of [`images`]. Of code that does not say what it is for, the driver knows.
fn check_arch(code: &Code<'_>, device: &Device) -> Result<(), ModuleError> {
    let Some(arch) = code.arch() else {
        return Ok(());
    };
    let capability = device.compute_capability();
    if arch.runs_on(code.form(), capability) {
        return Ok(());
    }
    Err(ModuleError::WrongArch {
        name: code.name().to_owned(),
        arch,
        device: device.name().to_owned(),
        capability,
        remedy: match code.kind() {
            CodeKind::Ptx => "compile it to PTX for an older architecture",
            _ => "compile it for this GPU too, or to PTX, which later GPUs run as well",
        },
    })
}

/// The error of code that the driver refused.
fn refused(name: &str, ptx: Option<&str>, LoadError { error, log }: LoadError) -> ModuleError {
    let (line, place) = error::place(&log, ptx);
    ModuleError::Refused {
        name: name.to_owned(),
        line,
        place,
        log: if log.is_empty() {
            "nothing else".to_owned()
        } else {
            log
        },
        source: Box::new(error),
    }
}

/// The driver's answer stands in the option's place.
fn threads_per_block(jit: &Jit) -> Option<u32> {
    u32::try_from(jit.answer(CU_JIT_THREADS_PER_BLOCK)?).ok()
}

impl Loaded {
    fn gpu(&self) -> Option<&Gpu> {
        match &self.device.0.backend {
            Backend::Cuda(gpu) => Some(gpu),
            Backend::Emulator(_) => None,
        }
    }
}

/// The driver unloads the module afterwards, and prints at that time too.
impl Drop for Loaded {
    fn drop(&mut self) {
        self.device.flush_prints();
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module")
            .field("name", &self.0.name)
            .field("device", &self.0.device)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
