//! Device code: modules, their functions and variables, and launches.

use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::Arc;

use super::context::Context;
use super::result::DriverError;
use super::stream::Stream;
use super::sys::{self, CUfunction, CUlaunchAttribute, CUlaunchConfig, CUmodule};
use crate::launch::{CheckedShape, KernelAttributes};

/// Bytes kept of what the driver's assembler says.
const LOG_BYTES: usize = 4096;

/// Loaded device code.
#[derive(Debug)]
pub(crate) struct Module {
    context: Arc<Context>,
    raw: CUmodule,
}

/// A kernel of a module. Keeps the module loaded.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    module: Arc<Module>,
    pub(super) raw: CUfunction,
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
        context.bind()?;
        let mut raw = CUmodule::NULL;
        let mut log = vec![0u8; LOG_BYTES];
        let mut options = [
            sys::CU_JIT_ERROR_LOG_BUFFER,
            sys::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        // The driver wants the size itself in the pointer's place.
        let mut values = [
            log.as_mut_ptr().cast::<c_void>(),
            std::ptr::without_provenance_mut(LOG_BYTES),
        ];
        // SAFETY: `ptx` ends with a zero byte; two options with two values; the log has the size that the second names.
        let loaded = unsafe {
            context.driver.cuModuleLoadDataEx(
                &raw mut raw,
                ptx.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        match loaded {
            Ok(()) => Ok(Arc::new(Module { context, raw })),
            Err(error) => {
                let end = log.iter().position(|byte| *byte == 0).unwrap_or(LOG_BYTES);
                let log = String::from_utf8_lossy(&log[..end]).trim().to_owned();
                Err(LoadError { error, log })
            }
        }
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
        let _ = self.context.bind();
        // SAFETY: unloaded once; functions keep the module alive. Errors: the driver is shut down already.
        let _ = unsafe { self.context.driver.cuModuleUnload(self.raw) };
    }
}

impl Function {
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
        let context = &self.module.context;
        context.bind()?;
        let attribute = sys::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
        // SAFETY: takes numbers only; the function's module is alive.
        unsafe { context.driver.cuFuncSetAttribute(self.raw, attribute, 1) }
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

    /// Allows launches with up to `bytes` bytes of dynamic shared memory.
    pub(crate) fn allow_dynamic_shared(&self, bytes: u32) -> Result<(), DriverError> {
        let context = &self.module.context;
        context.bind()?;
        let bytes = c_int::try_from(bytes).unwrap_or(c_int::MAX);
        // SAFETY: takes numbers only; the function's module is alive.
        unsafe {
            context.driver.cuFuncSetAttribute(
                self.raw,
                sys::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                bytes,
            )
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
    /// `params` holds one pointer per parameter of the kernel, each to a value of its size and layout; the memory that the
    /// kernel reaches through them stays valid, and is used by no one else, until the stream got there. Stream and function
    /// belong to one context.
    pub(crate) unsafe fn launch(
        &self,
        stream: &Stream,
        shape: CheckedShape,
        params: &mut [*mut c_void],
    ) -> Result<(), DriverError> {
        stream.context.bind()?;
        if shape.cluster.told || shape.cooperative {
            // SAFETY: the caller's promise.
            return unsafe { self.launch_together(stream, shape, params) };
        }
        let ([gx, gy, gz], [bx, by, bz]) = (shape.grid, shape.block);
        // SAFETY: the caller promises the parameters; function and stream are alive.
        unsafe {
            stream.context.driver.cuLaunchKernel(
                self.raw,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                shape.dynamic_shared_bytes,
                stream.raw,
                params.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        }
    }

    /// [`launch`](Self::launch), of a cooperative grid or with clusters that the code does not fix.
    ///
    /// # Safety
    /// As [`launch`](Self::launch).
    #[cold]
    unsafe fn launch_together(
        &self,
        stream: &Stream,
        shape: CheckedShape,
        params: &mut [*mut c_void],
    ) -> Result<(), DriverError> {
        let mut attributes = Vec::with_capacity(2);
        if shape.cooperative {
            let id = sys::CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
            attributes.push(CUlaunchAttribute::new(id, [1]));
        }
        if shape.cluster.told {
            let id = sys::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
            attributes.push(CUlaunchAttribute::new(id, shape.cluster.extents));
        }
        let config = CUlaunchConfig {
            grid: shape.grid,
            block: shape.block,
            shared_bytes: shape.dynamic_shared_bytes,
            stream: stream.raw,
            attributes: attributes.as_ptr(),
            n_attributes: attributes.len() as u32,
        };
        // SAFETY: the caller promises the parameters; function and stream are alive, and the attributes until this returns.
        let launched = unsafe {
            stream.context.driver.cuLaunchKernelEx(
                &raw const config,
                self.raw,
                params.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        launched.unwrap_or_else(|| {
            Err(DriverError {
                code: sys::CUDA_ERROR_NOT_SUPPORTED,
                name: "CUDA_ERROR_NOT_SUPPORTED".to_owned(),
                text: "clusters and cooperative grids need driver 11.8".to_owned(),
                call: "cuLaunchKernelEx",
                launches: Box::default(),
            })
        })
    }
}
