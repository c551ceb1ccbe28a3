//! The driver's functions, with the driver's own names and types, found in `libcuda` when the program runs.
//!
//! Must not know: what the functions are used for. A method of [`Driver`] has the name of the function that it calls. Here are the
//! functions without which nothing works; those that some drivers lack stand in a file for each area.

#![allow(
    non_snake_case,
    non_camel_case_types,
    clippy::too_many_arguments,
    reason = "names and parameters are the driver's own"
)]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::{Arc, OnceLock};

use libloading::Library;

use super::context::Context;
use super::health::{Health, refusal};
use super::result::{DriverError, check, lacking};
use crate::error::DeviceError;

mod devices; // GPUs, contexts, peers
pub(super) mod graphs; // graphs and their nodes
pub(crate) mod memory; // kinds of memory, copies, pools
pub(crate) mod modules; // compiling, linking, functions' attributes
mod streams; // streams, events, callbacks, profiling

pub(crate) use streams::*;

pub(crate) type CUresult = c_int;
pub(crate) type CUdevice = c_int;
pub(crate) type CUdeviceptr = u64;

macro_rules! handles {
    ($($name:ident)*) => { $(
        #[repr(transparent)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $name(pub(crate) *mut c_void);

        impl $name {
            pub(crate) const NULL: $name = $name(std::ptr::null_mut());
        }

        // SAFETY: a handle is a number to us; the driver lets every thread use it.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}
    )* };
}

use handles;
handles! { CUcontext CUmodule CUfunction CUlinkState CUstream CUevent CUgraph CUgraphNode CUgraphExec }

/// Declares the table: one field per function, and one method that turns the result code into a `Result`.
macro_rules! functions {
    (
        required { $(fn $name:ident($($arg:ident: $ty:ty),* $(,)?);)* }
        quick { $(fn $qname:ident($($qarg:ident: $qty:ty),* $(,)?);)* }
        optional { $(fn $oname:ident($($oarg:ident: $oty:ty),* $(,)?);)* }
    ) => {
        /// The loaded driver library. Each context has a value of its own: once the context is lost, calls through it are refused.
        #[derive(Debug, Clone)]
        pub(crate) struct Driver {
            loaded: Arc<Loaded>,
            health: Option<Arc<Health>>,
        }

        #[derive(Debug)]
        struct Loaded {
            table: Table,
            devices: devices::Functions,
            graphs: graphs::Functions,
            memory: memory::Functions,
            modules: modules::Functions,
            streams: streams::Functions,
            /// Keeps the functions loaded.
            _library: Library,
        }

        #[derive(Debug)]
        struct Table {
            $($name: unsafe extern "system" fn($($ty),*) -> CUresult,)*
            $($qname: unsafe extern "system" fn($($qty),*) -> CUresult,)*
            $($oname: Option<unsafe extern "system" fn($($oty),*) -> CUresult>,)*
        }

        #[allow(dead_code, reason = "the two functions that describe errors are called below the methods")]
        impl Driver {
            /// Looks up every function; on failure the names of all that are missing.
            fn from_library(library: Library) -> Result<Driver, Vec<&'static str>> {
                let mut missing = Vec::new();
                $(
                    // SAFETY: the type is that of the driver's documented function of this name.
                    let $name = unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) };
                    let $name: Option<unsafe extern "system" fn($($ty),*) -> CUresult> =
                        $name.ok().map(|symbol| *symbol);
                    if $name.is_none() {
                        missing.push(stringify!($name));
                    }
                )*
                $(
                    // SAFETY: as above.
                    let $qname = unsafe { library.get(concat!(stringify!($qname), "\0").as_bytes()) };
                    let $qname: Option<unsafe extern "system" fn($($qty),*) -> CUresult> =
                        $qname.ok().map(|symbol| *symbol);
                    if $qname.is_none() {
                        missing.push(stringify!($qname));
                    }
                )*
                $(
                    // SAFETY: as above.
                    let $oname = unsafe { library.get(concat!(stringify!($oname), "\0").as_bytes()) };
                    let $oname: Option<unsafe extern "system" fn($($oty),*) -> CUresult> =
                        $oname.ok().map(|symbol| *symbol);
                )*
                // One `let else` for all of them: each is `Some` unless it was counted as missing.
                let ($(Some($name),)* $(Some($qname),)*) = ($($name,)* $($qname,)*) else { return Err(missing) };
                Ok(Driver {
                    loaded: Arc::new(Loaded {
                        table: Table { $($name,)* $($qname,)* $($oname,)* },
                        devices: devices::Functions::find(&library),
                        graphs: graphs::Functions::find(&library),
                        memory: memory::Functions::find(&library),
                        modules: modules::Functions::find(&library),
                        streams: streams::Functions::find(&library),
                        _library: library,
                    }),
                    health: None,
                })
            }

            /// The same functions, for the calls that belong to one context.
            pub(super) fn for_context(&self, health: Arc<Health>) -> Driver {
                Driver {
                    loaded: Arc::clone(&self.loaded),
                    health: Some(health),
                }
            }

            /// What the context of these calls went through; `None` for calls that need none.
            pub(super) fn health(&self) -> Option<&Health> {
                self.health.as_deref()
            }

            /// Why a call is refused: its context is lost, so that what its handles named is gone, or will never answer.
            #[inline]
            fn lost(&self) -> Option<&DriverError> {
                self.health.as_ref().and_then(|health| health.cause())
            }

            $(
                /// Calls the driver function of this name.
                ///
                /// # Safety
                /// What the driver's manual asks for: live handles, pointers to enough valid memory.
                pub(crate) unsafe fn $name(&self, $($arg: $ty),*) -> Result<(), DriverError> {
                    if let Some(cause) = self.lost() {
                        return Err(refusal(cause, stringify!($name)));
                    }
                    // SAFETY: the caller promises what the manual asks for.
                    let code = unsafe { (self.loaded.table.$name)($($arg),*) };
                    check(self, stringify!($name), code)
                }
            )*
            $(
                /// Calls the driver function of this name for a stream of `context`, whichever context is current: see [`Context::again`].
                ///
                /// # Safety
                /// What the driver's manual asks for: live handles, of which the stream's is one of its own, pointers to enough valid
                /// memory.
                #[inline]
                pub(crate) unsafe fn $qname(&self, context: &Context, $($qarg: $qty),*) -> Result<(), Box<DriverError>> {
                    if let Some(cause) = self.lost() {
                        return Err(Box::new(refusal(cause, stringify!($qname))));
                    }
                    let function = self.loaded.table.$qname;
                    // SAFETY: the caller promises what the manual asks for.
                    match unsafe { function($($qarg),*) } {
                        0 => Ok(()),
                        // SAFETY: as above.
                        code => context.again(stringify!($qname), code, move || unsafe { function($($qarg),*) }),
                    }
                }
            )*
            $(
                /// Calls the driver function of this name; `None` if this driver has none.
                ///
                /// # Safety
                /// What the driver's manual asks for: live handles, pointers to enough valid memory.
                pub(crate) unsafe fn $oname(&self, $($oarg: $oty),*) -> Option<Result<(), DriverError>> {
                    let function = self.loaded.table.$oname?;
                    if let Some(cause) = self.lost() {
                        return Some(Err(refusal(cause, stringify!($oname))));
                    }
                    // SAFETY: the caller promises what the manual asks for.
                    let code = unsafe { function($($oarg),*) };
                    Some(check(self, stringify!($oname), code))
                }
            )*

            /// Name and text of a result code, as the driver's static C strings; null where it has none.
            pub(super) fn error_texts(&self, code: CUresult) -> [*const c_char; 2] {
                let (mut name, mut text) = (std::ptr::null(), std::ptr::null());
                // SAFETY: both write one pointer to where we point; unknown codes write null.
                unsafe {
                    (self.loaded.table.cuGetErrorName)(code, &raw mut name);
                    (self.loaded.table.cuGetErrorString)(code, &raw mut text);
                }
                [name, text]
            }
        }
    };
}

/// Declares functions that a driver may lack, those that are to be quick behind the others: `since` is the CUDA version of the first driver
/// that has them. Calling one that is missing is an error that says so.
macro_rules! later {
    (
        $area:ident { $(since $since:literal: fn $name:ident($($arg:ident: $ty:ty),* $(,)?);)* }
        $(quick { $(since $qsince:literal: fn $qname:ident($($qarg:ident: $qty:ty),* $(,)?);)* })?
    ) => {
        /// What the loaded driver has of this area.
        #[derive(Debug)]
        pub(super) struct Functions {
            $($name: Option<unsafe extern "system" fn($($ty),*) -> CUresult>,)*
            $($($qname: Option<unsafe extern "system" fn($($qty),*) -> CUresult>,)*)?
        }

        impl Functions {
            /// Looks up every function.
            pub(super) fn find(library: &Library) -> Functions {
                Functions {
                    $($name: {
                        // SAFETY: the type is that of the driver's documented function of this name.
                        let found = unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) };
                        let found: Option<unsafe extern "system" fn($($ty),*) -> CUresult> = found.ok().map(|symbol| *symbol);
                        found
                    },)*
                    $($($qname: {
                        // SAFETY: as above.
                        let found = unsafe { library.get(concat!(stringify!($qname), "\0").as_bytes()) };
                        let found: Option<unsafe extern "system" fn($($qty),*) -> CUresult> = found.ok().map(|symbol| *symbol);
                        found
                    },)*)?
                }
            }
        }

        impl Driver {
            $(
                /// Calls the driver function of this name; an error if this driver has none.
                ///
                /// # Safety
                /// What the driver's manual asks for: live handles, pointers to enough valid memory.
                pub(crate) unsafe fn $name(&self, $($arg: $ty),*) -> Result<(), DriverError> {
                    let Some(function) = self.loaded.$area.$name else {
                        return Err(lacking(stringify!($name), $since));
                    };
                    if let Some(cause) = self.lost() {
                        return Err(refusal(cause, stringify!($name)));
                    }
                    // SAFETY: the caller promises what the manual asks for.
                    let code = unsafe { function($($arg),*) };
                    check(self, stringify!($name), code)
                }
            )*
            $($(
                /// Calls the driver function of this name for a stream of `context`, whichever context is current: see [`Context::again`].
                /// An error if this driver has none.
                ///
                /// # Safety
                /// What the driver's manual asks for: live handles, of which the stream's is one of its own, pointers to enough valid
                /// memory.
                #[inline]
                pub(crate) unsafe fn $qname(&self, context: &Context, $($qarg: $qty),*) -> Result<(), Box<DriverError>> {
                    let Some(function) = self.loaded.$area.$qname else {
                        return Err(Box::new(lacking(stringify!($qname), $qsince)));
                    };
                    if let Some(cause) = self.lost() {
                        return Err(Box::new(refusal(cause, stringify!($qname))));
                    }
                    // SAFETY: the caller promises what the manual asks for.
                    match unsafe { function($($qarg),*) } {
                        0 => Ok(()),
                        // SAFETY: as above.
                        code => context.again(stringify!($qname), code, move || unsafe { function($($qarg),*) }),
                    }
                }
            )*)?
        }
    };
}
use later;

functions! {
    required {
        fn cuInit(flags: c_uint);
        fn cuDriverGetVersion(version: *mut c_int);
        fn cuGetErrorName(code: CUresult, name: *mut *const c_char);
        fn cuGetErrorString(code: CUresult, text: *mut *const c_char);
        fn cuDeviceGetCount(count: *mut c_int);
        fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
        fn cuDeviceGetName(name: *mut c_char, len: c_int, device: CUdevice);
        fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: CUdevice);
        fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
        fn cuDevicePrimaryCtxRelease_v2(device: CUdevice);
        fn cuCtxSetCurrent(context: CUcontext);
        fn cuCtxGetCurrent(context: *mut CUcontext);
        fn cuCtxSynchronize();
        fn cuCtxGetLimit(value: *mut usize, limit: c_int);
        fn cuCtxSetLimit(limit: c_int, value: usize);
        fn cuModuleLoadDataEx(module: *mut CUmodule, image: *const c_void, n_options: c_uint, options: *mut c_int, values: *mut *mut c_void);
        fn cuModuleUnload(module: CUmodule);
        fn cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
        fn cuModuleGetGlobal_v2(address: *mut CUdeviceptr, bytes: *mut usize, module: CUmodule, name: *const c_char);
        fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: CUfunction);
        fn cuFuncSetAttribute(function: CUfunction, attribute: c_int, value: c_int);
        fn cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, function: CUfunction, threads: c_int, shared_bytes: usize);
        fn cuStreamCreate(stream: *mut CUstream, flags: c_uint);
        fn cuStreamDestroy_v2(stream: CUstream);
        fn cuStreamSynchronize(stream: CUstream);
        fn cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
        fn cuEventCreate(event: *mut CUevent, flags: c_uint);
        fn cuEventDestroy_v2(event: CUevent);
        fn cuEventRecord(event: CUevent, stream: CUstream);
        fn cuEventSynchronize(event: CUevent);
        fn cuEventElapsedTime(ms: *mut f32, start: CUevent, end: CUevent);
        fn cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
        fn cuMemAllocManaged(address: *mut CUdeviceptr, bytes: usize, flags: c_uint);
        fn cuMemFree_v2(address: CUdeviceptr);
        fn cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: c_uint);
        fn cuMemFreeHost(address: *mut c_void);
        fn cuMemHostGetDevicePointer_v2(device: *mut CUdeviceptr, host: *mut c_void, flags: c_uint);
        fn cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
        fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
        fn cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
        fn cuMemsetD8Async(to: CUdeviceptr, byte: u8, count: usize, stream: CUstream);
    }
    // Without making the context current first.
    quick {
        fn cuLaunchKernel(
            function: CUfunction,
            grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
            block_x: c_uint, block_y: c_uint, block_z: c_uint,
            shared_bytes: c_uint,
            stream: CUstream,
            params: *mut *mut c_void,
            extra: *mut *mut c_void,
        );
    }
    optional {
        // Since driver 11.8.
        fn cuLaunchKernelEx(config: *const CUlaunchConfig, function: CUfunction, params: *mut *mut c_void, extra: *mut *mut c_void);
        // Since driver 12.4.
        fn cuFuncGetParamInfo(function: CUfunction, index: usize, offset: *mut usize, size: *mut usize);
    }
}

pub(crate) const CUDA_ERROR_INVALID_VALUE: CUresult = 1;
pub(crate) const CUDA_ERROR_OUT_OF_MEMORY: CUresult = 2;
pub(crate) const CUDA_ERROR_DEVICE_UNAVAILABLE: CUresult = 46;
pub(crate) const CUDA_ERROR_NO_DEVICE: CUresult = 100;
pub(crate) const CUDA_ERROR_INVALID_DEVICE: CUresult = 101;
pub(crate) const CUDA_ERROR_INVALID_CONTEXT: CUresult = 201;
pub(crate) const CUDA_ERROR_NOT_FOUND: CUresult = 500;
pub(crate) const CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED: CUresult = 704;
pub(crate) const CUDA_ERROR_PEER_ACCESS_NOT_ENABLED: CUresult = 705;
pub(crate) const CUDA_ERROR_NOT_SUPPORTED: CUresult = 801;

pub(crate) const CU_LIMIT_MALLOC_HEAP_SIZE: c_int = 2;
pub(crate) const CU_STREAM_NON_BLOCKING: c_uint = 1;
pub(crate) const CU_STREAM_PER_THREAD: usize = 2;
pub(crate) const CU_POINTER_ATTRIBUTE_DEVICE_POINTER: c_int = 3;
pub(crate) const CU_EVENT_DISABLE_TIMING: c_uint = 2;
pub(crate) const CU_MEMHOSTALLOC_PORTABLE: c_uint = 1;
pub(crate) const CU_MEMHOSTALLOC_DEVICEMAP: c_uint = 2;
pub(crate) const CU_MEM_ATTACH_GLOBAL: c_uint = 1;

pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: c_int = 1;
pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM: [c_int; 3] = [2, 3, 4];
pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM: [c_int; 3] = [5, 6, 7];
pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: c_int = 8;
pub(crate) const CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY: c_int = 9;
pub(crate) const CU_DEVICE_ATTRIBUTE_WARP_SIZE: c_int = 10;
pub(crate) const CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: c_int = 16;
pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: c_int = 39;
pub(crate) const CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY: [c_int; 2] = [75, 76];
pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: c_int = 81;
pub(crate) const CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS: c_int = 89;
pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: c_int = 97;
pub(crate) const CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: c_int = 106;
pub(crate) const CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK: c_int = 111;

pub(crate) const CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: c_int = 0;
pub(crate) const CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: c_int = 1;
pub(crate) const CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: c_int = 2;
pub(crate) const CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: c_int = 3;
pub(crate) const CU_FUNC_ATTRIBUTE_NUM_REGS: c_int = 4;
pub(crate) const CU_FUNC_ATTRIBUTE_PTX_VERSION: c_int = 5;
pub(crate) const CU_FUNC_ATTRIBUTE_BINARY_VERSION: c_int = 6;
pub(crate) const CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: c_int = 8;
pub(crate) const CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: c_int = 14;

pub(crate) const CU_LAUNCH_ATTRIBUTE_COOPERATIVE: c_int = 2;
pub(crate) const CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: c_int = 4;

/// What `cuLaunchKernelEx` is told of a launch.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct CUlaunchConfig {
    pub(crate) grid: [c_uint; 3],
    pub(crate) block: [c_uint; 3],
    pub(crate) shared_bytes: c_uint,
    pub(crate) stream: CUstream,
    pub(crate) attributes: *const CUlaunchAttribute,
    pub(crate) n_attributes: c_uint,
}

/// One fact about a launch; the value is a union of 64 bytes, of which ours fill at most twelve.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct CUlaunchAttribute {
    pub(crate) id: c_int,
    pad: c_int,
    value: [c_uint; 16],
}

impl CUlaunchAttribute {
    /// A value whose first words are these.
    pub(crate) fn new<const N: usize>(id: c_int, words: [c_uint; N]) -> CUlaunchAttribute {
        let mut value = [0; 16];
        for (to, from) in value.iter_mut().zip(words) {
            *to = from;
        }
        CUlaunchAttribute { id, pad: 0, value }
    }
}

// Sizes of the driver's structures on 64-bit machines.
const _: () = assert!(size_of::<CUlaunchAttribute>() == 72 && size_of::<CUlaunchConfig>() == 56);

/// Where the driver library may be: the name with the version first, because a bare `libcuda.so` may be a toolkit's stub.
const LIBRARIES: &[&str] = if cfg!(windows) {
    &["nvcuda.dll"]
} else {
    &["libcuda.so.1", "libcuda.so"]
};

/// The driver, loaded and initialised once per process.
///
/// # Errors
/// [`DeviceError::DriverNotFound`] where none is installed, which is an ordinary case.
pub(crate) fn driver() -> Result<&'static Driver, DeviceError> {
    static DRIVER: OnceLock<Result<Driver, DeviceError>> = OnceLock::new();
    DRIVER
        .get_or_init(|| load(LIBRARIES))
        .as_ref()
        .map_err(Clone::clone)
}

fn load(names: &[&str]) -> Result<Driver, DeviceError> {
    let mut tried = Vec::new();
    for name in names {
        // SAFETY: loading the driver's library runs its initialisers, which any program may do once it is named so.
        let library = match unsafe { Library::new(name) } {
            Ok(library) => library,
            Err(error) => {
                tried.push(format!("{name} ({error})"));
                continue;
            }
        };
        let driver =
            Driver::from_library(library).map_err(|missing| DeviceError::DriverTooOld {
                library: (*name).to_owned(),
                missing: missing.join(", "),
            })?;
        // SAFETY: takes a flag only; must come before every other call, and `driver` makes it do so.
        return match unsafe { driver.cuInit(0) } {
            Ok(()) => Ok(driver),
            Err(error) if error.code == CUDA_ERROR_NO_DEVICE => Err(DeviceError::NoDevice),
            Err(error) => Err(error.into()),
        };
    }
    Err(DeviceError::DriverNotFound {
        tried: tried.join("; "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    //@ rows: GCO-11, GDR-2
    #[test]
    fn a_missing_library_names_what_was_tried() {
        let error = load(&["libwarploom-absent.so.1", "libwarploom-absent.so"]).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("libwarploom-absent.so.1"), "{text}");
        assert!(text.contains("WARPLOOM_DEVICE=emulator"), "{text}");
    }

    //@ rows: GCO-11
    #[test]
    #[cfg(target_os = "linux")]
    fn a_library_without_the_functions_names_all_of_them() {
        let text = load(&["libc.so.6"]).unwrap_err().to_string();
        assert!(text.contains("cuInit, cuDriverGetVersion"), "{text}");
        assert!(text.contains("cuMemsetD8Async"), "{text}");
    }
}
