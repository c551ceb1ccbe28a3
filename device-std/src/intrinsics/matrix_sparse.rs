//! Products of matrices of which A is sparse: of each group of neighbours in a row half are in the registers, and a word in each lane says which.

#[cfg(not(warploom_device))]
use super::matrix::{S4, S8, U4, U8, float, integer, product_of};
#[cfg(not(warploom_device))]
use warploom_emulator::matrix::{Float, Groups, Shape, SparseInstruction, Sum};

/// Row and group of the 4 bits number `i` of the word of lane `lane`, of A with `groups` groups in a row and elements of `bits` bits; nothing where a
/// product with 0 as the selector does not read them.
#[inline(always)]
pub(crate) const fn place_of_group(
    lane: u32,
    i: u32,
    groups: u32,
    bits: u32,
) -> Option<(u32, u32)> {
    let (row, within) = (lane / 4, lane % 4);
    let place = if bits >= 16 {
        // A word has four groups of a row, then the same of the row 8 below; the next lane the next four.
        (row + 8 * (i / 4), i % 4 + 4 * within)
    } else {
        // A word has eight groups of a row, the next lane those of the row 8 below, the two after these the next eight.
        (row + 8 * (within % 2), i + 8 * (within / 2))
    };
    if place.1 < groups { Some(place) } else { None }
}

macro_rules! products {
    ($($name:ident ($m:literal, $n:literal, $k:literal) $kind:expr, $groups:ident, $needs:literal, $operands:literal, $text:literal;)*) => {
        register_intrinsics! {$(
            #[doc = concat!("`*d = a · b + c` with a sparse `a`, whose places are in `places`. PTX `mma.sp::ordered_metadata.sync.aligned.", $text, "`; needs ", $needs, ".")]
            unsafe fn $name(d: *mut u32, a: *const u32, b: *const u32, c: *const u32, places: u32) =
                "registers:volatile+convergent+" $needs "|" $operands "|mma.sp::ordered_metadata.sync.aligned." $text " @0, @1, @2, @3, @4, 0x0;"
                else {
                    static PRODUCT: SparseInstruction = SparseInstruction {
                        product: product_of(stringify!($name), $kind, Shape { m: $m, n: $n, k: $k }, $k / 2),
                        groups: Groups::$groups,
                        places: |lane, i| place_of_group(lane, i, $k / Groups::$groups.size() as u32, PRODUCT.product.a.bits),
                    };
                    warploom_emulator::intrinsics::multiply_add_sparse(&PRODUCT, d, [a, b, c], places)
                };
        )*}
    };
}

products! {
    mma_sp_m16n8k16_f16_f16_f16 (16, 8, 16) float(Float::F16, Float::F16, Sum::F16), Fours, "sm80+ptx85", "=r2,r2,r2,r2,", "m16n8k16.row.col.f16.f16.f16.f16";
    mma_sp_m16n8k16_f32_f16_f16 (16, 8, 16) float(Float::F16, Float::F16, Sum::F32), Fours, "sm80+ptx85", "=f4,r2,r2,f4,", "m16n8k16.row.col.f32.f16.f16.f32";
    mma_sp_m16n8k16_f32_bf16_bf16 (16, 8, 16) float(Float::Bf16, Float::Bf16, Sum::F32), Fours, "sm80+ptx85", "=f4,r2,r2,f4,", "m16n8k16.row.col.f32.bf16.bf16.f32";
    mma_sp_m16n8k32_f16_f16_f16 (16, 8, 32) float(Float::F16, Float::F16, Sum::F16), Fours, "sm80+ptx85", "=r2,r4,r4,r2,", "m16n8k32.row.col.f16.f16.f16.f16";
    mma_sp_m16n8k32_f32_f16_f16 (16, 8, 32) float(Float::F16, Float::F16, Sum::F32), Fours, "sm80+ptx85", "=f4,r4,r4,f4,", "m16n8k32.row.col.f32.f16.f16.f32";
    mma_sp_m16n8k32_f32_bf16_bf16 (16, 8, 32) float(Float::Bf16, Float::Bf16, Sum::F32), Fours, "sm80+ptx85", "=f4,r4,r4,f4,", "m16n8k32.row.col.f32.bf16.bf16.f32";
    mma_sp_m16n8k8_f32_tf32_tf32 (16, 8, 8) float(Float::Tf32, Float::Tf32, Sum::F32), Pairs, "sm80+ptx85", "=f4,r2,r2,f4,", "m16n8k8.row.col.f32.tf32.tf32.f32";
    mma_sp_m16n8k16_f32_tf32_tf32 (16, 8, 16) float(Float::Tf32, Float::Tf32, Sum::F32), Pairs, "sm80+ptx85", "=f4,r4,r4,f4,", "m16n8k16.row.col.f32.tf32.tf32.f32";
    mma_sp_m16n8k64_f32_e4m3_e4m3 (16, 8, 64) float(Float::E4m3, Float::E4m3, Sum::F32), Fours, "sm89+ptx85", "=f4,r4,r4,f4,", "m16n8k64.row.col.f32.e4m3.e4m3.f32";
    mma_sp_m16n8k64_f32_e4m3_e5m2 (16, 8, 64) float(Float::E4m3, Float::E5m2, Sum::F32), Fours, "sm89+ptx85", "=f4,r4,r4,f4,", "m16n8k64.row.col.f32.e4m3.e5m2.f32";
    mma_sp_m16n8k64_f32_e5m2_e4m3 (16, 8, 64) float(Float::E5m2, Float::E4m3, Sum::F32), Fours, "sm89+ptx85", "=f4,r4,r4,f4,", "m16n8k64.row.col.f32.e5m2.e4m3.f32";
    mma_sp_m16n8k64_f32_e5m2_e5m2 (16, 8, 64) float(Float::E5m2, Float::E5m2, Sum::F32), Fours, "sm89+ptx85", "=f4,r4,r4,f4,", "m16n8k64.row.col.f32.e5m2.e5m2.f32";
    mma_sp_m16n8k32_s32_s8_s8 (16, 8, 32) integer(S8, S8, false), Fours, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k32.row.col.s32.s8.s8.s32";
    mma_sp_m16n8k32_s32_s8_s8_satfinite (16, 8, 32) integer(S8, S8, true), Fours, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k32.row.col.satfinite.s32.s8.s8.s32";
    mma_sp_m16n8k32_s32_s8_u8 (16, 8, 32) integer(S8, U8, false), Fours, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k32.row.col.s32.s8.u8.s32";
    mma_sp_m16n8k32_s32_s8_u8_satfinite (16, 8, 32) integer(S8, U8, true), Fours, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k32.row.col.satfinite.s32.s8.u8.s32";
    mma_sp_m16n8k32_s32_u8_s8 (16, 8, 32) integer(U8, S8, false), Fours, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k32.row.col.s32.u8.s8.s32";
    mma_sp_m16n8k32_s32_u8_s8_satfinite (16, 8, 32) integer(U8, S8, true), Fours, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k32.row.col.satfinite.s32.u8.s8.s32";
    mma_sp_m16n8k32_s32_u8_u8 (16, 8, 32) integer(U8, U8, false), Fours, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k32.row.col.s32.u8.u8.s32";
    mma_sp_m16n8k32_s32_u8_u8_satfinite (16, 8, 32) integer(U8, U8, true), Fours, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k32.row.col.satfinite.s32.u8.u8.s32";
    mma_sp_m16n8k64_s32_s8_s8 (16, 8, 64) integer(S8, S8, false), Fours, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k64.row.col.s32.s8.s8.s32";
    mma_sp_m16n8k64_s32_s8_s8_satfinite (16, 8, 64) integer(S8, S8, true), Fours, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k64.row.col.satfinite.s32.s8.s8.s32";
    mma_sp_m16n8k64_s32_s8_u8 (16, 8, 64) integer(S8, U8, false), Fours, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k64.row.col.s32.s8.u8.s32";
    mma_sp_m16n8k64_s32_s8_u8_satfinite (16, 8, 64) integer(S8, U8, true), Fours, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k64.row.col.satfinite.s32.s8.u8.s32";
    mma_sp_m16n8k64_s32_u8_s8 (16, 8, 64) integer(U8, S8, false), Fours, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k64.row.col.s32.u8.s8.s32";
    mma_sp_m16n8k64_s32_u8_s8_satfinite (16, 8, 64) integer(U8, S8, true), Fours, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k64.row.col.satfinite.s32.u8.s8.s32";
    mma_sp_m16n8k64_s32_u8_u8 (16, 8, 64) integer(U8, U8, false), Fours, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k64.row.col.s32.u8.u8.s32";
    mma_sp_m16n8k64_s32_u8_u8_satfinite (16, 8, 64) integer(U8, U8, true), Fours, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k64.row.col.satfinite.s32.u8.u8.s32";
    mma_sp_m16n8k64_s32_s4_s4 (16, 8, 64) integer(S4, S4, false), Eights, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k64.row.col.s32.s4.s4.s32";
    mma_sp_m16n8k64_s32_s4_s4_satfinite (16, 8, 64) integer(S4, S4, true), Eights, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k64.row.col.satfinite.s32.s4.s4.s32";
    mma_sp_m16n8k64_s32_s4_u4 (16, 8, 64) integer(S4, U4, false), Eights, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k64.row.col.s32.s4.u4.s32";
    mma_sp_m16n8k64_s32_s4_u4_satfinite (16, 8, 64) integer(S4, U4, true), Eights, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k64.row.col.satfinite.s32.s4.u4.s32";
    mma_sp_m16n8k64_s32_u4_s4 (16, 8, 64) integer(U4, S4, false), Eights, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k64.row.col.s32.u4.s4.s32";
    mma_sp_m16n8k64_s32_u4_s4_satfinite (16, 8, 64) integer(U4, S4, true), Eights, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k64.row.col.satfinite.s32.u4.s4.s32";
    mma_sp_m16n8k64_s32_u4_u4 (16, 8, 64) integer(U4, U4, false), Eights, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k64.row.col.s32.u4.u4.s32";
    mma_sp_m16n8k64_s32_u4_u4_satfinite (16, 8, 64) integer(U4, U4, true), Eights, "sm80+ptx85", "=r4,r2,r2,r4,", "m16n8k64.row.col.satfinite.s32.u4.u4.s32";
    mma_sp_m16n8k128_s32_s4_s4 (16, 8, 128) integer(S4, S4, false), Eights, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k128.row.col.s32.s4.s4.s32";
    mma_sp_m16n8k128_s32_s4_s4_satfinite (16, 8, 128) integer(S4, S4, true), Eights, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k128.row.col.satfinite.s32.s4.s4.s32";
    mma_sp_m16n8k128_s32_s4_u4 (16, 8, 128) integer(S4, U4, false), Eights, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k128.row.col.s32.s4.u4.s32";
    mma_sp_m16n8k128_s32_s4_u4_satfinite (16, 8, 128) integer(S4, U4, true), Eights, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k128.row.col.satfinite.s32.s4.u4.s32";
    mma_sp_m16n8k128_s32_u4_s4 (16, 8, 128) integer(U4, S4, false), Eights, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k128.row.col.s32.u4.s4.s32";
    mma_sp_m16n8k128_s32_u4_s4_satfinite (16, 8, 128) integer(U4, S4, true), Eights, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k128.row.col.satfinite.s32.u4.s4.s32";
    mma_sp_m16n8k128_s32_u4_u4 (16, 8, 128) integer(U4, U4, false), Eights, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k128.row.col.s32.u4.u4.s32";
    mma_sp_m16n8k128_s32_u4_u4_satfinite (16, 8, 128) integer(U4, U4, true), Eights, "sm80+ptx85", "=r4,r4,r4,r4,", "m16n8k128.row.col.satfinite.s32.u4.u4.s32";
}
