//! Fetches of texture units, and sizes of textures and surfaces.

#[cfg(not(warploom_device))]
use super::fetch::{gradients, sampled};
#[cfg(not(warploom_device))]
use warploom_emulator::texture::{Coordinates, Detail, Request};

fetches! {
    /// Element `i` of linear memory.
    tex_linear_f32 tex_linear_u32 tex_linear_s32(i: i32) =
        "tex.1d" ".s32 @0, [@1, {@2}];"
        else Request::new(Coordinates::Integer([i, 0, 0]));
    /// A row at `x`.
    tex_1d_f32 tex_1d_u32 tex_1d_s32(x: f32) =
        "tex.1d" ".f32 @0, [@1, {@2}];"
        else sampled([x, 0.0, 0.0], 0, Detail::Base);
    /// Rows at `x` and `y`.
    tex_2d_f32 tex_2d_u32 tex_2d_s32(x: f32, y: f32) =
        "tex.2d" ".f32 @0, [@1, {@2, @3}];"
        else sampled([x, y, 0.0], 0, Detail::Base);
    /// Slices at `x`, `y` and `z`.
    tex_3d_f32 tex_3d_u32 tex_3d_s32(x: f32, y: f32, z: f32) =
        "tex.3d" ".f32 @0, [@1, {@2, @3, @4, @4}];"
        else sampled([x, y, z], 0, Detail::Base);
    /// A row of a layer.
    tex_a1d_f32 tex_a1d_u32 tex_a1d_s32(layer: u32, x: f32) =
        "tex.a1d" ".f32 @0, [@1, {@2, @3}];"
        else sampled([x, 0.0, 0.0], layer, Detail::Base);
    /// Rows of a layer.
    tex_a2d_f32 tex_a2d_u32 tex_a2d_s32(layer: u32, x: f32, y: f32) =
        "tex.a2d" ".f32 @0, [@1, {@2, @3, @4, @4}];"
        else sampled([x, y, 0.0], layer, Detail::Base);
    /// A cube in a direction.
    tex_cube_f32 tex_cube_u32 tex_cube_s32(x: f32, y: f32, z: f32) =
        "tex.cube" ".f32 @0, [@1, {@2, @3, @4, @4}];"
        else sampled([x, y, z], 0, Detail::Base);
    /// A cube of a layer in a direction.
    tex_acube_f32 tex_acube_u32 tex_acube_s32(layer: u32, x: f32, y: f32, z: f32) =
        "tex.acube" ".f32 @0, [@1, {@2, @3, @4, @5}];"
        else sampled([x, y, z], layer, Detail::Base);

    /// A row at `x`, in a level of detail.
    tex_level_1d_f32 tex_level_1d_u32 tex_level_1d_s32(x: f32, level: f32) =
        "tex.level.1d" ".f32 @0, [@1, {@2}], @3;"
        else sampled([x, 0.0, 0.0], 0, Detail::Level(level));
    /// Rows at `x` and `y`, in a level of detail.
    tex_level_2d_f32 tex_level_2d_u32 tex_level_2d_s32(x: f32, y: f32, level: f32) =
        "tex.level.2d" ".f32 @0, [@1, {@2, @3}], @4;"
        else sampled([x, y, 0.0], 0, Detail::Level(level));
    /// Slices at `x`, `y` and `z`, in a level of detail.
    tex_level_3d_f32 tex_level_3d_u32 tex_level_3d_s32(x: f32, y: f32, z: f32, level: f32) =
        "tex.level.3d" ".f32 @0, [@1, {@2, @3, @4, @4}], @5;"
        else sampled([x, y, z], 0, Detail::Level(level));
    /// A row of a layer, in a level of detail.
    tex_level_a1d_f32 tex_level_a1d_u32 tex_level_a1d_s32(layer: u32, x: f32, level: f32) =
        "tex.level.a1d" ".f32 @0, [@1, {@2, @3}], @4;"
        else sampled([x, 0.0, 0.0], layer, Detail::Level(level));
    /// Rows of a layer, in a level of detail.
    tex_level_a2d_f32 tex_level_a2d_u32 tex_level_a2d_s32(layer: u32, x: f32, y: f32, level: f32) =
        "tex.level.a2d" ".f32 @0, [@1, {@2, @3, @4, @4}], @5;"
        else sampled([x, y, 0.0], layer, Detail::Level(level));
    /// A cube in a direction, in a level of detail.
    tex_level_cube_f32 tex_level_cube_u32 tex_level_cube_s32(x: f32, y: f32, z: f32, level: f32) =
        "tex.level.cube" ".f32 @0, [@1, {@2, @3, @4, @4}], @5;"
        else sampled([x, y, z], 0, Detail::Level(level));
    /// A cube of a layer in a direction, in a level of detail.
    tex_level_acube_f32 tex_level_acube_u32 tex_level_acube_s32(layer: u32, x: f32, y: f32, z: f32, level: f32) =
        "tex.level.acube" ".f32 @0, [@1, {@2, @3, @4, @5}], @6;"
        else sampled([x, y, z], layer, Detail::Level(level));

    /// A row at `x`, which changes by `dx` and `dy` from one point of the picture to the next.
    tex_grad_1d_f32 tex_grad_1d_u32 tex_grad_1d_s32(x: f32, dx: f32, dy: f32) =
        "tex.grad.1d" ".f32 @0, [@1, {@2}], {@3}, {@4};"
        else sampled([x, 0.0, 0.0], 0, gradients([dx, 0.0], [dy, 0.0]));
    /// Rows at `x` and `y`, which change by `dx` and `dy` from one point of the picture to the next.
    tex_grad_2d_f32 tex_grad_2d_u32 tex_grad_2d_s32(x: f32, y: f32, x_by_dx: f32, y_by_dx: f32, x_by_dy: f32, y_by_dy: f32) =
        "tex.grad.2d" ".f32 @0, [@1, {@2, @3}], {@4, @5}, {@6, @7};"
        else sampled([x, y, 0.0], 0, gradients([x_by_dx, y_by_dx], [x_by_dy, y_by_dy]));
    /// A row of a layer, with the changes of `x`.
    tex_grad_a1d_f32 tex_grad_a1d_u32 tex_grad_a1d_s32(layer: u32, x: f32, dx: f32, dy: f32) =
        "tex.grad.a1d" ".f32 @0, [@1, {@2, @3}], {@4}, {@5};"
        else sampled([x, 0.0, 0.0], layer, gradients([dx, 0.0], [dy, 0.0]));
    /// Rows of a layer, with the changes of `x` and `y`.
    tex_grad_a2d_f32 tex_grad_a2d_u32 tex_grad_a2d_s32(layer: u32, x: f32, y: f32, x_by_dx: f32, y_by_dx: f32, x_by_dy: f32, y_by_dy: f32) =
        "tex.grad.a2d" ".f32 @0, [@1, {@2, @3, @4, @4}], {@5, @6}, {@7, @8};"
        else sampled([x, y, 0.0], layer, gradients([x_by_dx, y_by_dx], [x_by_dy, y_by_dy]));
}

unsafe_intrinsics! {
    /// Elements along x of a level of detail. PTX `txq.level.width`, 4.3 · sm_30.
    ///
    /// # Safety
    /// `handle` is that of a texture, which is there.
    unsafe fn texture_width(handle: u64, level: u32) -> u32 = "asm:pure|txq.level.width.b32 $0, [$1], $2;";
    /// Elements along y of a level of detail. PTX `txq.level.height`, 4.3 · sm_30.
    ///
    /// # Safety
    /// `handle` is that of a texture, which is there.
    unsafe fn texture_height(handle: u64, level: u32) -> u32 = "asm:pure|txq.level.height.b32 $0, [$1], $2;";
    /// Elements along z of a level of detail. PTX `txq.level.depth`, 4.3 · sm_30.
    ///
    /// # Safety
    /// `handle` is that of a texture, which is there.
    unsafe fn texture_depth(handle: u64, level: u32) -> u32 = "asm:pure|txq.level.depth.b32 $0, [$1], $2;";
    /// Elements along x. PTX `suq.width`, 1.5.
    ///
    /// # Safety
    /// `handle` is that of a surface, which is there.
    unsafe fn surface_width(handle: u64) -> u32 = "asm:pure|suq.width.b32 $0, [$1];";
    /// Elements along y. PTX `suq.height`, 1.5.
    ///
    /// # Safety
    /// `handle` is that of a surface, which is there.
    unsafe fn surface_height(handle: u64) -> u32 = "asm:pure|suq.height.b32 $0, [$1];";
    /// Elements along z. PTX `suq.depth`, 1.5.
    ///
    /// # Safety
    /// `handle` is that of a surface, which is there.
    unsafe fn surface_depth(handle: u64) -> u32 = "asm:pure|suq.depth.b32 $0, [$1];";
}
