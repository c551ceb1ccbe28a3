//! `D = A · B + C`: one instruction for each combination of shape and types.

use super::element::{B1, E4m3, E5m2, Element, S4, SumElement, U4};
use super::fragment::{A, B, D};
use super::registers::Registers;
use super::shape::{
    Holds, HoldsSums, M8N8K4, M16N8K4, M16N8K8, M16N8K16, M16N8K32, M16N8K64, M16N8K128, M16N8K256,
    Shape,
};
use super::tf32::Tf32;
use crate::{Bf16, F16, Warp, intrinsics as raw};

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident $function:ident: $what:literal;)*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = $what,
            label = "no tensor core has this combination of a shape and types",
            note = "the combinations are in the documentation of `device_std::mma`"
        )]
        pub trait $name<TA: Element, TB: Element, TD: SumElement>: Holds<TA> + Holds<TB> + Shape<Sums: HoldsSums<TD>> {
            /// # Safety
            /// The registers of a lane; all lanes of the warp make this call.
            #[doc(hidden)]
            unsafe fn $function(d: *mut u32, a: *const u32, b: *const u32, c: *const u32);
        }
    )*};
}

// Rule: product-has-an-instruction
// Each combination of shape and types is an instruction; what has none would be a loop that looks like one.
kinds! {
    /// Shapes that multiply `TA` with `TB` and add to `TD`; sums of integers wrap.
    MultiplyAdd multiply_add: "`{Self}` cannot multiply `{TA}` with `{TB}` and add to `{TD}`";
    /// Shapes that multiply integers; sums that do not fit become the least or the greatest `i32`.
    MultiplyAddSaturating multiply_add: "`{Self}` cannot multiply `{TA}` with `{TB}` and add to `{TD}` with saturation";
    /// Shapes that count the bits that are set in both of two rows of bits.
    AndCount multiply_add: "`{Self}` cannot count the bits set in both `{TA}` and `{TB}` as `{TD}`";
    /// Shapes that count the bits in which two rows of bits differ.
    XorCount multiply_add: "`{Self}` cannot count the bits in which `{TA}` and `{TB}` differ as `{TD}`";
}

macro_rules! products {
    ($kind:ident; $($shape:ident: $a:ident $b:ident $d:ident $intrinsic:ident;)*) => {$(
        impl $kind<$a, $b, $d> for $shape {
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            unsafe fn multiply_add(d: *mut u32, a: *const u32, b: *const u32, c: *const u32) {
                // SAFETY: the caller's promise.
                unsafe { raw::$intrinsic(d, a, b, c) }
            }
        }
    )*};
}

products! {
    MultiplyAdd;
    M16N8K8: F16 F16 F16 mma_m16n8k8_f16_f16_f16;
    M16N8K8: F16 F16 f32 mma_m16n8k8_f32_f16_f16;
    M16N8K16: F16 F16 F16 mma_m16n8k16_f16_f16_f16;
    M16N8K16: F16 F16 f32 mma_m16n8k16_f32_f16_f16;
    M16N8K8: Bf16 Bf16 f32 mma_m16n8k8_f32_bf16_bf16;
    M16N8K16: Bf16 Bf16 f32 mma_m16n8k16_f32_bf16_bf16;
    M16N8K4: Tf32 Tf32 f32 mma_m16n8k4_f32_tf32_tf32;
    M16N8K8: Tf32 Tf32 f32 mma_m16n8k8_f32_tf32_tf32;
    M16N8K32: E4m3 E4m3 f32 mma_m16n8k32_f32_e4m3_e4m3;
    M16N8K32: E4m3 E5m2 f32 mma_m16n8k32_f32_e4m3_e5m2;
    M16N8K32: E5m2 E4m3 f32 mma_m16n8k32_f32_e5m2_e4m3;
    M16N8K32: E5m2 E5m2 f32 mma_m16n8k32_f32_e5m2_e5m2;
    M8N8K4: f64 f64 f64 mma_m8n8k4_f64_f64_f64;
    M16N8K4: f64 f64 f64 mma_m16n8k4_f64_f64_f64;
    M16N8K8: f64 f64 f64 mma_m16n8k8_f64_f64_f64;
    M16N8K16: f64 f64 f64 mma_m16n8k16_f64_f64_f64;
    M16N8K16: i8 i8 i32 mma_m16n8k16_s32_s8_s8;
    M16N8K16: i8 u8 i32 mma_m16n8k16_s32_s8_u8;
    M16N8K16: u8 i8 i32 mma_m16n8k16_s32_u8_s8;
    M16N8K16: u8 u8 i32 mma_m16n8k16_s32_u8_u8;
    M16N8K32: i8 i8 i32 mma_m16n8k32_s32_s8_s8;
    M16N8K32: i8 u8 i32 mma_m16n8k32_s32_s8_u8;
    M16N8K32: u8 i8 i32 mma_m16n8k32_s32_u8_s8;
    M16N8K32: u8 u8 i32 mma_m16n8k32_s32_u8_u8;
    M16N8K32: S4 S4 i32 mma_m16n8k32_s32_s4_s4;
    M16N8K32: S4 U4 i32 mma_m16n8k32_s32_s4_u4;
    M16N8K32: U4 S4 i32 mma_m16n8k32_s32_u4_s4;
    M16N8K32: U4 U4 i32 mma_m16n8k32_s32_u4_u4;
    M16N8K64: S4 S4 i32 mma_m16n8k64_s32_s4_s4;
    M16N8K64: S4 U4 i32 mma_m16n8k64_s32_s4_u4;
    M16N8K64: U4 S4 i32 mma_m16n8k64_s32_u4_s4;
    M16N8K64: U4 U4 i32 mma_m16n8k64_s32_u4_u4;
}

products! {
    MultiplyAddSaturating;
    M16N8K16: i8 i8 i32 mma_m16n8k16_s32_s8_s8_satfinite;
    M16N8K16: i8 u8 i32 mma_m16n8k16_s32_s8_u8_satfinite;
    M16N8K16: u8 i8 i32 mma_m16n8k16_s32_u8_s8_satfinite;
    M16N8K16: u8 u8 i32 mma_m16n8k16_s32_u8_u8_satfinite;
    M16N8K32: i8 i8 i32 mma_m16n8k32_s32_s8_s8_satfinite;
    M16N8K32: i8 u8 i32 mma_m16n8k32_s32_s8_u8_satfinite;
    M16N8K32: u8 i8 i32 mma_m16n8k32_s32_u8_s8_satfinite;
    M16N8K32: u8 u8 i32 mma_m16n8k32_s32_u8_u8_satfinite;
    M16N8K32: S4 S4 i32 mma_m16n8k32_s32_s4_s4_satfinite;
    M16N8K32: S4 U4 i32 mma_m16n8k32_s32_s4_u4_satfinite;
    M16N8K32: U4 S4 i32 mma_m16n8k32_s32_u4_s4_satfinite;
    M16N8K32: U4 U4 i32 mma_m16n8k32_s32_u4_u4_satfinite;
    M16N8K64: S4 S4 i32 mma_m16n8k64_s32_s4_s4_satfinite;
    M16N8K64: S4 U4 i32 mma_m16n8k64_s32_s4_u4_satfinite;
    M16N8K64: U4 S4 i32 mma_m16n8k64_s32_u4_s4_satfinite;
    M16N8K64: U4 U4 i32 mma_m16n8k64_s32_u4_u4_satfinite;
}

products! {
    AndCount;
    M16N8K128: B1 B1 i32 mma_m16n8k128_s32_b1_b1_and;
    M16N8K256: B1 B1 i32 mma_m16n8k256_s32_b1_b1_and;
}

products! {
    XorCount;
    M16N8K128: B1 B1 i32 mma_m16n8k128_s32_b1_b1_xor;
    M16N8K256: B1 B1 i32 mma_m16n8k256_s32_b1_b1_xor;
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident $kind:ident;)*) => {
        impl Warp<'_> {$(
            $(#[$doc])*
            ///
            /// All lanes of the warp make this call together, and the block has a multiple of 32 threads. Where lanes are missing, a GPU gives
            /// unspecified numbers; the emulator reports it.
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            #[must_use]
            pub fn $name<S, TA, TB, TD>(self, a: A<S, TA>, b: B<S, TB>, c: D<S::Sums, TD>) -> D<S::Sums, TD>
            where
                S: $kind<TA, TB, TD>,
                TA: Element,
                TB: Element,
                TD: SumElement,
            {
                let mut d = c;
                let (from_a, from_b, from_c) = (a.registers.read(), b.registers.read(), c.registers.read());
                // SAFETY: arrays of as many registers as the instruction has; lanes that do not come leave numbers without meaning.
                unsafe { S::multiply_add(d.registers.write(), from_a, from_b, from_c) };
                d
            }
        )*}
    };
}

methods! {
    /// `a · b + c`, one instruction. Sums of integers wrap. CUDA: `nvcuda::wmma::mma_sync` has other shapes. PTX: `mma.sync.aligned`.
    ///
    /// How floating point is rounded depends on the GPU; the emulator gives the bits of compute capability 9.0. Compute capability: that of the
    /// combination in the table of [`mma`](crate::mma).
    mma MultiplyAdd;
    /// `a · b + c` of integers, each sum the nearest `i32`. PTX: `mma.sync.aligned` with `.satfinite`. Compute capability: 8.0.
    mma_saturating MultiplyAddSaturating;
    /// For each row of `a` and column of `b`, how many of their bits are both set, added to `c`. PTX: `mma.sync.aligned` with `.and.popc`. Compute
    /// capability: 8.0.
    mma_and AndCount;
    /// For each row of `a` and column of `b`, how many of their bits differ, added to `c`. PTX: `mma.sync.aligned` with `.xor.popc`. Compute
    /// capability: 8.0.
    mma_xor XorCount;
}
