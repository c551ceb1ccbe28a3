//! Arrays: memory of a GPU whose layout only the GPU knows.

use std::ffi::{c_uint, c_void};
use std::sync::Arc;

use super::callback::run_outside_callback;
use super::context::Context;
#[cfg(target_os = "linux")]
use super::external::ExternalMemory;
use super::result::DriverError;
use super::sys;
use super::sys::memory::{
    CUDA_ARRAY3D_CUBEMAP, CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY3D_LAYERED, CUDA_ARRAY3D_SURFACE_LDST,
    CUDA_ARRAY3D_TEXTURE_GATHER, CUarray, CUmipmappedArray,
};

/// An array of the driver, or several that are levels of detail.
#[derive(Debug)]
pub(crate) struct ArrayMemory {
    context: Arc<Context>,
    owned: Owned,
    /// All levels, the finest first; one of an array without others.
    levels: Vec<ArrayHandle>,
    /// Whose memory it is, if another API's; goes after the array.
    #[cfg(target_os = "linux")]
    external: Option<ExternalMemory>,
}

/// What is destroyed.
#[derive(Debug, Clone, Copy)]
enum Owned {
    Array(CUarray),
    Mipmapped(CUmipmappedArray),
    /// Nothing: the array is a mapped image of another interface.
    Mapped(CUarray),
}

/// A level of an array. Means nothing any more once the [`ArrayMemory`] is gone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArrayHandle(CUarray);

impl ArrayHandle {
    pub(super) fn raw(&self) -> *mut c_void {
        self.0.0
    }
}

/// What an array is to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Described {
    /// Width, height, and depth or layers; 0: a dimension less.
    pub(crate) extent: [usize; 3],
    pub(crate) layered: bool,
    pub(crate) cube: bool,
    pub(crate) surface: bool,
    pub(crate) gather: bool,
    /// The driver's number for the type of a channel.
    pub(crate) format: i32,
    pub(crate) channels: u32,
}

impl Described {
    pub(super) fn for_driver(&self) -> CUDA_ARRAY3D_DESCRIPTOR {
        let [width, height, depth] = self.extent;
        let flags = [
            (self.layered, CUDA_ARRAY3D_LAYERED),
            (self.cube, CUDA_ARRAY3D_CUBEMAP),
            (self.surface, CUDA_ARRAY3D_SURFACE_LDST),
            (self.gather, CUDA_ARRAY3D_TEXTURE_GATHER),
        ];
        let set = flags.into_iter().filter(|(wanted, _)| *wanted);
        CUDA_ARRAY3D_DESCRIPTOR {
            width,
            height,
            depth,
            format: self.format,
            channels: self.channels,
            flags: set.map(|(_, flag)| flag).sum(),
        }
    }
}

impl ArrayMemory {
    /// Allocates an array; `Ok(None)` if the device has no room for it.
    pub(crate) fn new(
        context: Arc<Context>,
        described: Described,
    ) -> Result<Option<ArrayMemory>, DriverError> {
        context.bind()?;
        let told = described.for_driver();
        let mut raw = CUarray::NULL;
        let driver = &context.driver;
        // SAFETY: writes one handle to where we point, and reads the description; the context is current.
        match unsafe { driver.cuArray3DCreate_v2(&raw mut raw, &raw const told) } {
            Ok(()) => Ok(Some(ArrayMemory {
                context,
                owned: Owned::Array(raw),
                levels: vec![ArrayHandle(raw)],
                #[cfg(target_os = "linux")]
                external: None,
            })),
            Err(error) if error.code == sys::CUDA_ERROR_OUT_OF_MEMORY => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The same with so many levels of detail.
    pub(crate) fn mipmapped(
        context: Arc<Context>,
        described: Described,
        n_levels: c_uint,
    ) -> Result<Option<ArrayMemory>, DriverError> {
        context.bind()?;
        let told = described.for_driver();
        let mut raw = CUmipmappedArray::NULL;
        let driver = &context.driver;
        // SAFETY: writes one handle to where we point, and reads the description; the context is current.
        match unsafe { driver.cuMipmappedArrayCreate(&raw mut raw, &raw const told, n_levels) } {
            Ok(()) => {}
            Err(error) if error.code == sys::CUDA_ERROR_OUT_OF_MEMORY => return Ok(None),
            Err(error) => return Err(error),
        }
        let mut made = ArrayMemory {
            context,
            owned: Owned::Mipmapped(raw),
            levels: vec![],
            #[cfg(target_os = "linux")]
            external: None,
        };
        made.find_levels(raw, n_levels)?;
        Ok(Some(made))
    }

    /// The same in memory of another API, from byte `offset` on.
    #[cfg(target_os = "linux")]
    pub(crate) fn external(
        memory: ExternalMemory,
        offset: u64,
        described: Described,
        n_levels: c_uint,
    ) -> Result<ArrayMemory, DriverError> {
        let raw = memory.map_array(offset, described, n_levels)?;
        let mut made = ArrayMemory {
            context: Arc::clone(&memory.context),
            owned: Owned::Mipmapped(raw),
            levels: vec![],
            external: Some(memory),
        };
        made.find_levels(raw, n_levels)?;
        Ok(made)
    }

    /// A mapped image of another interface, which is not destroyed. Means nothing any more when the image is unmapped.
    pub(super) fn mapped(context: Arc<Context>, raw: CUarray) -> ArrayMemory {
        ArrayMemory {
            context,
            owned: Owned::Mapped(raw),
            levels: vec![ArrayHandle(raw)],
            #[cfg(target_os = "linux")]
            external: None,
        }
    }

    fn find_levels(&mut self, raw: CUmipmappedArray, n_levels: c_uint) -> Result<(), DriverError> {
        let driver = &self.context.driver;
        for level in 0..n_levels {
            let mut array = CUarray::NULL;
            // SAFETY: writes one handle to where we point; the array is alive and has this level.
            unsafe { driver.cuMipmappedArrayGetLevel(&raw mut array, raw, level)? };
            self.levels.push(ArrayHandle(array));
        }
        Ok(())
    }

    /// A level, if there is one of this number.
    pub(crate) fn level(&self, level: usize) -> Option<&ArrayHandle> {
        self.levels.get(level)
    }

    /// The driver's handle: `CUarray`, or `CUmipmappedArray` if it was made with levels.
    pub(crate) fn raw_handle(&self) -> *mut c_void {
        match self.owned {
            Owned::Array(raw) | Owned::Mapped(raw) => raw.0,
            Owned::Mipmapped(raw) => raw.0,
        }
    }
}

impl Drop for ArrayMemory {
    fn drop(&mut self) {
        if matches!(self.owned, Owned::Mapped(_)) {
            return;
        }
        let (context, owned) = (Arc::clone(&self.context), self.owned);
        #[cfg(target_os = "linux")]
        let external = self.external.take();
        run_outside_callback(move || {
            let _ = context.bind();
            let driver = &context.driver;
            // Errors: the driver is shut down or the context broken.
            let _ = match owned {
                // SAFETY: destroyed once; the owner has waited for the work that uses it.
                Owned::Array(raw) => unsafe { driver.cuArrayDestroy(raw) },
                // SAFETY: as above.
                Owned::Mipmapped(raw) => unsafe { driver.cuMipmappedArrayDestroy(raw) },
                Owned::Mapped(_) => Ok(()),
            };
            #[cfg(target_os = "linux")]
            drop(external);
        });
    }
}
