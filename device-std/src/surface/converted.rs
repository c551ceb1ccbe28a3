//! Formatted stores: numbers of 32 bits that become those of the elements.

use super::accesses::near;
use super::{Surface, Writable};
use crate::texture::{Cube, CubeLayered, D1, D1Layered, D2, D2Layered, D3, Dimension, Texel};
use crate::{Index1D, Index2D, Index3D};

#[cfg(not(warploom_device))]
use crate::intrinsics::Shim;

/// Dimensions of surfaces, with the stores that convert.
#[doc(hidden)]
pub trait ConvertedDimension: Dimension {
    /// Writes an element of which the numbers are converted from these; outside of the surface nothing.
    ///
    /// # Safety
    /// `handle` is that of a surface of these dimensions with elements `T`, which is there. No other thread accesses the element meanwhile.
    unsafe fn store_converted<T: Texel>(handle: u64, at: [i32; 3], numbers: [u32; 4]);
}

macro_rules! symbol {
    ($geometry:literal $vector:literal $count:literal $commas:literal $coordinates:literal) => {
        concat!(
            "__warploom.registers:volatile+memory|r",
            $count,
            $commas,
            ",|sust.p.",
            $geometry,
            $vector,
            ".b32.zero [@1, ",
            $coordinates,
            "], @0;"
        )
    };
}

macro_rules! geometries {
    ($($shims:ident: [$($dimension:ident)*] = $geometry:literal $args:tt $pattern:tt $commas:literal $coordinates:literal $at:tt;)*) => {
        /// What instrumented code calls for each instruction.
        #[cfg(not(warploom_device))]
        pub(super) const SHIMS: &[&[Shim]] = &[$($shims),*];
        $(
            #[cfg(not(warploom_device))]
            const $shims: &[Shim] = &[
                geometries!(@shim symbol!($geometry "" 1 $commas $coordinates), $args, $at, 1),
                geometries!(@shim symbol!($geometry ".v2" 2 $commas $coordinates), $args, $at, 2),
                geometries!(@shim symbol!($geometry ".v4" 4 $commas $coordinates), $args, $at, 4),
            ];
            geometries!(@all [$($dimension)*] $geometry $args $pattern $commas $coordinates $at);
        )*
    };
    (@all [$($dimension:ident)*] $geometry:literal $args:tt $pattern:tt $commas:literal $coordinates:literal $at:tt) => {
        $(geometries!(@dimension $dimension $geometry $args $pattern $commas $coordinates $at);)*
    };
    (@dimension $dimension:ident $geometry:literal $args:tt $pattern:tt $commas:literal $coordinates:literal $at:tt) => {
        impl ConvertedDimension for $dimension {
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            unsafe fn store_converted<T: Texel>(handle: u64, at: [i32; 3], numbers: [u32; 4]) {
                let $pattern = at;
                let from = numbers.as_ptr();
                match T::CHANNELS {
                    1 => geometries!(@store symbol!($geometry "" 1 $commas $coordinates), from, handle, $args, $at, 1),
                    2 => geometries!(@store symbol!($geometry ".v2" 2 $commas $coordinates), from, handle, $args, $at, 2),
                    _ => geometries!(@store symbol!($geometry ".v4" 4 $commas $coordinates), from, handle, $args, $at, 4),
                }
            }
        }
    };
    (@shim $symbol:expr, ($($arg:ident),*), $at:expr, $count:literal) => {{
        unsafe extern "C-unwind" fn shim(from: *const u32, handle: u64 $(, $arg: i32)*) {
            // SAFETY: instrumented code calls it where the kernel called the instruction.
            unsafe { warploom_emulator::intrinsics::surface_store_converted(from, handle, $at, $count) }
        }
        Shim { symbol: $symbol, address: shim as *const () }
    }};
    (@store $symbol:expr, $from:ident, $handle:ident, ($($arg:ident),*), $at:expr, $count:literal) => {{
        #[cfg(warploom_device)]
        {
            unsafe extern "C" {
                #[link_name = $symbol]
                fn device(from: *const u32, handle: u64 $(, $arg: i32)*);
            }
            // SAFETY: the device linker gives this symbol the type declared here; the caller keeps the promises of the function around this.
            unsafe { device($from, $handle $(, $arg)*) }
        }
        #[cfg(not(warploom_device))]
        // SAFETY: the caller keeps the promises of the function around this.
        unsafe {
            let _ = ($($arg,)*);
            warploom_emulator::intrinsics::surface_store_converted($from, $handle, $at, $count)
        }
    }};
}

// Layers and faces come first in the instruction.
geometries! {
    SHIMS_1D: [D1] = "1d" (x) [x, ..] "," "{@2}" [x, 0, 0];
    SHIMS_2D: [D2] = "2d" (x, y) [x, y, _] ",," "{@2, @3}" [x, y, 0];
    SHIMS_3D: [D3] = "3d" (x, y, z) [x, y, z] ",,," "{@2, @3, @4, @4}" [x, y, z];
    SHIMS_A1D: [D1Layered] = "a1d" (x, layer) [x, _, layer] ",," "{@3, @2}" [x, 0, layer];
    SHIMS_A2D: [D2Layered Cube CubeLayered] = "a2d" (x, y, layer) [x, y, layer] ",,," "{@4, @2, @3, @3}" [x, y, layer];
}

macro_rules! writes {
    ($($dimension:ident by $witness:ident ($($more:ident: $more_ty:ty),*) |$i:ident| [$($own:expr),*], $element:literal;)*) => {$(
        impl<T: Texel> Surface<'_, $dimension, T, Writable> {
            #[doc = concat!("Writes ", $element, " as the nearest numbers of 32 bits that it can hold: integers saturate, `f32` is rounded towards zero to `F16`; outside of the surface nothing. ")]
            /// CUDA's runtime has it no more. PTX: `sust.p….zero`.
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            pub fn write_converted(&mut self, $i: $witness<'_> $(, $more: $more_ty)*, value: T::Wide) {
                // SAFETY: the handle is that of a surface of a launch, with these dimensions and elements; the witness is this thread's alone, so no other thread accesses the element.
                unsafe { $dimension::store_converted::<T>(self.handle, [$($own),*], T::wide_registers(value)) }
            }
        }
    )*};
}

writes! {
    D1 by Index1D () |i| [near(i.get()), 0, 0], "the element of the thread `i`";
    D2 by Index2D () |i| [near(i.x()), near(i.y()), 0], "the element of the thread `i`: column `i.x()` of row `i.y()`,";
    D3 by Index3D () |i| [near(i.x()), near(i.y()), near(i.z())], "the element of the thread `i`";
    D1Layered by Index1D (layer: i32) |i| [near(i.get()), 0, layer], "the element of the thread `i` in a layer";
    D2Layered by Index2D (layer: i32) |i| [near(i.x()), near(i.y()), layer], "the element of the thread `i` in a layer";
    Cube by Index2D (face: i32) |i| [near(i.x()), near(i.y()), face], "the element of the thread `i` in a face";
    CubeLayered by Index2D (face: i32, layer: i32) |i| [near(i.x()), near(i.y()), super::accesses::slice(face, layer)], "the element of the thread `i` in a face of a layer";
}
