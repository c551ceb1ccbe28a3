//! Arithmetic of `f32` that `core` has no function for, and the approximations of the hardware.
//!
//! Of an approximation the emulator gives the correctly rounded value; a GPU's differs from that by no more than the line says.

use super::Intrinsic;

intrinsics! {
    /// `a * b + c`, rounded once. PTX `fma.rn.f32` · sm_20.
    scalar fn fma_f32(a: f32, b: f32, c: f32) -> f32 = "llvm.nvvm.fma.rn.f";
    /// `a * b + c`, rounded once, then clamped to 0..=1; NaN becomes 0. PTX `fma.rn.sat.f32` · sm_20.
    scalar fn fma_sat_f32(a: f32, b: f32, c: f32) -> f32 = "llvm.nvvm.fma.rn.sat.f";
    /// `a * b`, rounded, also where the kernel allows contraction. CUDA `__fmul_rn` · PTX `mul.rn.f32`.
    scalar fn mul_apart_f32(a: f32, b: f32) -> f32 = "asm:|mul.rn.f32 $0, $1, $2;";
    /// The correctly rounded square root. PTX `sqrt.rn.f32` · sm_20.
    scalar fn sqrt_f32(x: f32) -> f32 = "llvm.nvvm.sqrt.rn.f";
    /// The largest integer not above `x`. PTX `cvt.rmi.f32.f32`.
    scalar fn floor_f32(x: f32) -> f32 = "llvm.nvvm.floor.f";
    /// The smallest integer not below `x`. PTX `cvt.rpi.f32.f32`.
    scalar fn ceil_f32(x: f32) -> f32 = "llvm.nvvm.ceil.f";
    /// The integer next to `x` towards zero. PTX `cvt.rzi.f32.f32`.
    scalar fn trunc_f32(x: f32) -> f32 = "llvm.nvvm.trunc.f";
    /// The integer nearest to `x`, even in a tie. PTX `cvt.rni.f32.f32`.
    scalar fn rint_f32(x: f32) -> f32 = "llvm.nvvm.round.f";
    /// 2 to the power of `x`; relative error at most 2^-22. PTX `ex2.approx.f32`.
    scalar fn ex2_approx_f32(x: f32) -> f32 = "asm:|ex2.approx.f32 $0, $1;";
    /// [`ex2_approx_f32`] with subnormal arguments and results taken for 0. PTX `ex2.approx.ftz.f32`.
    scalar fn ex2_approx_ftz_f32(x: f32) -> f32 = "asm:|ex2.approx.ftz.f32 $0, $1;";
    /// The logarithm to base 2; absolute error at most 2^-22 in 0.5..=2, relative error 2^-22 elsewhere. PTX `lg2.approx.f32`.
    scalar fn lg2_approx_f32(x: f32) -> f32 = "llvm.nvvm.lg2.approx.f";
    /// [`lg2_approx_f32`] with subnormal arguments taken for 0. PTX `lg2.approx.ftz.f32`.
    scalar fn lg2_approx_ftz_f32(x: f32) -> f32 = "llvm.nvvm.lg2.approx.ftz.f";
    /// The sine; absolute error at most 2^-20.5 in -π..=π. PTX `sin.approx.f32`.
    scalar fn sin_approx_f32(x: f32) -> f32 = "llvm.nvvm.sin.approx.f";
    /// The cosine; absolute error at most 2^-20.5 in -π..=π. PTX `cos.approx.f32`.
    scalar fn cos_approx_f32(x: f32) -> f32 = "llvm.nvvm.cos.approx.f";
    /// `1 / sqrt(x)`; relative error at most 2^-22. PTX `rsqrt.approx.f32`.
    scalar fn rsqrt_approx_f32(x: f32) -> f32 = "llvm.nvvm.rsqrt.approx.f";
    /// [`rsqrt_approx_f32`] with subnormal arguments taken for 0. PTX `rsqrt.approx.ftz.f32`.
    scalar fn rsqrt_approx_ftz_f32(x: f32) -> f32 = "llvm.nvvm.rsqrt.approx.ftz.f";
    /// `1 / x`, within 1 ulp. PTX `rcp.approx.f32`.
    scalar fn rcp_approx_f32(x: f32) -> f32 = "asm:|rcp.approx.f32 $0, $1;";
    /// [`rcp_approx_f32`] with subnormal arguments and results taken for 0. PTX `rcp.approx.ftz.f32`.
    scalar fn rcp_approx_ftz_f32(x: f32) -> f32 = "llvm.nvvm.rcp.approx.ftz.f";
    /// The square root; relative error at most 2^-22. PTX `sqrt.approx.f32`.
    scalar fn sqrt_approx_f32(x: f32) -> f32 = "llvm.nvvm.sqrt.approx.f";
    /// [`sqrt_approx_f32`] with subnormal arguments taken for 0. PTX `sqrt.approx.ftz.f32`.
    scalar fn sqrt_approx_ftz_f32(x: f32) -> f32 = "llvm.nvvm.sqrt.approx.ftz.f";
    /// `x / y` within 2 ulp for `|y|` in 2^-126..=2^126; 0 beyond (NaN if `x` is infinite). PTX `div.approx.f32`.
    scalar fn div_approx_f32(x: f32, y: f32) -> f32 = "llvm.nvvm.div.approx.f";
}
