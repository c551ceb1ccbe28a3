//! Handles and constants of resources that graphics interfaces share.

use super::*;

handles! { CUgraphicsResource }

pub(crate) const CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY: c_uint = 1;
pub(crate) const CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD: c_uint = 2;
pub(crate) const CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST: c_uint = 4;
pub(crate) const CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER: c_uint = 8;

pub(crate) const GL_TEXTURE_2D: c_uint = 0x0DE1;
pub(crate) const GL_TEXTURE_3D: c_uint = 0x806F;
pub(crate) const GL_RENDERBUFFER: c_uint = 0x8D41;

/// The GPUs of the current context of OpenGL, all of them.
pub(crate) const CU_GL_DEVICE_LIST_ALL: c_uint = 1;
