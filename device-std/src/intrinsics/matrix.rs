//! Products of matrices that the registers of a warp hold, `D = A · B + C`, and the places of their elements.

#[cfg(not(warploom_device))]
use warploom_emulator::matrix::{
    BitOperation, Float, Fragment, Instruction, Integer, Kind, Shape, Sum,
};

/// Row and column of element `i` of A in lane `lane`, where a register holds `PER` elements. The registers of a lane go down first, in steps of
/// 8 rows, of which there are 8 or 16.
#[inline(always)]
pub(crate) const fn place_in_a<const PER: u32>(lane: u32, i: u32) -> (u32, u32) {
    let (register, within) = (i / PER, i % PER);
    (
        lane / 4 + 8 * (register % 2),
        PER * (lane % 4) + within + 4 * PER * (register / 2),
    )
}

/// Row and column of element `i` of B in lane `lane`, where a register holds `PER` elements.
#[inline(always)]
pub(crate) const fn place_in_b<const PER: u32>(lane: u32, i: u32) -> (u32, u32) {
    let (register, within) = (i / PER, i % PER);
    (PER * (lane % 4) + within + 4 * PER * register, lane / 4)
}

/// Row and column of element `i` of C and D in lane `lane`.
#[inline(always)]
pub(crate) const fn place_in_d(lane: u32, i: u32) -> (u32, u32) {
    (lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2)
}

macro_rules! products {
    ($($name:ident ($m:literal, $n:literal, $k:literal) $kind:expr, $needs:literal, $operands:literal, $text:literal;)*) => {
        register_intrinsics! {$(
            #[doc = concat!("`*d = a · b + c`. PTX `mma.sync.aligned.", $text, "`; needs ", $needs, ".")]
            unsafe fn $name(d: *mut u32, a: *const u32, b: *const u32, c: *const u32) =
                "registers:volatile+convergent+" $needs "|" $operands "|mma.sync.aligned." $text " @0, @1, @2, @3;"
                else {
                    static PRODUCT: Instruction = product(stringify!($name), $kind, Shape { m: $m, n: $n, k: $k });
                    warploom_emulator::intrinsics::multiply_add(&PRODUCT, d, [a, b, c])
                };
        )*}
    };
}

products! {
    mma_m16n8k8_f16_f16_f16 (16, 8, 8) float(Float::F16, Float::F16, Sum::F16), "sm75+ptx65", "=r2,r2,r1,r2", "m16n8k8.row.col.f16.f16.f16.f16";
    mma_m16n8k8_f32_f16_f16 (16, 8, 8) float(Float::F16, Float::F16, Sum::F32), "sm75+ptx65", "=f4,r2,r1,f4", "m16n8k8.row.col.f32.f16.f16.f32";
    mma_m16n8k16_f16_f16_f16 (16, 8, 16) float(Float::F16, Float::F16, Sum::F16), "sm80+ptx70", "=r2,r4,r2,r2", "m16n8k16.row.col.f16.f16.f16.f16";
    mma_m16n8k16_f32_f16_f16 (16, 8, 16) float(Float::F16, Float::F16, Sum::F32), "sm80+ptx70", "=f4,r4,r2,f4", "m16n8k16.row.col.f32.f16.f16.f32";
    mma_m16n8k8_f32_bf16_bf16 (16, 8, 8) float(Float::Bf16, Float::Bf16, Sum::F32), "sm80+ptx70", "=f4,r2,r1,f4", "m16n8k8.row.col.f32.bf16.bf16.f32";
    mma_m16n8k16_f32_bf16_bf16 (16, 8, 16) float(Float::Bf16, Float::Bf16, Sum::F32), "sm80+ptx70", "=f4,r4,r2,f4", "m16n8k16.row.col.f32.bf16.bf16.f32";
    mma_m16n8k4_f32_tf32_tf32 (16, 8, 4) float(Float::Tf32, Float::Tf32, Sum::F32), "sm80+ptx70", "=f4,r2,r1,f4", "m16n8k4.row.col.f32.tf32.tf32.f32";
    mma_m16n8k8_f32_tf32_tf32 (16, 8, 8) float(Float::Tf32, Float::Tf32, Sum::F32), "sm80+ptx70", "=f4,r4,r2,f4", "m16n8k8.row.col.f32.tf32.tf32.f32";
    mma_m16n8k32_f32_e4m3_e4m3 (16, 8, 32) float(Float::E4m3, Float::E4m3, Sum::F32), "sm89+ptx84", "=f4,r4,r2,f4", "m16n8k32.row.col.f32.e4m3.e4m3.f32";
    mma_m16n8k32_f32_e4m3_e5m2 (16, 8, 32) float(Float::E4m3, Float::E5m2, Sum::F32), "sm89+ptx84", "=f4,r4,r2,f4", "m16n8k32.row.col.f32.e4m3.e5m2.f32";
    mma_m16n8k32_f32_e5m2_e4m3 (16, 8, 32) float(Float::E5m2, Float::E4m3, Sum::F32), "sm89+ptx84", "=f4,r4,r2,f4", "m16n8k32.row.col.f32.e5m2.e4m3.f32";
    mma_m16n8k32_f32_e5m2_e5m2 (16, 8, 32) float(Float::E5m2, Float::E5m2, Sum::F32), "sm89+ptx84", "=f4,r4,r2,f4", "m16n8k32.row.col.f32.e5m2.e5m2.f32";
    mma_m8n8k4_f64_f64_f64 (8, 8, 4) Kind::Double, "sm80+ptx70", "=d2,d1,d1,d2", "m8n8k4.row.col.f64.f64.f64.f64";
    mma_m16n8k4_f64_f64_f64 (16, 8, 4) Kind::Double, "sm90+ptx78", "=d4,d2,d1,d4", "m16n8k4.row.col.f64.f64.f64.f64";
    mma_m16n8k8_f64_f64_f64 (16, 8, 8) Kind::Double, "sm90+ptx78", "=d4,d4,d2,d4", "m16n8k8.row.col.f64.f64.f64.f64";
    mma_m16n8k16_f64_f64_f64 (16, 8, 16) Kind::Double, "sm90+ptx78", "=d4,d8,d4,d4", "m16n8k16.row.col.f64.f64.f64.f64";
    mma_m16n8k16_s32_s8_s8 (16, 8, 16) integer(S8, S8, false), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k16.row.col.s32.s8.s8.s32";
    mma_m16n8k16_s32_s8_s8_satfinite (16, 8, 16) integer(S8, S8, true), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k16.row.col.satfinite.s32.s8.s8.s32";
    mma_m16n8k16_s32_s8_u8 (16, 8, 16) integer(S8, U8, false), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k16.row.col.s32.s8.u8.s32";
    mma_m16n8k16_s32_s8_u8_satfinite (16, 8, 16) integer(S8, U8, true), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k16.row.col.satfinite.s32.s8.u8.s32";
    mma_m16n8k16_s32_u8_s8 (16, 8, 16) integer(U8, S8, false), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k16.row.col.s32.u8.s8.s32";
    mma_m16n8k16_s32_u8_s8_satfinite (16, 8, 16) integer(U8, S8, true), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k16.row.col.satfinite.s32.u8.s8.s32";
    mma_m16n8k16_s32_u8_u8 (16, 8, 16) integer(U8, U8, false), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k16.row.col.s32.u8.u8.s32";
    mma_m16n8k16_s32_u8_u8_satfinite (16, 8, 16) integer(U8, U8, true), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k16.row.col.satfinite.s32.u8.u8.s32";
    mma_m16n8k32_s32_s8_s8 (16, 8, 32) integer(S8, S8, false), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k32.row.col.s32.s8.s8.s32";
    mma_m16n8k32_s32_s8_s8_satfinite (16, 8, 32) integer(S8, S8, true), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k32.row.col.satfinite.s32.s8.s8.s32";
    mma_m16n8k32_s32_s8_u8 (16, 8, 32) integer(S8, U8, false), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k32.row.col.s32.s8.u8.s32";
    mma_m16n8k32_s32_s8_u8_satfinite (16, 8, 32) integer(S8, U8, true), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k32.row.col.satfinite.s32.s8.u8.s32";
    mma_m16n8k32_s32_u8_s8 (16, 8, 32) integer(U8, S8, false), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k32.row.col.s32.u8.s8.s32";
    mma_m16n8k32_s32_u8_s8_satfinite (16, 8, 32) integer(U8, S8, true), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k32.row.col.satfinite.s32.u8.s8.s32";
    mma_m16n8k32_s32_u8_u8 (16, 8, 32) integer(U8, U8, false), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k32.row.col.s32.u8.u8.s32";
    mma_m16n8k32_s32_u8_u8_satfinite (16, 8, 32) integer(U8, U8, true), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k32.row.col.satfinite.s32.u8.u8.s32";
    mma_m16n8k32_s32_s4_s4 (16, 8, 32) integer(S4, S4, false), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k32.row.col.s32.s4.s4.s32";
    mma_m16n8k32_s32_s4_s4_satfinite (16, 8, 32) integer(S4, S4, true), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k32.row.col.satfinite.s32.s4.s4.s32";
    mma_m16n8k32_s32_s4_u4 (16, 8, 32) integer(S4, U4, false), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k32.row.col.s32.s4.u4.s32";
    mma_m16n8k32_s32_s4_u4_satfinite (16, 8, 32) integer(S4, U4, true), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k32.row.col.satfinite.s32.s4.u4.s32";
    mma_m16n8k32_s32_u4_s4 (16, 8, 32) integer(U4, S4, false), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k32.row.col.s32.u4.s4.s32";
    mma_m16n8k32_s32_u4_s4_satfinite (16, 8, 32) integer(U4, S4, true), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k32.row.col.satfinite.s32.u4.s4.s32";
    mma_m16n8k32_s32_u4_u4 (16, 8, 32) integer(U4, U4, false), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k32.row.col.s32.u4.u4.s32";
    mma_m16n8k32_s32_u4_u4_satfinite (16, 8, 32) integer(U4, U4, true), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k32.row.col.satfinite.s32.u4.u4.s32";
    mma_m16n8k64_s32_s4_s4 (16, 8, 64) integer(S4, S4, false), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k64.row.col.s32.s4.s4.s32";
    mma_m16n8k64_s32_s4_s4_satfinite (16, 8, 64) integer(S4, S4, true), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k64.row.col.satfinite.s32.s4.s4.s32";
    mma_m16n8k64_s32_s4_u4 (16, 8, 64) integer(S4, U4, false), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k64.row.col.s32.s4.u4.s32";
    mma_m16n8k64_s32_s4_u4_satfinite (16, 8, 64) integer(S4, U4, true), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k64.row.col.satfinite.s32.s4.u4.s32";
    mma_m16n8k64_s32_u4_s4 (16, 8, 64) integer(U4, S4, false), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k64.row.col.s32.u4.s4.s32";
    mma_m16n8k64_s32_u4_s4_satfinite (16, 8, 64) integer(U4, S4, true), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k64.row.col.satfinite.s32.u4.s4.s32";
    mma_m16n8k64_s32_u4_u4 (16, 8, 64) integer(U4, U4, false), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k64.row.col.s32.u4.u4.s32";
    mma_m16n8k64_s32_u4_u4_satfinite (16, 8, 64) integer(U4, U4, true), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k64.row.col.satfinite.s32.u4.u4.s32";
    mma_m16n8k128_s32_b1_b1_and (16, 8, 128) Kind::Bits(BitOperation::And), "sm80+ptx71", "=r4,r2,r1,r4", "m16n8k128.row.col.s32.b1.b1.s32.and.popc";
    mma_m16n8k128_s32_b1_b1_xor (16, 8, 128) Kind::Bits(BitOperation::Xor), "sm80+ptx70", "=r4,r2,r1,r4", "m16n8k128.row.col.s32.b1.b1.s32.xor.popc";
    mma_m16n8k256_s32_b1_b1_and (16, 8, 256) Kind::Bits(BitOperation::And), "sm80+ptx71", "=r4,r4,r2,r4", "m16n8k256.row.col.s32.b1.b1.s32.and.popc";
    mma_m16n8k256_s32_b1_b1_xor (16, 8, 256) Kind::Bits(BitOperation::Xor), "sm80+ptx70", "=r4,r4,r2,r4", "m16n8k256.row.col.s32.b1.b1.s32.xor.popc";
}

#[cfg(not(warploom_device))]
pub(super) const S8: Integer = Integer {
    bits: 8,
    signed: true,
};
#[cfg(not(warploom_device))]
pub(super) const U8: Integer = Integer {
    bits: 8,
    signed: false,
};
#[cfg(not(warploom_device))]
pub(super) const S4: Integer = Integer {
    bits: 4,
    signed: true,
};
#[cfg(not(warploom_device))]
pub(super) const U4: Integer = Integer {
    bits: 4,
    signed: false,
};

#[cfg(not(warploom_device))]
pub(super) const fn float(a: Float, b: Float, sum: Sum) -> Kind {
    Kind::Float {
        a,
        b,
        c: sum,
        d: sum,
    }
}

#[cfg(not(warploom_device))]
pub(super) const fn integer(a: Integer, b: Integer, saturates: bool) -> Kind {
    Kind::Integer { a, b, saturates }
}

#[cfg(not(warploom_device))]
const fn fragment(elements: usize, bits: u32, coords: fn(u32, u32) -> (u32, u32)) -> Fragment {
    Fragment {
        elements: elements as u32 / 32,
        bits,
        coords,
    }
}

/// What the emulator has to know of an instruction.
#[cfg(not(warploom_device))]
const fn product(name: &'static str, kind: Kind, shape: Shape) -> Instruction {
    product_of(name, kind, shape, shape.k)
}

/// The same of an instruction whose A has `columns` columns in registers.
#[cfg(not(warploom_device))]
pub(super) const fn product_of(
    name: &'static str,
    kind: Kind,
    shape: Shape,
    columns: usize,
) -> Instruction {
    let Shape { m, n, k } = shape;
    let [a, b, c, d] = kind.bits();
    Instruction {
        name,
        kind,
        shape,
        a: fragment(m * columns, a, coords_of_a(a)),
        b: fragment(k * n, b, coords_of_b(b)),
        c: fragment(m * n, c, place_in_d),
        d: fragment(m * n, d, place_in_d),
    }
}

macro_rules! by_bits {
    ($bits:ident, $place:ident) => {
        match $bits {
            1 => $place::<32>,
            4 => $place::<8>,
            8 => $place::<4>,
            16 => $place::<2>,
            _ => $place::<1>,
        }
    };
}

#[cfg(not(warploom_device))]
const fn coords_of_a(bits: u32) -> fn(u32, u32) -> (u32, u32) {
    by_bits!(bits, place_in_a)
}

#[cfg(not(warploom_device))]
const fn coords_of_b(bits: u32) -> fn(u32, u32) -> (u32, u32) {
    by_bits!(bits, place_in_b)
}
