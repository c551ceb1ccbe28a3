//! Arithmetic of 16-bit floating point numbers, as their bits; pairs have the first number in the low half.

use super::Intrinsic;

intrinsics! {
    /// `a + b`, to nearest. PTX `add.rn.f16`.
    scalar fn f16_add(a: u16, b: u16) -> u16 = "asm:|add.rn.f16 $0, $1, $2;";
    /// `a - b`, to nearest. PTX `sub.rn.f16`.
    scalar fn f16_sub(a: u16, b: u16) -> u16 = "asm:|sub.rn.f16 $0, $1, $2;";
    /// `a · b`, to nearest. PTX `mul.rn.f16`.
    scalar fn f16_mul(a: u16, b: u16) -> u16 = "asm:|mul.rn.f16 $0, $1, $2;";
    /// `a · b + c`, rounded once, to nearest. PTX `fma.rn.f16`.
    scalar fn f16_fma(a: u16, b: u16, c: u16) -> u16 = "asm:|fma.rn.f16 $0, $1, $2, $3;";
    /// The lesser of two, or the one that is a number; −0 is below +0. PTX `min.f16`, sm_80.
    scalar fn f16_min(a: u16, b: u16) -> u16 = "asm:sm80+ptx70|min.f16 $0, $1, $2;";
    /// The greater of two, or the one that is a number; −0 is below +0. PTX `max.f16`, sm_80.
    scalar fn f16_max(a: u16, b: u16) -> u16 = "asm:sm80+ptx70|max.f16 $0, $1, $2;";
    /// `a + b`, to nearest. Both halves. PTX `add.rn.f16x2`.
    scalar fn f16x2_add(a: u32, b: u32) -> u32 = "asm:|add.rn.f16x2 $0, $1, $2;";
    /// `a - b`, to nearest. Both halves. PTX `sub.rn.f16x2`.
    scalar fn f16x2_sub(a: u32, b: u32) -> u32 = "asm:|sub.rn.f16x2 $0, $1, $2;";
    /// `a · b`, to nearest. Both halves. PTX `mul.rn.f16x2`.
    scalar fn f16x2_mul(a: u32, b: u32) -> u32 = "asm:|mul.rn.f16x2 $0, $1, $2;";
    /// `a · b + c`, rounded once, to nearest. Both halves. PTX `fma.rn.f16x2`.
    scalar fn f16x2_fma(a: u32, b: u32, c: u32) -> u32 = "asm:|fma.rn.f16x2 $0, $1, $2, $3;";
    /// The lesser of two, or the one that is a number; −0 is below +0. Both halves. PTX `min.f16x2`, sm_80.
    scalar fn f16x2_min(a: u32, b: u32) -> u32 = "asm:sm80+ptx70|min.f16x2 $0, $1, $2;";
    /// The greater of two, or the one that is a number; −0 is below +0. Both halves. PTX `max.f16x2`, sm_80.
    scalar fn f16x2_max(a: u32, b: u32) -> u32 = "asm:sm80+ptx70|max.f16x2 $0, $1, $2;";
    /// `a · b + c`, rounded once, to nearest. PTX `fma.rn.bf16`, sm_80.
    scalar fn bf16_fma(a: u16, b: u16, c: u16) -> u16 = "asm:sm80+ptx70|fma.rn.bf16 $0, $1, $2, $3;";
    /// The lesser of two, or the one that is a number; −0 is below +0. PTX `min.bf16`, sm_80.
    scalar fn bf16_min(a: u16, b: u16) -> u16 = "asm:sm80+ptx70|min.bf16 $0, $1, $2;";
    /// The greater of two, or the one that is a number; −0 is below +0. PTX `max.bf16`, sm_80.
    scalar fn bf16_max(a: u16, b: u16) -> u16 = "asm:sm80+ptx70|max.bf16 $0, $1, $2;";
    /// `a · b + c`, rounded once, to nearest. Both halves. PTX `fma.rn.bf16x2`, sm_80.
    scalar fn bf16x2_fma(a: u32, b: u32, c: u32) -> u32 = "asm:sm80+ptx70|fma.rn.bf16x2 $0, $1, $2, $3;";
    /// The lesser of two, or the one that is a number; −0 is below +0. Both halves. PTX `min.bf16x2`, sm_80.
    scalar fn bf16x2_min(a: u32, b: u32) -> u32 = "asm:sm80+ptx70|min.bf16x2 $0, $1, $2;";
    /// The greater of two, or the one that is a number; −0 is below +0. Both halves. PTX `max.bf16x2`, sm_80.
    scalar fn bf16x2_max(a: u32, b: u32) -> u32 = "asm:sm80+ptx70|max.bf16x2 $0, $1, $2;";
    /// Exactly. PTX `cvt.f32.f16`.
    scalar fn f16_to_f32(x: u16) -> f32 = "asm:|cvt.f32.f16 $0, $1;";
    /// The number to nearest, ties to even. CUDA `__float2half_rn` · PTX `cvt.rn.f16.f32`.
    scalar fn f32_to_f16_rn(x: f32) -> u16 = "asm:|cvt.rn.f16.f32 $0, $1;";
    /// The number toward zero. CUDA `__float2half_rz` · PTX `cvt.rz.f16.f32`.
    scalar fn f32_to_f16_rz(x: f32) -> u16 = "asm:|cvt.rz.f16.f32 $0, $1;";
    /// The number toward +∞. CUDA `__float2half_ru` · PTX `cvt.rp.f16.f32`.
    scalar fn f32_to_f16_ru(x: f32) -> u16 = "asm:|cvt.rp.f16.f32 $0, $1;";
    /// The number toward −∞. CUDA `__float2half_rd` · PTX `cvt.rm.f16.f32`.
    scalar fn f32_to_f16_rd(x: f32) -> u16 = "asm:|cvt.rm.f16.f32 $0, $1;";
    /// The number to nearest, ties to even. CUDA `__double2half` · PTX `cvt.rn.f16.f64`.
    scalar fn f64_to_f16_rn(x: f64) -> u16 = "asm:|cvt.rn.f16.f64 $0, $1;";
    /// The number to nearest, ties to even. CUDA `__float2bfloat16_rn` · PTX `cvt.rn.bf16.f32`, sm_80.
    scalar fn f32_to_bf16_rn(x: f32) -> u16 = "asm:sm80+ptx70|cvt.rn.bf16.f32 $0, $1;";
    /// Both numbers to nearest, ties to even; the first in the low half. CUDA `__floats2half2_rn` · PTX `cvt.rn.f16x2.f32`, sm_80.
    scalar fn f32s_to_f16x2_rn(low: f32, high: f32) -> u32 = "asm:sm80+ptx70|cvt.rn.f16x2.f32 $0, $2, $1;";
    /// Both numbers to nearest, ties to even; the first in the low half. CUDA `__floats2bfloat162_rn` · PTX `cvt.rn.bf16x2.f32`, sm_80.
    scalar fn f32s_to_bf16x2_rn(low: f32, high: f32) -> u32 = "asm:sm80+ptx70|cvt.rn.bf16x2.f32 $0, $2, $1;";
}
