//! Samples some elements beside their coordinates.

use super::{D1, D1Layered, D2, D2Layered, D3, ReadMode, Registers, Texel, Texture};
use crate::intrinsics as raw;

/// `sample_offset` and `sample_level_offset` of one kind of texture.
macro_rules! offsets {
    ($($dimension:ident ($($coordinate:ident),* $(; $layer:ident)?), $offset:ty: $ptx:literal
        $float:ident $unsigned:ident $signed:ident, $level_float:ident $level_unsigned:ident $level_signed:ident
        |$by:ident| ($($part:expr),*);)*) => {$(
        impl<T: Texel, R: ReadMode<T>> Texture<'_, $dimension, T, R> {
            /// As `sample`, from the elements that are `offset` further on along each dimension, and in the same layer. Neighbours are read so without coordinates of their own.
            ///
            /// The offset is added before the sampler looks at what lies outside, and a filter keeps its weights. It counts elements of the level that is read, whether coordinates are normalized
            /// or not. It is −8 to 7: of other numbers the lowest four bits count, which PTX does not say and GPUs of compute capability 9.0 do.
            #[doc = concat!("CUDA C++ has no function for it. PTX: `", $ptx, "` with an offset, 4.3 · sm_30.")]
            #[inline(always)]
            #[must_use]
            #[cfg_attr(not(warploom_device), track_caller)]
            pub fn sample_offset(self $(, $coordinate: f32)* $(, $layer: u32)?, offset: $offset) -> R::Value {
                let $by = offset;
                let registers = fetched!(R: $float $unsigned $signed(self.handle $(, $layer)? $(, $coordinate)* $(, $part)*));
                R::value(registers)
            }

            #[doc = concat!("As [`sample_offset`](Self::sample_offset), in a level of detail, whose elements the offset counts. PTX: `tex.level` with an offset, 4.3 · sm_30.")]
            #[inline(always)]
            #[must_use]
            #[cfg_attr(not(warploom_device), track_caller)]
            pub fn sample_level_offset(self $(, $coordinate: f32)* $(, $layer: u32)?, level: f32, offset: $offset) -> R::Value {
                let $by = offset;
                let registers = fetched!(R: $level_float $level_unsigned $level_signed(self.handle $(, $layer)? $(, $coordinate)*, level $(, $part)*));
                R::value(registers)
            }
        }
    )*};
}

// A row takes the next four bits along its second dimension, where a border would be.
offsets! {
    D1 (x), i32: "tex.1d"
        tex_offset_1d_f32 tex_offset_1d_u32 tex_offset_1d_s32, tex_level_offset_1d_f32 tex_level_offset_1d_u32 tex_level_offset_1d_s32 |by| (by & 15);
    D2 (x, y), [i32; 2]: "tex.2d"
        tex_offset_2d_f32 tex_offset_2d_u32 tex_offset_2d_s32, tex_level_offset_2d_f32 tex_level_offset_2d_u32 tex_level_offset_2d_s32 |by| (by[0], by[1]);
    D3 (x, y, z), [i32; 3]: "tex.3d"
        tex_offset_3d_f32 tex_offset_3d_u32 tex_offset_3d_s32, tex_level_offset_3d_f32 tex_level_offset_3d_u32 tex_level_offset_3d_s32 |by| (by[0], by[1], by[2]);
    D1Layered (x; layer), i32: "tex.a1d"
        tex_offset_a1d_f32 tex_offset_a1d_u32 tex_offset_a1d_s32, tex_level_offset_a1d_f32 tex_level_offset_a1d_u32 tex_level_offset_a1d_s32 |by| (by);
    D2Layered (x, y; layer), [i32; 2]: "tex.a2d"
        tex_offset_a2d_f32 tex_offset_a2d_u32 tex_offset_a2d_s32, tex_level_offset_a2d_f32 tex_level_offset_a2d_u32 tex_level_offset_a2d_s32 |by| (by[0], by[1]);
}
