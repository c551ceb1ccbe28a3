//! Resources of OpenGL, registered and mapped.

use std::ffi::c_uint;
use std::sync::Arc;

use super::array::ArrayMemory;
use super::context::Context;
use super::result::DriverError;
use super::stream::Stream;
use super::sys::graphics::{
    CU_GL_DEVICE_LIST_ALL, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY,
    CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST, CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER,
    CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD, CUgraphicsResource, GL_RENDERBUFFER, GL_TEXTURE_2D,
    GL_TEXTURE_3D,
};
use super::sys::memory::CUarray;
use super::sys::{CUDA_ERROR_NO_DEVICE, CUdevice, CUresult};

/// Answers of `cuGLGetDevices` that say that the context of OpenGL is of no GPU of CUDA, or that there is none.
const OTHERS: [CUresult; 3] = [CUDA_ERROR_NO_DEVICE, 219, 304];

/// What kernels do with a mapped resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct RegisterFlags {
    pub(crate) read_only: bool,
    pub(crate) write_discard: bool,
    pub(crate) surface: bool,
    pub(crate) gather: bool,
}

impl RegisterFlags {
    fn bits(self) -> c_uint {
        let flags = [
            (self.read_only, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY),
            (self.write_discard, CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD),
            (self.surface, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST),
            (self.gather, CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER),
        ];
        let set = flags.into_iter().filter(|(wanted, _)| *wanted);
        set.map(|(_, flag)| flag).sum()
    }
}

/// What an object of OpenGL is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GlObject {
    Buffer(u32),
    Texture2d(u32),
    Texture3d(u32),
    Renderbuffer(u32),
}

/// An object of OpenGL that kernels may use while it is mapped.
#[derive(Debug)]
pub(crate) struct GraphicsResource {
    context: Arc<Context>,
    raw: CUgraphicsResource,
}

impl GraphicsResource {
    /// Registers an object.
    ///
    /// # Safety
    /// The object is one of the context of OpenGL that is current on this thread, and that is current on the thread of each later call too, the drop included; it
    /// stays until then.
    pub(crate) unsafe fn register(
        context: Arc<Context>,
        object: GlObject,
        flags: RegisterFlags,
    ) -> Result<GraphicsResource, DriverError> {
        context.bind()?;
        let (mut raw, driver, flags) = (CUgraphicsResource::NULL, &context.driver, flags.bits());
        let (name, target) = match object {
            GlObject::Buffer(name) => {
                // SAFETY: writes one handle to where we point; the caller promises the object.
                unsafe { driver.cuGraphicsGLRegisterBuffer(&raw mut raw, name, flags)? };
                return Ok(GraphicsResource { context, raw });
            }
            GlObject::Texture2d(name) => (name, GL_TEXTURE_2D),
            GlObject::Texture3d(name) => (name, GL_TEXTURE_3D),
            GlObject::Renderbuffer(name) => (name, GL_RENDERBUFFER),
        };
        // SAFETY: as above.
        unsafe { driver.cuGraphicsGLRegisterImage(&raw mut raw, name, target, flags)? };
        Ok(GraphicsResource { context, raw })
    }

    /// Lets work of the stream from now on use the object, after all calls of OpenGL so far.
    pub(crate) fn map(&self, stream: &Stream) -> Result<(), DriverError> {
        self.context.bind()?;
        let (mut raw, driver) = (self.raw, &self.context.driver);
        // SAFETY: reads one handle; resource and stream are alive and of this context.
        unsafe { driver.cuGraphicsMapResources(1, &raw mut raw, stream.raw) }
    }

    /// Lets later calls of OpenGL use the object, after all work of the stream so far.
    pub(crate) fn unmap(&self, stream: &Stream) -> Result<(), DriverError> {
        self.context.bind()?;
        let (mut raw, driver) = (self.raw, &self.context.driver);
        // SAFETY: as above.
        unsafe { driver.cuGraphicsUnmapResources(1, &raw mut raw, stream.raw) }
    }

    /// [`unmap`](GraphicsResource::unmap) before the resource is dropped, whatever errors there are: the driver is shut down, or the context broken.
    pub(crate) fn unmap_at_last(&self, stream: &Stream) {
        let _ = self.context.bind();
        let (mut raw, driver) = (self.raw, &self.context.driver);
        // SAFETY: as above.
        let _ = unsafe { driver.cuGraphicsUnmapResources(1, &raw mut raw, stream.raw) };
        let _ = stream.synchronize();
    }

    /// Where a mapped buffer is, and how many bytes it has.
    pub(crate) fn place(&self) -> Result<(u64, usize), DriverError> {
        let (mut address, mut bytes, driver) = (0, 0, &self.context.driver);
        // SAFETY: writes an address and a size to where we point; the resource is alive.
        unsafe {
            driver.cuGraphicsResourceGetMappedPointer_v2(
                &raw mut address,
                &raw mut bytes,
                self.raw,
            )?;
        }
        Ok((address, bytes))
    }

    /// The array that a mapped image is. Means nothing any more when it is unmapped.
    pub(crate) fn array(&self) -> Result<ArrayMemory, DriverError> {
        let (mut array, driver) = (CUarray::NULL, &self.context.driver);
        // SAFETY: writes a handle to where we point; the resource is alive.
        unsafe {
            driver.cuGraphicsSubResourceGetMappedArray(&raw mut array, self.raw, 0, 0)?;
        }
        Ok(ArrayMemory::mapped(Arc::clone(&self.context), array))
    }
}

impl Drop for GraphicsResource {
    fn drop(&mut self) {
        let _ = self.context.bind();
        // Errors: the driver is shut down, the context broken, or the context of OpenGL gone.
        // SAFETY: unregistered once; the owner has unmapped it.
        let _ = unsafe { self.context.driver.cuGraphicsUnregisterResource(self.raw) };
    }
}

impl Context {
    /// The numbers of the GPUs that the context of OpenGL renders on that is current on this thread; none if it renders elsewhere.
    pub(crate) fn opengl_devices(&self) -> Result<Vec<CUdevice>, DriverError> {
        self.bind()?;
        let (mut count, mut all) = (0, [0; 16]);
        // SAFETY: writes a number, and so many numbers at most, to where we point.
        let asked = unsafe {
            let (count, all) = (&raw mut count, (&raw mut all).cast());
            self.driver
                .cuGLGetDevices_v2(count, all, 16, CU_GL_DEVICE_LIST_ALL)
        };
        match asked {
            Ok(()) => Ok(all.into_iter().take(count as usize).collect()),
            Err(error) if OTHERS.contains(&error.code) => Ok(vec![]),
            Err(error) => Err(error),
        }
    }
}
