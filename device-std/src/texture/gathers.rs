//! Four elements at once.

use super::{Cube, CubeLayered, D2, D2Layered, ReadMode, Registers, Texel, Texture};
use crate::intrinsics as raw;

/// One number of four elements, by the names of the instructions of the four channels.
macro_rules! gathered {
    ($mode:ident $channel:ident: [$($float:ident $unsigned:ident $signed:ident),*] $arguments:tt) => {{
        const { assert!($channel < 4, "elements have the channels 0 to 3") };
        gathered!(@match $mode $channel $arguments [$($float $unsigned $signed),*])
    }};
    (@match $mode:ident $channel:ident ($($arg:expr),*)
        [$rf:ident $ru:ident $rs:ident, $gf:ident $gu:ident $gs:ident, $bf:ident $bu:ident $bs:ident, $af:ident $au:ident $as:ident]) => {{
        let registers = match $channel {
            0 => fetched!($mode: $rf $ru $rs($($arg),*)),
            1 => fetched!($mode: $gf $gu $gs($($arg),*)),
            2 => fetched!($mode: $bf $bu $bs($($arg),*)),
            _ => fetched!($mode: $af $au $as($($arg),*)),
        };
        registers.map($mode::component)
    }};
}

impl<T: Texel, R: ReadMode<T>> Texture<'_, D2, T, R> {
    /// Number `CHANNEL` of each of the four elements that a linear filter would take at these coordinates, unfiltered: in the order (left, below), (right, below), (right, above),
    /// (left, above), where y grows downwards. CUDA: `tex2Dgather`. PTX: `tld4`.
    ///
    /// `CHANNEL` is 0 to 3; a number that elements do not have is 0.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn gather<const CHANNEL: usize>(self, x: f32, y: f32) -> [R::Component; 4] {
        gathered!(R CHANNEL: [
            tld4_r_f32 tld4_r_u32 tld4_r_s32, tld4_g_f32 tld4_g_u32 tld4_g_s32,
            tld4_b_f32 tld4_b_u32 tld4_b_s32, tld4_a_f32 tld4_a_u32 tld4_a_s32
        ](self.handle, x, y))
    }

    /// As [`gather`](Self::gather), from the elements that are `offset` further on along x and y, which PTX has from −8 to 7: the lowest six bits count, as −32 to 31 (measured on
    /// compute capability 9.0). CUDA C++ has no function for it. PTX: `tld4.….2d` with an offset, 4.3 · sm_30.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn gather_offset<const CHANNEL: usize>(
        self,
        x: f32,
        y: f32,
        offset: [i32; 2],
    ) -> [R::Component; 4] {
        gathered!(R CHANNEL: [
            tld4_r_offset_f32 tld4_r_offset_u32 tld4_r_offset_s32, tld4_g_offset_f32 tld4_g_offset_u32 tld4_g_offset_s32,
            tld4_b_offset_f32 tld4_b_offset_u32 tld4_b_offset_s32, tld4_a_offset_f32 tld4_a_offset_u32 tld4_a_offset_s32
        ](self.handle, x, y, offset[0], offset[1]))
    }
}

impl<T: Texel, R: ReadMode<T>> Texture<'_, D2Layered, T, R> {
    /// Number `CHANNEL` of each of four elements of a layer, as [`Texture2d::gather`](crate::Texture2d::gather) has them. CUDA C++ has no function for it.
    /// PTX: `tld4.….a2d`, 4.3 · sm_30.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn gather<const CHANNEL: usize>(self, x: f32, y: f32, layer: u32) -> [R::Component; 4] {
        gathered!(R CHANNEL: [
            tld4_r_a2d_f32 tld4_r_a2d_u32 tld4_r_a2d_s32, tld4_g_a2d_f32 tld4_g_a2d_u32 tld4_g_a2d_s32,
            tld4_b_a2d_f32 tld4_b_a2d_u32 tld4_b_a2d_s32, tld4_a_a2d_f32 tld4_a_a2d_u32 tld4_a_a2d_s32
        ](self.handle, layer, x, y))
    }

    /// As [`gather`](Self::gather), from the elements that are `offset` further on along x and y: [`Texture2d::gather_offset`](crate::Texture2d::gather_offset).
    /// PTX: `tld4.….a2d` with an offset, 4.3 · sm_30.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn gather_offset<const CHANNEL: usize>(
        self,
        x: f32,
        y: f32,
        layer: u32,
        offset: [i32; 2],
    ) -> [R::Component; 4] {
        gathered!(R CHANNEL: [
            tld4_r_a2d_offset_f32 tld4_r_a2d_offset_u32 tld4_r_a2d_offset_s32,
            tld4_g_a2d_offset_f32 tld4_g_a2d_offset_u32 tld4_g_a2d_offset_s32,
            tld4_b_a2d_offset_f32 tld4_b_a2d_offset_u32 tld4_b_a2d_offset_s32,
            tld4_a_a2d_offset_f32 tld4_a_a2d_offset_u32 tld4_a_a2d_offset_s32
        ](self.handle, layer, x, y, offset[0], offset[1]))
    }
}

impl<T: Texel, R: ReadMode<T>> Texture<'_, Cube, T, R> {
    /// Number `CHANNEL` of each of the four elements around a direction, in the order of [`Texture2d::gather`](crate::Texture2d::gather) on the face of the direction. CUDA C++ has no
    /// function for it. PTX: `tld4.….cube`, 4.3 · sm_30.
    ///
    /// At an edge the face's own elements stand for those beyond it; with a sampler for seamless cubes those of the next face. At a corner, where three faces meet, the sum of the three
    /// other elements by the filter's weights comes in the place of the fourth: 85/256 of the two beside it, 86/256 of the one opposite (measured on compute capability 9.0).
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn gather<const CHANNEL: usize>(self, x: f32, y: f32, z: f32) -> [R::Component; 4] {
        gathered!(R CHANNEL: [
            tld4_r_cube_f32 tld4_r_cube_u32 tld4_r_cube_s32, tld4_g_cube_f32 tld4_g_cube_u32 tld4_g_cube_s32,
            tld4_b_cube_f32 tld4_b_cube_u32 tld4_b_cube_s32, tld4_a_cube_f32 tld4_a_cube_u32 tld4_a_cube_s32
        ](self.handle, x, y, z))
    }
}

impl<T: Texel, R: ReadMode<T>> Texture<'_, CubeLayered, T, R> {
    /// As [`TextureCube::gather`](crate::TextureCube::gather), from the cube of a layer. PTX: `tld4.….acube`, 4.3 · sm_30.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn gather<const CHANNEL: usize>(
        self,
        x: f32,
        y: f32,
        z: f32,
        layer: u32,
    ) -> [R::Component; 4] {
        gathered!(R CHANNEL: [
            tld4_r_acube_f32 tld4_r_acube_u32 tld4_r_acube_s32, tld4_g_acube_f32 tld4_g_acube_u32 tld4_g_acube_s32,
            tld4_b_acube_f32 tld4_b_acube_u32 tld4_b_acube_s32, tld4_a_acube_f32 tld4_a_acube_u32 tld4_a_acube_s32
        ](self.handle, layer, x, y, z))
    }
}
