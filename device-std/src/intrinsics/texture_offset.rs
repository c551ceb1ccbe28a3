//! Fetches of texture units whose texels are some further on than the coordinates say: by −8 to 7 along each dimension, as the lowest four bits of an offset say.

#[cfg(not(warploom_device))]
use super::fetch::beside;
#[cfg(not(warploom_device))]
use warploom_emulator::texture::Detail;

fetches! {
    /// A row at `x`, that many elements further on. PTX 4.3.
    tex_offset_1d_f32 tex_offset_1d_u32 tex_offset_1d_s32(x: f32, by_x: i32) =
        "tex.1d" ".f32 @0, [@1, {@2}], {@3};"
        else beside([x, 0.0, 0.0], 0, Detail::Base, [by_x, 0, 0]);
    /// Rows at `x` and `y`, that many elements further on. PTX 4.3.
    tex_offset_2d_f32 tex_offset_2d_u32 tex_offset_2d_s32(x: f32, y: f32, by_x: i32, by_y: i32) =
        "tex.2d" ".f32 @0, [@1, {@2, @3}], {@4, @5};"
        else beside([x, y, 0.0], 0, Detail::Base, [by_x, by_y, 0]);
    /// Slices at `x`, `y` and `z`, that many elements further on. PTX 4.3.
    tex_offset_3d_f32 tex_offset_3d_u32 tex_offset_3d_s32(x: f32, y: f32, z: f32, by_x: i32, by_y: i32, by_z: i32) =
        "tex.3d" ".f32 @0, [@1, {@2, @3, @4, @4}], {@5, @6, @7, @7};"
        else beside([x, y, z], 0, Detail::Base, [by_x, by_y, by_z]);
    /// A row of a layer, that many elements further on. PTX 4.3.
    tex_offset_a1d_f32 tex_offset_a1d_u32 tex_offset_a1d_s32(layer: u32, x: f32, by_x: i32) =
        "tex.a1d" ".f32 @0, [@1, {@2, @3}], {@4};"
        else beside([x, 0.0, 0.0], layer, Detail::Base, [by_x, 0, 0]);
    /// Rows of a layer, that many elements further on. PTX 4.3.
    tex_offset_a2d_f32 tex_offset_a2d_u32 tex_offset_a2d_s32(layer: u32, x: f32, y: f32, by_x: i32, by_y: i32) =
        "tex.a2d" ".f32 @0, [@1, {@2, @3, @4, @4}], {@5, @6};"
        else beside([x, y, 0.0], layer, Detail::Base, [by_x, by_y, 0]);
    /// A row at `x`, in a level of detail, that many elements further on. PTX 4.3.
    tex_level_offset_1d_f32 tex_level_offset_1d_u32 tex_level_offset_1d_s32(x: f32, level: f32, by_x: i32) =
        "tex.level.1d" ".f32 @0, [@1, {@2}], @3, {@4};"
        else beside([x, 0.0, 0.0], 0, Detail::Level(level), [by_x, 0, 0]);
    /// Rows at `x` and `y`, in a level of detail, that many elements further on. PTX 4.3.
    tex_level_offset_2d_f32 tex_level_offset_2d_u32 tex_level_offset_2d_s32(x: f32, y: f32, level: f32, by_x: i32, by_y: i32) =
        "tex.level.2d" ".f32 @0, [@1, {@2, @3}], @4, {@5, @6};"
        else beside([x, y, 0.0], 0, Detail::Level(level), [by_x, by_y, 0]);
    /// Slices at `x`, `y` and `z`, in a level of detail, that many elements further on. PTX 4.3.
    tex_level_offset_3d_f32 tex_level_offset_3d_u32 tex_level_offset_3d_s32(x: f32, y: f32, z: f32, level: f32, by_x: i32, by_y: i32, by_z: i32) =
        "tex.level.3d" ".f32 @0, [@1, {@2, @3, @4, @4}], @5, {@6, @7, @8, @8};"
        else beside([x, y, z], 0, Detail::Level(level), [by_x, by_y, by_z]);
    /// A row of a layer, in a level of detail, that many elements further on. PTX 4.3.
    tex_level_offset_a1d_f32 tex_level_offset_a1d_u32 tex_level_offset_a1d_s32(layer: u32, x: f32, level: f32, by_x: i32) =
        "tex.level.a1d" ".f32 @0, [@1, {@2, @3}], @4, {@5};"
        else beside([x, 0.0, 0.0], layer, Detail::Level(level), [by_x, 0, 0]);
    /// Rows of a layer, in a level of detail, that many elements further on. PTX 4.3.
    tex_level_offset_a2d_f32 tex_level_offset_a2d_u32 tex_level_offset_a2d_s32(layer: u32, x: f32, y: f32, level: f32, by_x: i32, by_y: i32) =
        "tex.level.a2d" ".f32 @0, [@1, {@2, @3, @4, @4}], @5, {@6, @7};"
        else beside([x, y, 0.0], layer, Detail::Level(level), [by_x, by_y, 0]);
}
