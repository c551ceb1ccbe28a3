//! Surface instructions: one for each kind of surface, width of an element, and what happens outside.
//!
//! x counts bytes here, as in PTX; the other coordinates count rows, and slices, layers or faces.

use crate::texture::{Cube, CubeLayered, D1, D1Layered, D2, D2Layered, D3, Dimension, Texel};

#[cfg(not(warploom_device))]
use crate::intrinsics::Shim;
#[cfg(not(warploom_device))]
use warploom_emulator::texture::Boundary;

/// An access outside of the surface ends the kernel with an error.
pub(super) const TRAP: u8 = 0;
/// It is moved to the edge.
pub(super) const CLAMP: u8 = 1;
/// It reads zeros, or writes nothing.
pub(super) const ZERO: u8 = 2;

/// Dimensions that surfaces have: all but [`LinearMemory`](crate::texture::LinearMemory).
///
/// ```compile_fail,E0277
/// use warploom_device_std::{surface::SurfaceDimension, texture::LinearMemory};
/// fn surface<D: SurfaceDimension>() {}
/// surface::<LinearMemory>(); // linear memory is a slice: it needs no surface
/// ```
pub trait SurfaceDimension: Dimension {
    /// The bits of the numbers of an element; those that it does not have are 0. `PURE`: nothing writes the surface during the launch.
    ///
    /// # Safety
    /// `handle` is that of a surface of these dimensions with elements `T`, which is there. No other thread writes the element meanwhile; if `PURE`, none in the whole launch.
    #[doc(hidden)]
    unsafe fn load<T: Texel, const OUTSIDE: u8, const PURE: bool>(
        handle: u64,
        at: [i32; 3],
    ) -> [u32; 4];

    /// Writes an element, of which the numbers have these bits.
    ///
    /// # Safety
    /// `handle` is that of a surface of these dimensions with elements `T`, which is there. No other thread accesses the element meanwhile.
    #[doc(hidden)]
    unsafe fn store<T: Texel, const OUTSIDE: u8>(handle: u64, at: [i32; 3], numbers: [u32; 4]);
}

macro_rules! load_symbol {
    ($flags:literal $geometry:literal $vector:literal $width:literal $count:literal $outside:literal $commas:literal $coordinates:literal) => {
        concat!(
            "__warploom.registers:",
            $flags,
            "|=r",
            $count,
            $commas,
            ",|suld.b.",
            $geometry,
            $vector,
            $width,
            $outside,
            " @0, [@1, ",
            $coordinates,
            "];"
        )
    };
}

macro_rules! store_symbol {
    ($geometry:literal $vector:literal $width:literal $count:literal $outside:literal $commas:literal $coordinates:literal) => {
        concat!(
            "__warploom.registers:volatile+memory|r",
            $count,
            $commas,
            ",|sust.b.",
            $geometry,
            $vector,
            $width,
            $outside,
            " [@1, ",
            $coordinates,
            "], @0;"
        )
    };
}

/// One instruction in device code, and on the emulator what `$emulated` does with `$bytes` bytes of each of `$count` numbers.
macro_rules! access {
    ($symbol:expr, $registers:ident: $pointer:ty, $handle:ident, ($($arg:ident),*), $emulated:ident($at:expr, $bytes:literal, $count:literal, $outside:ident)) => {{
        #[cfg(warploom_device)]
        {
            unsafe extern "C" {
                #[link_name = $symbol]
                fn device(registers: $pointer, handle: u64 $(, $arg: i32)*);
            }
            // SAFETY: the device linker gives this symbol the type declared here; the caller keeps the promises of the function around this.
            unsafe { device($registers, $handle $(, $arg)*) }
        }
        #[cfg(not(warploom_device))]
        // SAFETY: the caller keeps the promises of the function around this.
        unsafe {
            let _ = ($($arg,)*);
            warploom_emulator::intrinsics::$emulated($registers, $handle, $at, [$bytes, $count], Boundary::$outside)
        }
    }};
}

/// What instrumented code calls in the place of a symbol.
#[cfg(not(warploom_device))]
macro_rules! shim {
    ($symbol:expr, $pointer:ty, ($($arg:ident),*), $emulated:ident($at:expr, $bytes:literal, $count:literal, $outside:ident)) => {{
        unsafe extern "C-unwind" fn shim(registers: $pointer, handle: u64 $(, $arg: i32)*) {
            // SAFETY: instrumented code calls it where the kernel called the instruction.
            unsafe {
                warploom_emulator::intrinsics::$emulated(registers, handle, $at, [$bytes, $count], Boundary::$outside)
            }
        }
        Shim { symbol: $symbol, address: shim as *const () }
    }};
}

/// All instructions of a kind of surface, and the kinds that have them: for each width one line in `[…]`, with bytes of a number and numbers of an element.
macro_rules! geometry {
    ($shims:ident [$($dimension:ident)*] $geometry:literal $args:tt $pattern:tt $commas:literal $coordinates:literal $at:tt $widths:tt) => {
        #[cfg(not(warploom_device))]
        const $shims: &[Shim] = geometry!(@shims $geometry $args $commas $coordinates $at $widths);
        $(geometry!(@dimension $dimension $geometry $args $pattern $commas $coordinates $at $widths);)*
    };
    (@shims $geometry:literal $args:tt $commas:literal $coordinates:literal $at:tt { $([$bytes:literal $count:literal $vector:literal $width:literal])* }) => {
        &[$(
            shim!(load_symbol!("volatile+memory" $geometry $vector $width $count ".trap" $commas $coordinates), *mut u32, $args, surface_load($at, $bytes, $count, Trap)),
            shim!(load_symbol!("volatile+memory" $geometry $vector $width $count ".clamp" $commas $coordinates), *mut u32, $args, surface_load($at, $bytes, $count, Clamp)),
            shim!(load_symbol!("volatile+memory" $geometry $vector $width $count ".zero" $commas $coordinates), *mut u32, $args, surface_load($at, $bytes, $count, Zero)),
            shim!(load_symbol!("pure" $geometry $vector $width $count ".trap" $commas $coordinates), *mut u32, $args, surface_load($at, $bytes, $count, Trap)),
            shim!(load_symbol!("pure" $geometry $vector $width $count ".clamp" $commas $coordinates), *mut u32, $args, surface_load($at, $bytes, $count, Clamp)),
            shim!(load_symbol!("pure" $geometry $vector $width $count ".zero" $commas $coordinates), *mut u32, $args, surface_load($at, $bytes, $count, Zero)),
            shim!(store_symbol!($geometry $vector $width $count ".trap" $commas $coordinates), *const u32, $args, surface_store($at, $bytes, $count, Trap)),
            shim!(store_symbol!($geometry $vector $width $count ".clamp" $commas $coordinates), *const u32, $args, surface_store($at, $bytes, $count, Clamp)),
            shim!(store_symbol!($geometry $vector $width $count ".zero" $commas $coordinates), *const u32, $args, surface_store($at, $bytes, $count, Zero)),
        )*]
    };
    (@dimension $dimension:ident $geometry:literal $args:tt $pattern:tt $commas:literal $coordinates:literal $at:tt $widths:tt) => {
        impl SurfaceDimension for $dimension {
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            unsafe fn load<T: Texel, const OUTSIDE: u8, const PURE: bool>(handle: u64, at: [i32; 3]) -> [u32; 4] {
                let $pattern = at;
                let mut numbers = [0; 4];
                let out = numbers.as_mut_ptr();
                geometry!(@load T OUTSIDE PURE out handle $geometry $args $commas $coordinates $at $widths);
                numbers
            }
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            unsafe fn store<T: Texel, const OUTSIDE: u8>(handle: u64, at: [i32; 3], numbers: [u32; 4]) {
                let $pattern = at;
                let from = numbers.as_ptr();
                geometry!(@store T OUTSIDE from handle $geometry $args $commas $coordinates $at $widths);
            }
        }
    };
    (@load $texel:ident $outside:ident $pure:ident $out:ident $handle:ident $geometry:literal $args:tt $commas:literal $coordinates:literal $at:tt
        { $([$bytes:literal $count:literal $vector:literal $width:literal])* }) => {
        match (size_of::<$texel>() / $texel::CHANNELS as usize, $texel::CHANNELS, $outside, $pure) {
            $(
                ($bytes, $count, TRAP, false) => access!(load_symbol!("volatile+memory" $geometry $vector $width $count ".trap" $commas $coordinates), $out: *mut u32, $handle, $args, surface_load($at, $bytes, $count, Trap)),
                ($bytes, $count, CLAMP, false) => access!(load_symbol!("volatile+memory" $geometry $vector $width $count ".clamp" $commas $coordinates), $out: *mut u32, $handle, $args, surface_load($at, $bytes, $count, Clamp)),
                ($bytes, $count, ZERO, false) => access!(load_symbol!("volatile+memory" $geometry $vector $width $count ".zero" $commas $coordinates), $out: *mut u32, $handle, $args, surface_load($at, $bytes, $count, Zero)),
                ($bytes, $count, TRAP, true) => access!(load_symbol!("pure" $geometry $vector $width $count ".trap" $commas $coordinates), $out: *mut u32, $handle, $args, surface_load($at, $bytes, $count, Trap)),
                ($bytes, $count, CLAMP, true) => access!(load_symbol!("pure" $geometry $vector $width $count ".clamp" $commas $coordinates), $out: *mut u32, $handle, $args, surface_load($at, $bytes, $count, Clamp)),
                ($bytes, $count, ZERO, true) => access!(load_symbol!("pure" $geometry $vector $width $count ".zero" $commas $coordinates), $out: *mut u32, $handle, $args, surface_load($at, $bytes, $count, Zero)),
            )*
            _ => {}
        }
    };
    (@store $texel:ident $outside:ident $from:ident $handle:ident $geometry:literal $args:tt $commas:literal $coordinates:literal $at:tt
        { $([$bytes:literal $count:literal $vector:literal $width:literal])* }) => {
        match (size_of::<$texel>() / $texel::CHANNELS as usize, $texel::CHANNELS, $outside) {
            $(
                ($bytes, $count, TRAP) => access!(store_symbol!($geometry $vector $width $count ".trap" $commas $coordinates), $from: *const u32, $handle, $args, surface_store($at, $bytes, $count, Trap)),
                ($bytes, $count, CLAMP) => access!(store_symbol!($geometry $vector $width $count ".clamp" $commas $coordinates), $from: *const u32, $handle, $args, surface_store($at, $bytes, $count, Clamp)),
                ($bytes, $count, ZERO) => access!(store_symbol!($geometry $vector $width $count ".zero" $commas $coordinates), $from: *const u32, $handle, $args, surface_store($at, $bytes, $count, Zero)),
            )*
            _ => {}
        }
    };
}

macro_rules! geometries {
    ($($shims:ident: $dimensions:tt = $geometry:literal $args:tt $pattern:tt $commas:literal $coordinates:literal $at:tt;)*) => {
        /// What instrumented code calls for each instruction.
        #[cfg(not(warploom_device))]
        pub(super) const SHIMS: &[&[Shim]] = &[$($shims),*];
        $(geometry! { $shims $dimensions $geometry $args $pattern $commas $coordinates $at {
            [1 1 "" ".b8"] [1 2 ".v2" ".b8"] [1 4 ".v4" ".b8"]
            [2 1 "" ".b16"] [2 2 ".v2" ".b16"] [2 4 ".v4" ".b16"]
            [4 1 "" ".b32"] [4 2 ".v2" ".b32"] [4 4 ".v4" ".b32"]
        } })*
    };
}

// Layers and faces come first in the instruction.
geometries! {
    SHIMS_1D: [D1] = "1d" (x) [x, ..] "," "{@2}" [x, 0, 0];
    SHIMS_2D: [D2] = "2d" (x, y) [x, y, _] ",," "{@2, @3}" [x, y, 0];
    SHIMS_3D: [D3] = "3d" (x, y, z) [x, y, z] ",,," "{@2, @3, @4, @4}" [x, y, z];
    SHIMS_A1D: [D1Layered] = "a1d" (x, layer) [x, _, layer] ",," "{@3, @2}" [x, 0, layer];
    SHIMS_A2D: [D2Layered Cube CubeLayered] = "a2d" (x, y, layer) [x, y, layer] ",,," "{@4, @2, @3, @3}" [x, y, layer];
}
