//! Integer instructions that Rust has no operator for.

use super::Intrinsic;

intrinsics! {
    /// The low 32 bits of the product of the low 24 bits, both signed. CUDA `__mul24` · PTX `mul24.lo.s32`.
    scalar fn mul24_i32(a: i32, b: i32) -> i32 = "llvm.nvvm.mul24.i";
    /// The low 32 bits of the product of the low 24 bits. CUDA `__umul24` · PTX `mul24.lo.u32`.
    scalar fn mul24_u32(a: u32, b: u32) -> u32 = "llvm.nvvm.mul24.ui";
    /// The upper half of the product. PTX `mul.hi.s16`.
    scalar fn mul_hi_i16(a: i16, b: i16) -> i16 = "llvm.nvvm.mulhi.s";
    /// The upper half of the product. PTX `mul.hi.u16`.
    scalar fn mul_hi_u16(a: u16, b: u16) -> u16 = "llvm.nvvm.mulhi.us";
    /// The upper half of the product. CUDA `__mulhi` · PTX `mul.hi.s32`.
    scalar fn mul_hi_i32(a: i32, b: i32) -> i32 = "llvm.nvvm.mulhi.i";
    /// The upper half of the product. CUDA `__umulhi` · PTX `mul.hi.u32`.
    scalar fn mul_hi_u32(a: u32, b: u32) -> u32 = "llvm.nvvm.mulhi.ui";
    /// The upper half of the product. CUDA `__mul64hi` · PTX `mul.hi.s64`.
    scalar fn mul_hi_i64(a: i64, b: i64) -> i64 = "llvm.nvvm.mulhi.ll";
    /// The upper half of the product. CUDA `__umul64hi` · PTX `mul.hi.u64`.
    scalar fn mul_hi_u64(a: u64, b: u64) -> u64 = "llvm.nvvm.mulhi.ull";
    /// `c + abs(a - b)`, wrapping at the end. PTX `sad.s16`.
    scalar fn sad_i16(a: i16, b: i16, c: i16) -> i16 = "llvm.nvvm.sad.s";
    /// `c + abs(a - b)`, wrapping at the end. PTX `sad.u16`.
    scalar fn sad_u16(a: u16, b: u16, c: u16) -> u16 = "llvm.nvvm.sad.us";
    /// `c + abs(a - b)`, wrapping at the end. CUDA `__sad` · PTX `sad.s32`.
    scalar fn sad_i32(a: i32, b: i32, c: i32) -> i32 = "llvm.nvvm.sad.i";
    /// `c + abs(a - b)`, wrapping at the end. CUDA `__usad` · PTX `sad.u32`.
    scalar fn sad_u32(a: u32, b: u32, c: u32) -> u32 = "llvm.nvvm.sad.ui";
    /// `c + abs(a - b)`, wrapping at the end. PTX `sad.s64`.
    scalar fn sad_i64(a: i64, b: i64, c: i64) -> i64 = "llvm.nvvm.sad.ll";
    /// `c + abs(a - b)`, wrapping at the end. PTX `sad.u64`.
    scalar fn sad_u64(a: u64, b: u64, c: u64) -> u64 = "llvm.nvvm.sad.ull";
    /// Four bytes out of the eight of `b:a`, picked by the nibbles of `selector`. CUDA `__byte_perm` · PTX `prmt.b32`.
    scalar fn byte_permute(a: u32, b: u32, selector: u32) -> u32 = "llvm.nvvm.prmt";
    /// The high word of `high:low` shifted left by `n`, modulo 32. CUDA `__funnelshift_l` · PTX `shf.l.wrap.b32`.
    scalar fn funnel_left_wrap(low: u32, high: u32, n: u32) -> u32 = "asm:|shf.l.wrap.b32 $0, $1, $2, $3;";
    /// The high word of `high:low` shifted left by `n`, at most 32. CUDA `__funnelshift_lc` · PTX `shf.l.clamp.b32`.
    scalar fn funnel_left_clamp(low: u32, high: u32, n: u32) -> u32 = "asm:|shf.l.clamp.b32 $0, $1, $2, $3;";
    /// The low word of `high:low` shifted right by `n`, modulo 32. CUDA `__funnelshift_r` · PTX `shf.r.wrap.b32`.
    scalar fn funnel_right_wrap(low: u32, high: u32, n: u32) -> u32 = "asm:|shf.r.wrap.b32 $0, $1, $2, $3;";
    /// The low word of `high:low` shifted right by `n`, at most 32. CUDA `__funnelshift_rc` · PTX `shf.r.clamp.b32`.
    scalar fn funnel_right_clamp(low: u32, high: u32, n: u32) -> u32 = "asm:|shf.r.clamp.b32 $0, $1, $2, $3;";
    /// `c` plus the products of the four bytes, signed. CUDA `__dp4a` · PTX `dp4a.s32.s32`, sm_61.
    scalar fn dp4a_i32(a: u32, b: u32, c: i32) -> i32 = "llvm.nvvm.idp4a.s.s";
    /// `c` plus the products of the four bytes, unsigned. CUDA `__dp4a` · PTX `dp4a.u32.u32`, sm_61.
    scalar fn dp4a_u32(a: u32, b: u32, c: u32) -> u32 = "llvm.nvvm.idp4a.u.u";
    /// `c` plus the two halves of `a` times the low two bytes of `b`, signed. CUDA `__dp2a_lo` · PTX `dp2a.lo.s32.s32`, sm_61.
    scalar fn dp2a_lo_i32(a: u32, b: u32, c: i32) -> i32 = "asm:|dp2a.lo.s32.s32 $0, $1, $2, $3;";
    /// `c` plus the two halves of `a` times the high two bytes of `b`, signed. CUDA `__dp2a_hi` · PTX `dp2a.hi.s32.s32`, sm_61.
    scalar fn dp2a_hi_i32(a: u32, b: u32, c: i32) -> i32 = "asm:|dp2a.hi.s32.s32 $0, $1, $2, $3;";
    /// `c` plus the two halves of `a` times the low two bytes of `b`, unsigned. CUDA `__dp2a_lo` · PTX `dp2a.lo.u32.u32`, sm_61.
    scalar fn dp2a_lo_u32(a: u32, b: u32, c: u32) -> u32 = "asm:|dp2a.lo.u32.u32 $0, $1, $2, $3;";
    /// `c` plus the two halves of `a` times the high two bytes of `b`, unsigned. CUDA `__dp2a_hi` · PTX `dp2a.hi.u32.u32`, sm_61.
    scalar fn dp2a_hi_u32(a: u32, b: u32, c: u32) -> u32 = "asm:|dp2a.hi.u32.u32 $0, $1, $2, $3;";
}
