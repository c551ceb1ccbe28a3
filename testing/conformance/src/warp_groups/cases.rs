//! Combinations of types, numbers of columns and layouts: every type, every layout, the least and the greatest number of columns.

use super::GroupCase;
use crate::tensor_cores::{Distribution, Number, Rows};
use warploom::device_std::mma::{self, E4m3, E5m2, Tf32};
use warploom::device_std::shared::{Swizzle32, Swizzle64, Swizzle128, SwizzledTiles, Unswizzled};
use warploom::device_std::swizzled_tiles;
use warploom::device_std::wgmma::{Accumulator, Input, WarpGroup};
use warploom::prelude::*;

/// The product whose elements step `step` of a tile has, when step `own` is multiplied.
#[inline(always)]
fn other(product: u64, step: usize, own: usize) -> u64 {
    product + ((step.wrapping_sub(own) as u64 % 4) << 40)
}

/// Rows of random numbers for step `step` of a tile.
#[inline(always)]
fn rows(product: u64, distribution: Distribution, step: usize, own: usize) -> Rows {
    Rows {
        product: other(product, step, own),
        distribution,
    }
}

// A tile has four steps of k, of which one is multiplied: 128 bytes of a row, or 64 rows.
macro_rules! cases {
    ($($name:ident: $a:ident $a_is:ident $($sa:ident)?, $b:ident $b_is:ident $sb:ident $cols:literal, $d:ident $n:literal;)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`")]
            #[allow(non_camel_case_types, reason = "types, columns and layouts")]
            pub enum $name {}

            impl GroupCase for $name {
                const NAME: &'static str = stringify!($name);
                const COLUMNS: usize = $n;
                const K: usize = <$a as Input>::K;
                type Sum = $d;

                #[inline(always)]
                unsafe fn run(
                    block: Block<'_>,
                    warp: Warp<'_>,
                    product: u64,
                    distribution: Distribution,
                    mut sums: impl FnMut(usize, usize, Option<u32>) -> u32,
                ) {
                    let own = (product % 4) as usize;
                    let of = |step: usize| rows(product, distribution, step, own);
                    let (thread, _) = (block.thread(), warp); // only some cases need the warp
                    let b = cases!(@b $b_is $b $sb $n $cols, block, thread, of);
                    let a = cases!(@a $a_is $a $($sa)?, block, warp, thread, of, own);
                    // SAFETY: no thread writes them again.
                    let b = unsafe { b.published(block) };
                    let a = cases!(@published $a_is, a, block);
                    let group = WarpGroup::new(block);
                    let c = Accumulator::<$n, $d>::from_fn(group, |row, column| {
                        <$d as FromBits>::from_bits(sums(row, column, None))
                    });
                    let batch = group.begin(c);
                    let b = cases!(@operand $b_is, b, own, $b);
                    let batch = cases!(@multiply $a_is, batch, a, b, own, $a);
                    batch.commit().wait().for_each(group, |row, column, value| {
                        sums(row, column, Some(value.bits() as u32));
                    });
                }

                fn operand(role: char, product: u64, distribution: Distribution, row: usize, column: usize) -> u64 {
                    let rows = Rows { product, distribution };
                    match role {
                        'a' => <$a as Number>::of_a(rows, row, column).bits(),
                        'b' => <$b as Number>::of_b(rows, row, column).bits(),
                        _ => <$d as Number>::of_c(rows, row, column).bits(),
                    }
                }
            }
        )*

        /// Calls `with` for each case.
        #[macro_export]
        macro_rules! each_warp_group_case {
            ($with:ident) => { $($with!($name);)* };
        }
    };
    (@a rows $a:ident $s:ident, $block:ident, $warp:ident, $thread:ident, $of:ident, $own:ident) => {{
        let tiles: SwizzledTiles<'_, $a, 64, { 128 / size_of::<$a>() }, $s, 1> = swizzled_tiles!($block);
        let k = <$a as Input>::K;
        // SAFETY: each thread has its own elements.
        unsafe { tiles.stage(0).fill($thread, 128, |row, at| <$a as Number>::of_a($of(at / k), row, at % k)) };
        tiles.stage(0)
    }};
    (@a columns $a:ident $s:ident, $block:ident, $warp:ident, $thread:ident, $of:ident, $own:ident) => {{
        let tiles: SwizzledTiles<'_, $a, 64, 64, $s, 1> = swizzled_tiles!($block);
        // SAFETY: each thread has its own elements.
        unsafe { tiles.stage(0).fill($thread, 128, |at, row| <$a as Number>::of_a($of(at / 16), row, at % 16)) };
        tiles.stage(0)
    }};
    (@a registers $a:ident, $block:ident, $warp:ident, $thread:ident, $of:ident, $own:ident) => {{
        let first = $thread / 32 * 16;
        let rows = $of($own);
        mma::A::<<$a as Input>::Shape, $a>::from_fn($warp, |row, k| <$a as Number>::of_a(rows, first + row, k))
    }};
    (@published registers, $a:ident, $block:ident) => { $a };
    (@published $is:ident, $a:ident, $block:ident) => {
        // SAFETY: no thread writes it again.
        unsafe { $a.published($block) }
    };
    (@b rows $b:ident $s:ident $n:literal $cols:literal, $block:ident, $thread:ident, $of:ident) => {{
        let tiles: SwizzledTiles<'_, $b, $n, { 128 / size_of::<$b>() }, $s, 1> = swizzled_tiles!($block);
        let k = <$b as Input>::K;
        // SAFETY: each thread has its own elements.
        unsafe { tiles.stage(0).fill($thread, 128, |column, at| <$b as Number>::of_b($of(at / k), at % k, column)) };
        tiles.stage(0)
    }};
    (@b columns $b:ident $s:ident $n:literal $cols:literal, $block:ident, $thread:ident, $of:ident) => {{
        let tiles: SwizzledTiles<'_, $b, 64, $cols, $s, 1> = swizzled_tiles!($block);
        // SAFETY: each thread has its own elements.
        unsafe { tiles.stage(0).fill($thread, 128, |at, column| <$b as Number>::of_b($of(at / 16), at % 16, column)) };
        tiles.stage(0)
    }};
    (@operand rows, $x:ident, $own:ident, $ty:ident) => { $x.rows(0, $own * <$ty as Input>::K) };
    (@operand columns, $x:ident, $own:ident, $ty:ident) => { $x.columns(0, $own * 16) };
    (@multiply registers, $batch:ident, $a:ident, $b:ident, $own:ident, $ty:ident) => { $batch.multiply_add_rows(&$a, $b) };
    (@multiply $is:ident, $batch:ident, $a:ident, $b:ident, $own:ident, $ty:ident) => {{
        let a = cases!(@operand $is, $a, $own, $ty);
        $batch.multiply_add(a, $b)
    }};
}

/// Elements of D from their bits.
trait FromBits {
    fn from_bits(bits: u32) -> Self;
}

impl FromBits for f32 {
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        f32::from_bits(bits)
    }
}

impl FromBits for F16 {
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        F16::from_bits(bits as u16)
    }
}

impl FromBits for i32 {
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        bits.cast_signed()
    }
}

cases! {
    n8_f32_f16_f16: F16 rows Swizzle128, F16 rows Swizzle128 0, f32 8;
    n256_f32_f16_f16: F16 rows Swizzle128, F16 rows Swizzle128 0, f32 256;
    n64_f32_f16_f16_64_32: F16 rows Swizzle64, F16 rows Swizzle32 0, f32 64;
    n64_f32_f16_f16_32_none: F16 rows Swizzle32, F16 rows Unswizzled 0, f32 64;
    n64_f32_f16_f16_none_64: F16 rows Unswizzled, F16 rows Swizzle64 0, f32 64;
    n128_f32_f16_f16_columns_128_128: F16 columns Swizzle128, F16 columns Swizzle128 128, f32 128;
    n256_f32_f16_f16_columns_64_128: F16 columns Swizzle64, F16 columns Swizzle128 256, f32 256;
    n64_f32_f16_f16_columns_32_64: F16 columns Swizzle32, F16 columns Swizzle64 64, f32 64;
    n64_f32_f16_f16_columns_none_32: F16 columns Unswizzled, F16 columns Swizzle32 64, f32 64;
    n24_f32_f16_f16_columns_128_none: F16 columns Swizzle128, F16 columns Unswizzled 64, f32 24;
    n32_f32_f16_f16_registers: F16 registers, F16 rows Swizzle128 0, f32 32;
    n40_f32_f16_f16_registers_columns: F16 registers, F16 columns Swizzle128 64, f32 40;
    n16_f16_f16_f16: F16 rows Swizzle128, F16 rows Swizzle128 0, F16 16;
    n256_f16_f16_f16: F16 rows Swizzle128, F16 rows Swizzle128 0, F16 256;
    n24_f16_f16_f16_registers: F16 registers, F16 rows Swizzle64 0, F16 24;
    n8_f32_bf16_bf16: Bf16 rows Swizzle128, Bf16 rows Swizzle128 0, f32 8;
    n176_f32_bf16_bf16: Bf16 rows Swizzle128, Bf16 rows Swizzle128 0, f32 176;
    n256_f32_bf16_bf16: Bf16 rows Swizzle128, Bf16 rows Swizzle128 0, f32 256;
    n64_f32_bf16_bf16_columns: Bf16 columns Swizzle128, Bf16 columns Swizzle128 64, f32 64;
    n64_f32_bf16_bf16_registers: Bf16 registers, Bf16 columns Swizzle128 64, f32 64;
    n8_f32_tf32_tf32: Tf32 rows Swizzle128, Tf32 rows Swizzle128 0, f32 8;
    n256_f32_tf32_tf32: Tf32 rows Swizzle128, Tf32 rows Swizzle128 0, f32 256;
    n64_f32_tf32_tf32_registers: Tf32 registers, Tf32 rows Swizzle32 0, f32 64;
    n64_f32_e4m3_e4m3: E4m3 rows Swizzle128, E4m3 rows Swizzle128 0, f32 64;
    n32_f32_e4m3_e5m2: E4m3 rows Swizzle128, E5m2 rows Swizzle128 0, f32 32;
    n32_f32_e5m2_e4m3: E5m2 rows Swizzle128, E4m3 rows Swizzle128 0, f32 32;
    n32_f32_e5m2_e5m2: E5m2 rows Swizzle128, E5m2 rows Swizzle128 0, f32 32;
    n256_f32_e4m3_e4m3: E4m3 rows Swizzle128, E4m3 rows Swizzle128 0, f32 256;
    n32_f32_e4m3_e4m3_registers: E4m3 registers, E4m3 rows Swizzle64 0, f32 32;
    n32_f16_e4m3_e4m3: E4m3 rows Swizzle128, E4m3 rows Swizzle128 0, F16 32;
    n32_f16_e4m3_e5m2: E4m3 rows Swizzle128, E5m2 rows Swizzle128 0, F16 32;
    n32_f16_e5m2_e4m3: E5m2 rows Swizzle128, E4m3 rows Swizzle128 0, F16 32;
    n32_f16_e5m2_e5m2: E5m2 rows Swizzle128, E5m2 rows Swizzle128 0, F16 32;
    n8_s32_s8_s8: i8 rows Swizzle128, i8 rows Swizzle128 0, i32 8;
    n32_s32_s8_u8: i8 rows Swizzle64, u8 rows Swizzle128 0, i32 32;
    n32_s32_u8_s8: u8 rows Swizzle32, i8 rows Swizzle128 0, i32 32;
    n32_s32_u8_u8: u8 rows Unswizzled, u8 rows Unswizzled 0, i32 32;
    n224_s32_s8_s8: i8 rows Swizzle128, i8 rows Swizzle128 0, i32 224;
    n32_s32_s8_s8_registers: i8 registers, i8 rows Swizzle128 0, i32 32;
}
