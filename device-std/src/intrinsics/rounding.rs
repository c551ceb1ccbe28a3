//! Arithmetic with the rounding in the instruction. Never joined with its neighbours, never replaced by an approximation.

use super::Intrinsic;

intrinsics! {
    /// a + b, to nearest, ties to even. CUDA `__fadd_rn` · PTX `add.rn.f32`.
    scalar fn add_rn_f32(a: f32, b: f32) -> f32 = "llvm.nvvm.add.rn.f";
    /// a + b, toward zero. CUDA `__fadd_rz` · PTX `add.rz.f32`.
    scalar fn add_rz_f32(a: f32, b: f32) -> f32 = "llvm.nvvm.add.rz.f";
    /// a + b, toward +∞. CUDA `__fadd_ru` · PTX `add.rp.f32`.
    scalar fn add_ru_f32(a: f32, b: f32) -> f32 = "llvm.nvvm.add.rp.f";
    /// a + b, toward −∞. CUDA `__fadd_rd` · PTX `add.rm.f32`.
    scalar fn add_rd_f32(a: f32, b: f32) -> f32 = "llvm.nvvm.add.rm.f";
    /// a · b, to nearest, ties to even. CUDA `__fmul_rn` · PTX `mul.rn.f32`.
    scalar fn mul_rn_f32(a: f32, b: f32) -> f32 = "llvm.nvvm.mul.rn.f";
    /// a · b, toward zero. CUDA `__fmul_rz` · PTX `mul.rz.f32`.
    scalar fn mul_rz_f32(a: f32, b: f32) -> f32 = "llvm.nvvm.mul.rz.f";
    /// a · b, toward +∞. CUDA `__fmul_ru` · PTX `mul.rp.f32`.
    scalar fn mul_ru_f32(a: f32, b: f32) -> f32 = "llvm.nvvm.mul.rp.f";
    /// a · b, toward −∞. CUDA `__fmul_rd` · PTX `mul.rm.f32`.
    scalar fn mul_rd_f32(a: f32, b: f32) -> f32 = "llvm.nvvm.mul.rm.f";
    /// a · b + c, rounded once, to nearest, ties to even. CUDA `__fmaf_rn` · PTX `fma.rn.f32`.
    scalar fn fma_rn_f32(a: f32, b: f32, c: f32) -> f32 = "llvm.nvvm.fma.rn.f";
    /// a · b + c, rounded once, toward zero. CUDA `__fmaf_rz` · PTX `fma.rz.f32`.
    scalar fn fma_rz_f32(a: f32, b: f32, c: f32) -> f32 = "llvm.nvvm.fma.rz.f";
    /// a · b + c, rounded once, toward +∞. CUDA `__fmaf_ru` · PTX `fma.rp.f32`.
    scalar fn fma_ru_f32(a: f32, b: f32, c: f32) -> f32 = "llvm.nvvm.fma.rp.f";
    /// a · b + c, rounded once, toward −∞. CUDA `__fmaf_rd` · PTX `fma.rm.f32`.
    scalar fn fma_rd_f32(a: f32, b: f32, c: f32) -> f32 = "llvm.nvvm.fma.rm.f";
    /// a / b, to nearest, ties to even. CUDA `__fdiv_rn` · PTX `div.rn.f32`.
    scalar fn div_rn_f32(a: f32, b: f32) -> f32 = "llvm.nvvm.div.rn.f";
    /// a / b, toward zero. CUDA `__fdiv_rz` · PTX `div.rz.f32`.
    scalar fn div_rz_f32(a: f32, b: f32) -> f32 = "llvm.nvvm.div.rz.f";
    /// a / b, toward +∞. CUDA `__fdiv_ru` · PTX `div.rp.f32`.
    scalar fn div_ru_f32(a: f32, b: f32) -> f32 = "llvm.nvvm.div.rp.f";
    /// a / b, toward −∞. CUDA `__fdiv_rd` · PTX `div.rm.f32`.
    scalar fn div_rd_f32(a: f32, b: f32) -> f32 = "llvm.nvvm.div.rm.f";
    /// 1 / a, to nearest, ties to even. CUDA `__frcp_rn` · PTX `rcp.rn.f32`.
    scalar fn rcp_rn_f32(a: f32) -> f32 = "llvm.nvvm.rcp.rn.f";
    /// 1 / a, toward zero. CUDA `__frcp_rz` · PTX `rcp.rz.f32`.
    scalar fn rcp_rz_f32(a: f32) -> f32 = "llvm.nvvm.rcp.rz.f";
    /// 1 / a, toward +∞. CUDA `__frcp_ru` · PTX `rcp.rp.f32`.
    scalar fn rcp_ru_f32(a: f32) -> f32 = "llvm.nvvm.rcp.rp.f";
    /// 1 / a, toward −∞. CUDA `__frcp_rd` · PTX `rcp.rm.f32`.
    scalar fn rcp_rd_f32(a: f32) -> f32 = "llvm.nvvm.rcp.rm.f";
    /// The square root of a, to nearest, ties to even. CUDA `__fsqrt_rn` · PTX `sqrt.rn.f32`.
    scalar fn sqrt_rn_f32(a: f32) -> f32 = "llvm.nvvm.sqrt.rn.f";
    /// The square root of a, toward zero. CUDA `__fsqrt_rz` · PTX `sqrt.rz.f32`.
    scalar fn sqrt_rz_f32(a: f32) -> f32 = "llvm.nvvm.sqrt.rz.f";
    /// The square root of a, toward +∞. CUDA `__fsqrt_ru` · PTX `sqrt.rp.f32`.
    scalar fn sqrt_ru_f32(a: f32) -> f32 = "llvm.nvvm.sqrt.rp.f";
    /// The square root of a, toward −∞. CUDA `__fsqrt_rd` · PTX `sqrt.rm.f32`.
    scalar fn sqrt_rd_f32(a: f32) -> f32 = "llvm.nvvm.sqrt.rm.f";
    /// a + b, to nearest, ties to even. CUDA `__dadd_rn` · PTX `add.rn.f64`.
    scalar fn add_rn_f64(a: f64, b: f64) -> f64 = "llvm.nvvm.add.rn.d";
    /// a + b, toward zero. CUDA `__dadd_rz` · PTX `add.rz.f64`.
    scalar fn add_rz_f64(a: f64, b: f64) -> f64 = "llvm.nvvm.add.rz.d";
    /// a + b, toward +∞. CUDA `__dadd_ru` · PTX `add.rp.f64`.
    scalar fn add_ru_f64(a: f64, b: f64) -> f64 = "llvm.nvvm.add.rp.d";
    /// a + b, toward −∞. CUDA `__dadd_rd` · PTX `add.rm.f64`.
    scalar fn add_rd_f64(a: f64, b: f64) -> f64 = "llvm.nvvm.add.rm.d";
    /// a · b, to nearest, ties to even. CUDA `__dmul_rn` · PTX `mul.rn.f64`.
    scalar fn mul_rn_f64(a: f64, b: f64) -> f64 = "llvm.nvvm.mul.rn.d";
    /// a · b, toward zero. CUDA `__dmul_rz` · PTX `mul.rz.f64`.
    scalar fn mul_rz_f64(a: f64, b: f64) -> f64 = "llvm.nvvm.mul.rz.d";
    /// a · b, toward +∞. CUDA `__dmul_ru` · PTX `mul.rp.f64`.
    scalar fn mul_ru_f64(a: f64, b: f64) -> f64 = "llvm.nvvm.mul.rp.d";
    /// a · b, toward −∞. CUDA `__dmul_rd` · PTX `mul.rm.f64`.
    scalar fn mul_rd_f64(a: f64, b: f64) -> f64 = "llvm.nvvm.mul.rm.d";
    /// a · b + c, rounded once, to nearest, ties to even. CUDA `__fma_rn` · PTX `fma.rn.f64`.
    scalar fn fma_rn_f64(a: f64, b: f64, c: f64) -> f64 = "llvm.nvvm.fma.rn.d";
    /// a · b + c, rounded once, toward zero. CUDA `__fma_rz` · PTX `fma.rz.f64`.
    scalar fn fma_rz_f64(a: f64, b: f64, c: f64) -> f64 = "llvm.nvvm.fma.rz.d";
    /// a · b + c, rounded once, toward +∞. CUDA `__fma_ru` · PTX `fma.rp.f64`.
    scalar fn fma_ru_f64(a: f64, b: f64, c: f64) -> f64 = "llvm.nvvm.fma.rp.d";
    /// a · b + c, rounded once, toward −∞. CUDA `__fma_rd` · PTX `fma.rm.f64`.
    scalar fn fma_rd_f64(a: f64, b: f64, c: f64) -> f64 = "llvm.nvvm.fma.rm.d";
    /// a / b, to nearest, ties to even. CUDA `__ddiv_rn` · PTX `div.rn.f64`.
    scalar fn div_rn_f64(a: f64, b: f64) -> f64 = "llvm.nvvm.div.rn.d";
    /// a / b, toward zero. CUDA `__ddiv_rz` · PTX `div.rz.f64`.
    scalar fn div_rz_f64(a: f64, b: f64) -> f64 = "llvm.nvvm.div.rz.d";
    /// a / b, toward +∞. CUDA `__ddiv_ru` · PTX `div.rp.f64`.
    scalar fn div_ru_f64(a: f64, b: f64) -> f64 = "llvm.nvvm.div.rp.d";
    /// a / b, toward −∞. CUDA `__ddiv_rd` · PTX `div.rm.f64`.
    scalar fn div_rd_f64(a: f64, b: f64) -> f64 = "llvm.nvvm.div.rm.d";
    /// 1 / a, to nearest, ties to even. CUDA `__drcp_rn` · PTX `rcp.rn.f64`.
    scalar fn rcp_rn_f64(a: f64) -> f64 = "llvm.nvvm.rcp.rn.d";
    /// 1 / a, toward zero. CUDA `__drcp_rz` · PTX `rcp.rz.f64`.
    scalar fn rcp_rz_f64(a: f64) -> f64 = "llvm.nvvm.rcp.rz.d";
    /// 1 / a, toward +∞. CUDA `__drcp_ru` · PTX `rcp.rp.f64`.
    scalar fn rcp_ru_f64(a: f64) -> f64 = "llvm.nvvm.rcp.rp.d";
    /// 1 / a, toward −∞. CUDA `__drcp_rd` · PTX `rcp.rm.f64`.
    scalar fn rcp_rd_f64(a: f64) -> f64 = "llvm.nvvm.rcp.rm.d";
    /// The square root of a, to nearest, ties to even. CUDA `__dsqrt_rn` · PTX `sqrt.rn.f64`.
    scalar fn sqrt_rn_f64(a: f64) -> f64 = "llvm.nvvm.sqrt.rn.d";
    /// The square root of a, toward zero. CUDA `__dsqrt_rz` · PTX `sqrt.rz.f64`.
    scalar fn sqrt_rz_f64(a: f64) -> f64 = "llvm.nvvm.sqrt.rz.d";
    /// The square root of a, toward +∞. CUDA `__dsqrt_ru` · PTX `sqrt.rp.f64`.
    scalar fn sqrt_ru_f64(a: f64) -> f64 = "llvm.nvvm.sqrt.rp.d";
    /// The square root of a, toward −∞. CUDA `__dsqrt_rd` · PTX `sqrt.rm.f64`.
    scalar fn sqrt_rd_f64(a: f64) -> f64 = "llvm.nvvm.sqrt.rm.d";
}
