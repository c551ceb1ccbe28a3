//! Gathers of texture units: one number of each of the four elements around a place.

#[cfg(not(warploom_device))]
use super::fetch::gathered;

fetches! {
    /// The first number of each of four elements around `x` and `y`.
    tld4_r_f32 tld4_r_u32 tld4_r_s32(x: f32, y: f32) =
        "tld4.r.2d" ".f32 @0, [@1, {@2, @3}];"
        else gathered([x, y, 0.0], 0, [0; 2], 0);
    /// The second number of each of four elements around `x` and `y`.
    tld4_g_f32 tld4_g_u32 tld4_g_s32(x: f32, y: f32) =
        "tld4.g.2d" ".f32 @0, [@1, {@2, @3}];"
        else gathered([x, y, 0.0], 0, [0; 2], 1);
    /// The third number of each of four elements around `x` and `y`.
    tld4_b_f32 tld4_b_u32 tld4_b_s32(x: f32, y: f32) =
        "tld4.b.2d" ".f32 @0, [@1, {@2, @3}];"
        else gathered([x, y, 0.0], 0, [0; 2], 2);
    /// The fourth number of each of four elements around `x` and `y`.
    tld4_a_f32 tld4_a_u32 tld4_a_s32(x: f32, y: f32) =
        "tld4.a.2d" ".f32 @0, [@1, {@2, @3}];"
        else gathered([x, y, 0.0], 0, [0; 2], 3);
    /// The first number of each of four elements around `x` and `y`, that many elements further on. PTX 4.3.
    tld4_r_offset_f32 tld4_r_offset_u32 tld4_r_offset_s32(x: f32, y: f32, by_x: i32, by_y: i32) =
        "tld4.r.2d" ".f32 @0, [@1, {@2, @3}], {@4, @5};"
        else gathered([x, y, 0.0], 0, [by_x, by_y], 0);
    /// The second number of each of four elements around `x` and `y`, that many elements further on. PTX 4.3.
    tld4_g_offset_f32 tld4_g_offset_u32 tld4_g_offset_s32(x: f32, y: f32, by_x: i32, by_y: i32) =
        "tld4.g.2d" ".f32 @0, [@1, {@2, @3}], {@4, @5};"
        else gathered([x, y, 0.0], 0, [by_x, by_y], 1);
    /// The third number of each of four elements around `x` and `y`, that many elements further on. PTX 4.3.
    tld4_b_offset_f32 tld4_b_offset_u32 tld4_b_offset_s32(x: f32, y: f32, by_x: i32, by_y: i32) =
        "tld4.b.2d" ".f32 @0, [@1, {@2, @3}], {@4, @5};"
        else gathered([x, y, 0.0], 0, [by_x, by_y], 2);
    /// The fourth number of each of four elements around `x` and `y`, that many elements further on. PTX 4.3.
    tld4_a_offset_f32 tld4_a_offset_u32 tld4_a_offset_s32(x: f32, y: f32, by_x: i32, by_y: i32) =
        "tld4.a.2d" ".f32 @0, [@1, {@2, @3}], {@4, @5};"
        else gathered([x, y, 0.0], 0, [by_x, by_y], 3);
    /// The first number of each of four elements around `x` and `y` in a layer. PTX 4.3.
    tld4_r_a2d_f32 tld4_r_a2d_u32 tld4_r_a2d_s32(layer: u32, x: f32, y: f32) =
        "tld4.r.a2d" ".f32 @0, [@1, {@2, @3, @4, @4}];"
        else gathered([x, y, 0.0], layer, [0; 2], 0);
    /// The second number of each of four elements around `x` and `y` in a layer. PTX 4.3.
    tld4_g_a2d_f32 tld4_g_a2d_u32 tld4_g_a2d_s32(layer: u32, x: f32, y: f32) =
        "tld4.g.a2d" ".f32 @0, [@1, {@2, @3, @4, @4}];"
        else gathered([x, y, 0.0], layer, [0; 2], 1);
    /// The third number of each of four elements around `x` and `y` in a layer. PTX 4.3.
    tld4_b_a2d_f32 tld4_b_a2d_u32 tld4_b_a2d_s32(layer: u32, x: f32, y: f32) =
        "tld4.b.a2d" ".f32 @0, [@1, {@2, @3, @4, @4}];"
        else gathered([x, y, 0.0], layer, [0; 2], 2);
    /// The fourth number of each of four elements around `x` and `y` in a layer. PTX 4.3.
    tld4_a_a2d_f32 tld4_a_a2d_u32 tld4_a_a2d_s32(layer: u32, x: f32, y: f32) =
        "tld4.a.a2d" ".f32 @0, [@1, {@2, @3, @4, @4}];"
        else gathered([x, y, 0.0], layer, [0; 2], 3);
    /// The first number of each of four elements around `x` and `y` in a layer, that many elements further on. PTX 4.3.
    tld4_r_a2d_offset_f32 tld4_r_a2d_offset_u32 tld4_r_a2d_offset_s32(layer: u32, x: f32, y: f32, by_x: i32, by_y: i32) =
        "tld4.r.a2d" ".f32 @0, [@1, {@2, @3, @4, @4}], {@5, @6};"
        else gathered([x, y, 0.0], layer, [by_x, by_y], 0);
    /// The second number of each of four elements around `x` and `y` in a layer, that many elements further on. PTX 4.3.
    tld4_g_a2d_offset_f32 tld4_g_a2d_offset_u32 tld4_g_a2d_offset_s32(layer: u32, x: f32, y: f32, by_x: i32, by_y: i32) =
        "tld4.g.a2d" ".f32 @0, [@1, {@2, @3, @4, @4}], {@5, @6};"
        else gathered([x, y, 0.0], layer, [by_x, by_y], 1);
    /// The third number of each of four elements around `x` and `y` in a layer, that many elements further on. PTX 4.3.
    tld4_b_a2d_offset_f32 tld4_b_a2d_offset_u32 tld4_b_a2d_offset_s32(layer: u32, x: f32, y: f32, by_x: i32, by_y: i32) =
        "tld4.b.a2d" ".f32 @0, [@1, {@2, @3, @4, @4}], {@5, @6};"
        else gathered([x, y, 0.0], layer, [by_x, by_y], 2);
    /// The fourth number of each of four elements around `x` and `y` in a layer, that many elements further on. PTX 4.3.
    tld4_a_a2d_offset_f32 tld4_a_a2d_offset_u32 tld4_a_a2d_offset_s32(layer: u32, x: f32, y: f32, by_x: i32, by_y: i32) =
        "tld4.a.a2d" ".f32 @0, [@1, {@2, @3, @4, @4}], {@5, @6};"
        else gathered([x, y, 0.0], layer, [by_x, by_y], 3);
    /// The first number of each of four elements around a direction in a cube. PTX 4.3.
    tld4_r_cube_f32 tld4_r_cube_u32 tld4_r_cube_s32(x: f32, y: f32, z: f32) =
        "tld4.r.cube" ".f32 @0, [@1, {@2, @3, @4, @4}];"
        else gathered([x, y, z], 0, [0; 2], 0);
    /// The second number of each of four elements around a direction in a cube. PTX 4.3.
    tld4_g_cube_f32 tld4_g_cube_u32 tld4_g_cube_s32(x: f32, y: f32, z: f32) =
        "tld4.g.cube" ".f32 @0, [@1, {@2, @3, @4, @4}];"
        else gathered([x, y, z], 0, [0; 2], 1);
    /// The third number of each of four elements around a direction in a cube. PTX 4.3.
    tld4_b_cube_f32 tld4_b_cube_u32 tld4_b_cube_s32(x: f32, y: f32, z: f32) =
        "tld4.b.cube" ".f32 @0, [@1, {@2, @3, @4, @4}];"
        else gathered([x, y, z], 0, [0; 2], 2);
    /// The fourth number of each of four elements around a direction in a cube. PTX 4.3.
    tld4_a_cube_f32 tld4_a_cube_u32 tld4_a_cube_s32(x: f32, y: f32, z: f32) =
        "tld4.a.cube" ".f32 @0, [@1, {@2, @3, @4, @4}];"
        else gathered([x, y, z], 0, [0; 2], 3);
    /// The first number of each of four elements around a direction in a cube of a layer. PTX 4.3.
    tld4_r_acube_f32 tld4_r_acube_u32 tld4_r_acube_s32(layer: u32, x: f32, y: f32, z: f32) =
        "tld4.r.acube" ".f32 @0, [@1, {@2, @3, @4, @5}];"
        else gathered([x, y, z], layer, [0; 2], 0);
    /// The second number of each of four elements around a direction in a cube of a layer. PTX 4.3.
    tld4_g_acube_f32 tld4_g_acube_u32 tld4_g_acube_s32(layer: u32, x: f32, y: f32, z: f32) =
        "tld4.g.acube" ".f32 @0, [@1, {@2, @3, @4, @5}];"
        else gathered([x, y, z], layer, [0; 2], 1);
    /// The third number of each of four elements around a direction in a cube of a layer. PTX 4.3.
    tld4_b_acube_f32 tld4_b_acube_u32 tld4_b_acube_s32(layer: u32, x: f32, y: f32, z: f32) =
        "tld4.b.acube" ".f32 @0, [@1, {@2, @3, @4, @5}];"
        else gathered([x, y, z], layer, [0; 2], 2);
    /// The fourth number of each of four elements around a direction in a cube of a layer. PTX 4.3.
    tld4_a_acube_f32 tld4_a_acube_u32 tld4_a_acube_s32(layer: u32, x: f32, y: f32, z: f32) =
        "tld4.a.acube" ".f32 @0, [@1, {@2, @3, @4, @5}];"
        else gathered([x, y, z], layer, [0; 2], 3);
}
