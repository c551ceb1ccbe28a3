//! Device code: modules, their functions and variables, and launches.

use std::ffi::{CStr, CString, c_int, c_uint, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::callback::run_outside_callback;
use super::context::Context;
use super::jit::Jit;
use super::result::DriverError;
use super::stream::Stream;
use super::sys::{self, CUfunction, CUlaunchAttribute, CUlaunchConfig, CUmodule, modules};
use crate::launch_shape::CheckedShape;

/// Bytes kept of what the driver's assembler says.
const LOG_BYTES: usize = 4096;

/// Loaded device code.
#[derive(Debug)]
pub(crate) struct Module {
    context: Arc<Context>,
    raw: CUmodule,
    /// Whether kernels of it may run when its last owner drops it.
    launched: AtomicBool,
}

/// A kernel of a module. Keeps the module loaded.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    module: Arc<Module>,
    pub(super) raw: CUfunction,
    /// Whether launches may start it before the kernels ahead of it in the stream have ended.
    waits: bool,
}

/// What a kernel needs on a GPU. Returned by `kernel_name::attributes`. CUDA: `cudaFuncGetAttributes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelAttributes {
    /// Registers of each thread.
    pub registers: u32,
    /// Bytes of local memory of each thread: spilled registers, arrays, the stack.
    pub local_bytes: u32,
    /// Bytes of shared memory that each block has without asking.
    pub shared_bytes: u32,
    /// Bytes of constant memory that the kernel declares.
    pub constant_bytes: u32,
    /// Threads of a block at most, given its registers and its launch bounds.
    pub max_threads: u32,
    /// Bytes of dynamic shared memory that launches were allowed so far; launches raise it by themselves.
    pub max_dynamic_shared_bytes: u32,
    /// The PTX version that it was assembled for, as 10 × compute capability.
    pub ptx_version: u32,
    /// The architecture of the machine code, as 10 × compute capability.
    pub binary_version: u32,
}

/// A module that the driver refused.
#[derive(Debug)]
pub(crate) struct LoadError {
    pub(crate) error: DriverError,
    /// What the driver's assembler said.
    pub(crate) log: String,
}

impl From<DriverError> for LoadError {
    fn from(error: DriverError) -> LoadError {
        LoadError {
            error,
            log: String::new(),
        }
    }
}

impl Module {
    /// Compiles PTX for the GPU and loads it.
    pub(crate) fn load(context: Arc<Context>, ptx: &CStr) -> Result<Arc<Module>, LoadError> {
        let mut jit = Jit::errors_only(LOG_BYTES);
        // SAFETY: PTX that ends with a zero byte.
        unsafe { Module::load_code(context, ptx.to_bytes_with_nul(), &mut jit) }
    }

    /// Loads PTX, a cubin or a fat binary.
    ///
    /// # Safety
    /// `code` is whole: PTX ends with a zero byte, and the headers of binaries name no byte behind the end.
    pub(crate) unsafe fn load_code(
        context: Arc<Context>,
        code: &[u8],
        jit: &mut Jit,
    ) -> Result<Arc<Module>, LoadError> {
        context.bind()?;
        let mut raw = CUmodule::NULL;
        let (count, keys, values) = jit.parts();
        // SAFETY: the caller promises the code; as many keys as values, and the logs have the sizes that they name.
        let loaded = unsafe {
            context.driver.cuModuleLoadDataEx(
                &raw mut raw,
                code.as_ptr().cast(),
                count,
                keys,
                values,
            )
        };
        match loaded {
            Ok(()) => Ok(Arc::new(Module {
                context,
                raw,
                launched: AtomicBool::new(false),
            })),
            Err(error) => Err(LoadError {
                error,
                log: jit.logs().errors,
            }),
        }
    }

    /// Makes unloading the module wait for the device. What the program carries does without: it goes with the device, which waits.
    pub(crate) fn note_launch(&self) {
        self.launched.store(true, Ordering::Release);
    }

    /// The names of all kernels, as far as this driver (before 12.4) can tell.
    pub(crate) fn function_names(&self) -> Option<Vec<String>> {
        let driver = &self.context.driver;
        self.context.bind().ok()?;
        let mut count: c_uint = 0;
        // SAFETY: writes one number to where we point; the module is alive.
        unsafe { driver.cuModuleGetFunctionCount(&raw mut count, self.raw) }.ok()?;
        let mut functions = vec![CUfunction::NULL; count as usize];
        // SAFETY: writes at most `count` handles to where we point; the module is alive.
        unsafe { driver.cuModuleEnumerateFunctions(functions.as_mut_ptr(), count, self.raw) }
            .ok()?;
        let mut names = Vec::new();
        for function in functions {
            let mut name = std::ptr::null();
            // SAFETY: writes one address to where we point; the function is the module's.
            unsafe { driver.cuFuncGetName(&raw mut name, function) }.ok()?;
            if !name.is_null() {
                // SAFETY: a C string of the driver, valid while the module is loaded.
                let name = unsafe { CStr::from_ptr(name) };
                names.push(name.to_string_lossy().into_owned());
            }
        }
        names.sort();
        Some(names)
    }

    pub(crate) fn function(self: &Arc<Module>, name: &str) -> Result<Function, DriverError> {
        self.context.bind()?;
        let name = CString::new(name).unwrap_or_default();
        let mut raw = CUfunction::NULL;
        // SAFETY: writes one handle to where we point; the module is alive and the name ends with a zero byte.
        unsafe {
            self.context
                .driver
                .cuModuleGetFunction(&raw mut raw, self.raw, name.as_ptr())?;
        }
        Ok(Function {
            module: Arc::clone(self),
            raw,
            waits: false,
        })
    }

    /// Address and size of a global variable; `None` if the module has none of this name.
    pub(crate) fn global(&self, name: &CStr) -> Result<Option<(u64, usize)>, DriverError> {
        self.context.bind()?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: writes an address and a size to where we point; the module is alive.
        let found = unsafe {
            self.context.driver.cuModuleGetGlobal_v2(
                &raw mut address,
                &raw mut bytes,
                self.raw,
                name.as_ptr(),
            )
        };
        match found {
            Ok(()) => Ok(Some((address, bytes))),
            Err(error) if error.code == sys::CUDA_ERROR_NOT_FOUND => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let (context, raw) = (Arc::clone(&self.context), self.raw);
        let launched = self.launched.load(Ordering::Acquire);
        run_outside_callback(move || {
            if launched {
                // Kernels that still run need their code. Errors: the context is broken, and nothing runs.
                let _ = context.synchronize();
            }
            let _ = context.bind();
            // SAFETY: unloaded once; functions keep the module alive. Errors: the driver is shut down already.
            let _ = unsafe { context.driver.cuModuleUnload(raw) };
        });
    }
}

impl Function {
    /// The same for launches that start before the kernels ahead of them in the stream have ended, as far as those allow it.
    ///
    /// # Safety
    /// All threads of the kernel begin with `griddepcontrol.wait`.
    pub(crate) unsafe fn dependent(self) -> Function {
        Function {
            waits: true,
            ..self
        }
    }

    /// Whether both came from one module, loaded once: a name means one kernel there.
    pub(crate) fn is_of_same_module(&self, other: &Function) -> bool {
        Arc::ptr_eq(&self.module, &other.module)
    }

    /// Threads of a block at most, given the registers that the kernel needs.
    pub(crate) fn max_threads(&self) -> Result<u32, DriverError> {
        self.attribute(sys::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
    }

    /// Bytes of shared memory that every block has without asking.
    pub(crate) fn static_shared_bytes(&self) -> Result<u32, DriverError> {
        self.attribute(sys::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
    }

    /// What the driver says of this kernel.
    pub(crate) fn attributes(&self) -> Result<KernelAttributes, DriverError> {
        Ok(KernelAttributes {
            registers: self.attribute(sys::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: self.attribute(sys::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            shared_bytes: self.static_shared_bytes()?,
            constant_bytes: self.attribute(sys::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)?,
            max_threads: self.max_threads()?,
            max_dynamic_shared_bytes: self
                .attribute(sys::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)?,
            ptx_version: self.attribute(sys::CU_FUNC_ATTRIBUTE_PTX_VERSION)?,
            binary_version: self.attribute(sys::CU_FUNC_ATTRIBUTE_BINARY_VERSION)?,
        })
    }

    /// Blocks of this size that one multiprocessor has places for at a time.
    pub(crate) fn blocks_per_multiprocessor(
        &self,
        threads: u32,
        shared_bytes: u32,
    ) -> Result<u32, DriverError> {
        let context = &self.module.context;
        context.bind()?;
        let mut blocks: c_int = 0;
        let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
        // SAFETY: writes one integer to where we point; the function's module is alive.
        unsafe {
            context.driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &raw mut blocks,
                self.raw,
                threads,
                shared_bytes as usize,
            )?;
        }
        Ok(blocks.unsigned_abs())
    }

    /// Allows launches in clusters of more than 8 blocks.
    pub(crate) fn allow_large_clusters(&self) -> Result<(), DriverError> {
        self.set_attribute(sys::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)
    }

    fn attribute(&self, attribute: c_int) -> Result<u32, DriverError> {
        let context = &self.module.context;
        context.bind()?;
        let mut value: c_int = 0;
        // SAFETY: writes one integer to where we point; the function's module is alive.
        unsafe {
            context
                .driver
                .cuFuncGetAttribute(&raw mut value, attribute, self.raw)?;
        }
        Ok(value.unsigned_abs())
    }

    /// Allows launches with up to `bytes` bytes of dynamic shared memory. Never lowers what another launch was allowed: the driver has
    /// one number for the function, and several lines of a program may launch it.
    pub(crate) fn allow_dynamic_shared(&self, bytes: u32) -> Result<(), DriverError> {
        let attribute = sys::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        if self.attribute(attribute)? >= bytes {
            return Ok(());
        }
        self.set_attribute(attribute, c_int::try_from(bytes).unwrap_or(c_int::MAX))
    }

    /// The part of a multiprocessor's memory that is to be shared memory, in percent; `None` leaves it to the driver.
    pub(crate) fn set_shared_carveout(&self, percent: Option<u8>) -> Result<(), DriverError> {
        let attribute = modules::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
        self.set_attribute(attribute, percent.map_or(-1, c_int::from))
    }

    /// What the function would rather have more of: the driver's number for it.
    pub(crate) fn set_cache_config(&self, config: c_int) -> Result<(), DriverError> {
        let context = &self.module.context;
        context.bind()?;
        // SAFETY: takes a number only; the function's module is alive.
        unsafe { context.driver.cuFuncSetCacheConfig(self.raw, config) }
    }

    /// Whether launches must say how large a cluster is, and the cluster that the code fixes (zeros if it does not). Drivers before 11.8
    /// know no clusters, and are not to be asked.
    pub(crate) fn cluster(&self) -> Result<(bool, [u32; 3]), DriverError> {
        let told = self.attribute(modules::CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET)?;
        let [x, y, z] = modules::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER;
        let fixed = [self.attribute(x)?, self.attribute(y)?, self.attribute(z)?];
        Ok((told != 0, fixed))
    }

    /// Whether the function is on the GPU already, which loads functions when they are first launched.
    pub(crate) fn is_loaded(&self) -> Result<bool, DriverError> {
        let context = &self.module.context;
        context.bind()?;
        let mut state: c_int = 0;
        // SAFETY: writes one integer to where we point; the function's module is alive.
        unsafe { context.driver.cuFuncIsLoaded(&raw mut state, self.raw)? };
        Ok(state != 0)
    }

    /// Loads the function now.
    pub(crate) fn load(&self) -> Result<(), DriverError> {
        let context = &self.module.context;
        context.bind()?;
        // SAFETY: takes a handle only; the function's module is alive.
        unsafe { context.driver.cuFuncLoad(self.raw) }
    }

    fn set_attribute(&self, attribute: c_int, value: c_int) -> Result<(), DriverError> {
        let context = &self.module.context;
        context.bind()?;
        // SAFETY: takes numbers only; the function's module is alive.
        unsafe {
            context
                .driver
                .cuFuncSetAttribute(self.raw, attribute, value)
        }
    }

    /// Sizes of the parameters as the driver sees them; `None` if this driver (before 12.4) cannot tell.
    pub(crate) fn parameter_sizes(&self, most: usize) -> Result<Option<Vec<usize>>, DriverError> {
        let context = &self.module.context;
        context.bind()?;
        let mut sizes = Vec::new();
        while sizes.len() < most {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: writes two sizes to where we point; an index past the last parameter is an error, no more.
            let answer = unsafe {
                context.driver.cuFuncGetParamInfo(
                    self.raw,
                    sizes.len(),
                    &raw mut offset,
                    &raw mut size,
                )
            };
            match answer {
                None => return Ok(None),
                Some(Ok(())) => sizes.push(size),
                Some(Err(error)) if error.code == sys::CUDA_ERROR_INVALID_VALUE => break,
                Some(Err(error)) => return Err(error),
            }
        }
        Ok(Some(sizes))
    }

    /// Queues a run of this kernel.
    ///
    /// # Safety
    /// `params` points to one pointer per parameter of the kernel, each to a value of its size and layout; the memory that the
    /// kernel reaches through them stays valid, and is used by no one else, until the stream got there. Stream and function
    /// belong to one context.
    #[inline]
    pub(crate) unsafe fn launch(
        &self,
        stream: &Stream,
        shape: &CheckedShape,
        params: *mut *mut c_void,
    ) -> Result<(), Box<DriverError>> {
        if shape.cluster.at_launch || shape.cooperative || self.waits {
            // SAFETY: the caller's promise.
            return unsafe { self.launch_ex(stream, shape, params) }.map_err(Box::new);
        }
        stream.bind_default()?;
        let ([gx, gy, gz], [bx, by, bz]) = (shape.grid, shape.block);
        let (context, null) = (&*stream.context, std::ptr::null_mut());
        // SAFETY: the caller promises the parameters; function and stream are alive.
        unsafe {
            context.driver.cuLaunchKernel(
                context.retry(),
                self.raw,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                shape.dynamic_shared_bytes,
                stream.raw,
                params,
                null,
            )
        }
    }

    /// [`launch`](Self::launch), of a cooperative grid, with clusters that the code does not fix, or of a kernel that waits.
    ///
    /// # Safety
    /// As [`launch`](Self::launch).
    unsafe fn launch_ex(
        &self,
        stream: &Stream,
        shape: &CheckedShape,
        params: *mut *mut c_void,
    ) -> Result<(), DriverError> {
        stream.context.bind()?;
        let clusters = shape.cluster.at_launch.then(|| {
            let id = sys::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
            CUlaunchAttribute::new(id, shape.cluster.extents)
        });
        let flag = |is_set: bool, id| is_set.then(|| CUlaunchAttribute::new(id, [1]));
        let all = [
            clusters,
            flag(shape.cooperative, sys::CU_LAUNCH_ATTRIBUTE_COOPERATIVE),
            flag(
                self.waits,
                sys::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            ),
        ];
        let mut attributes = [CUlaunchAttribute::new(0, []); 3];
        let mut n_attributes = 0;
        for (to, from) in attributes.iter_mut().zip(all.into_iter().flatten()) {
            *to = from;
            n_attributes += 1;
        }
        let config = CUlaunchConfig {
            grid: shape.grid,
            block: shape.block,
            shared_bytes: shape.dynamic_shared_bytes,
            stream: stream.raw,
            attributes: attributes.as_ptr(),
            n_attributes,
        };
        // SAFETY: the caller promises the parameters; function and stream are alive, and the attributes until this returns.
        let launched = unsafe {
            stream.context.driver.cuLaunchKernelEx(
                &raw const config,
                self.raw,
                params,
                std::ptr::null_mut(),
            )
        };
        launched.unwrap_or_else(|| {
            Err(DriverError {
                code: sys::CUDA_ERROR_NOT_SUPPORTED,
                name: "CUDA_ERROR_NOT_SUPPORTED".to_owned(),
                text: "clusters, cooperative grids and dependent launches need driver 11.8"
                    .to_owned(),
                call: "cuLaunchKernelEx",
                launches: Box::default(),
            })
        })
    }
}
