//! Reads and writes, for each kind of surface.

use super::instructions::{CLAMP, SurfaceDimension, TRAP, ZERO};
use super::{Access, ReadOnly, Surface, Writable};
use crate::intrinsics as raw;
use crate::texture::{Cube, CubeLayered, D1, D1Layered, D2, D2Layered, D3, Texel};
use crate::{Index1D, Index2D, Index3D};

/// Outside of every surface, also in bytes of elements of 16: no surface has rows, or columns, of 2^27 elements.
const FAR: i32 = (1 << 27) - 1;

/// A coordinate of a witness; from [`FAR`] on it is outside whichever it is.
#[inline(always)]
pub(super) fn near(coordinate: usize) -> i32 {
    coordinate.min(FAR as usize) as i32
}

/// x in bytes, without wrapping around into the surface.
#[inline(always)]
pub(super) fn in_bytes<T>(x: i32) -> i32 {
    x.clamp(-FAR - 1, FAR) * size_of::<T>() as i32
}

impl<D: SurfaceDimension, T: Texel, A: Access> Surface<'_, D, T, A> {
    /// x in bytes, without wrapping around into the surface.
    #[inline(always)]
    fn in_bytes([x, y, z]: [i32; 3]) -> [i32; 3] {
        [in_bytes::<T>(x), y, z]
    }
}

/// What a thread does with the element of its own index, and `unsafe` with others.
macro_rules! writable {
    ($($dimension:ident ($($coordinate:ident: $ty:ty),*) [$($at:expr),*] $cuda:literal
        by $witness:ident ($($more:ident: $more_ty:ty),*) |$i:ident| [$($own:expr),*], $element:literal;)*) => {$(
        impl<T: Texel> Surface<'_, $dimension, T, Writable> {
            #[doc = concat!("Writes ", $element, "; outside of the surface nothing. CUDA: `", $cuda, "write` with `cudaBoundaryModeZero`. PTX: `sust.b….zero`.")]
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            pub fn write(&mut self, $i: $witness<'_> $(, $more: $more_ty)*, value: T) {
                let at = Self::in_bytes([$($own),*]);
                // SAFETY: the handle is that of a surface of a launch, with these dimensions and elements; the witness is this thread's alone, so no other thread accesses the element.
                unsafe { $dimension::store::<T, ZERO>(self.handle, at, value.to_registers()) }
            }

            #[doc = concat!("Reads ", $element, "; outside of the surface zeros. If the thread has written it in this launch, the value is unspecified: that before or that after. ")]
            #[doc = concat!("CUDA: `", $cuda, "read` with `cudaBoundaryModeZero`. PTX: `suld.b….zero`.")]
            #[inline(always)]
            #[must_use]
            #[cfg_attr(not(warploom_device), track_caller)]
            pub fn read(&self, $i: $witness<'_> $(, $more: $more_ty)*) -> T {
                let at = Self::in_bytes([$($own),*]);
                // SAFETY: as above; `Plain` makes each value valid.
                T::from_registers(unsafe { $dimension::load::<T, ZERO, false>(self.handle, at) })
            }
        }

        writable!(@unsafe $dimension ($($coordinate: $ty),*) [$($at),*] $cuda:
            store load TRAP "ends the launch with an error, and a GPU's context cannot be used afterwards" "Trap" "trap",
            store_clamped load_clamped CLAMP "is moved to the nearest element of the surface" "Clamp" "clamp",
            store_zero load_zero ZERO "writes nothing, and reads zeros" "Zero" "zero",
        );
        readable!($dimension ($($coordinate: $ty),*) [$($at),*] $cuda:
            read ZERO "reads zeros" "Zero" "zero",
            read_clamped CLAMP "is moved to the nearest element of the surface" "Clamp" "clamp",
            read_trapping TRAP "ends the launch with an error, and a GPU's context cannot be used afterwards: `read` and `read_clamped` take any coordinates" "Trap" "trap",
        );
    )*};
    (@unsafe $dimension:ident $coordinates:tt $at:tt $cuda:literal: $($store:ident $load:ident $mode:ident $outside:literal $name:literal $ptx:literal,)*) => {$(
        writable!(@access $dimension $coordinates $at $cuda $store $load $mode $outside $name $ptx);
    )*};
    (@access $dimension:ident ($($coordinate:ident: $ty:ty),*) [$($at:expr),*] $cuda:literal $store:ident $load:ident $mode:ident $outside:literal $name:literal $ptx:literal) => {
        impl<T: Texel> Surface<'_, $dimension, T, Writable> {
            #[doc = concat!("Writes any element. An access outside of the surface ", $outside, ". CUDA: `", $cuda, "write` with `cudaBoundaryMode", $name, "`. PTX: `sust.b….", $ptx, "`.")]
            ///
            /// # Safety
            /// No other thread accesses the element at the same time: between its accesses and this one is a barrier, or what orders memory otherwise.
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            pub unsafe fn $store(&mut self $(, $coordinate: $ty)*, value: T) {
                let at = Self::in_bytes([$($at),*]);
                // SAFETY: the handle is that of a surface of a launch, with these dimensions and elements; the rest is the caller's promise.
                unsafe { $dimension::store::<T, $mode>(self.handle, at, value.to_registers()) }
            }

            #[doc = concat!("Reads any element; if one was written in this launch, the value is unspecified. An access outside of the surface ", $outside, ". CUDA: `", $cuda, "read` with `cudaBoundaryMode", $name, "`. PTX: `suld.b….", $ptx, "`.")]
            ///
            /// # Safety
            /// No other thread writes the element at the same time.
            #[inline(always)]
            #[must_use]
            #[cfg_attr(not(warploom_device), track_caller)]
            pub unsafe fn $load(&self $(, $coordinate: $ty)*) -> T {
                let at = Self::in_bytes([$($at),*]);
                // SAFETY: the handle is that of a surface of a launch, with these dimensions and elements; the rest is the caller's promise.
                T::from_registers(unsafe { $dimension::load::<T, $mode, false>(self.handle, at) })
            }
        }
    };
}

/// Reads of a surface that nothing writes.
macro_rules! readable {
    ($dimension:ident $coordinates:tt $at:tt $cuda:literal: $($read:ident $mode:ident $outside:literal $name:literal $ptx:literal,)*) => {$(
        readable!(@one $dimension $coordinates $at $cuda $read $mode $outside $name $ptx);
    )*};
    (@one $dimension:ident ($($coordinate:ident: $ty:ty),*) [$($at:expr),*] $cuda:literal $read:ident $mode:ident $outside:literal $name:literal $ptx:literal) => {
        impl<T: Texel> Surface<'_, $dimension, T, ReadOnly> {
            #[doc = concat!("The element at these coordinates. A read outside of the surface ", $outside, ". CUDA: `", $cuda, "read` with `cudaBoundaryMode", $name, "`. PTX: `suld.b….", $ptx, "`.")]
            #[inline(always)]
            #[must_use]
            #[cfg_attr(not(warploom_device), track_caller)]
            pub fn $read(self $(, $coordinate: $ty)*) -> T {
                let at = Self::in_bytes([$($at),*]);
                // SAFETY: the handle is that of a surface of a launch, with these dimensions and elements, which nothing writes meanwhile.
                T::from_registers(unsafe { $dimension::load::<T, $mode, true>(self.handle, at) })
            }
        }
    };
}

writable! {
    D1 (x: i32) [x, 0, 0] "surf1D"
        by Index1D () |i| [near(i.get()), 0, 0], "the element of the thread `i`";
    D2 (x: i32, y: i32) [x, y, 0] "surf2D"
        by Index2D () |i| [near(i.x()), near(i.y()), 0], "the element of the thread `i`: column `i.x()` of row `i.y()`";
    D3 (x: i32, y: i32, z: i32) [x, y, z] "surf3D"
        by Index3D () |i| [near(i.x()), near(i.y()), near(i.z())], "the element of the thread `i`";
    D1Layered (x: i32, layer: i32) [x, 0, layer] "surf1DLayered"
        by Index1D (layer: i32) |i| [near(i.get()), 0, layer], "the element of the thread `i` in a layer";
    D2Layered (x: i32, y: i32, layer: i32) [x, y, layer] "surf2DLayered"
        by Index2D (layer: i32) |i| [near(i.x()), near(i.y()), layer], "the element of the thread `i` in a layer: column `i.x()` of row `i.y()`";
    Cube (x: i32, y: i32, face: i32) [x, y, face] "surfCubemap"
        by Index2D (face: i32) |i| [near(i.x()), near(i.y()), face], "the element of the thread `i` in a face: column `i.x()` of row `i.y()`";
    CubeLayered (x: i32, y: i32, face: i32, layer: i32) [x, y, slice(face, layer)] "surfCubemapLayered"
        by Index2D (face: i32, layer: i32) |i| [near(i.x()), near(i.y()), slice(face, layer)], "the element of the thread `i` in a face of a layer: column `i.x()` of row `i.y()`";
}

/// Faces of layers are counted through, as CUDA does: the face 6 of a layer is the face 0 of the next. A witness is one thread's in each of them.
#[inline(always)]
pub(super) fn slice(face: i32, layer: i32) -> i32 {
    layer.saturating_mul(6).saturating_add(face)
}

/// Sizes of one kind of surface.
macro_rules! sizes {
    ($($dimension:ident $n:literal ($what:literal) [$($extent:ident)*];)*) => {$(
        impl<T: Texel, A: Access> Surface<'_, $dimension, T, A> {
            #[doc = concat!($what, ", in elements. PTX: `suq`.")]
            #[inline(always)]
            #[must_use]
            pub fn size(&self) -> [u32; $n] {
                // SAFETY: the handle is that of a surface of a launch.
                unsafe { [$(raw::$extent(self.handle)),*] }
            }
        }
    )*};
}

/// Numbers of layers of one kind of surface.
macro_rules! layers {
    ($($dimension:ident $extent:ident / $faces:literal $ptx:literal;)*) => {$(
        impl<T: Texel, A: Access> Surface<'_, $dimension, T, A> {
            #[doc = concat!("How many layers there are. PTX: `", $ptx, "`, which counts them, or the faces in all of them, as the extent behind the last.")]
            #[inline(always)]
            #[must_use]
            pub fn layers(&self) -> u32 {
                // SAFETY: the handle is that of a surface of a launch.
                unsafe { raw::$extent(self.handle) / $faces }
            }
        }
    )*};
}

layers! {
    D1Layered surface_height / 1 "suq.height";
    D2Layered surface_depth / 1 "suq.depth";
    CubeLayered surface_depth / 6 "suq.depth";
}

sizes! {
    D1 1 ("Width") [surface_width];
    D2 2 ("Width and height") [surface_width surface_height];
    D3 3 ("Width, height and depth") [surface_width surface_height surface_depth];
    D1Layered 1 ("Width") [surface_width];
    D2Layered 2 ("Width and height") [surface_width surface_height];
    Cube 2 ("Width and height of a face") [surface_width surface_height];
    CubeLayered 2 ("Width and height of a face") [surface_width surface_height];
}
