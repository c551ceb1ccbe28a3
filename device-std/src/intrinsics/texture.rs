//! Fetches of texture units.
//!
//! Nothing writes what a texture reads during a launch, so fetches are pure: equal ones may become one, and those whose result is not used are left out.

#[cfg(not(warploom_device))]
use warploom_emulator::texture::{Coordinates, Detail, Request};

/// Functions that leave four registers at `out`; on the emulator the expression behind `else` says what is fetched. Three names for the three types of the result.
macro_rules! fetches {
    ($(
        $(#[$doc:meta])*
        $float:ident $unsigned:ident $signed:ident($($arg:ident: $ty:ty),*) = $front:literal $back:literal else $request:expr;
    )*) => {
        /// Every line, for instrumented code on the emulator.
        #[cfg(not(warploom_device))]
        pub(crate) const FETCH_SHIMS: &[crate::intrinsics::Shim] = &[$(
            fetches!(@shim $float($($arg: $ty),*) = $front ".v4.f32" $back),
            fetches!(@shim $unsigned($($arg: $ty),*) = $front ".v4.u32" $back),
            fetches!(@shim $signed($($arg: $ty),*) = $front ".v4.s32" $back),
        )*];
        $(
            fetches!(@function { $(#[$doc])* } "`f32`" $float($($arg: $ty),*) = $front ".v4.f32" $back else $request);
            fetches!(@function { $(#[$doc])* } "`u32`" $unsigned($($arg: $ty),*) = $front ".v4.u32" $back else $request);
            fetches!(@function { $(#[$doc])* } "`i32`" $signed($($arg: $ty),*) = $front ".v4.s32" $back else $request);
        )*
    };
    (@comma $arg:ident) => { "," };
    (@symbol $front:literal $type:literal $back:literal $($arg:ident)*) => {
        concat!(
            "__warploom.registers:pure|=r4,",
            $(fetches!(@comma $arg),)*
            "|",
            $front,
            $type,
            $back
        )
    };
    (@shim $name:ident($($arg:ident: $ty:ty),*) = $front:literal $type:literal $back:literal) => {{
        unsafe extern "C-unwind" fn shim(out: *mut u32, handle: u64 $(, $arg: $ty)*) {
            // SAFETY: instrumented code calls it where the kernel called the function.
            unsafe { $name(out, handle $(, $arg)*) }
        }
        crate::intrinsics::Shim {
            symbol: fetches!(@symbol $front $type $back $($arg)*),
            address: shim as *const (),
        }
    }};
    (@function { $(#[$doc:meta])* } $result:literal $name:ident($($arg:ident: $ty:ty),*) = $front:literal $type:literal $back:literal else $request:expr) => {
        $(#[$doc])*
        #[doc = concat!("The result is four ", $result, ". PTX `", $front, $type, "`.")]
        ///
        /// # Safety
        /// `handle` is that of a texture of these dimensions, which is there, and whose elements give results of this type; nothing writes these during the launch. `out` is valid for
        /// writes of four words.
        #[inline(always)]
        #[cfg_attr(not(warploom_device), track_caller)]
        #[allow(clippy::too_many_arguments, reason = "the operands of one instruction")]
        pub unsafe fn $name(out: *mut u32, handle: u64 $(, $arg: $ty)*) {
            #[cfg(warploom_device)]
            {
                unsafe extern "C" {
                    #[link_name = fetches!(@symbol $front $type $back $($arg)*)]
                    fn device(out: *mut u32, handle: u64 $(, $arg: $ty)*);
                }
                // SAFETY: the device linker gives this symbol the type declared here; the caller keeps the section above.
                unsafe { device(out, handle $(, $arg)*) }
            }
            #[cfg(not(warploom_device))]
            // SAFETY: the caller keeps the section above.
            unsafe { warploom_emulator::intrinsics::texture_fetch(out, handle, &$request) }
        }
    };
}

#[cfg(not(warploom_device))]
const fn sampled(at: [f32; 3], layer: u32, detail: Detail) -> Request {
    Request {
        layer,
        detail,
        ..Request::new(Coordinates::Float(at))
    }
}

#[cfg(not(warploom_device))]
const fn gathered(x: f32, y: f32, channel: u8) -> Request {
    Request {
        gather: Some(channel),
        ..Request::new(Coordinates::Float([x, y, 0.0]))
    }
}

#[cfg(not(warploom_device))]
const fn gradients(dx: [f32; 2], dy: [f32; 2]) -> Detail {
    Detail::Gradients {
        dx: [dx[0], dx[1], 0.0],
        dy: [dy[0], dy[1], 0.0],
    }
}

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

    /// The first number of each of four elements around `x` and `y`.
    tld4_r_f32 tld4_r_u32 tld4_r_s32(x: f32, y: f32) =
        "tld4.r.2d" ".f32 @0, [@1, {@2, @3}];"
        else gathered(x, y, 0);
    /// The second number of each of four elements around `x` and `y`.
    tld4_g_f32 tld4_g_u32 tld4_g_s32(x: f32, y: f32) =
        "tld4.g.2d" ".f32 @0, [@1, {@2, @3}];"
        else gathered(x, y, 1);
    /// The third number of each of four elements around `x` and `y`.
    tld4_b_f32 tld4_b_u32 tld4_b_s32(x: f32, y: f32) =
        "tld4.b.2d" ".f32 @0, [@1, {@2, @3}];"
        else gathered(x, y, 2);
    /// The fourth number of each of four elements around `x` and `y`.
    tld4_a_f32 tld4_a_u32 tld4_a_s32(x: f32, y: f32) =
        "tld4.a.2d" ".f32 @0, [@1, {@2, @3}];"
        else gathered(x, y, 3);
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
