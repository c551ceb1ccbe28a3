//! Every combination of shape and types, one by one.

use super::numbers::{Distribution, Number, element_of_a, element_of_b, element_of_c};
use super::{Case, Rows};
use warploom::device_std::mma::{
    A, B, B1, D, E4m3, E5m2, M8N8K4, M16N8K4, M16N8K8, M16N8K16, M16N8K32, M16N8K64, M16N8K128,
    M16N8K256, S4, Shape, SumShape, Tf32, U4,
};
use warploom::prelude::*;

macro_rules! cases {
    ($($name:ident: $shape:ident $a:ident $b:ident $d:ident $method:ident;)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`")]
            #[allow(non_camel_case_types, reason = "the name of the instruction")]
            pub enum $name {}

            impl Case for $name {
                const NAME: &'static str = stringify!($name);
                const SHAPE: [usize; 3] = [<$shape as Shape>::M as usize, <$shape as Shape>::N as usize, <$shape as Shape>::K as usize];

                #[inline(always)]
                fn run(warp: Warp<'_>, product: u64, distribution: Distribution, mut with: impl FnMut(usize, usize, u64)) {
                    let rows = Rows { product, distribution };
                    let a = A::<$shape, $a>::from_fn(warp, |row, k| element_of_a::<$a>(rows, row, k));
                    let b = B::<$shape, $b>::from_fn(warp, |k, column| element_of_b::<$b>(rows, k, column));
                    let c = D::<<$shape as Shape>::Sums, $d>::from_fn(warp, |row, column| element_of_c::<$d>(rows, row, column));
                    let d = warp.$method(a, b, c);
                    d.for_each(warp, |row, column, value| with(row, column, value.bits()));
                }

                fn operand(role: char, product: u64, distribution: Distribution, row: usize, column: usize) -> u64 {
                    let rows = Rows { product, distribution };
                    match role {
                        'a' => <$a as Number>::of_a(rows, row, column).bits(),
                        'b' => <$b as Number>::of_b(rows, row, column).bits(),
                        _ => <$d as Number>::of_c(rows, row, column).bits(),
                    }
                }
            }

            const _: () = assert!(<<$shape as Shape>::Sums as SumShape>::N == 8);
        )*

        /// Calls `with` for each case.
        #[macro_export]
        macro_rules! each_tensor_core_case {
            ($with:ident) => { $($with!($name);)* };
        }
    };
}

cases! {
    mma_m16n8k8_f16_f16_f16: M16N8K8 F16 F16 F16 mma;
    mma_m16n8k8_f32_f16_f16: M16N8K8 F16 F16 f32 mma;
    mma_m16n8k16_f16_f16_f16: M16N8K16 F16 F16 F16 mma;
    mma_m16n8k16_f32_f16_f16: M16N8K16 F16 F16 f32 mma;
    mma_m16n8k8_f32_bf16_bf16: M16N8K8 Bf16 Bf16 f32 mma;
    mma_m16n8k16_f32_bf16_bf16: M16N8K16 Bf16 Bf16 f32 mma;
    mma_m16n8k4_f32_tf32_tf32: M16N8K4 Tf32 Tf32 f32 mma;
    mma_m16n8k8_f32_tf32_tf32: M16N8K8 Tf32 Tf32 f32 mma;
    mma_m16n8k32_f32_e4m3_e4m3: M16N8K32 E4m3 E4m3 f32 mma;
    mma_m16n8k32_f32_e4m3_e5m2: M16N8K32 E4m3 E5m2 f32 mma;
    mma_m16n8k32_f32_e5m2_e4m3: M16N8K32 E5m2 E4m3 f32 mma;
    mma_m16n8k32_f32_e5m2_e5m2: M16N8K32 E5m2 E5m2 f32 mma;
    mma_m8n8k4_f64_f64_f64: M8N8K4 f64 f64 f64 mma;
    mma_m16n8k4_f64_f64_f64: M16N8K4 f64 f64 f64 mma;
    mma_m16n8k8_f64_f64_f64: M16N8K8 f64 f64 f64 mma;
    mma_m16n8k16_f64_f64_f64: M16N8K16 f64 f64 f64 mma;
    mma_m16n8k16_s32_s8_s8: M16N8K16 i8 i8 i32 mma;
    mma_m16n8k16_s32_s8_u8: M16N8K16 i8 u8 i32 mma;
    mma_m16n8k16_s32_u8_s8: M16N8K16 u8 i8 i32 mma;
    mma_m16n8k16_s32_u8_u8: M16N8K16 u8 u8 i32 mma;
    mma_m16n8k32_s32_s8_s8: M16N8K32 i8 i8 i32 mma;
    mma_m16n8k32_s32_s8_u8: M16N8K32 i8 u8 i32 mma;
    mma_m16n8k32_s32_u8_s8: M16N8K32 u8 i8 i32 mma;
    mma_m16n8k32_s32_u8_u8: M16N8K32 u8 u8 i32 mma;
    mma_m16n8k32_s32_s4_s4: M16N8K32 S4 S4 i32 mma;
    mma_m16n8k32_s32_s4_u4: M16N8K32 S4 U4 i32 mma;
    mma_m16n8k32_s32_u4_s4: M16N8K32 U4 S4 i32 mma;
    mma_m16n8k32_s32_u4_u4: M16N8K32 U4 U4 i32 mma;
    mma_m16n8k64_s32_s4_s4: M16N8K64 S4 S4 i32 mma;
    mma_m16n8k64_s32_s4_u4: M16N8K64 S4 U4 i32 mma;
    mma_m16n8k64_s32_u4_s4: M16N8K64 U4 S4 i32 mma;
    mma_m16n8k64_s32_u4_u4: M16N8K64 U4 U4 i32 mma;
    mma_m16n8k16_s32_s8_s8_satfinite: M16N8K16 i8 i8 i32 mma_saturating;
    mma_m16n8k16_s32_s8_u8_satfinite: M16N8K16 i8 u8 i32 mma_saturating;
    mma_m16n8k16_s32_u8_s8_satfinite: M16N8K16 u8 i8 i32 mma_saturating;
    mma_m16n8k16_s32_u8_u8_satfinite: M16N8K16 u8 u8 i32 mma_saturating;
    mma_m16n8k32_s32_s8_s8_satfinite: M16N8K32 i8 i8 i32 mma_saturating;
    mma_m16n8k32_s32_s8_u8_satfinite: M16N8K32 i8 u8 i32 mma_saturating;
    mma_m16n8k32_s32_u8_s8_satfinite: M16N8K32 u8 i8 i32 mma_saturating;
    mma_m16n8k32_s32_u8_u8_satfinite: M16N8K32 u8 u8 i32 mma_saturating;
    mma_m16n8k32_s32_s4_s4_satfinite: M16N8K32 S4 S4 i32 mma_saturating;
    mma_m16n8k32_s32_s4_u4_satfinite: M16N8K32 S4 U4 i32 mma_saturating;
    mma_m16n8k32_s32_u4_s4_satfinite: M16N8K32 U4 S4 i32 mma_saturating;
    mma_m16n8k32_s32_u4_u4_satfinite: M16N8K32 U4 U4 i32 mma_saturating;
    mma_m16n8k64_s32_s4_s4_satfinite: M16N8K64 S4 S4 i32 mma_saturating;
    mma_m16n8k64_s32_s4_u4_satfinite: M16N8K64 S4 U4 i32 mma_saturating;
    mma_m16n8k64_s32_u4_s4_satfinite: M16N8K64 U4 S4 i32 mma_saturating;
    mma_m16n8k64_s32_u4_u4_satfinite: M16N8K64 U4 U4 i32 mma_saturating;
    mma_m16n8k128_s32_b1_b1_and: M16N8K128 B1 B1 i32 mma_and;
    mma_m16n8k256_s32_b1_b1_and: M16N8K256 B1 B1 i32 mma_and;
    mma_m16n8k128_s32_b1_b1_xor: M16N8K128 B1 B1 i32 mma_xor;
    mma_m16n8k256_s32_b1_b1_xor: M16N8K256 B1 B1 i32 mma_xor;
}
