//! Fetches, for each kind of texture.

use super::{
    Cube, CubeLayered, D1, D1Layered, D2, D2Layered, D3, LinearMemory, ReadMode, Registers, Texel,
    Texture,
};
use crate::intrinsics as raw;

/// Calls the instruction whose results have the type that elements are read in: known when the kernel is compiled.
macro_rules! fetched {
    ($mode:ident: $float:ident $unsigned:ident $signed:ident($handle:expr $(, $arg:expr)*)) => {{
        let mut registers = [0; 4];
        let out = registers.as_mut_ptr();
        match $mode::REGISTERS {
            // SAFETY: the handle is that of a texture of a launch, with these dimensions and elements, which nothing writes meanwhile; `out` has four words.
            Registers::Float => unsafe { raw::$float(out, $handle $(, $arg)*) },
            // SAFETY: as above.
            Registers::Unsigned => unsafe { raw::$unsigned(out, $handle $(, $arg)*) },
            // SAFETY: as above.
            Registers::Signed => unsafe { raw::$signed(out, $handle $(, $arg)*) },
        }
        registers
    }};
}

impl<T: Texel, R: ReadMode<T>> Texture<'_, LinearMemory, T, R> {
    /// Element `i`; zeros in front of the memory and behind its end. CUDA: `tex1Dfetch`. PTX: `tex.1d.v4….s32`.
    ///
    /// A texture read goes through another path than a slice's, with a cache of its own kind; it may also convert: `TextureLinear<u8, Normalized>` gives 0 to 1.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn fetch(self, i: i32) -> R::Value {
        let registers = fetched!(R: tex_linear_f32 tex_linear_u32 tex_linear_s32(self.handle, i));
        R::value(registers)
    }
}

/// `sample` and `sample_level` of one kind of texture.
macro_rules! samples {
    ($($dimension:ident ($($coordinate:ident: $ty:ty),*): $cuda:literal
        $float:ident $unsigned:ident $signed:ident, $level_float:ident $level_unsigned:ident $level_signed:ident
        ($($arg:ident),*);)*) => {$(
        impl<T: Texel, R: ReadMode<T>> Texture<'_, $dimension, T, R> {
            #[doc = concat!("The texture at these coordinates, from the finest level, as the sampler says. CUDA: `", $cuda, "`.")]
            ///
            /// Any coordinates will do, also infinite ones and what is no number: what lies outside of the image is the sampler's matter.
            #[inline(always)]
            #[must_use]
            #[cfg_attr(not(warploom_device), track_caller)]
            pub fn sample(self $(, $coordinate: $ty)*) -> R::Value {
                let registers = fetched!(R: $float $unsigned $signed(self.handle $(, $arg)*));
                R::value(registers)
            }

            #[doc = concat!("As [`sample`](Self::sample), in a level of detail: 0 is the finest; between two levels the sampler may filter. CUDA: `", $cuda, "Lod`.")]
            #[inline(always)]
            #[must_use]
            #[cfg_attr(not(warploom_device), track_caller)]
            pub fn sample_level(self $(, $coordinate: $ty)*, level: f32) -> R::Value {
                let registers = fetched!(R: $level_float $level_unsigned $level_signed(self.handle $(, $arg)*, level));
                R::value(registers)
            }
        }
    )*};
}

samples! {
    D1 (x: f32): "tex1D"
        tex_1d_f32 tex_1d_u32 tex_1d_s32, tex_level_1d_f32 tex_level_1d_u32 tex_level_1d_s32 (x);
    D2 (x: f32, y: f32): "tex2D"
        tex_2d_f32 tex_2d_u32 tex_2d_s32, tex_level_2d_f32 tex_level_2d_u32 tex_level_2d_s32 (x, y);
    D3 (x: f32, y: f32, z: f32): "tex3D"
        tex_3d_f32 tex_3d_u32 tex_3d_s32, tex_level_3d_f32 tex_level_3d_u32 tex_level_3d_s32 (x, y, z);
    D1Layered (x: f32, layer: u32): "tex1DLayered"
        tex_a1d_f32 tex_a1d_u32 tex_a1d_s32, tex_level_a1d_f32 tex_level_a1d_u32 tex_level_a1d_s32 (layer, x);
    D2Layered (x: f32, y: f32, layer: u32): "tex2DLayered"
        tex_a2d_f32 tex_a2d_u32 tex_a2d_s32, tex_level_a2d_f32 tex_level_a2d_u32 tex_level_a2d_s32 (layer, x, y);
    Cube (x: f32, y: f32, z: f32): "texCubemap"
        tex_cube_f32 tex_cube_u32 tex_cube_s32, tex_level_cube_f32 tex_level_cube_u32 tex_level_cube_s32 (x, y, z);
    CubeLayered (x: f32, y: f32, z: f32, layer: u32): "texCubemapLayered"
        tex_acube_f32 tex_acube_u32 tex_acube_s32, tex_level_acube_f32 tex_level_acube_u32 tex_level_acube_s32 (layer, x, y, z);
}

/// `sample_grad` of one kind of texture.
macro_rules! gradients {
    ($($dimension:ident ($($coordinate:ident: $ty:ty),*), $change:ty: $cuda:literal $float:ident $unsigned:ident $signed:ident
        |$dx:ident, $dy:ident| ($($arg:expr),*);)*) => {$(
        impl<T: Texel, R: ReadMode<T>> Texture<'_, $dimension, T, R> {
            /// As `sample`, in the level of detail that belongs to a picture in which the coordinates change by `dx` from one point to the next along x,
            #[doc = concat!("and by `dy` along y. The filter is not anisotropic. CUDA: `", $cuda, "Grad`.")]
            #[inline(always)]
            #[must_use]
            #[cfg_attr(not(warploom_device), track_caller)]
            pub fn sample_grad(self $(, $coordinate: $ty)*, $dx: $change, $dy: $change) -> R::Value {
                let registers = fetched!(R: $float $unsigned $signed(self.handle $(, $arg)*));
                R::value(registers)
            }
        }
    )*};
}

gradients! {
    D1 (x: f32), f32: "tex1D" tex_grad_1d_f32 tex_grad_1d_u32 tex_grad_1d_s32
        |dx, dy| (x, dx, dy);
    D2 (x: f32, y: f32), [f32; 2]: "tex2D" tex_grad_2d_f32 tex_grad_2d_u32 tex_grad_2d_s32
        |dx, dy| (x, y, dx[0], dx[1], dy[0], dy[1]);
    D1Layered (x: f32, layer: u32), f32: "tex1DLayered" tex_grad_a1d_f32 tex_grad_a1d_u32 tex_grad_a1d_s32
        |dx, dy| (layer, x, dx, dy);
    D2Layered (x: f32, y: f32, layer: u32), [f32; 2]: "tex2DLayered" tex_grad_a2d_f32 tex_grad_a2d_u32 tex_grad_a2d_s32
        |dx, dy| (layer, x, y, dx[0], dx[1], dy[0], dy[1]);
}

/// Sizes of one kind of texture.
macro_rules! sizes {
    ($($dimension:ident $n:literal ($what:literal) [$($extent:ident)*];)*) => {$(
        impl<T: Texel, R: ReadMode<T>> Texture<'_, $dimension, T, R> {
            #[doc = concat!($what, " of the finest level, in elements. PTX: `txq`.")]
            #[inline(always)]
            #[must_use]
            pub fn size(self) -> [u32; $n] {
                self.size_of_level(0)
            }

            #[doc = concat!($what, " of a level, in elements; 0 beyond the last level, which PTX does not say and GPUs of compute capability 9.0 do. PTX: `txq.level`.")]
            #[inline(always)]
            #[must_use]
            pub fn size_of_level(self, level: u32) -> [u32; $n] {
                // SAFETY: the handle is that of a texture of a launch.
                unsafe { [$(raw::$extent(self.handle, level)),*] }
            }
        }
    )*};
}

sizes! {
    D1 1 ("Width") [texture_width];
    D2 2 ("Width and height") [texture_width texture_height];
    D3 3 ("Width, height and depth") [texture_width texture_height texture_depth];
    D1Layered 1 ("Width") [texture_width];
    D2Layered 2 ("Width and height") [texture_width texture_height];
    Cube 2 ("Width and height of a face") [texture_width texture_height];
    CubeLayered 2 ("Width and height of a face") [texture_width texture_height];
    LinearMemory 1 ("Number") [texture_width];
}

/// Numbers of layers of one kind of texture.
macro_rules! layers {
    ($($dimension:ident $extent:ident $ptx:literal;)*) => {$(
        impl<T: Texel, R: ReadMode<T>> Texture<'_, $dimension, T, R> {
            #[doc = concat!("How many layers there are. PTX: `", $ptx, "`, which counts them as the extent behind the last.")]
            #[inline(always)]
            #[must_use]
            pub fn layers(self) -> u32 {
                // SAFETY: the handle is that of a texture of a launch.
                unsafe { raw::$extent(self.handle, 0) }
            }
        }
    )*};
}

layers! {
    D1Layered texture_height "txq.level.height";
    D2Layered texture_depth "txq.level.depth";
    CubeLayered texture_depth "txq.level.depth";
}

/// The most levels that an array has: its longest side has at most 2^15 elements.
const MOST_LEVELS: u32 = 16;

/// Numbers of levels of all kinds of textures that have some.
macro_rules! levels_of {
    ($($dimension:ident)*) => {$(
        impl<T: Texel, R: ReadMode<T>> Texture<'_, $dimension, T, R> {
            /// How many levels of detail there are: 1, if the texture is not of a mipmapped array.
            ///
            /// Asks for the width of one level after the other, which is 0 behind the last (measured on compute capability 9.0): drivers refuse PTX's query for their number, `txq.num_mipmap_levels`. Let the host pass
            /// the number where that costs too much.
            #[must_use]
            pub fn levels(self) -> u32 {
                let mut levels = 1;
                // SAFETY: the handle is that of a texture of a launch.
                while levels < MOST_LEVELS && unsafe { raw::texture_width(self.handle, levels) } != 0 {
                    levels += 1;
                }
                levels
            }
        }
    )*};
}

levels_of! { D1 D2 D3 D1Layered D2Layered Cube CubeLayered }
