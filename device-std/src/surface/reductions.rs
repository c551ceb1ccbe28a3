//! Reductions: changes of elements that are one step each, whichever thread makes them.

use super::accesses::in_bytes;
use super::{Reduced, Surface};
use crate::texture::{D1, D2, D3, Texel};

#[cfg(not(warploom_device))]
use crate::intrinsics::Shim;
#[cfg(not(warploom_device))]
use warploom_emulator::intrinsics::SurfaceReduction;

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for i32 {}
}

/// Elements that surface instructions reduce: `u32` and `i32`.
#[diagnostic::on_unimplemented(
    message = "elements `{Self}` of a surface cannot be reduced",
    note = "surface instructions reduce `u32` and `i32`; counts and sums of other types are kept in a buffer with atomics, or in a surface of `u32` of which a view is made"
)]
pub trait ReducedTexel: Texel + sealed::Sealed {
    #[doc(hidden)]
    const IS_SIGNED: bool;
    #[doc(hidden)]
    fn word(self) -> u32;
}

impl ReducedTexel for u32 {
    const IS_SIGNED: bool = false;
    #[inline(always)]
    fn word(self) -> u32 {
        self
    }
}

impl ReducedTexel for i32 {
    const IS_SIGNED: bool = true;
    #[inline(always)]
    fn word(self) -> u32 {
        self.cast_unsigned()
    }
}

/// One instruction in device code, and on the emulator what it does. `$more` are the coordinates, of which x counts bytes.
macro_rules! reduction {
    (@symbol $geometry:literal $operation:literal $type:literal $coordinates:literal $value:literal) => {
        concat!(
            "__warploom.asm:volatile+memory|sured.b.",
            $operation,
            ".",
            $geometry,
            ".",
            $type,
            ".zero [$0, ",
            $coordinates,
            "], ",
            $value,
            ";"
        )
    };
    (@shim ($($more:ident),*) $at:expr, $symbol:expr, $reduction:ident) => {{
        unsafe extern "C-unwind" fn shim(handle: u64 $(, $more: i32)*, value: u32) {
            // SAFETY: instrumented code calls it where the kernel called the instruction.
            unsafe { warploom_emulator::intrinsics::surface_reduce(handle, $at, value, SurfaceReduction::$reduction) }
        }
        Shim { symbol: $symbol, address: shim as *const () }
    }};
    (@call ($($more:ident),*) $at:expr, $handle:expr, $value:expr, $symbol:expr, $reduction:ident) => {{
        #[cfg(warploom_device)]
        {
            unsafe extern "C" {
                #[link_name = $symbol]
                fn device(handle: u64 $(, $more: i32)*, value: u32);
            }
            // SAFETY: the device linker gives this symbol the type declared here; the handle is that of a surface of a launch, with these dimensions and elements, which reductions alone access.
            unsafe { device($handle $(, $more)*, $value) }
        }
        #[cfg(not(warploom_device))]
        {
            let _ = ($($more,)*);
            // SAFETY: as above.
            unsafe { warploom_emulator::intrinsics::surface_reduce($handle, $at, $value, SurfaceReduction::$reduction) }
        }
    }};
}

/// All reductions of one kind of surface.
macro_rules! reductions {
    ($($shims:ident $dimension:ident $geometry:literal $more:tt [$x:ident $(, $other:ident)*] $at:expr, $coordinates:literal $value:literal;)*) => {
        /// What instrumented code calls for each instruction.
        #[cfg(not(warploom_device))]
        pub(super) const SHIMS: &[&[Shim]] = &[$($shims),*];
        $(
            #[cfg(not(warploom_device))]
            const $shims: &[Shim] = &[
                reduction!(@shim $more $at, reduction!(@symbol $geometry "add" "u32" $coordinates $value), Add),
                reduction!(@shim $more $at, reduction!(@symbol $geometry "min" "u32" $coordinates $value), MinUnsigned),
                reduction!(@shim $more $at, reduction!(@symbol $geometry "min" "s32" $coordinates $value), MinSigned),
                reduction!(@shim $more $at, reduction!(@symbol $geometry "max" "u32" $coordinates $value), MaxUnsigned),
                reduction!(@shim $more $at, reduction!(@symbol $geometry "max" "s32" $coordinates $value), MaxSigned),
                reduction!(@shim $more $at, reduction!(@symbol $geometry "and" "b32" $coordinates $value), And),
                reduction!(@shim $more $at, reduction!(@symbol $geometry "or" "b32" $coordinates $value), Or),
            ];
            impl<T: ReducedTexel> Surface<'_, $dimension, T, Reduced> {
                /// Adds to any element, wrapping around; outside of the surface nothing is done. PTX: `sured.b.add….zero`.
                #[inline(always)]
                #[cfg_attr(not(warploom_device), track_caller)]
                pub fn add(&self, $x: i32 $(, $other: i32)*, value: T) {
                    let $x = in_bytes::<T>($x);
                    reduction!(@call $more $at, self.handle, value.word(), reduction!(@symbol $geometry "add" "u32" $coordinates $value), Add);
                }

                /// Makes any element the smaller of itself and `value`; outside of the surface nothing is done. PTX: `sured.b.min….zero`.
                #[inline(always)]
                #[cfg_attr(not(warploom_device), track_caller)]
                pub fn min(&self, $x: i32 $(, $other: i32)*, value: T) {
                    let $x = in_bytes::<T>($x);
                    if T::IS_SIGNED {
                        reduction!(@call $more $at, self.handle, value.word(), reduction!(@symbol $geometry "min" "s32" $coordinates $value), MinSigned);
                    } else {
                        reduction!(@call $more $at, self.handle, value.word(), reduction!(@symbol $geometry "min" "u32" $coordinates $value), MinUnsigned);
                    }
                }

                /// Makes any element the larger of itself and `value`; outside of the surface nothing is done. PTX: `sured.b.max….zero`.
                #[inline(always)]
                #[cfg_attr(not(warploom_device), track_caller)]
                pub fn max(&self, $x: i32 $(, $other: i32)*, value: T) {
                    let $x = in_bytes::<T>($x);
                    if T::IS_SIGNED {
                        reduction!(@call $more $at, self.handle, value.word(), reduction!(@symbol $geometry "max" "s32" $coordinates $value), MaxSigned);
                    } else {
                        reduction!(@call $more $at, self.handle, value.word(), reduction!(@symbol $geometry "max" "u32" $coordinates $value), MaxUnsigned);
                    }
                }

                /// Keeps the bits of any element that `value` has, too; outside of the surface nothing is done. PTX: `sured.b.and….zero`.
                #[inline(always)]
                #[cfg_attr(not(warploom_device), track_caller)]
                pub fn and(&self, $x: i32 $(, $other: i32)*, value: T) {
                    let $x = in_bytes::<T>($x);
                    reduction!(@call $more $at, self.handle, value.word(), reduction!(@symbol $geometry "and" "b32" $coordinates $value), And);
                }

                /// Sets the bits of any element that `value` has; outside of the surface nothing is done. PTX: `sured.b.or….zero`.
                #[inline(always)]
                #[cfg_attr(not(warploom_device), track_caller)]
                pub fn or(&self, $x: i32 $(, $other: i32)*, value: T) {
                    let $x = in_bytes::<T>($x);
                    reduction!(@call $more $at, self.handle, value.word(), reduction!(@symbol $geometry "or" "b32" $coordinates $value), Or);
                }
            }
        )*
    };
}

// PTX has none of layers and of cubes.
reductions! {
    SHIMS_1D D1 "1d" (x) [x] [x, 0, 0], "{$1}" "$2";
    SHIMS_2D D2 "2d" (x, y) [x, y] [x, y, 0], "{$1, $2}" "$3";
    SHIMS_3D D3 "3d" (x, y, z) [x, y, z] [x, y, z], "{$1, $2, $3, $3}" "$4";
}
