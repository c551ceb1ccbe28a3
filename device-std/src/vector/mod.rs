//! Two, three or four numbers in one value: the vector types of CUDA, with its sizes and alignments.
//!
//! A type is named after the scalar and the count: [`Float4`] is CUDA's `float4`. Types of two and four are aligned so that one
//! instruction loads or stores them (up to 16 bytes); types of three are three scalars. Layout, fields and operators are the same on host
//! and device, every type is [`Plain`](crate::Plain), and elements of one are neighbours in memory in the order x, y, z, w.
//!
//! Four 64-bit numbers come in two alignments, as in CUDA 13: [`Double4A16`] and [`Double4A32`]. The `Long` names are C's `long`: 64 bit
//! where pointers have 64 bit, except on Windows. Operators work element by element as those of the scalar do: integers that overflow panic
//! where overflow is checked, as in debug builds. `wrapping_add` and the like of the integer types wrap around in every build, as CUDA's do.
//!
//! ```
//! use warploom_device_std::vector::{Float4, UChar4};
//! let position = Float4::new(1.0, 2.0, 3.0, 1.0) + Float4::splat(0.5);
//! assert_eq!(position, Float4::from([1.5, 2.5, 3.5, 1.5]));
//! assert_eq!((position.x, position[3]), (1.5, 1.5));
//! assert_eq!((size_of::<Float4>(), align_of::<Float4>()), (16, 16));
//! let [r, g, b, _] = UChar4::new(1, 2, 3, 255).into();
//! assert_eq!((r, g, b), (1, 2, 3));
//! assert_eq!(UChar4::new(1, 2, 3, 255).wrapping_add(UChar4::splat(1)).w, 0);
//! ```
//! There is no implicit conversion between them:
//! ```compile_fail,E0308
//! let wrong: warploom_device_std::vector::Float4 = warploom_device_std::vector::Float3::new(1.0, 2.0, 3.0);
//! ```

mod operators; // what holds for all of them: indexing, arithmetic

use operators::{arithmetic, elements, signed, wrapping};

/// One type: its fields, the ways in and out, and what makes it an element of buffers.
macro_rules! vector {
    ($name:ident $cuda:literal $ty:ident $align:tt $count:tt: $($field:ident)*) => {
        #[doc = concat!("CUDA's `", $cuda, "`: ", $count, " × `", stringify!($ty), "`, aligned to ", $align, " bytes.")]
        #[repr(C, align($align))]
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name {
            $(#[doc = concat!("Element ", stringify!($field), ".")] pub $field: $ty,)*
        }

        impl $name {
            #[doc = concat!("From its elements in order. CUDA: `make_", $cuda, "`.")]
            #[inline(always)]
            #[must_use]
            pub const fn new($($field: $ty),*) -> Self {
                $name { $($field),* }
            }

            /// The same in all elements.
            #[inline(always)]
            #[must_use]
            pub const fn splat(value: $ty) -> Self {
                $name { $($field: value),* }
            }

            /// The elements in order.
            #[inline(always)]
            #[must_use]
            pub const fn to_array(self) -> [$ty; $count] {
                [$(self.$field),*]
            }
        }

        // Neither between elements nor behind them is anything.
        const _: () = assert!(size_of::<$name>() == $count * size_of::<$ty>() && align_of::<$name>() == $align);
        // SAFETY: numbers in a `repr(C)` struct without padding, checked above; each bit pattern is a value.
        unsafe impl crate::Plain for $name {}

        impl From<[$ty; $count]> for $name {
            #[inline(always)]
            fn from([$($field),*]: [$ty; $count]) -> Self {
                $name { $($field),* }
            }
        }
        impl From<$name> for [$ty; $count] {
            #[inline(always)]
            fn from(vector: $name) -> Self {
                vector.to_array()
            }
        }
        elements!($name $ty $count);
        arithmetic!($name $ty: $($field)*);
    };
}

/// A family of types of at most 32 bits per element.
macro_rules! family {
    ($($ty:ident $a1:tt $a2:tt $a4:tt: $n1:ident $c1:literal $n2:ident $c2:literal $n3:ident $c3:literal $n4:ident $c4:literal;)*) => {$(
        vector!($n1 $c1 $ty $a1 1: x);
        vector!($n2 $c2 $ty $a2 2: x y);
        vector!($n3 $c3 $ty $a1 3: x y z);
        vector!($n4 $c4 $ty $a4 4: x y z w);
    )*};
}
family! {
    i8 1 2 4: Char1 "char1" Char2 "char2" Char3 "char3" Char4 "char4";
    u8 1 2 4: UChar1 "uchar1" UChar2 "uchar2" UChar3 "uchar3" UChar4 "uchar4";
    i16 2 4 8: Short1 "short1" Short2 "short2" Short3 "short3" Short4 "short4";
    u16 2 4 8: UShort1 "ushort1" UShort2 "ushort2" UShort3 "ushort3" UShort4 "ushort4";
    i32 4 8 16: Int1 "int1" Int2 "int2" Int3 "int3" Int4 "int4";
    u32 4 8 16: UInt1 "uint1" UInt2 "uint2" UInt3 "uint3" UInt4 "uint4";
    f32 4 8 16: Float1 "float1" Float2 "float2" Float3 "float3" Float4 "float4";
}

/// A family of 64-bit elements: four of them in two alignments.
macro_rules! wide_family {
    ($($ty:ident: $n1:ident $c1:literal $n2:ident $c2:literal $n3:ident $c3:literal $a16:ident $c16:literal $a32:ident $c32:literal;)*) => {$(
        vector!($n1 $c1 $ty 8 1: x);
        vector!($n2 $c2 $ty 16 2: x y);
        vector!($n3 $c3 $ty 8 3: x y z);
        vector!($a16 $c16 $ty 16 4: x y z w);
        vector!($a32 $c32 $ty 32 4: x y z w);

        impl From<$a16> for $a32 {
            #[inline(always)]
            fn from(vector: $a16) -> Self {
                vector.to_array().into()
            }
        }
        impl From<$a32> for $a16 {
            #[inline(always)]
            fn from(vector: $a32) -> Self {
                vector.to_array().into()
            }
        }
    )*};
}
wide_family! {
    i64: LongLong1 "longlong1" LongLong2 "longlong2" LongLong3 "longlong3" LongLong4A16 "longlong4_16a" LongLong4A32 "longlong4_32a";
    u64: ULongLong1 "ulonglong1" ULongLong2 "ulonglong2" ULongLong3 "ulonglong3" ULongLong4A16 "ulonglong4_16a" ULongLong4A32 "ulonglong4_32a";
    f64: Double1 "double1" Double2 "double2" Double3 "double3" Double4A16 "double4_16a" Double4A32 "double4_32a";
}

signed! {
    Char1: x; Char2: x y; Char3: x y z; Char4: x y z w;
    Short1: x; Short2: x y; Short3: x y z; Short4: x y z w;
    Int1: x; Int2: x y; Int3: x y z; Int4: x y z w;
    LongLong1: x; LongLong2: x y; LongLong3: x y z; LongLong4A16: x y z w; LongLong4A32: x y z w;
    Float1: x; Float2: x y; Float3: x y z; Float4: x y z w;
    Double1: x; Double2: x y; Double3: x y z; Double4A16: x y z w; Double4A32: x y z w;
}

wrapping! {
    Char1: x; Char2: x y; Char3: x y z; Char4: x y z w;
    UChar1: x; UChar2: x y; UChar3: x y z; UChar4: x y z w;
    Short1: x; Short2: x y; Short3: x y z; Short4: x y z w;
    UShort1: x; UShort2: x y; UShort3: x y z; UShort4: x y z w;
    Int1: x; Int2: x y; Int3: x y z; Int4: x y z w;
    UInt1: x; UInt2: x y; UInt3: x y z; UInt4: x y z w;
    LongLong1: x; LongLong2: x y; LongLong3: x y z; LongLong4A16: x y z w; LongLong4A32: x y z w;
    ULongLong1: x; ULongLong2: x y; ULongLong3: x y z; ULongLong4A16: x y z w; ULongLong4A32: x y z w;
}

macro_rules! long {
    ($($alias:ident = $long:ident or $int:ident, $cuda:literal;)*) => {$(
        #[doc = concat!("CUDA's `", $cuda, "`: elements of C's `long`.")]
        #[cfg(all(target_pointer_width = "64", not(windows)))]
        pub type $alias = $long;
        #[doc = concat!("CUDA's `", $cuda, "`: elements of C's `long`.")]
        #[cfg(not(all(target_pointer_width = "64", not(windows))))]
        pub type $alias = $int;
    )*};
}
long! {
    Long1 = LongLong1 or Int1, "long1";
    Long2 = LongLong2 or Int2, "long2";
    Long3 = LongLong3 or Int3, "long3";
    Long4A16 = LongLong4A16 or Int4, "long4_16a";
    ULong1 = ULongLong1 or UInt1, "ulong1";
    ULong2 = ULongLong2 or UInt2, "ulong2";
    ULong3 = ULongLong3 or UInt3, "ulong3";
    ULong4A16 = ULongLong4A16 or UInt4, "ulong4_16a";
}

/// CUDA's `long4_32a`: only where `long` has 64 bit.
#[cfg(all(target_pointer_width = "64", not(windows)))]
pub type Long4A32 = LongLong4A32;
/// CUDA's `ulong4_32a`: only where `long` has 64 bit.
#[cfg(all(target_pointer_width = "64", not(windows)))]
pub type ULong4A32 = ULongLong4A32;

impl From<crate::Dim3> for UInt3 {
    #[inline(always)]
    fn from(extents: crate::Dim3) -> Self {
        UInt3::new(extents.x, extents.y, extents.z)
    }
}
impl From<UInt3> for crate::Dim3 {
    #[inline(always)]
    fn from(vector: UInt3) -> Self {
        let UInt3 { x, y, z } = vector;
        crate::Dim3 { x, y, z }
    }
}
