//! The few driver calls that launch a kernel which is not ours: a twin from a cubin that nvcc wrote.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::Library;

const LIBRARY: &str = "libcuda.so.1";

/// A device address.
pub(crate) type DevicePointer = u64;
/// The driver's `CUstream`.
pub(crate) type RawStream = *mut c_void;
type Raw = *mut c_void;

/// Why a twin cannot run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DriverError {
    #[error("cannot load {LIBRARY}, or one of the functions that the benchmark needs")]
    Library(#[from] libloading::Error),
    #[error("{call} failed with CUDA error {code}: {text}")]
    Call {
        call: &'static str,
        code: c_int,
        text: String,
    },
    #[error("cannot read the twin {path}; benches/run-on-gpu.sh compiles the twins")]
    Cubin {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("`{0}` is no name of a kernel")]
    Name(String),
}

macro_rules! functions {
    ($($field:ident = $symbol:literal: ($($parameter:ty),*);)*) => {
        struct Functions { $($field: unsafe extern "C" fn($($parameter),*) -> c_int,)* }

        impl Functions {
            fn load(library: &Library) -> Result<Self, libloading::Error> {
                Ok(Self { $(
                    // SAFETY: the driver's own name, with the signature that cuda.h gives it.
                    $field: *unsafe { library.get::<unsafe extern "C" fn($($parameter),*) -> c_int>($symbol)? },
                )* })
            }
        }
    };
}

functions! {
    error_string = b"cuGetErrorString\0": (c_int, *mut *const c_char);
    context_retain = b"cuDevicePrimaryCtxRetain\0": (*mut Raw, c_int);
    context_set = b"cuCtxSetCurrent\0": (Raw);
    module_load = b"cuModuleLoadData\0": (*mut Raw, *const c_void);
    module_unload = b"cuModuleUnload\0": (Raw);
    module_function = b"cuModuleGetFunction\0": (*mut Raw, Raw, *const c_char);
    launch = b"cuLaunchKernel\0": (Raw, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, RawStream, *mut *mut c_void, *mut *mut c_void);
    copy = b"cuMemcpyDtoDAsync_v2\0": (DevicePointer, DevicePointer, usize, RawStream);
}

/// The driver, with the primary context of GPU 0 (the one that the runtime uses as well) as this thread's context.
pub(crate) struct Driver {
    functions: Functions,
    _library: Library,
}

impl Driver {
    pub(crate) fn open() -> Result<Self, DriverError> {
        // SAFETY: the runtime has loaded the driver before; nothing is initialised anew.
        let library = unsafe { Library::new(LIBRARY)? };
        let functions = Functions::load(&library)?;
        let driver = Self {
            functions,
            _library: library,
        };
        let mut context = ptr::null_mut();
        // SAFETY: writes one pointer to where we point. It stays retained until the process ends.
        driver.check("cuDevicePrimaryCtxRetain", unsafe {
            (driver.functions.context_retain)(&raw mut context, 0)
        })?;
        // SAFETY: the context was retained above.
        driver.check("cuCtxSetCurrent", unsafe {
            (driver.functions.context_set)(context)
        })?;
        Ok(driver)
    }

    /// Loads the kernel `function` from a cubin.
    pub(crate) fn load(&self, cubin: &Path, function: &str) -> Result<Peer<'_>, DriverError> {
        let image = std::fs::read(cubin).map_err(|source| DriverError::Cubin {
            path: cubin.to_owned(),
            source,
        })?;
        let name = CString::new(function).map_err(|_| DriverError::Name(function.to_owned()))?;
        let mut peer = Peer {
            driver: self,
            module: ptr::null_mut(),
            function: ptr::null_mut(),
        };
        // SAFETY: writes one pointer to where we point; a cubin is an ELF file, which tells its own length.
        let loaded =
            unsafe { (self.functions.module_load)(&raw mut peer.module, image.as_ptr().cast()) };
        self.check("cuModuleLoadData", loaded)?;
        // SAFETY: writes one pointer to where we point; the module is loaded and the name ends with a zero.
        let found = unsafe {
            (self.functions.module_function)(&raw mut peer.function, peer.module, name.as_ptr())
        };
        self.check("cuModuleGetFunction", found)?;
        Ok(peer)
    }

    /// Copies bytes within device memory.
    ///
    /// # Safety
    /// Both addresses begin at least `bytes` bytes of device memory that live until `stream` has done the copy.
    pub(crate) unsafe fn copy(
        &self,
        to: DevicePointer,
        from: DevicePointer,
        bytes: usize,
        stream: RawStream,
    ) -> Result<(), DriverError> {
        // SAFETY: the caller promises what the driver asks for.
        self.check("cuMemcpyDtoDAsync", unsafe {
            (self.functions.copy)(to, from, bytes, stream)
        })
    }

    fn check(&self, call: &'static str, code: c_int) -> Result<(), DriverError> {
        if code == 0 {
            return Ok(());
        }
        let mut text = ptr::null();
        // SAFETY: writes one pointer to where we point: to a constant of the driver, or null for an unknown code.
        unsafe { (self.functions.error_string)(code, &raw mut text) };
        let text = if text.is_null() {
            "unknown".to_owned()
        } else {
            // SAFETY: not null, so the driver's constant, which ends with a zero.
            unsafe { CStr::from_ptr(text) }
                .to_string_lossy()
                .into_owned()
        };
        Err(DriverError::Call { call, code, text })
    }
}

/// A loaded twin. Unloaded when dropped.
pub(crate) struct Peer<'d> {
    driver: &'d Driver,
    module: Raw,
    function: Raw,
}

/// Grid and block of a launch.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) grid: (u32, u32),
    pub(crate) block: (u32, u32),
}

/// An argument of a twin, with the size that the kernel expects.
pub(crate) enum Argument {
    Pointer(DevicePointer),
    Float(f32),
    #[allow(dead_code, reason = "the other benchmark uses it")]
    Double(f64),
    Unsigned(u32),
    Length(u64),
}

/// A launch with everything ready-made: repeating it is one call of the driver.
pub(crate) struct Prepared<'p> {
    peer: &'p Peer<'p>,
    shape: Shape,
    stream: RawStream,
    /// Point into `_arguments`, whose heap block never moves.
    pointers: Vec<*mut c_void>,
    _arguments: Vec<Argument>,
}

impl Peer<'_> {
    /// Prepares a launch on `stream`.
    ///
    /// # Safety
    /// `arguments` are what the kernel takes, in its order; its pointers begin as much device memory as the kernel touches in
    /// this shape. Memory and stream live until the last launch is done.
    pub(crate) unsafe fn prepare(
        &self,
        stream: RawStream,
        shape: Shape,
        mut arguments: Vec<Argument>,
    ) -> Prepared<'_> {
        let pointers = arguments.iter_mut().map(Argument::address).collect();
        Prepared {
            peer: self,
            shape,
            stream,
            pointers,
            _arguments: arguments,
        }
    }
}

impl Prepared<'_> {
    /// Enqueues the launch.
    pub(crate) fn launch(&mut self) -> Result<(), DriverError> {
        let Shape { grid, block } = self.shape;
        let driver = self.peer.driver;
        // SAFETY: the function belongs to a loaded module; `prepare` was promised that arguments, memory and stream fit it.
        let code = unsafe {
            (driver.functions.launch)(
                self.peer.function,
                grid.0,
                grid.1,
                1,
                block.0,
                block.1,
                1,
                0,
                self.stream,
                self.pointers.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        driver.check("cuLaunchKernel", code)
    }
}

impl Argument {
    fn address(&mut self) -> *mut c_void {
        match self {
            Self::Pointer(value) | Self::Length(value) => ptr::from_mut(value).cast(),
            Self::Float(value) => ptr::from_mut(value).cast(),
            Self::Double(value) => ptr::from_mut(value).cast(),
            Self::Unsigned(value) => ptr::from_mut(value).cast(),
        }
    }
}

impl Drop for Peer<'_> {
    fn drop(&mut self) {
        if !self.module.is_null() {
            // SAFETY: loaded once, unloaded once; whoever timed it waited for its end. An error leaves nothing to do.
            unsafe { (self.driver.functions.module_unload)(self.module) };
        }
    }
}
