//! The texels of a mode in memory of the GPU, and the texture object of them.

use std::ffi::c_uint;
use std::ptr;

use warploom_emulator::texture::{Dimensions, Read};

use crate::driver::{
    ArrayDescriptor, Copy3D, DriverError, Gpu, Memory, Raw, Resource, Side, TextureDescriptor,
    check,
};
use crate::mode::{Instruction, Mode};

/// Where the texels are.
enum Texels<'a> {
    Array(Raw),
    Mipmapped(Raw),
    /// Linear, or in rows.
    Memory(#[expect(dead_code, reason = "frees the memory")] Memory<'a>),
}

/// A texture object and its memory.
pub(crate) struct Bound<'a> {
    gpu: &'a Gpu,
    texels: Texels<'a>,
    handle: u64,
}

/// Bytes from one row to the next are a multiple of this.
const PITCH: usize = 512;

impl<'a> Bound<'a> {
    pub(crate) fn new(gpu: &'a Gpu, mode: &Mode) -> Result<Self, DriverError> {
        let words = mode.texels();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut resource = Resource::default();
        let texels = if mode.levels > 1 {
            resource.kind = 1;
            mipmapped(gpu, mode, &bytes, &mut resource)?
        } else if mode.dimensions == Dimensions::Linear {
            resource.kind = 2;
            linear(gpu, mode, &bytes, &mut resource)?
        } else if mode.name.contains("pitched") {
            resource.kind = 3;
            rows(gpu, mode, &bytes, &mut resource)?
        } else {
            array(gpu, mode, &bytes, &mut resource)?
        };
        let mut bound = Self {
            gpu,
            texels,
            handle: 0,
        };
        let (texture, handle) = (texture(mode), &raw mut bound.handle);
        // SAFETY: the resource is in `bound`, which outlives the object.
        check("cuTexObjectCreate", unsafe {
            (gpu.functions.texture_create)(
                handle,
                &raw const resource,
                &raw const texture,
                ptr::null(),
            )
        })?;
        Ok(bound)
    }

    pub(crate) fn handle(&self) -> u64 {
        self.handle
    }
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        let functions = &self.gpu.functions;
        // SAFETY: made by `new`, destroyed once; 0 is no object, and the driver refuses it.
        unsafe { (functions.texture_destroy)(self.handle) };
        match self.texels {
            // SAFETY: made by `new`, and destroyed after its texture.
            Texels::Array(array) => _ = unsafe { (functions.array_destroy)(array) },
            // SAFETY: the same.
            Texels::Mipmapped(array) => _ = unsafe { (functions.mipmapped_destroy)(array) },
            Texels::Memory(_) => {}
        }
    }
}

fn texel_bytes(mode: &Mode) -> usize {
    mode.format.bytes() * usize::from(mode.channels)
}

/// The driver's description of the whole array.
fn described(mode: &Mode) -> ArrayDescriptor {
    use Dimensions::{Cube, CubeLayered, D1, D1Layered, D2, D2Layered, Linear};
    let [width, height, depth] = mode.extents.map(|n| n as usize);
    let (height, depth) = match mode.dimensions {
        Linear | D1 => (0, 0),
        D1Layered => (0, depth),
        D2 => (height, 0),
        _ => (height, depth),
    };
    // CUDA_ARRAY3D_LAYERED is 1, CUDA_ARRAY3D_CUBEMAP 4, CUDA_ARRAY3D_TEXTURE_GATHER 8.
    let flags = match mode.dimensions {
        D1Layered | D2Layered => 1,
        Cube => 4,
        CubeLayered => 5,
        _ => 0,
    };
    // Drivers refuse the flag for layers and cubes, from which gathers read without it.
    let gather = matches!(mode.instruction, Instruction::Gather(_)) && mode.dimensions == D2;
    ArrayDescriptor {
        extents: [width, height, depth],
        format: mode.format as c_uint,
        channels: c_uint::from(mode.channels),
        flags: flags | if gather { 8 } else { 0 },
    }
}

fn texture(mode: &Mode) -> TextureDescriptor {
    let sampling = &mode.sampling;
    // CU_TRSF_READ_AS_INTEGER is 1, _NORMALIZED_COORDINATES 2, _SRGB 16, _DISABLE_TRILINEAR_OPTIMIZATION 32, _SEAMLESS_CUBEMAP 64.
    let flags = c_uint::from(sampling.read == Read::Element)
        | c_uint::from(sampling.normalized_coordinates) << 1
        | c_uint::from(sampling.srgb) << 4
        | 32
        | c_uint::from(sampling.seamless_cube) << 6;
    TextureDescriptor {
        address: sampling.address.map(|address| address as c_uint),
        filter: sampling.filter as c_uint,
        flags,
        anisotropy: 0,
        mip_filter: sampling.mip_filter as c_uint,
        bias: sampling.lod_bias,
        clamp: sampling.lod_clamp,
        border: sampling.border,
        reserved: [0; 12],
    }
}

/// Copies texels, row after row, to a whole array of these extents.
fn fill(
    gpu: &Gpu,
    array: Raw,
    texels: &[u8],
    [row, height, depth]: [usize; 3],
) -> Result<(), DriverError> {
    assert!(
        texels.len() >= row * height * depth,
        "as many texels as the array has"
    );
    let side = |kind, host, array| Side {
        at: [0; 3],
        level: 0,
        kind,
        host,
        device: 0,
        array,
        reserved: ptr::null_mut(),
        pitch: row,
        height,
    };
    let copy = Copy3D {
        from: side(1, texels.as_ptr().cast(), ptr::null_mut()),
        to: side(3, ptr::null(), array),
        extents: [row, height, depth],
    };
    // SAFETY: the source has the bytes (asserted), and the driver compares the extents with those of the array.
    check("cuMemcpy3D", unsafe {
        (gpu.functions.copy)(&raw const copy)
    })
}

fn array<'a>(
    gpu: &'a Gpu,
    mode: &Mode,
    bytes: &[u8],
    resource: &mut Resource,
) -> Result<Texels<'a>, DriverError> {
    let (mut array, described) = (ptr::null_mut(), described(mode));
    // SAFETY: writes one pointer to where we point.
    check("cuArray3DCreate", unsafe {
        (gpu.functions.array_create)(&raw mut array, &raw const described)
    })?;
    let [width, height, depth] = mode.extents.map(|n| n as usize);
    fill(
        gpu,
        array,
        bytes,
        [width * texel_bytes(mode), height, depth],
    )?;
    resource.words[0] = array.addr() as u64;
    Ok(Texels::Array(array))
}

fn mipmapped<'a>(
    gpu: &'a Gpu,
    mode: &Mode,
    bytes: &[u8],
    resource: &mut Resource,
) -> Result<Texels<'a>, DriverError> {
    let (mut array, described) = (ptr::null_mut(), described(mode));
    // SAFETY: writes one pointer to where we point.
    check("cuMipmappedArrayCreate", unsafe {
        (gpu.functions.mipmapped_create)(&raw mut array, &raw const described, mode.levels)
    })?;
    let mut start = 0;
    for number in 0..mode.levels {
        let mut level = ptr::null_mut();
        // SAFETY: the array was made above, with so many levels.
        check("cuMipmappedArrayGetLevel", unsafe {
            (gpu.functions.mipmapped_level)(&raw mut level, array, number)
        })?;
        let [width, height, depth] = mode.extents_of(number).map(|n| n as usize);
        let row = width * texel_bytes(mode);
        fill(gpu, level, &bytes[start..], [row, height, depth])?;
        start += row * height * depth;
    }
    resource.words[0] = array.addr() as u64;
    Ok(Texels::Mipmapped(array))
}

/// What the driver calls the format and the channels, in one word.
fn format(mode: &Mode) -> u64 {
    mode.format as u64 | u64::from(mode.channels) << 32
}

fn linear<'a>(
    gpu: &'a Gpu,
    mode: &Mode,
    bytes: &[u8],
    resource: &mut Resource,
) -> Result<Texels<'a>, DriverError> {
    let size = mode.extents[0] as usize * texel_bytes(mode);
    let memory = gpu.allocate(size)?;
    memory.write(0, &bytes[..size])?;
    resource.words[..3].copy_from_slice(&[memory.address, format(mode), size as u64]);
    Ok(Texels::Memory(memory))
}

fn rows<'a>(
    gpu: &'a Gpu,
    mode: &Mode,
    bytes: &[u8],
    resource: &mut Resource,
) -> Result<Texels<'a>, DriverError> {
    let [width, height, _] = mode.extents.map(|n| n as usize);
    let row = width * texel_bytes(mode);
    let pitch = row.next_multiple_of(PITCH);
    let memory = gpu.allocate(pitch * height)?;
    for (y, row) in bytes.chunks(row).take(height).enumerate() {
        memory.write(y * pitch, row)?;
    }
    let words = [
        memory.address,
        format(mode),
        width as u64,
        height as u64,
        pitch as u64,
    ];
    resource.words[..5].copy_from_slice(&words);
    Ok(Texels::Memory(memory))
}
