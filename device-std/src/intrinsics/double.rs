//! Arithmetic of `f64` that `core` has no function for, and the seeds that the hardware gives for reciprocals.

use super::Intrinsic;

intrinsics! {
    /// `a * b + c`, rounded once. PTX `fma.rn.f64` · sm_13.
    scalar fn fma_f64(a: f64, b: f64, c: f64) -> f64 = "llvm.nvvm.fma.rn.d";
    /// The correctly rounded square root. PTX `sqrt.rn.f64` · sm_13.
    scalar fn sqrt_f64(x: f64) -> f64 = "llvm.nvvm.sqrt.rn.d";
    /// The largest integer not above `x`. PTX `cvt.rmi.f64.f64`.
    scalar fn floor_f64(x: f64) -> f64 = "llvm.nvvm.floor.d";
    /// The smallest integer not below `x`. PTX `cvt.rpi.f64.f64`.
    scalar fn ceil_f64(x: f64) -> f64 = "llvm.nvvm.ceil.d";
    /// The integer next to `x` towards zero. PTX `cvt.rzi.f64.f64`.
    scalar fn trunc_f64(x: f64) -> f64 = "llvm.nvvm.trunc.d";
    /// The integer nearest to `x`, even in a tie. PTX `cvt.rni.f64.f64`.
    scalar fn rint_f64(x: f64) -> f64 = "llvm.nvvm.round.d";
    /// About `1 / x`: relative error at most 2^-18, the low 32 bits of the result are 0. Subnormal arguments give infinity, what would
    /// be subnormal is 0. The emulator's seed has other bits than a GPU's. PTX `rcp.approx.ftz.f64` · sm_20.
    scalar fn rcp_approx_ftz_f64(x: f64) -> f64 = "llvm.nvvm.rcp.approx.ftz.d";
    /// About `1 / sqrt(x)`: relative error at most 2^-18, the low 32 bits of the result are 0. Subnormal arguments give infinity.
    /// The emulator's seed has other bits than a GPU's. PTX `rsqrt.approx.ftz.f64` · sm_20.
    scalar fn rsqrt_approx_ftz_f64(x: f64) -> f64 = "llvm.nvvm.rsqrt.approx.ftz.d";
}
