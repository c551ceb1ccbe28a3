//! Arithmetic of `f32` that `core` has no function for, and the approximations of the hardware.
//!
//! Of an approximation the emulator gives the correctly rounded value; a GPU's differs from that by no more than the line says.

use super::Intrinsic;

intrinsics! {
    /// `a * b + c`, rounded once. PTX `fma.rn.f32` · sm_20.
    scalar fn fma_f32(a: f32, b: f32, c: f32) -> f32 = "llvm.fma.f32";
    /// `a * b + c`, rounded once, then clamped to 0..=1; NaN becomes 0. PTX `fma.rn.sat.f32` · sm_20.
    scalar fn fma_sat_f32(a: f32, b: f32, c: f32) -> f32 = "llvm.nvvm.fma.rn.sat.f";
    /// The correctly rounded square root. PTX `sqrt.rn.f32` · sm_20.
    scalar fn sqrt_f32(x: f32) -> f32 = "llvm.sqrt.f32";
    /// The largest integer not above `x`. PTX `cvt.rmi.f32.f32`.
    scalar fn floor_f32(x: f32) -> f32 = "llvm.floor.f32";
    /// The smallest integer not below `x`. PTX `cvt.rpi.f32.f32`.
    scalar fn ceil_f32(x: f32) -> f32 = "llvm.ceil.f32";
    /// The integer next to `x` towards zero. PTX `cvt.rzi.f32.f32`.
    scalar fn trunc_f32(x: f32) -> f32 = "llvm.trunc.f32";
    /// The integer nearest to `x`, even in a tie. PTX `cvt.rni.f32.f32`.
    scalar fn rint_f32(x: f32) -> f32 = "llvm.rint.f32";
    /// 2 to the power of `x`; relative error at most 2^-22. PTX `ex2.approx.f32`.
    scalar fn ex2_approx_f32(x: f32) -> f32 = "asm:|ex2.approx.f32 $0, $1;";
    /// [`ex2_approx_f32`] with subnormal arguments and results taken for 0. PTX `ex2.approx.ftz.f32`.
    scalar fn ex2_approx_ftz_f32(x: f32) -> f32 = "asm:|ex2.approx.ftz.f32 $0, $1;";
    /// The logarithm to base 2; absolute error at most 2^-22 in 0.5..=2, relative error 2^-22 elsewhere. PTX `lg2.approx.f32`.
    scalar fn lg2_approx_f32(x: f32) -> f32 = "asm:|lg2.approx.f32 $0, $1;";
    /// [`lg2_approx_f32`] with subnormal arguments taken for 0. PTX `lg2.approx.ftz.f32`.
    scalar fn lg2_approx_ftz_f32(x: f32) -> f32 = "asm:|lg2.approx.ftz.f32 $0, $1;";
    /// The sine; absolute error at most 2^-20.5 in -π..=π. PTX `sin.approx.f32`.
    scalar fn sin_approx_f32(x: f32) -> f32 = "asm:|sin.approx.f32 $0, $1;";
    /// The cosine; absolute error at most 2^-20.5 in -π..=π. PTX `cos.approx.f32`.
    scalar fn cos_approx_f32(x: f32) -> f32 = "asm:|cos.approx.f32 $0, $1;";
    /// `1 / sqrt(x)`; relative error at most 2^-22. PTX `rsqrt.approx.f32`.
    scalar fn rsqrt_approx_f32(x: f32) -> f32 = "asm:|rsqrt.approx.f32 $0, $1;";
    /// [`rsqrt_approx_f32`] with subnormal arguments taken for 0. PTX `rsqrt.approx.ftz.f32`.
    scalar fn rsqrt_approx_ftz_f32(x: f32) -> f32 = "asm:|rsqrt.approx.ftz.f32 $0, $1;";
    /// `1 / x`, within 1 ulp. PTX `rcp.approx.f32`.
    scalar fn rcp_approx_f32(x: f32) -> f32 = "asm:|rcp.approx.f32 $0, $1;";
    /// [`rcp_approx_f32`] with subnormal arguments and results taken for 0. PTX `rcp.approx.ftz.f32`.
    scalar fn rcp_approx_ftz_f32(x: f32) -> f32 = "asm:|rcp.approx.ftz.f32 $0, $1;";
    /// The square root; relative error at most 2^-22. PTX `sqrt.approx.f32`.
    scalar fn sqrt_approx_f32(x: f32) -> f32 = "asm:|sqrt.approx.f32 $0, $1;";
    /// [`sqrt_approx_f32`] with subnormal arguments taken for 0. PTX `sqrt.approx.ftz.f32`.
    scalar fn sqrt_approx_ftz_f32(x: f32) -> f32 = "asm:|sqrt.approx.ftz.f32 $0, $1;";
    /// `x / y` within 2 ulp for `|y|` in 2^-126..=2^126; 0 beyond (NaN if `x` is infinite). PTX `div.approx.f32`.
    scalar fn div_approx_f32(x: f32, y: f32) -> f32 = "asm:|div.approx.f32 $0, $1, $2;";
}
