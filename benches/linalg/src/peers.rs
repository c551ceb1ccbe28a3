//! Products of cuBLASLt, loaded from a library that NVIDIA's wheels for Python bring.

use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::Library;

type Handle = *mut c_void;

/// `cublasLtMatmulHeuristicResult_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Heuristic {
    algorithm: [u64; 8],
    workspace_bytes: usize,
    status: c_int,
    waves: f32,
    reserved: [c_int; 4],
}

/// `cudaDataType_t`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(i32)]
pub(crate) enum DataType {
    F32 = 0,
    F64 = 1,
    F16 = 2,
    I8 = 3,
    I32 = 10,
    Bf16 = 14,
    E4m3 = 28,
}

/// `cublasComputeType_t`.
#[derive(Clone, Copy, Debug)]
#[repr(i32)]
pub(crate) enum Compute {
    F32 = 68,
    F64 = 70,
    I32 = 72,
    Tf32 = 77,
}

const TRANSPOSE_A: c_int = 3;
const TRANSPOSE_B: c_int = 4;
const MOST_WORKSPACE: c_int = 1;

/// Why a peer cannot run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PeerError {
    #[error("cannot load cuBLASLt from {path}; name the library of NVIDIA's wheel by `--cublaslt`")]
    Library {
        path: PathBuf,
        #[source]
        source: libloading::Error,
    },
    #[error("{function} of cuBLASLt failed with status {status}")]
    Failed {
        function: &'static str,
        status: c_int,
    },
    #[error("cuBLASLt has no algorithm for this product")]
    NoAlgorithm,
}

macro_rules! functions {
    ($($name:ident = $symbol:literal ($($argument:ty),*);)*) => {
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl Functions {
            fn load(library: &Library) -> Result<Self, libloading::Error> {
                Ok(Self {$(
                    // SAFETY: the types of cublasLt.h, as of CUDA 12 and 13.
                    $name: *unsafe { library.get($symbol) }?,
                )*})
            }
        }
    };
}

functions! {
    create = b"cublasLtCreate\0" (*mut Handle);
    describe = b"cublasLtMatmulDescCreate\0" (*mut Handle, c_int, c_int);
    describe_more = b"cublasLtMatmulDescSetAttribute\0" (Handle, c_int, *const c_void, usize);
    lay_out = b"cublasLtMatrixLayoutCreate\0" (*mut Handle, c_int, u64, u64, i64);
    prefer = b"cublasLtMatmulPreferenceCreate\0" (*mut Handle);
    prefer_more = b"cublasLtMatmulPreferenceSetAttribute\0" (Handle, c_int, *const c_void, usize);
    heuristic = b"cublasLtMatmulAlgoGetHeuristic\0" (Handle, Handle, Handle, Handle, Handle, Handle, Handle, c_int, *mut Heuristic, *mut c_int);
    matmul = b"cublasLtMatmul\0" (Handle, Handle, *const c_void, *const c_void, Handle, *const c_void, Handle, *const c_void, *const c_void, Handle, *mut c_void, Handle, *const Heuristic, *mut c_void, usize, *mut c_void);
}

/// Three numbers of one: `cublasLtGetVersion`, as 130_100 for 13.1.0.
type Version = unsafe extern "C" fn() -> usize;

/// cuBLASLt. Its runtime uses the context that is current, the primary one.
pub(crate) struct CublasLt {
    functions: Functions,
    handle: Handle,
    library: Library,
}

/// A column-major matrix, or its transpose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub(crate) address: u64,
    pub(crate) of: DataType,
    /// Rows and columns of the memory, before it is transposed.
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) transposed: bool,
}

/// Bytes of memory that algorithms may use: what PyTorch gives them on Hopper.
pub(crate) const WORKSPACE: usize = 32 << 20;

/// A product that is ready to run.
pub(crate) struct Product<'l> {
    lt: &'l CublasLt,
    description: Handle,
    operands: [(u64, Handle); 3],
    best: Heuristic,
    one: [u8; 8],
    workspace: u64,
    stream: *mut c_void,
}

fn checked(function: &'static str, status: c_int) -> Result<(), PeerError> {
    match status {
        0 => Ok(()),
        status => Err(PeerError::Failed { function, status }),
    }
}

impl CublasLt {
    pub(crate) fn open(path: &Path) -> Result<Self, PeerError> {
        let failed = |source| PeerError::Library {
            path: path.to_owned(),
            source,
        };
        // SAFETY: its initialisation does nothing but register its own.
        let library = unsafe { Library::new(path) }.map_err(failed)?;
        let functions = Functions::load(&library).map_err(failed)?;
        let mut handle = ptr::null_mut();
        // SAFETY: writes a handle.
        checked("cublasLtCreate", unsafe {
            (functions.create)(&raw mut handle)
        })?;
        Ok(Self {
            functions,
            handle,
            library,
        })
    }

    /// As `cuBLASLt 13.1.0`.
    pub(crate) fn version(&self) -> String {
        // SAFETY: the type of cublasLt.h.
        let version = unsafe { self.library.get::<Version>(b"cublasLtGetVersion\0") };
        let version = version.map_or(0, |version| {
            // SAFETY: takes nothing.
            unsafe { version() }
        });
        format!(
            "cuBLASLt {}.{}.{}",
            version / 10_000,
            version / 100 % 100,
            version % 100
        )
    }

    fn layout(&self, of: Operand) -> Result<Handle, PeerError> {
        let mut handle = ptr::null_mut();
        let (rows, columns) = (of.rows as u64, of.columns as u64);
        // SAFETY: writes a handle.
        let status = unsafe {
            (self.functions.lay_out)(&raw mut handle, of.of as c_int, rows, columns, rows as i64)
        };
        checked("cublasLtMatrixLayoutCreate", status)?;
        Ok(handle)
    }

    /// `c = a · b`, by the first algorithm that the heuristic names.
    ///
    /// # Safety
    /// The operands are in memory of the device of `stream` and stay there, as do [`WORKSPACE`] bytes at `workspace`.
    pub(crate) unsafe fn product(
        &self,
        compute: Compute,
        [a, b, c]: [Operand; 3],
        workspace: u64,
        stream: *mut c_void,
    ) -> Result<Product<'_>, PeerError> {
        let f = &self.functions;
        let (scale, one) = match compute {
            Compute::F64 => (DataType::F64, 1f64.to_ne_bytes()),
            Compute::I32 => (DataType::I32, 1u64.to_ne_bytes()),
            Compute::F32 | Compute::Tf32 => {
                (DataType::F32, u64::from(1f32.to_bits()).to_ne_bytes())
            }
        };
        let (mut description, mut preference) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: writes a handle.
        let status =
            unsafe { (f.describe)(&raw mut description, compute as c_int, scale as c_int) };
        checked("cublasLtMatmulDescCreate", status)?;
        for (attribute, operand) in [(TRANSPOSE_A, a), (TRANSPOSE_B, b)] {
            let transposed = c_int::from(operand.transposed);
            // SAFETY: the attribute is a `c_int`.
            let status = unsafe {
                (f.describe_more)(description, attribute, (&raw const transposed).cast(), 4)
            };
            checked("cublasLtMatmulDescSetAttribute", status)?;
        }
        // SAFETY: writes a handle.
        checked("cublasLtMatmulPreferenceCreate", unsafe {
            (f.prefer)(&raw mut preference)
        })?;
        let most = WORKSPACE;
        // SAFETY: the attribute is a `size_t`.
        let status =
            unsafe { (f.prefer_more)(preference, MOST_WORKSPACE, (&raw const most).cast(), 8) };
        checked("cublasLtMatmulPreferenceSetAttribute", status)?;
        let operands = [
            (a.address, self.layout(a)?),
            (b.address, self.layout(b)?),
            (c.address, self.layout(c)?),
        ];
        let [(_, layout_a), (_, layout_b), (_, layout_c)] = operands;
        let mut best = Heuristic {
            algorithm: [0; 8],
            workspace_bytes: 0,
            status: 0,
            waves: 0.0,
            reserved: [0; 4],
        };
        let mut found = 0;
        // SAFETY: handles of this library; one result is written.
        let status = unsafe {
            (f.heuristic)(
                self.handle,
                description,
                layout_a,
                layout_b,
                layout_c,
                layout_c,
                preference,
                1,
                &raw mut best,
                &raw mut found,
            )
        };
        checked("cublasLtMatmulAlgoGetHeuristic", status)?;
        if found == 0 {
            return Err(PeerError::NoAlgorithm);
        }
        Ok(Product {
            lt: self,
            description,
            operands,
            best,
            one,
            workspace,
            stream,
        })
    }
}

impl Product<'_> {
    /// Queues it.
    pub(crate) fn queue(&self) -> Result<(), PeerError> {
        let address = |at: u64| ptr::with_exposed_provenance_mut::<c_void>(at as usize);
        let [(a, layout_a), (b, layout_b), (c, layout_c)] = self.operands;
        let zero = [0u8; 8];
        // SAFETY: what `CublasLt::product` was promised; the scales are of the type that it described.
        let status = unsafe {
            (self.lt.functions.matmul)(
                self.lt.handle,
                self.description,
                self.one.as_ptr().cast(),
                address(a),
                layout_a,
                address(b),
                layout_b,
                zero.as_ptr().cast(),
                address(c),
                layout_c,
                address(c),
                layout_c,
                &raw const self.best,
                address(self.workspace),
                WORKSPACE,
                self.stream,
            )
        };
        checked("cublasLtMatmul", status)
    }
}
