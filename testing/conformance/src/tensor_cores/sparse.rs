//! Every combination of shape and types of products with a sparse A.

use super::numbers::{Distribution, Number, element_of_a, element_of_b, element_of_c};
use super::{Case, Rows};
use warploom::device_std::mma::{
    B, D, E4m3, E5m2, HoldsSparse, M16N8K8, M16N8K16, M16N8K32, M16N8K64, M16N8K128, Registers, S4,
    Shape, SparseA, SparseElement, Tf32, U4,
};
use warploom::prelude::*;

/// The places of the elements of a group that are there, as the instruction has them: a random half.
#[inline(always)]
fn places<T: SparseElement>(rows: Rows, row: u32, group: u32) -> u32 {
    let random = rows.random(5, row as usize, group as usize) as u32;
    if T::GROUP == 2 {
        return [0b0100, 0b1110][random as usize % 2];
    }
    // The six pairs of two numbers of 2 bits in ascending order.
    0x00ed_9c84 >> (4 * (random % 6)) & 0xf
}

/// Where element `i`, of those of a group that are there, stands in the group.
#[inline(always)]
fn place<T: SparseElement>(places: u32, i: u32) -> u32 {
    match T::GROUP {
        2 => places >> 3 & 1,
        4 => places >> (2 * i) & 3,
        _ => 2 * (places >> (2 * (i / 2)) & 3) + i % 2,
    }
}

/// A lane's part of A.
#[inline(always)]
fn factor<S: HoldsSparse<T>, T: Number + SparseElement>(
    warp: Warp<'_>,
    rows: Rows,
) -> SparseA<S, T> {
    let (lane, half) = (warp.lane(), T::GROUP / 2);
    let registers = S::Half::pack(|i| {
        let (row, column) = SparseA::<S, T>::coords(lane, i);
        let group = column / half;
        let k = group * T::GROUP + place::<T>(places::<T>(rows, row, group), column % half);
        element_of_a::<T>(rows, row as usize, k as usize)
    });
    let mut word = 0;
    for i in 0..SparseA::<S, T>::GROUPS_OF_WORD {
        if let Some((row, group)) = SparseA::<S, T>::group(lane, i) {
            word |= places::<T>(rows, row, group) << (4 * i);
        }
    }
    SparseA::from_parts(registers, word)
}

/// The bits of the element of A in row `row` and column `k`.
fn element<T: Number + SparseElement>(rows: Rows, row: usize, k: usize) -> u64 {
    let (group, within) = (k as u32 / T::GROUP, k as u32 % T::GROUP);
    let places = places::<T>(rows, row as u32, group);
    let is_there = (0..T::GROUP / 2).any(|i| place::<T>(places, i) == within);
    if is_there {
        T::of_a(rows, row, k).bits()
    } else {
        0
    }
}

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
                    let a = factor::<$shape, $a>(warp, rows);
                    let b = B::<$shape, $b>::from_fn(warp, |k, column| element_of_b::<$b>(rows, k, column));
                    let c = D::<<$shape as Shape>::Sums, $d>::from_fn(warp, |row, column| element_of_c::<$d>(rows, row, column));
                    let d = warp.$method(a, b, c);
                    d.for_each(warp, |row, column, value| with(row, column, value.bits()));
                }

                fn operand(role: char, product: u64, distribution: Distribution, row: usize, column: usize) -> u64 {
                    let rows = Rows { product, distribution };
                    match role {
                        'a' => element::<$a>(rows, row, column),
                        'b' => <$b as Number>::of_b(rows, row, column).bits(),
                        _ => <$d as Number>::of_c(rows, row, column).bits(),
                    }
                }
            }
        )*

        /// Calls `with` for each case.
        #[macro_export]
        macro_rules! each_sparse_case {
            ($with:ident) => { $($with!($name);)* };
        }
    };
}

cases! {
    mma_sp_m16n8k16_f16_f16_f16: M16N8K16 F16 F16 F16 mma_sparse;
    mma_sp_m16n8k16_f32_f16_f16: M16N8K16 F16 F16 f32 mma_sparse;
    mma_sp_m16n8k16_f32_bf16_bf16: M16N8K16 Bf16 Bf16 f32 mma_sparse;
    mma_sp_m16n8k32_f16_f16_f16: M16N8K32 F16 F16 F16 mma_sparse;
    mma_sp_m16n8k32_f32_f16_f16: M16N8K32 F16 F16 f32 mma_sparse;
    mma_sp_m16n8k32_f32_bf16_bf16: M16N8K32 Bf16 Bf16 f32 mma_sparse;
    mma_sp_m16n8k8_f32_tf32_tf32: M16N8K8 Tf32 Tf32 f32 mma_sparse;
    mma_sp_m16n8k16_f32_tf32_tf32: M16N8K16 Tf32 Tf32 f32 mma_sparse;
    mma_sp_m16n8k64_f32_e4m3_e4m3: M16N8K64 E4m3 E4m3 f32 mma_sparse;
    mma_sp_m16n8k64_f32_e4m3_e5m2: M16N8K64 E4m3 E5m2 f32 mma_sparse;
    mma_sp_m16n8k64_f32_e5m2_e4m3: M16N8K64 E5m2 E4m3 f32 mma_sparse;
    mma_sp_m16n8k64_f32_e5m2_e5m2: M16N8K64 E5m2 E5m2 f32 mma_sparse;
    mma_sp_m16n8k32_s32_s8_s8: M16N8K32 i8 i8 i32 mma_sparse;
    mma_sp_m16n8k32_s32_s8_u8: M16N8K32 i8 u8 i32 mma_sparse;
    mma_sp_m16n8k32_s32_u8_s8: M16N8K32 u8 i8 i32 mma_sparse;
    mma_sp_m16n8k32_s32_u8_u8: M16N8K32 u8 u8 i32 mma_sparse;
    mma_sp_m16n8k64_s32_s8_s8: M16N8K64 i8 i8 i32 mma_sparse;
    mma_sp_m16n8k64_s32_s8_u8: M16N8K64 i8 u8 i32 mma_sparse;
    mma_sp_m16n8k64_s32_u8_s8: M16N8K64 u8 i8 i32 mma_sparse;
    mma_sp_m16n8k64_s32_u8_u8: M16N8K64 u8 u8 i32 mma_sparse;
    mma_sp_m16n8k64_s32_s4_s4: M16N8K64 S4 S4 i32 mma_sparse;
    mma_sp_m16n8k64_s32_s4_u4: M16N8K64 S4 U4 i32 mma_sparse;
    mma_sp_m16n8k64_s32_u4_s4: M16N8K64 U4 S4 i32 mma_sparse;
    mma_sp_m16n8k64_s32_u4_u4: M16N8K64 U4 U4 i32 mma_sparse;
    mma_sp_m16n8k128_s32_s4_s4: M16N8K128 S4 S4 i32 mma_sparse;
    mma_sp_m16n8k128_s32_s4_u4: M16N8K128 S4 U4 i32 mma_sparse;
    mma_sp_m16n8k128_s32_u4_s4: M16N8K128 U4 S4 i32 mma_sparse;
    mma_sp_m16n8k128_s32_u4_u4: M16N8K128 U4 U4 i32 mma_sparse;
    mma_sp_m16n8k32_s32_s8_s8_satfinite: M16N8K32 i8 i8 i32 mma_sparse_saturating;
    mma_sp_m16n8k32_s32_s8_u8_satfinite: M16N8K32 i8 u8 i32 mma_sparse_saturating;
    mma_sp_m16n8k32_s32_u8_s8_satfinite: M16N8K32 u8 i8 i32 mma_sparse_saturating;
    mma_sp_m16n8k32_s32_u8_u8_satfinite: M16N8K32 u8 u8 i32 mma_sparse_saturating;
    mma_sp_m16n8k64_s32_s8_s8_satfinite: M16N8K64 i8 i8 i32 mma_sparse_saturating;
    mma_sp_m16n8k64_s32_s8_u8_satfinite: M16N8K64 i8 u8 i32 mma_sparse_saturating;
    mma_sp_m16n8k64_s32_u8_s8_satfinite: M16N8K64 u8 i8 i32 mma_sparse_saturating;
    mma_sp_m16n8k64_s32_u8_u8_satfinite: M16N8K64 u8 u8 i32 mma_sparse_saturating;
    mma_sp_m16n8k64_s32_s4_s4_satfinite: M16N8K64 S4 S4 i32 mma_sparse_saturating;
    mma_sp_m16n8k64_s32_s4_u4_satfinite: M16N8K64 S4 U4 i32 mma_sparse_saturating;
    mma_sp_m16n8k64_s32_u4_s4_satfinite: M16N8K64 U4 S4 i32 mma_sparse_saturating;
    mma_sp_m16n8k64_s32_u4_u4_satfinite: M16N8K64 U4 U4 i32 mma_sparse_saturating;
    mma_sp_m16n8k128_s32_s4_s4_satfinite: M16N8K128 S4 S4 i32 mma_sparse_saturating;
    mma_sp_m16n8k128_s32_s4_u4_satfinite: M16N8K128 S4 U4 i32 mma_sparse_saturating;
    mma_sp_m16n8k128_s32_u4_s4_satfinite: M16N8K128 U4 S4 i32 mma_sparse_saturating;
    mma_sp_m16n8k128_s32_u4_u4_satfinite: M16N8K128 U4 U4 i32 mma_sparse_saturating;
}
