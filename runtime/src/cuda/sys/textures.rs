//! Structures and constants of textures and surfaces.

use super::*;

/// A number, which kernels are given.
pub(crate) type CUtexObject = u64;
/// A number, which kernels are given.
pub(crate) type CUsurfObject = u64;

pub(crate) const CU_RESOURCE_TYPE_ARRAY: c_uint = 0;
pub(crate) const CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: c_uint = 1;
pub(crate) const CU_RESOURCE_TYPE_LINEAR: c_uint = 2;
pub(crate) const CU_RESOURCE_TYPE_PITCH2D: c_uint = 3;

pub(crate) const CU_TRSF_READ_AS_INTEGER: c_uint = 0x01;
pub(crate) const CU_TRSF_NORMALIZED_COORDINATES: c_uint = 0x02;
pub(crate) const CU_TRSF_SRGB: c_uint = 0x10;
pub(crate) const CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION: c_uint = 0x20;
pub(crate) const CU_TRSF_SEAMLESS_CUBEMAP: c_uint = 0x40;

/// Where the elements are: a union that `kind` tells apart, as the words that its longest member fills.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct CUDA_RESOURCE_DESC {
    pub(crate) kind: c_uint,
    pub(crate) place: CUresourcePlace,
    pub(crate) flags: c_uint,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union CUresourcePlace {
    pub(crate) array: *mut c_void,
    pub(crate) linear: CUresourceLinear,
    pub(crate) pitch2d: CUresourcePitch2D,
    pub(crate) reserved: [c_int; 32],
}

impl std::fmt::Debug for CUresourcePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CUresourcePlace").finish_non_exhaustive()
    }
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct CUresourceLinear {
    pub(crate) start: CUdeviceptr,
    pub(crate) format: c_int,
    pub(crate) channels: c_uint,
    pub(crate) bytes: usize,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct CUresourcePitch2D {
    pub(crate) start: CUdeviceptr,
    pub(crate) format: c_int,
    pub(crate) channels: c_uint,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pitch: usize,
}

/// How the elements are read.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct CUDA_TEXTURE_DESC {
    pub(crate) address: [c_uint; 3],
    pub(crate) filter: c_uint,
    pub(crate) flags: c_uint,
    pub(crate) max_anisotropy: c_uint,
    pub(crate) mip_filter: c_uint,
    pub(crate) lod_bias: f32,
    pub(crate) least_lod: f32,
    pub(crate) greatest_lod: f32,
    pub(crate) border: [f32; 4],
    pub(crate) reserved: [c_int; 12],
}

/// Another type of the elements, and a part of the levels and layers.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct CUDA_RESOURCE_VIEW_DESC {
    pub(crate) format: c_uint,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
    pub(crate) first_level: c_uint,
    pub(crate) last_level: c_uint,
    pub(crate) first_layer: c_uint,
    pub(crate) last_layer: c_uint,
    pub(crate) reserved: [c_uint; 16],
}

// Sizes of the driver's structures on 64-bit machines.
const _: () =
    assert!(size_of::<CUDA_RESOURCE_DESC>() == 144 && size_of::<CUDA_TEXTURE_DESC>() == 104);
const _: () = assert!(size_of::<CUDA_RESOURCE_VIEW_DESC>() == 112);
