//! Products: PTX ISA, `wmma.mma`. A line for each combination of types and shape.

use super::call::call;
#[cfg(not(warploom_device))]
use super::call::shim;
#[cfg(not(warploom_device))]
use super::emulated::{multiply_add, product};
#[cfg(not(warploom_device))]
use super::shapes::M8N8K128;
use super::shapes::{
    Accumulator, ColMajor, M8N8K4, M8N8K32, M8N32K16, M16N16K8, M16N16K16, M32N8K16, MatrixA,
    MatrixB, RowMajor,
};
use super::traits::{Fragments, Multiply, MultiplySaturating};
use super::{S4, Tf32, U4};
#[cfg(not(warploom_device))]
use crate::intrinsics::Shim;
use crate::{Bf16, F16};

/// `operation` is in front of `.sync`; `types` are those of the sums alone for `F16`.
macro_rules! multiply_symbol {
    ($needs:literal, [$d:literal, $a:literal, $b:literal, $c:literal], $operation:literal, $layouts:literal, $shape:literal, $types:literal) => {
        concat!(
            "__warploom.registers:convergent+",
            $needs,
            "|=",
            $d,
            ",",
            $a,
            ",",
            $b,
            ",",
            $c,
            "|wmma.mma",
            $operation,
            ".sync.aligned.",
            $layouts,
            ".",
            $shape,
            ".",
            $types,
            " @0, @1, @2, @3;"
        )
    };
}

/// The registers of a factor.
type FactorOf<T, Role, S, L> = <T as Fragments<Role, S, L>>::Registers;
/// The registers of a sum.
type SumOf<T, S> = <T as Fragments<Accumulator, S, ()>>::Registers;

/// The body of a product: calls the instruction.
macro_rules! multiply {
    ($kind:ident $c_kind:ident $d_kind:ident $operation:ident $shape:ident $registers:tt $symbol:expr, $a:ident $b:ident $c:ident $d:ty) => {{
        let mut d: $d = super::elements::zeroed();
        call!(
            $symbol,
            multiply_add(product!($kind $c_kind $d_kind $operation $shape $registers)),
            d: *mut u32 = d.as_mut_ptr().cast(), a: *const u32 = $a.as_ptr().cast(), b: *const u32 = $b.as_ptr().cast(), c: *const u32 = $c.as_ptr().cast()
        );
        d
    }};
}

/// What instrumented code calls for a product.
#[cfg(not(warploom_device))]
macro_rules! multiply_shim {
    ($kind:ident $c_kind:ident $d_kind:ident $operation:ident $shape:ident $registers:tt $symbol:expr) => {
        shim!(
            $symbol,
            multiply_add(product!($kind $c_kind $d_kind $operation $shape $registers)),
            d: *mut u32, a: *const u32, b: *const u32, c: *const u32
        )
    };
}

/// A product in one pair of layouts.
macro_rules! layouts {
    ($ty:ident $kind:ident $shape:ident $shape_name:literal $needs:literal $registers:tt $c:ident $c_kind:ident $d:ident $d_kind:ident $types:literal:
        $a_layout:ident $b_layout:ident $layouts:literal) => {
        impl Multiply<$shape, $a_layout, $b_layout, $c, $d> for $ty {
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            unsafe fn multiply(
                a: &FactorOf<$ty, MatrixA, $shape, $a_layout>,
                b: &FactorOf<$ty, MatrixB, $shape, $b_layout>,
                c: &SumOf<$c, $shape>,
            ) -> SumOf<$d, $shape> {
                multiply!($kind $c_kind $d_kind Multiply $shape $registers multiply_symbol!($needs, $registers, "", $layouts, $shape_name, $types), a b c SumOf<$d, $shape>)
            }
        }
    };
}

/// A saturating product in one pair of layouts; `types` with `.satfinite`.
macro_rules! saturating {
    ($ty:ident $kind:ident $shape:ident $shape_name:literal $needs:literal $registers:tt $types:literal: $a_layout:ident $b_layout:ident $layouts:literal) => {
        impl MultiplySaturating<$shape, $a_layout, $b_layout> for $ty {
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            unsafe fn multiply_saturating(
                a: &FactorOf<$ty, MatrixA, $shape, $a_layout>,
                b: &FactorOf<$ty, MatrixB, $shape, $b_layout>,
                c: &SumOf<i32, $shape>,
            ) -> SumOf<i32, $shape> {
                multiply!($kind I32 I32 Saturating $shape $registers multiply_symbol!($needs, $registers, "", $layouts, $shape_name, $types), a b c SumOf<i32, $shape>)
            }
        }
    };
}

macro_rules! products {
    ($($ty:ident $kind:ident $shape:ident $shape_name:literal $needs:literal $registers:tt $c:ident $c_kind:ident $d:ident $d_kind:ident $types:literal;)*) => {
        $(
            layouts!($ty $kind $shape $shape_name $needs $registers $c $c_kind $d $d_kind $types: RowMajor RowMajor "row.row");
            layouts!($ty $kind $shape $shape_name $needs $registers $c $c_kind $d $d_kind $types: RowMajor ColMajor "row.col");
            layouts!($ty $kind $shape $shape_name $needs $registers $c $c_kind $d $d_kind $types: ColMajor RowMajor "col.row");
            layouts!($ty $kind $shape $shape_name $needs $registers $c $c_kind $d $d_kind $types: ColMajor ColMajor "col.col");
        )*
        /// What instrumented code calls for products.
        #[cfg(not(warploom_device))]
        pub(super) const PRODUCT_SHIMS: &[Shim] = &[$(
            multiply_shim!($kind $c_kind $d_kind Multiply $shape $registers multiply_symbol!($needs, $registers, "", "row.row", $shape_name, $types)),
            multiply_shim!($kind $c_kind $d_kind Multiply $shape $registers multiply_symbol!($needs, $registers, "", "row.col", $shape_name, $types)),
            multiply_shim!($kind $c_kind $d_kind Multiply $shape $registers multiply_symbol!($needs, $registers, "", "col.row", $shape_name, $types)),
            multiply_shim!($kind $c_kind $d_kind Multiply $shape $registers multiply_symbol!($needs, $registers, "", "col.col", $shape_name, $types)),
        )*];
    };
}

products! {
    F16 F16 M16N16K16 "m16n16k16" "sm70+ptx60" ["r8", "r8", "r8", "r8"] f32 F32 f32 F32 "f32.f32";
    F16 F16 M16N16K16 "m16n16k16" "sm70+ptx60" ["r4", "r8", "r8", "r4"] F16 F16 F16 F16 "f16.f16";
    F16 F16 M16N16K16 "m16n16k16" "sm70+ptx60" ["r8", "r8", "r8", "r4"] F16 F16 f32 F32 "f32.f16";
    F16 F16 M16N16K16 "m16n16k16" "sm70+ptx60" ["r4", "r8", "r8", "r8"] f32 F32 F16 F16 "f16.f32";
    F16 F16 M32N8K16 "m32n8k16" "sm70+ptx61" ["r8", "r8", "r8", "r8"] f32 F32 f32 F32 "f32.f32";
    F16 F16 M32N8K16 "m32n8k16" "sm70+ptx61" ["r4", "r8", "r8", "r4"] F16 F16 F16 F16 "f16.f16";
    F16 F16 M32N8K16 "m32n8k16" "sm70+ptx61" ["r8", "r8", "r8", "r4"] F16 F16 f32 F32 "f32.f16";
    F16 F16 M32N8K16 "m32n8k16" "sm70+ptx61" ["r4", "r8", "r8", "r8"] f32 F32 F16 F16 "f16.f32";
    F16 F16 M8N32K16 "m8n32k16" "sm70+ptx61" ["r8", "r8", "r8", "r8"] f32 F32 f32 F32 "f32.f32";
    F16 F16 M8N32K16 "m8n32k16" "sm70+ptx61" ["r4", "r8", "r8", "r4"] F16 F16 F16 F16 "f16.f16";
    F16 F16 M8N32K16 "m8n32k16" "sm70+ptx61" ["r8", "r8", "r8", "r4"] F16 F16 f32 F32 "f32.f16";
    F16 F16 M8N32K16 "m8n32k16" "sm70+ptx61" ["r4", "r8", "r8", "r8"] f32 F32 F16 F16 "f16.f32";
    Bf16 Bf16 M16N16K16 "m16n16k16" "sm80+ptx70" ["r8", "r4", "r4", "r8"] f32 F32 f32 F32 "f32.bf16.bf16.f32";
    Bf16 Bf16 M32N8K16 "m32n8k16" "sm80+ptx70" ["r8", "r8", "r2", "r8"] f32 F32 f32 F32 "f32.bf16.bf16.f32";
    Bf16 Bf16 M8N32K16 "m8n32k16" "sm80+ptx70" ["r8", "r2", "r8", "r8"] f32 F32 f32 F32 "f32.bf16.bf16.f32";
    Tf32 Tf32 M16N16K8 "m16n16k8" "sm80+ptx70" ["r8", "r4", "r4", "r8"] f32 F32 f32 F32 "f32.tf32.tf32.f32";
    f64 F64 M8N8K4 "m8n8k4" "sm80+ptx70" ["d2", "d1", "d1", "d2"] f64 F64 f64 F64 "f64.f64.f64.f64";
    i8 I8 M16N16K16 "m16n16k16" "sm72+ptx63" ["r8", "r2", "r2", "r8"] i32 I32 i32 I32 "s32.s8.s8.s32";
    i8 I8 M32N8K16 "m32n8k16" "sm72+ptx63" ["r8", "r4", "r1", "r8"] i32 I32 i32 I32 "s32.s8.s8.s32";
    i8 I8 M8N32K16 "m8n32k16" "sm72+ptx63" ["r8", "r1", "r4", "r8"] i32 I32 i32 I32 "s32.s8.s8.s32";
    u8 U8 M16N16K16 "m16n16k16" "sm72+ptx63" ["r8", "r2", "r2", "r8"] i32 I32 i32 I32 "s32.u8.u8.s32";
    u8 U8 M32N8K16 "m32n8k16" "sm72+ptx63" ["r8", "r4", "r1", "r8"] i32 I32 i32 I32 "s32.u8.u8.s32";
    u8 U8 M8N32K16 "m8n32k16" "sm72+ptx63" ["r8", "r1", "r4", "r8"] i32 I32 i32 I32 "s32.u8.u8.s32";
}

macro_rules! saturating_products {
    ($($ty:ident $kind:ident $shape:ident $shape_name:literal $registers:tt $types:literal;)*) => {
        $(
            saturating!($ty $kind $shape $shape_name "sm72+ptx63" $registers $types: RowMajor RowMajor "row.row");
            saturating!($ty $kind $shape $shape_name "sm72+ptx63" $registers $types: RowMajor ColMajor "row.col");
            saturating!($ty $kind $shape $shape_name "sm72+ptx63" $registers $types: ColMajor RowMajor "col.row");
            saturating!($ty $kind $shape $shape_name "sm72+ptx63" $registers $types: ColMajor ColMajor "col.col");
        )*
        /// What instrumented code calls for saturating products.
        #[cfg(not(warploom_device))]
        pub(super) const SATURATING_SHIMS: &[Shim] = &[$(
            multiply_shim!($kind I32 I32 Saturating $shape $registers multiply_symbol!("sm72+ptx63", $registers, "", "row.row", $shape_name, $types)),
            multiply_shim!($kind I32 I32 Saturating $shape $registers multiply_symbol!("sm72+ptx63", $registers, "", "row.col", $shape_name, $types)),
            multiply_shim!($kind I32 I32 Saturating $shape $registers multiply_symbol!("sm72+ptx63", $registers, "", "col.row", $shape_name, $types)),
            multiply_shim!($kind I32 I32 Saturating $shape $registers multiply_symbol!("sm72+ptx63", $registers, "", "col.col", $shape_name, $types)),
        )*];
    };
}

saturating_products! {
    i8 I8 M16N16K16 "m16n16k16" ["r8", "r2", "r2", "r8"] "s32.s8.s8.s32.satfinite";
    i8 I8 M32N8K16 "m32n8k16" ["r8", "r4", "r1", "r8"] "s32.s8.s8.s32.satfinite";
    i8 I8 M8N32K16 "m8n32k16" ["r8", "r1", "r4", "r8"] "s32.s8.s8.s32.satfinite";
    u8 U8 M16N16K16 "m16n16k16" ["r8", "r2", "r2", "r8"] "s32.u8.u8.s32.satfinite";
    u8 U8 M32N8K16 "m32n8k16" ["r8", "r4", "r1", "r8"] "s32.u8.u8.s32.satfinite";
    u8 U8 M8N32K16 "m8n32k16" ["r8", "r1", "r4", "r8"] "s32.u8.u8.s32.satfinite";
}

/// Factors of 4 bits, with `A` in rows and `B` in columns.
macro_rules! nibble_products {
    ($($ty:ident $kind:ident $types:literal $saturating:literal;)*) => {
        $(
            layouts!($ty $kind M8N8K32 "m8n8k32" "sm75+ptx63+below90" ["r2", "r1", "r1", "r2"] i32 I32 i32 I32 $types: RowMajor ColMajor "row.col");
            saturating!($ty $kind M8N8K32 "m8n8k32" "sm75+ptx63+below90" ["r2", "r1", "r1", "r2"] $saturating: RowMajor ColMajor "row.col");
        )*
        /// What instrumented code calls for products of 4 bits.
        #[cfg(not(warploom_device))]
        pub(super) const NIBBLE_SHIMS: &[Shim] = &[$(
            multiply_shim!($kind I32 I32 Multiply M8N8K32 ["r2", "r1", "r1", "r2"] multiply_symbol!("sm75+ptx63+below90", ["r2", "r1", "r1", "r2"], "", "row.col", "m8n8k32", $types)),
            multiply_shim!($kind I32 I32 Saturating M8N8K32 ["r2", "r1", "r1", "r2"] multiply_symbol!("sm75+ptx63+below90", ["r2", "r1", "r1", "r2"], "", "row.col", "m8n8k32", $saturating)),
        )*];
    };
}

nibble_products! {
    S4 S4 "s32.s4.s4.s32" "s32.s4.s4.s32.satfinite";
    U4 U4 "s32.u4.u4.s32" "s32.u4.u4.s32.satfinite";
}

/// Products of bits: those that differ, and those that are set in both.
macro_rules! bit_products {
    ($($(#[$doc:meta])* $function:ident $operation:ident $needs:literal $name:literal;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// All lanes of the warp make this call.
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            pub(super) unsafe fn $function(a: &[u32; 1], b: &[u32; 1], c: &[u32; 2]) -> [u32; 2] {
                multiply!(B1 I32 I32 $operation M8N8K128 ["r2", "r1", "r1", "r2"] multiply_symbol!($needs, ["r2", "r1", "r1", "r2"], $name, "row.col", "m8n8k128", "s32.b1.b1.s32"), a b c [u32; 2])
            }
        )*
        /// What instrumented code calls for products of bits.
        #[cfg(not(warploom_device))]
        pub(super) const BIT_SHIMS: &[Shim] = &[$(
            multiply_shim!(B1 I32 I32 $operation M8N8K128 ["r2", "r1", "r1", "r2"] multiply_symbol!($needs, ["r2", "r1", "r1", "r2"], $name, "row.col", "m8n8k128", "s32.b1.b1.s32")),
        )*];
    };
}

bit_products! {
    /// Counts the bits that differ.
    xor Xor "sm75+ptx63+below90" ".xor.popc";
    /// Counts the bits that are set in both.
    and And "sm80+ptx71" ".and.popc";
}
