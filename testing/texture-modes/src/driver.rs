//! The few driver calls that are needed. They are called here without the runtime, so that what is measured depends on nothing that is tested by it.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr;

use libloading::Library;

const LIBRARY: &str = "libcuda.so.1";

/// What the driver calls a module, a function, an array.
pub(crate) type Raw = *mut c_void;

/// Why a mode could not be run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DriverError {
    #[error("cannot load {LIBRARY}, or one of the functions that are needed: {0}")]
    Library(#[from] libloading::Error),
    #[error("{call} failed with CUDA error {code}")]
    Call { call: &'static str, code: c_int },
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
pub(crate) struct ArrayDescriptor {
    pub(crate) extents: [usize; 3],
    pub(crate) format: c_uint,
    pub(crate) channels: c_uint,
    pub(crate) flags: c_uint,
}

/// Half of `CUDA_MEMCPY3D`: where a copy starts or ends.
#[repr(C)]
pub(crate) struct Side {
    pub(crate) at: [usize; 3],
    pub(crate) level: usize,
    /// 1: the host, 3: an array.
    pub(crate) kind: c_uint,
    pub(crate) host: *const c_void,
    pub(crate) device: u64,
    pub(crate) array: Raw,
    pub(crate) reserved: Raw,
    pub(crate) pitch: usize,
    pub(crate) height: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
pub(crate) struct Copy3D {
    pub(crate) from: Side,
    pub(crate) to: Side,
    pub(crate) extents: [usize; 3],
}

/// `CUDA_RESOURCE_DESC`.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Resource {
    /// 0: array, 1: mipmapped array, 2: linear, 3: rows.
    pub(crate) kind: c_uint,
    pub(crate) padding: c_uint,
    pub(crate) words: [u64; 16],
    pub(crate) flags: u64,
}

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
pub(crate) struct TextureDescriptor {
    pub(crate) address: [c_uint; 3],
    pub(crate) filter: c_uint,
    pub(crate) flags: c_uint,
    pub(crate) anisotropy: c_uint,
    pub(crate) mip_filter: c_uint,
    pub(crate) bias: f32,
    pub(crate) clamp: [f32; 2],
    pub(crate) border: [f32; 4],
    pub(crate) reserved: [c_int; 12],
}

macro_rules! functions {
    ($($field:ident = $symbol:literal: ($($parameter:ty),*);)*) => {
        pub(crate) struct Functions { $(pub(crate) $field: unsafe extern "C" fn($($parameter),*) -> c_int,)* }

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
    init = b"cuInit\0": (c_uint);
    name = b"cuDeviceGetName\0": (*mut c_char, c_int, c_int);
    context_retain = b"cuDevicePrimaryCtxRetain\0": (*mut Raw, c_int);
    context_set = b"cuCtxSetCurrent\0": (Raw);
    module_load = b"cuModuleLoadData\0": (*mut Raw, *const c_void);
    module_unload = b"cuModuleUnload\0": (Raw);
    module_function = b"cuModuleGetFunction\0": (*mut Raw, Raw, *const c_char);
    launch = b"cuLaunchKernel\0": (Raw, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Raw, *mut *mut c_void, *mut *mut c_void);
    allocate = b"cuMemAlloc_v2\0": (*mut u64, usize);
    free = b"cuMemFree_v2\0": (u64);
    upload = b"cuMemcpyHtoD_v2\0": (u64, *const c_void, usize);
    download = b"cuMemcpyDtoH_v2\0": (*mut c_void, u64, usize);
    copy = b"cuMemcpy3D_v2\0": (*const Copy3D);
    array_create = b"cuArray3DCreate_v2\0": (*mut Raw, *const ArrayDescriptor);
    array_destroy = b"cuArrayDestroy\0": (Raw);
    mipmapped_create = b"cuMipmappedArrayCreate\0": (*mut Raw, *const ArrayDescriptor, c_uint);
    mipmapped_level = b"cuMipmappedArrayGetLevel\0": (*mut Raw, Raw, c_uint);
    mipmapped_destroy = b"cuMipmappedArrayDestroy\0": (Raw);
    texture_create = b"cuTexObjectCreate\0": (*mut u64, *const Resource, *const TextureDescriptor, *const c_void);
    texture_destroy = b"cuTexObjectDestroy\0": (u64);
}

/// GPU 0, whose primary context is this thread's.
pub(crate) struct Gpu {
    pub(crate) functions: Functions,
    _library: Library,
}

/// The kernel of a mode.
pub(crate) struct Kernel<'a> {
    gpu: &'a Gpu,
    module: Raw,
    function: Raw,
}

/// Memory of the GPU.
pub(crate) struct Memory<'a> {
    gpu: &'a Gpu,
    pub(crate) address: u64,
}

/// The driver's answer as a result.
pub(crate) fn check(call: &'static str, code: c_int) -> Result<(), DriverError> {
    match code {
        0 => Ok(()),
        _ => Err(DriverError::Call { call, code }),
    }
}

impl Gpu {
    pub(crate) fn open() -> Result<Self, DriverError> {
        // SAFETY: NVIDIA's driver may be loaded by any process.
        let library = unsafe { Library::new(LIBRARY)? };
        let functions = Functions::load(&library)?;
        let mut context = ptr::null_mut();
        // SAFETY: the flags must be 0.
        check("cuInit", unsafe { (functions.init)(0) })?;
        // SAFETY: writes one pointer to where we point. It stays retained until the process ends.
        check("cuDevicePrimaryCtxRetain", unsafe {
            (functions.context_retain)(&raw mut context, 0)
        })?;
        // SAFETY: the context was retained above.
        check("cuCtxSetCurrent", unsafe {
            (functions.context_set)(context)
        })?;
        Ok(Self {
            functions,
            _library: library,
        })
    }

    pub(crate) fn name(&self) -> Result<String, DriverError> {
        let mut name = [0u8; 100];
        // SAFETY: the array has as many bytes as are said.
        check("cuDeviceGetName", unsafe {
            (self.functions.name)(name.as_mut_ptr().cast(), 100, 0)
        })?;
        let end = name
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(name.len());
        Ok(String::from_utf8_lossy(&name[..end]).into_owned())
    }

    pub(crate) fn kernel(&self, ptx: &str) -> Result<Kernel<'_>, DriverError> {
        // PTX of ours has no NUL.
        let text = CString::new(ptx).unwrap_or_default();
        let mut kernel = Kernel {
            gpu: self,
            module: ptr::null_mut(),
            function: ptr::null_mut(),
        };
        let (module, function) = (&raw mut kernel.module, &raw mut kernel.function);
        // SAFETY: the text ends with a NUL.
        check("cuModuleLoadData", unsafe {
            (self.functions.module_load)(module, text.as_ptr().cast())
        })?;
        let name = c"fetches".as_ptr();
        // SAFETY: the module was loaded above.
        check("cuModuleGetFunction", unsafe {
            (self.functions.module_function)(function, kernel.module, name)
        })?;
        Ok(kernel)
    }

    pub(crate) fn allocate(&self, bytes: usize) -> Result<Memory<'_>, DriverError> {
        let mut address = 0;
        // SAFETY: writes one address to where we point.
        check("cuMemAlloc", unsafe {
            (self.functions.allocate)(&raw mut address, bytes.max(4))
        })?;
        Ok(Memory { gpu: self, address })
    }

    /// Runs `n` fetches: four words of each.
    pub(crate) fn fetches(
        &self,
        kernel: &Kernel<'_>,
        mut handle: u64,
        operands: &[u32],
        n: usize,
    ) -> Result<Vec<u32>, DriverError> {
        let input = self.allocate(size_of_val(operands))?;
        let output = self.allocate(16 * n)?;
        input.write(0, operands)?;
        let (mut from, mut to, mut count) = (input.address, output.address, n as u32);
        let mut parameters: [*mut c_void; 4] = [
            (&raw mut handle).cast(),
            (&raw mut from).cast(),
            (&raw mut to).cast(),
            (&raw mut count).cast(),
        ];
        let (blocks, stream, none) = (count.div_ceil(256), ptr::null_mut(), ptr::null_mut());
        // SAFETY: the kernel takes these four parameters, and accesses the operands and results of `n` fetches; the texture is there.
        check("cuLaunchKernel", unsafe {
            (self.functions.launch)(
                kernel.function,
                blocks,
                1,
                1,
                256,
                1,
                1,
                0,
                stream,
                parameters.as_mut_ptr(),
                none,
            )
        })?;
        let mut results = vec![0u32; 4 * n];
        // SAFETY: both have `16 * n` bytes. The copy waits for the launch.
        check("cuMemcpyDtoH", unsafe {
            (self.functions.download)(results.as_mut_ptr().cast(), output.address, 16 * n)
        })?;
        Ok(results)
    }
}

impl Memory<'_> {
    /// Copies to this many bytes behind the start. The caller has allocated enough.
    pub(crate) fn write<T: Copy>(&self, at: usize, data: &[T]) -> Result<(), DriverError> {
        // SAFETY: the driver refuses what is outside of an allocation; `data` is readable.
        check("cuMemcpyHtoD", unsafe {
            (self.gpu.functions.upload)(
                self.address + at as u64,
                data.as_ptr().cast(),
                size_of_val(data),
            )
        })
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // SAFETY: allocated by `allocate`, and given back once. Copies that wait have ended the launches.
        unsafe { (self.gpu.functions.free)(self.address) };
    }
}

impl Drop for Kernel<'_> {
    fn drop(&mut self) {
        // SAFETY: loaded by `kernel`; its launches are over.
        unsafe { (self.gpu.functions.module_unload)(self.module) };
    }
}
