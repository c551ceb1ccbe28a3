//! Conversions with the rounding in the instruction.
//!
//! To an integer: what is out of range becomes the nearest integer in range. NaN becomes 0, but 2⁶³ (`i64::MIN`, `1 << 63`) for the
//! 64-bit types, and from `f64` the top bit alone for all types.

use super::Intrinsic;

intrinsics! {
    /// `x` as an integer, to nearest, ties to even. CUDA `__float2int_rn` · PTX `cvt.rni.s32.f32`.
    scalar fn f32_to_i32_rn(x: f32) -> i32 = "llvm.nvvm.f2i.rn";
    /// `x` as an integer, toward zero. CUDA `__float2int_rz` · PTX `cvt.rzi.s32.f32`.
    scalar fn f32_to_i32_rz(x: f32) -> i32 = "llvm.nvvm.f2i.rz";
    /// `x` as an integer, toward +∞. CUDA `__float2int_ru` · PTX `cvt.rpi.s32.f32`.
    scalar fn f32_to_i32_ru(x: f32) -> i32 = "llvm.nvvm.f2i.rp";
    /// `x` as an integer, toward −∞. CUDA `__float2int_rd` · PTX `cvt.rmi.s32.f32`.
    scalar fn f32_to_i32_rd(x: f32) -> i32 = "llvm.nvvm.f2i.rm";
    /// `x` as an integer, to nearest, ties to even. CUDA `__float2uint_rn` · PTX `cvt.rni.u32.f32`.
    scalar fn f32_to_u32_rn(x: f32) -> u32 = "llvm.nvvm.f2ui.rn";
    /// `x` as an integer, toward zero. CUDA `__float2uint_rz` · PTX `cvt.rzi.u32.f32`.
    scalar fn f32_to_u32_rz(x: f32) -> u32 = "llvm.nvvm.f2ui.rz";
    /// `x` as an integer, toward +∞. CUDA `__float2uint_ru` · PTX `cvt.rpi.u32.f32`.
    scalar fn f32_to_u32_ru(x: f32) -> u32 = "llvm.nvvm.f2ui.rp";
    /// `x` as an integer, toward −∞. CUDA `__float2uint_rd` · PTX `cvt.rmi.u32.f32`.
    scalar fn f32_to_u32_rd(x: f32) -> u32 = "llvm.nvvm.f2ui.rm";
    /// `x` as an integer, to nearest, ties to even. CUDA `__float2ll_rn` · PTX `cvt.rni.s64.f32`.
    scalar fn f32_to_i64_rn(x: f32) -> i64 = "llvm.nvvm.f2ll.rn";
    /// `x` as an integer, toward zero. CUDA `__float2ll_rz` · PTX `cvt.rzi.s64.f32`.
    scalar fn f32_to_i64_rz(x: f32) -> i64 = "llvm.nvvm.f2ll.rz";
    /// `x` as an integer, toward +∞. CUDA `__float2ll_ru` · PTX `cvt.rpi.s64.f32`.
    scalar fn f32_to_i64_ru(x: f32) -> i64 = "llvm.nvvm.f2ll.rp";
    /// `x` as an integer, toward −∞. CUDA `__float2ll_rd` · PTX `cvt.rmi.s64.f32`.
    scalar fn f32_to_i64_rd(x: f32) -> i64 = "llvm.nvvm.f2ll.rm";
    /// `x` as an integer, to nearest, ties to even. CUDA `__float2ull_rn` · PTX `cvt.rni.u64.f32`.
    scalar fn f32_to_u64_rn(x: f32) -> u64 = "llvm.nvvm.f2ull.rn";
    /// `x` as an integer, toward zero. CUDA `__float2ull_rz` · PTX `cvt.rzi.u64.f32`.
    scalar fn f32_to_u64_rz(x: f32) -> u64 = "llvm.nvvm.f2ull.rz";
    /// `x` as an integer, toward +∞. CUDA `__float2ull_ru` · PTX `cvt.rpi.u64.f32`.
    scalar fn f32_to_u64_ru(x: f32) -> u64 = "llvm.nvvm.f2ull.rp";
    /// `x` as an integer, toward −∞. CUDA `__float2ull_rd` · PTX `cvt.rmi.u64.f32`.
    scalar fn f32_to_u64_rd(x: f32) -> u64 = "llvm.nvvm.f2ull.rm";
    /// `x` as a number, to nearest, ties to even. CUDA `__int2float_rn` · PTX `cvt.rn.f32.s32`.
    scalar fn i32_to_f32_rn(x: i32) -> f32 = "llvm.nvvm.i2f.rn";
    /// `x` as a number, toward zero. CUDA `__int2float_rz` · PTX `cvt.rz.f32.s32`.
    scalar fn i32_to_f32_rz(x: i32) -> f32 = "llvm.nvvm.i2f.rz";
    /// `x` as a number, toward +∞. CUDA `__int2float_ru` · PTX `cvt.rp.f32.s32`.
    scalar fn i32_to_f32_ru(x: i32) -> f32 = "llvm.nvvm.i2f.rp";
    /// `x` as a number, toward −∞. CUDA `__int2float_rd` · PTX `cvt.rm.f32.s32`.
    scalar fn i32_to_f32_rd(x: i32) -> f32 = "llvm.nvvm.i2f.rm";
    /// `x` as a number, to nearest, ties to even. CUDA `__uint2float_rn` · PTX `cvt.rn.f32.u32`.
    scalar fn u32_to_f32_rn(x: u32) -> f32 = "llvm.nvvm.ui2f.rn";
    /// `x` as a number, toward zero. CUDA `__uint2float_rz` · PTX `cvt.rz.f32.u32`.
    scalar fn u32_to_f32_rz(x: u32) -> f32 = "llvm.nvvm.ui2f.rz";
    /// `x` as a number, toward +∞. CUDA `__uint2float_ru` · PTX `cvt.rp.f32.u32`.
    scalar fn u32_to_f32_ru(x: u32) -> f32 = "llvm.nvvm.ui2f.rp";
    /// `x` as a number, toward −∞. CUDA `__uint2float_rd` · PTX `cvt.rm.f32.u32`.
    scalar fn u32_to_f32_rd(x: u32) -> f32 = "llvm.nvvm.ui2f.rm";
    /// `x` as a number, to nearest, ties to even. CUDA `__ll2float_rn` · PTX `cvt.rn.f32.s64`.
    scalar fn i64_to_f32_rn(x: i64) -> f32 = "llvm.nvvm.ll2f.rn";
    /// `x` as a number, toward zero. CUDA `__ll2float_rz` · PTX `cvt.rz.f32.s64`.
    scalar fn i64_to_f32_rz(x: i64) -> f32 = "llvm.nvvm.ll2f.rz";
    /// `x` as a number, toward +∞. CUDA `__ll2float_ru` · PTX `cvt.rp.f32.s64`.
    scalar fn i64_to_f32_ru(x: i64) -> f32 = "llvm.nvvm.ll2f.rp";
    /// `x` as a number, toward −∞. CUDA `__ll2float_rd` · PTX `cvt.rm.f32.s64`.
    scalar fn i64_to_f32_rd(x: i64) -> f32 = "llvm.nvvm.ll2f.rm";
    /// `x` as a number, to nearest, ties to even. CUDA `__ull2float_rn` · PTX `cvt.rn.f32.u64`.
    scalar fn u64_to_f32_rn(x: u64) -> f32 = "llvm.nvvm.ull2f.rn";
    /// `x` as a number, toward zero. CUDA `__ull2float_rz` · PTX `cvt.rz.f32.u64`.
    scalar fn u64_to_f32_rz(x: u64) -> f32 = "llvm.nvvm.ull2f.rz";
    /// `x` as a number, toward +∞. CUDA `__ull2float_ru` · PTX `cvt.rp.f32.u64`.
    scalar fn u64_to_f32_ru(x: u64) -> f32 = "llvm.nvvm.ull2f.rp";
    /// `x` as a number, toward −∞. CUDA `__ull2float_rd` · PTX `cvt.rm.f32.u64`.
    scalar fn u64_to_f32_rd(x: u64) -> f32 = "llvm.nvvm.ull2f.rm";
    /// `x` as an integer, to nearest, ties to even. CUDA `__double2int_rn` · PTX `cvt.rni.s32.f64`.
    scalar fn f64_to_i32_rn(x: f64) -> i32 = "llvm.nvvm.d2i.rn";
    /// `x` as an integer, toward zero. CUDA `__double2int_rz` · PTX `cvt.rzi.s32.f64`.
    scalar fn f64_to_i32_rz(x: f64) -> i32 = "llvm.nvvm.d2i.rz";
    /// `x` as an integer, toward +∞. CUDA `__double2int_ru` · PTX `cvt.rpi.s32.f64`.
    scalar fn f64_to_i32_ru(x: f64) -> i32 = "llvm.nvvm.d2i.rp";
    /// `x` as an integer, toward −∞. CUDA `__double2int_rd` · PTX `cvt.rmi.s32.f64`.
    scalar fn f64_to_i32_rd(x: f64) -> i32 = "llvm.nvvm.d2i.rm";
    /// `x` as an integer, to nearest, ties to even. CUDA `__double2uint_rn` · PTX `cvt.rni.u32.f64`.
    scalar fn f64_to_u32_rn(x: f64) -> u32 = "llvm.nvvm.d2ui.rn";
    /// `x` as an integer, toward zero. CUDA `__double2uint_rz` · PTX `cvt.rzi.u32.f64`.
    scalar fn f64_to_u32_rz(x: f64) -> u32 = "llvm.nvvm.d2ui.rz";
    /// `x` as an integer, toward +∞. CUDA `__double2uint_ru` · PTX `cvt.rpi.u32.f64`.
    scalar fn f64_to_u32_ru(x: f64) -> u32 = "llvm.nvvm.d2ui.rp";
    /// `x` as an integer, toward −∞. CUDA `__double2uint_rd` · PTX `cvt.rmi.u32.f64`.
    scalar fn f64_to_u32_rd(x: f64) -> u32 = "llvm.nvvm.d2ui.rm";
    /// `x` as an integer, to nearest, ties to even. CUDA `__double2ll_rn` · PTX `cvt.rni.s64.f64`.
    scalar fn f64_to_i64_rn(x: f64) -> i64 = "llvm.nvvm.d2ll.rn";
    /// `x` as an integer, toward zero. CUDA `__double2ll_rz` · PTX `cvt.rzi.s64.f64`.
    scalar fn f64_to_i64_rz(x: f64) -> i64 = "llvm.nvvm.d2ll.rz";
    /// `x` as an integer, toward +∞. CUDA `__double2ll_ru` · PTX `cvt.rpi.s64.f64`.
    scalar fn f64_to_i64_ru(x: f64) -> i64 = "llvm.nvvm.d2ll.rp";
    /// `x` as an integer, toward −∞. CUDA `__double2ll_rd` · PTX `cvt.rmi.s64.f64`.
    scalar fn f64_to_i64_rd(x: f64) -> i64 = "llvm.nvvm.d2ll.rm";
    /// `x` as an integer, to nearest, ties to even. CUDA `__double2ull_rn` · PTX `cvt.rni.u64.f64`.
    scalar fn f64_to_u64_rn(x: f64) -> u64 = "llvm.nvvm.d2ull.rn";
    /// `x` as an integer, toward zero. CUDA `__double2ull_rz` · PTX `cvt.rzi.u64.f64`.
    scalar fn f64_to_u64_rz(x: f64) -> u64 = "llvm.nvvm.d2ull.rz";
    /// `x` as an integer, toward +∞. CUDA `__double2ull_ru` · PTX `cvt.rpi.u64.f64`.
    scalar fn f64_to_u64_ru(x: f64) -> u64 = "llvm.nvvm.d2ull.rp";
    /// `x` as an integer, toward −∞. CUDA `__double2ull_rd` · PTX `cvt.rmi.u64.f64`.
    scalar fn f64_to_u64_rd(x: f64) -> u64 = "llvm.nvvm.d2ull.rm";
    /// `x` as a number, exactly. CUDA `__int2double_rn` · PTX `cvt.rn.f64.s32`.
    scalar fn i32_to_f64_rn(x: i32) -> f64 = "llvm.nvvm.i2d.rn";
    /// `x` as a number, exactly. CUDA `__uint2double_rn` · PTX `cvt.rn.f64.u32`.
    scalar fn u32_to_f64_rn(x: u32) -> f64 = "llvm.nvvm.ui2d.rn";
    /// `x` as a number, to nearest, ties to even. CUDA `__ll2double_rn` · PTX `cvt.rn.f64.s64`.
    scalar fn i64_to_f64_rn(x: i64) -> f64 = "llvm.nvvm.ll2d.rn";
    /// `x` as a number, toward zero. CUDA `__ll2double_rz` · PTX `cvt.rz.f64.s64`.
    scalar fn i64_to_f64_rz(x: i64) -> f64 = "llvm.nvvm.ll2d.rz";
    /// `x` as a number, toward +∞. CUDA `__ll2double_ru` · PTX `cvt.rp.f64.s64`.
    scalar fn i64_to_f64_ru(x: i64) -> f64 = "llvm.nvvm.ll2d.rp";
    /// `x` as a number, toward −∞. CUDA `__ll2double_rd` · PTX `cvt.rm.f64.s64`.
    scalar fn i64_to_f64_rd(x: i64) -> f64 = "llvm.nvvm.ll2d.rm";
    /// `x` as a number, to nearest, ties to even. CUDA `__ull2double_rn` · PTX `cvt.rn.f64.u64`.
    scalar fn u64_to_f64_rn(x: u64) -> f64 = "llvm.nvvm.ull2d.rn";
    /// `x` as a number, toward zero. CUDA `__ull2double_rz` · PTX `cvt.rz.f64.u64`.
    scalar fn u64_to_f64_rz(x: u64) -> f64 = "llvm.nvvm.ull2d.rz";
    /// `x` as a number, toward +∞. CUDA `__ull2double_ru` · PTX `cvt.rp.f64.u64`.
    scalar fn u64_to_f64_ru(x: u64) -> f64 = "llvm.nvvm.ull2d.rp";
    /// `x` as a number, toward −∞. CUDA `__ull2double_rd` · PTX `cvt.rm.f64.u64`.
    scalar fn u64_to_f64_rd(x: u64) -> f64 = "llvm.nvvm.ull2d.rm";
    /// `x` in single precision, to nearest, ties to even. CUDA `__double2float_rn` · PTX `cvt.rn.f32.f64`.
    scalar fn f64_to_f32_rn(x: f64) -> f32 = "llvm.nvvm.d2f.rn";
    /// `x` in single precision, toward zero. CUDA `__double2float_rz` · PTX `cvt.rz.f32.f64`.
    scalar fn f64_to_f32_rz(x: f64) -> f32 = "llvm.nvvm.d2f.rz";
    /// `x` in single precision, toward +∞. CUDA `__double2float_ru` · PTX `cvt.rp.f32.f64`.
    scalar fn f64_to_f32_ru(x: f64) -> f32 = "llvm.nvvm.d2f.rp";
    /// `x` in single precision, toward −∞. CUDA `__double2float_rd` · PTX `cvt.rm.f32.f64`.
    scalar fn f64_to_f32_rd(x: f64) -> f32 = "llvm.nvvm.d2f.rm";
    /// `x` with 10 bits of fraction, to nearest, ties away from zero; of NaN the last 13 bits are dropped. CUDA `__float_to_tf32` · PTX `cvt.rna.tf32.f32`, 7.0 · sm_80.
    scalar fn f32_to_tf32_rna(x: f32) -> u32 = "asm:sm80+ptx70|cvt.rna.tf32.f32 $0, $1;";
}
