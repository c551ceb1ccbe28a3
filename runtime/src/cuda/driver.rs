//! The driver's functions, found in `libcuda` when the program runs; each call as a `Result`.
//!
//! Must not know: what the functions are used for. A method of [`Driver`] has the name of the function that it calls. Here are the
//! functions without which nothing works; those that some drivers lack stand in a file for each area.

#![allow(
    non_snake_case,
    clippy::too_many_arguments,
    reason = "names and parameters are the driver's own"
)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::{Arc, OnceLock};

use libloading::Library;

use super::health::{Health, refusal};
use super::result::{DriverError, lacking};
use super::sys::*;

mod devices; // GPUs, contexts, peers
mod graphs; // graphs and their nodes
mod memory; // kinds of memory, copies, pools
mod modules; // compiling, linking, functions' attributes
mod streams; // streams, events, callbacks, profiling

/// A call that was made although another context may have been current, and was not answered with success.
pub(super) struct Retry<'a> {
    /// The function.
    pub(super) name: &'static str,
    /// Its answer.
    pub(super) code: CUresult,
    /// Makes the call again.
    pub(super) call: &'a dyn Fn() -> CUresult,
}

/// Why the driver, or a GPU, cannot be used.
#[derive(Debug, Clone)]
pub(crate) enum OpenError {
    /// No driver is installed; the names tried, each with the reason.
    DriverNotFound { tried: String },
    /// The installed driver lacks functions.
    DriverTooOld { library: String, missing: String },
    /// The driver sees no GPU.
    NoDevice,
    /// There is no GPU of this number.
    NoSuchDevice { given: u32, count: u32 },
    /// The GPU's context has other flags than those asked for.
    ContextActive {
        ordinal: u32,
        wanted: u32,
        active: u32,
    },
    /// The driver refused a call.
    Driver(DriverError),
}

impl From<DriverError> for OpenError {
    fn from(error: DriverError) -> OpenError {
        OpenError::Driver(error)
    }
}

/// A function of the driver with its documented type; `None` if the driver has none of this name.
macro_rules! function {
    ($library:expr, $name:ident($($ty:ty),*)) => {{
        let address = address($library, concat!(stringify!($name), "\0"));
        // SAFETY: the type is that of the driver's documented function of this name, and a null pointer is `None`.
        unsafe {
            std::mem::transmute::<*const c_void, Option<unsafe extern "system" fn($($ty),*) -> CUresult>>(address)
        }
    }};
}
use function;

/// Where a symbol is; null if the library has none. Not generic: an instance of `Library::get` for the type of each function was a tenth
/// of all functions that the compiler made of this crate.
fn address(library: &Library, name_with_nul: &str) -> *const c_void {
    // SAFETY: the symbol's value, an address, is taken; nothing is read through it.
    let symbol = unsafe { library.get::<*const c_void>(name_with_nul.as_bytes()) };
    symbol.map_or(std::ptr::null(), |symbol| *symbol)
}

/// Declares the table: one field per function, and one method that turns the result code into a `Result`.
macro_rules! functions {
    (
        required { $(fn $name:ident($($arg:ident: $ty:ty),* $(,)?);)* }
        unbound { $(fn $qname:ident($($qarg:ident: $qty:ty),* $(,)?);)* }
        optional { $(fn $oname:ident($($oarg:ident: $oty:ty),* $(,)?);)* }
    ) => {
        /// The loaded driver library. Each context has a value of its own: once the context is lost, calls through it are refused.
        #[derive(Debug, Clone)]
        pub(crate) struct Driver {
            loaded: Arc<Loaded>,
            health: Option<Arc<Health>>,
        }

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
                    let $name = function!(&library, $name($($ty),*));
                    if $name.is_none() {
                        missing.push(stringify!($name));
                    }
                )*
                $(
                    let $qname = function!(&library, $qname($($qty),*));
                    if $qname.is_none() {
                        missing.push(stringify!($qname));
                    }
                )*
                $(
                    let $oname = function!(&library, $oname($($oty),*));
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
                /// Calls the driver function of this name for a stream of this context, whichever context is current; an answer other than success goes to `retry`.
                ///
                /// # Safety
                /// What the driver's manual asks for: live handles, of which the stream's is one of its own, pointers to enough valid
                /// memory.
                #[inline]
                pub(crate) unsafe fn $qname(&self, retry: impl FnOnce(Retry<'_>) -> Result<(), Box<DriverError>>, $($qarg: $qty),*) -> Result<(), Box<DriverError>> {
                    if let Some(cause) = self.lost() {
                        return Err(Box::new(refusal(cause, stringify!($qname))));
                    }
                    let function = self.loaded.table.$qname;
                    // SAFETY: the caller promises what the manual asks for.
                    match unsafe { function($($qarg),*) } {
                        0 => Ok(()),
                        // SAFETY: as above.
                        code => retry(Retry { name: stringify!($qname), code, call: &|| unsafe { function($($qarg),*) } }),
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
                // SAFETY: writes one pointer to where we point; unknown codes write null.
                unsafe { (self.loaded.table.cuGetErrorName)(code, &raw mut name) };
                // SAFETY: as above.
                unsafe { (self.loaded.table.cuGetErrorString)(code, &raw mut text) };
                [name, text]
            }
        }
    };
}

/// Declares functions that a driver may lack, those that are called without making the context current behind the others: `since` is the CUDA version of the first driver
/// that has them. Calling one that is missing is an error that says so.
macro_rules! later {
    (
        $area:ident { $(since $since:literal: fn $name:ident($($arg:ident: $ty:ty),* $(,)?);)* }
        $(unbound { $(since $qsince:literal: fn $qname:ident($($qarg:ident: $qty:ty),* $(,)?);)* })?
    ) => {
        /// What the loaded driver has of this area.
        pub(super) struct Functions {
            $($name: Option<unsafe extern "system" fn($($ty),*) -> CUresult>,)*
            $($($qname: Option<unsafe extern "system" fn($($qty),*) -> CUresult>,)*)?
        }

        impl Functions {
            /// Looks up every function.
            pub(super) fn find(library: &Library) -> Functions {
                Functions {
                    $($name: function!(library, $name($($ty),*)),)*
                    $($($qname: function!(library, $qname($($qty),*)),)*)?
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
                /// Calls the driver function of this name for a stream of this context, whichever context is current; an answer other than success goes to `retry`.
                /// An error if this driver has none.
                ///
                /// # Safety
                /// What the driver's manual asks for: live handles, of which the stream's is one of its own, pointers to enough valid
                /// memory.
                #[inline]
                pub(crate) unsafe fn $qname(&self, retry: impl FnOnce(Retry<'_>) -> Result<(), Box<DriverError>>, $($qarg: $qty),*) -> Result<(), Box<DriverError>> {
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
                        code => retry(Retry { name: stringify!($qname), code, call: &|| unsafe { function($($qarg),*) } }),
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
    unbound {
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

impl std::fmt::Debug for Loaded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loaded").finish_non_exhaustive()
    }
}

/// Where the driver library may be: the name with the version first, because a bare `libcuda.so` may be a toolkit's stub.
const LIBRARIES: &[&str] = if cfg!(windows) {
    &["nvcuda.dll"]
} else {
    &["libcuda.so.1", "libcuda.so"]
};

/// The driver, loaded and initialised once per process.
///
/// # Errors
/// [`OpenError::DriverNotFound`] where none is installed, which is an ordinary case.
pub(crate) fn driver() -> Result<&'static Driver, OpenError> {
    static DRIVER: OnceLock<Result<Driver, OpenError>> = OnceLock::new();
    DRIVER
        .get_or_init(|| load(LIBRARIES))
        .as_ref()
        .map_err(Clone::clone)
}

fn load(names: &[&str]) -> Result<Driver, OpenError> {
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
        let driver = Driver::from_library(library).map_err(|missing| OpenError::DriverTooOld {
            library: (*name).to_owned(),
            missing: missing.join(", "),
        })?;
        // SAFETY: takes a flag only; must come before every other call, and `driver` makes it do so.
        return match unsafe { driver.cuInit(0) } {
            Ok(()) => Ok(driver),
            Err(error) if error.code == CUDA_ERROR_NO_DEVICE => Err(OpenError::NoDevice),
            Err(error) => Err(OpenError::Driver(error)),
        };
    }
    Err(OpenError::DriverNotFound {
        tried: tried.join("; "),
    })
}

pub(super) fn check(
    driver: &Driver,
    call: &'static str,
    code: CUresult,
) -> Result<(), DriverError> {
    if code == 0 {
        return Ok(());
    }
    let error = describe(driver, call, code);
    Err(match driver.health() {
        Some(health) if error.is_sticky() => health.poison(error),
        _ => error,
    })
}

#[cold]
fn describe(driver: &Driver, call: &'static str, code: CUresult) -> DriverError {
    // SAFETY: null, or a static C string of the driver, which stays loaded while `driver` does.
    let [name, text] = driver
        .error_texts(code)
        .map(|text| unsafe { text_of(text) });
    DriverError {
        code,
        name: name.unwrap_or_else(|| "an unknown error".to_owned()),
        text: text.unwrap_or_else(|| "no description".to_owned()),
        call,
        launches: Box::default(),
    }
}

/// # Safety
/// `text` is null or points to a C string.
unsafe fn text_of(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not null, so a C string, as the caller promises.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    //@ rows: GCO-11, GDR-2
    #[test]
    fn a_missing_library_names_what_was_tried() {
        let error = load(&["libwarploom-absent.so.1", "libwarploom-absent.so"]).unwrap_err();
        let error = crate::DeviceError::from(error);
        let text = error.to_string();
        assert!(text.contains("libwarploom-absent.so.1"), "{text}");
        assert!(text.contains("WARPLOOM_DEVICE=emulator"), "{text}");
    }

    //@ rows: GCO-11
    #[test]
    #[cfg(target_os = "linux")]
    fn a_library_without_the_functions_names_all_of_them() {
        let error = load(&["libc.so.6"]).unwrap_err();
        let text = crate::DeviceError::from(error).to_string();
        assert!(text.contains("cuInit, cuDriverGetVersion"), "{text}");
        assert!(text.contains("cuMemsetD8Async"), "{text}");
    }
}
