//! The few driver calls of the other side: they launch a kernel which is not ours (a twin from a cubin that nvcc wrote), put it into graphs,
//! allocate and copy.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::Library;
use warploom::Dim3;

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
    graph_create = b"cuGraphCreate\0": (*mut Raw, c_uint);
    graph_add_kernel = b"cuGraphAddKernelNode\0": (*mut Raw, Raw, *const Raw, usize, *const KernelNode);
    graph_instantiate = b"cuGraphInstantiateWithFlags\0": (*mut Raw, Raw, u64);
    graph_launch = b"cuGraphLaunch\0": (Raw, RawStream);
    graph_destroy = b"cuGraphDestroy\0": (Raw);
    graph_exec_destroy = b"cuGraphExecDestroy\0": (Raw);
    pool = b"cuDeviceGetDefaultMemPool\0": (*mut Raw, c_int);
    pool_allocate = b"cuMemAllocFromPoolAsync\0": (*mut DevicePointer, usize, Raw, RawStream);
    pool_free = b"cuMemFreeAsync\0": (DevicePointer, RawStream);
    upload = b"cuMemcpyHtoDAsync_v2\0": (DevicePointer, *const c_void, usize, RawStream);
    download = b"cuMemcpyDtoHAsync_v2\0": (*mut c_void, DevicePointer, usize, RawStream);
    copy = b"cuMemcpyDtoDAsync_v2\0": (DevicePointer, DevicePointer, usize, RawStream);
    copy_3d = b"cuMemcpy3DAsync_v2\0": (*const Copy3D, RawStream);
}

/// Half of the driver's `CUDA_MEMCPY3D`: where a copy starts or ends.
#[repr(C)]
struct Place {
    at: [usize; 3],
    level: usize,
    kind: c_uint,
    host: *const c_void,
    device: DevicePointer,
    array: Raw,
    reserved: Raw,
    pitch: usize,
    height: usize,
}

/// The driver's `CUDA_MEMCPY3D`.
#[repr(C)]
struct Copy3D {
    from: Place,
    to: Place,
    extents: [usize; 3],
}

/// `CU_MEMORYTYPE_DEVICE` and `CU_MEMORYTYPE_ARRAY`.
const MEMORY_TYPES: [c_uint; 2] = [2, 3];

/// The driver's `CUDA_KERNEL_NODE_PARAMS`.
#[repr(C)]
struct KernelNode {
    function: Raw,
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
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
    /// Both addresses begin at least `bytes` bytes of device memory that stay allocated until `stream` has done the copy.
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

    /// Copies `bytes` bytes from the first address of the host to the device, and from there to the second.
    ///
    /// # Safety
    /// All three begin as many bytes, of page-locked or of device memory, that stay allocated until `stream` has done both copies.
    pub(crate) unsafe fn there_and_back(
        &self,
        host: [usize; 2],
        device: DevicePointer,
        bytes: usize,
        stream: RawStream,
    ) -> Result<(), DriverError> {
        let [from, to] = host.map(ptr::with_exposed_provenance_mut::<c_void>);
        // SAFETY: the caller promises what the driver asks for.
        self.check("cuMemcpyHtoDAsync", unsafe {
            (self.functions.upload)(device, from, bytes, stream)
        })?;
        // SAFETY: as above.
        self.check("cuMemcpyDtoHAsync", unsafe {
            (self.functions.download)(to, device, bytes, stream)
        })
    }

    /// Copies rows of device memory, without gaps, to an array, and from there to other device memory.
    ///
    /// # Safety
    /// The array has `height` rows of `row` bytes, and both addresses begin as many bytes of device memory; all stay allocated until `stream` has done both copies.
    #[allow(dead_code, reason = "the other benchmark copies nothing")]
    pub(crate) unsafe fn through_array(
        &self,
        [from, to]: [DevicePointer; 2],
        array: *mut c_void,
        [row, height]: [usize; 2],
        stream: RawStream,
    ) -> Result<(), DriverError> {
        let place = |array: Raw, device| Place {
            at: [0; 3],
            level: 0,
            kind: MEMORY_TYPES[usize::from(!array.is_null())],
            host: ptr::null(),
            device,
            array,
            reserved: ptr::null_mut(),
            pitch: if array.is_null() { row } else { 0 },
            height: if array.is_null() { height } else { 0 },
        };
        let memory = |address| place(ptr::null_mut(), address);
        for (from, to) in [
            (memory(from), place(array, 0)),
            (place(array, 0), memory(to)),
        ] {
            let copy = Copy3D {
                from,
                to,
                extents: [row, height, 1],
            };
            // SAFETY: the caller promises what the driver asks for; the description is copied during the call.
            self.check("cuMemcpy3DAsync", unsafe {
                (self.functions.copy_3d)(&raw const copy, stream)
            })?;
        }
        Ok(())
    }

    /// The default pool of GPU 0, for `stream`.
    pub(crate) fn allocator(&self, stream: RawStream) -> Result<Allocator<'_>, DriverError> {
        let mut pool = ptr::null_mut();
        // SAFETY: writes one handle to where we point.
        self.check("cuDeviceGetDefaultMemPool", unsafe {
            (self.functions.pool)(&raw mut pool, 0)
        })?;
        Ok(Allocator {
            driver: self,
            pool,
            stream,
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

/// Memory of a pool, in order with a stream.
pub(crate) struct Allocator<'d> {
    driver: &'d Driver,
    pool: Raw,
    stream: RawStream,
}

impl Allocator<'_> {
    /// Allocates and frees again.
    pub(crate) fn come_and_go(&self, bytes: usize) -> Result<(), DriverError> {
        let (driver, mut address) = (self.driver, 0);
        // SAFETY: writes one address to where we point; pool and stream are valid.
        driver.check("cuMemAllocFromPoolAsync", unsafe {
            (driver.functions.pool_allocate)(&raw mut address, bytes, self.pool, self.stream)
        })?;
        // SAFETY: allocated just now, freed once.
        driver.check("cuMemFreeAsync", unsafe {
            (driver.functions.pool_free)(address, self.stream)
        })
    }
}

/// A graph of launches in a row that can run.
pub(crate) struct Launches<'p> {
    driver: &'p Driver,
    graph: Raw,
    exec: Raw,
    stream: RawStream,
}

impl Launches<'_> {
    /// Enqueues all of them.
    pub(crate) fn launch(&self) -> Result<(), DriverError> {
        // SAFETY: graph and stream are valid; `prepare` was promised that arguments and memory fit.
        self.driver.check("cuGraphLaunch", unsafe {
            (self.driver.functions.graph_launch)(self.exec, self.stream)
        })
    }
}

impl Drop for Launches<'_> {
    fn drop(&mut self) {
        let functions = &self.driver.functions;
        // SAFETY: made once, destroyed once; the caller waited for its end. An error cannot be handled here.
        unsafe { (functions.graph_exec_destroy)(self.exec) };
        // SAFETY: as above.
        unsafe { (functions.graph_destroy)(self.graph) };
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
    grid: Dim3,
    block: Dim3,
}

impl Shape {
    /// Each is a number, a pair or a triple, as in `Launch::new`.
    pub(crate) fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        Self {
            grid: grid.into(),
            block: block.into(),
        }
    }
}

/// An argument of a twin, with the size that the kernel expects.
#[allow(dead_code, reason = "no benchmark uses all of them")]
pub(crate) enum Argument {
    Pointer(DevicePointer),
    Float(f32),
    Double(f64),
    Unsigned(u32),
    Signed(i32),
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
    /// this shape. Memory and stream stay valid until the last launch is done.
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
                grid.x,
                grid.y,
                grid.z,
                block.x,
                block.y,
                block.z,
                0,
                self.stream,
                self.pointers.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        driver.check("cuLaunchKernel", code)
    }

    /// A graph of `count` such launches, one after the other.
    pub(crate) fn graph(&mut self, count: u64) -> Result<Launches<'_>, DriverError> {
        let Shape { grid, block } = self.shape;
        let driver = self.peer.driver;
        let node = KernelNode {
            function: self.peer.function,
            grid: [grid.x, grid.y, grid.z],
            block: [block.x, block.y, block.z],
            shared: 0,
            params: self.pointers.as_mut_ptr(),
            extra: ptr::null_mut(),
        };
        let mut launches = Launches {
            driver,
            graph: ptr::null_mut(),
            exec: ptr::null_mut(),
            stream: self.stream,
        };
        let (mut last, mut next) = (ptr::null_mut(), ptr::null_mut());
        let functions = &driver.functions;
        // SAFETY: writes one handle to where we point.
        let created = unsafe { (functions.graph_create)(&raw mut launches.graph, 0) };
        driver.check("cuGraphCreate", created)?;
        for i in 0..count {
            let after = usize::from(i > 0);
            // SAFETY: as above; the node's description is copied during the call.
            let added = unsafe {
                (functions.graph_add_kernel)(
                    &raw mut next,
                    launches.graph,
                    &raw const last,
                    after,
                    &raw const node,
                )
            };
            driver.check("cuGraphAddKernelNode", added)?;
            last = next;
        }
        // SAFETY: the graph is complete; writes one handle to where we point.
        let instantiated =
            unsafe { (functions.graph_instantiate)(&raw mut launches.exec, launches.graph, 0) };
        driver.check("cuGraphInstantiateWithFlags", instantiated)?;
        Ok(launches)
    }
}

impl Argument {
    fn address(&mut self) -> *mut c_void {
        match self {
            Self::Pointer(value) | Self::Length(value) => ptr::from_mut(value).cast(),
            Self::Float(value) => ptr::from_mut(value).cast(),
            Self::Double(value) => ptr::from_mut(value).cast(),
            Self::Unsigned(value) => ptr::from_mut(value).cast(),
            Self::Signed(value) => ptr::from_mut(value).cast(),
        }
    }
}

impl Drop for Peer<'_> {
    fn drop(&mut self) {
        if !self.module.is_null() {
            // SAFETY: loaded once, unloaded once; the caller waited for its end. An error cannot be handled here.
            unsafe { (self.driver.functions.module_unload)(self.module) };
        }
    }
}
