//! Textures and surfaces: numbers that stand for memory of a GPU and how kernels read it.

use std::ffi::{c_int, c_uint};
use std::ptr;
use std::sync::Arc;

use super::array::{ArrayHandle, ArrayMemory};
use super::callback::run_outside_callback;
use super::context::Context;
use super::result::DriverError;
use super::sys;
use super::sys::textures::*;

/// Where the elements are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Resource<'a> {
    /// A level of an array.
    Array(&'a ArrayHandle),
    /// All levels of an array that was made with levels.
    Mipmapped(&'a ArrayMemory),
    /// Elements side by side, of a format and channels as the driver counts them.
    Linear {
        start: u64,
        format: c_int,
        channels: c_uint,
        bytes: usize,
    },
    /// Rows with a pitch.
    Rows {
        start: u64,
        format: c_int,
        channels: c_uint,
        width: usize,
        height: usize,
        pitch: usize,
    },
}

/// How the elements are read, in the driver's numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) address: [c_uint; 3],
    pub(crate) linear_filter: bool,
    pub(crate) linear_mip_filter: bool,
    pub(crate) read_as_integer: bool,
    pub(crate) normalized_coordinates: bool,
    pub(crate) srgb: bool,
    pub(crate) exact_trilinear: bool,
    pub(crate) seamless_cube: bool,
    pub(crate) lod_bias: f32,
    pub(crate) lod_clamp: [f32; 2],
    pub(crate) border: [f32; 4],
}

/// Elements of another type, or a part of an array, in the driver's numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    pub(crate) format: c_uint,
    /// Of the finest level of the array.
    pub(crate) extents: [usize; 3],
    /// The first and the last.
    pub(crate) levels: [c_uint; 2],
    /// The first and the last; faces where it is of cubes.
    pub(crate) layers: [c_uint; 2],
}

/// A texture or surface of the driver.
#[derive(Debug)]
pub(crate) struct Object {
    context: Arc<Context>,
    kind: Kind,
    handle: u64,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Texture,
    Surface,
}

impl Resource<'_> {
    fn for_driver(&self) -> CUDA_RESOURCE_DESC {
        let mut place = CUresourcePlace { reserved: [0; 32] };
        let kind = match *self {
            Resource::Array(handle) => {
                place.array = handle.raw();
                CU_RESOURCE_TYPE_ARRAY
            }
            Resource::Mipmapped(array) => {
                place.array = array.raw_handle();
                CU_RESOURCE_TYPE_MIPMAPPED_ARRAY
            }
            Resource::Linear {
                start,
                format,
                channels,
                bytes,
            } => {
                place.linear = CUresourceLinear {
                    start,
                    format,
                    channels,
                    bytes,
                };
                CU_RESOURCE_TYPE_LINEAR
            }
            Resource::Rows {
                start,
                format,
                channels,
                width,
                height,
                pitch,
            } => {
                place.pitch2d = CUresourcePitch2D {
                    start,
                    format,
                    channels,
                    width,
                    height,
                    pitch,
                };
                CU_RESOURCE_TYPE_PITCH2D
            }
        };
        CUDA_RESOURCE_DESC {
            kind,
            place,
            flags: 0,
        }
    }
}

impl Settings {
    fn for_driver(&self) -> CUDA_TEXTURE_DESC {
        let flags = [
            (self.read_as_integer, CU_TRSF_READ_AS_INTEGER),
            (self.normalized_coordinates, CU_TRSF_NORMALIZED_COORDINATES),
            (self.srgb, CU_TRSF_SRGB),
            (self.exact_trilinear, CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION),
            (self.seamless_cube, CU_TRSF_SEAMLESS_CUBEMAP),
        ];
        let set = flags.into_iter().filter(|(wanted, _)| *wanted);
        CUDA_TEXTURE_DESC {
            address: self.address,
            filter: self.linear_filter.into(),
            flags: set.map(|(_, flag)| flag).sum(),
            max_anisotropy: 0,
            mip_filter: self.linear_mip_filter.into(),
            lod_bias: self.lod_bias,
            least_lod: self.lod_clamp[0],
            greatest_lod: self.lod_clamp[1],
            border: self.border,
            reserved: [0; 12],
        }
    }
}

impl View {
    fn for_driver(self) -> CUDA_RESOURCE_VIEW_DESC {
        let ([width, height, depth], [first_level, last_level]) = (self.extents, self.levels);
        CUDA_RESOURCE_VIEW_DESC {
            format: self.format,
            width,
            height,
            depth,
            first_level,
            last_level,
            first_layer: self.layers[0],
            last_layer: self.layers[1],
            reserved: [0; 16],
        }
    }
}

impl Object {
    /// A texture. It has to go before what `resource` names.
    pub(crate) fn texture(
        context: &Arc<Context>,
        resource: Resource<'_>,
        settings: &Settings,
        view: Option<View>,
    ) -> Result<Object, DriverError> {
        context.bind()?;
        let (resource, settings) = (resource.for_driver(), settings.for_driver());
        let mut handle = 0;
        let driver = &context.driver;
        let view = view.map(View::for_driver);
        let view = view.as_ref().map_or(ptr::null(), ptr::from_ref);
        // SAFETY: writes one number to where we point, and reads the structures; the resource is alive and of this context.
        unsafe {
            driver.cuTexObjectCreate(
                &raw mut handle,
                &raw const resource,
                &raw const settings,
                view,
            )?;
        }
        Ok(Object {
            context: Arc::clone(context),
            kind: Kind::Texture,
            handle,
        })
    }

    /// A surface of an array. It has to go before the array.
    pub(crate) fn surface(
        context: &Arc<Context>,
        array: &ArrayHandle,
    ) -> Result<Object, DriverError> {
        context.bind()?;
        let resource = Resource::Array(array).for_driver();
        let mut handle = 0;
        let driver = &context.driver;
        // SAFETY: writes one number to where we point, and reads the structure; the array is alive and of this context.
        unsafe { driver.cuSurfObjectCreate(&raw mut handle, &raw const resource)? };
        Ok(Object {
            context: Arc::clone(context),
            kind: Kind::Surface,
            handle,
        })
    }

    /// The number that kernels are given.
    pub(crate) fn handle(&self) -> u64 {
        self.handle
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        let (context, kind, handle) = (Arc::clone(&self.context), self.kind, self.handle);
        run_outside_callback(move || {
            let _ = context.bind();
            let driver = &context.driver;
            // Errors: the driver is shut down or the context broken.
            let _ = match kind {
                // SAFETY: destroyed once; the owner has waited for the work that uses it.
                Kind::Texture => unsafe { driver.cuTexObjectDestroy(handle) },
                // SAFETY: as above.
                Kind::Surface => unsafe { driver.cuSurfObjectDestroy(handle) },
            };
        });
    }
}

impl Context {
    /// The most elements of a texture of linear memory; `None` if the driver has no such question.
    pub(crate) fn most_linear_elements(
        &self,
        format: c_int,
        channels: c_uint,
    ) -> Result<Option<usize>, DriverError> {
        let mut width = 0;
        let driver = &self.driver;
        // SAFETY: writes one number to where we point.
        let answer = unsafe {
            driver.cuDeviceGetTexture1DLinearMaxWidth(
                &raw mut width,
                format,
                channels,
                self.device(),
            )
        };
        match answer {
            Ok(()) => Ok(Some(width)),
            Err(error) if error.code == sys::CUDA_ERROR_NOT_SUPPORTED => Ok(None),
            Err(error) => Err(error),
        }
    }
}
