//! Products with sums in tensor memory are one instruction each: every combination of types, both numbers of rows, A in both memories, layouts, and replaced sums.

use warploom::device_std::mma::{E4m3, E5m2, Tf32};
use warploom::device_std::shared::{Swizzle32, Swizzle64, Swizzle128, SwizzledTiles, Unswizzled};
use warploom::device_std::tcgen05::{Accumulator, TensorMemory};
use warploom::device_std::wgmma::WarpGroup;
use warploom::device_std::{Mbarrier, shared_array, swizzled_tiles};
use warploom::prelude::*;

/// A kernel that adds a product of these types: of 128 rows of A in shared memory and in tensor memory, and of 64 rows.
macro_rules! products {
    ($block:ident, $a:ident, $b:ident, $d:ident, $n:literal) => {
        let a: SwizzledTiles<'_, $a, 128, { 128 / size_of::<$a>() }, Swizzle128, 1> =
            swizzled_tiles!($block);
        let b: SwizzledTiles<'_, $b, $n, { 128 / size_of::<$b>() }, Swizzle128, 1> =
            swizzled_tiles!($block);
        let barriers = shared_array!(u64, 2);
        // SAFETY: never launched.
        unsafe {
            let mut memory = TensorMemory::<'_, 512>::allocate($block);
            let (a, b) = (a.stage(0).view(), b.stage(0).view());
            let (sums, rest) = memory.columns().split::<$n, { 512 - $n }>();
            let (others, rest) = rest.split::<$n, { 512 - 2 * $n }>();
            let sums: Accumulator<'_, 128, $n, $d> =
                Accumulator::new(sums, Mbarrier::new(barriers, 0));
            let others: Accumulator<'_, 64, $n, $d> =
                Accumulator::new(others, Mbarrier::new(barriers, 1));
            products!(@factor $block, rest, sums, others, a, b, $a, $n);
            memory.release($block);
        }
    };
    (@factor $block:ident, $rest:ident, $sums:ident, $others:ident, $a:ident, $b:ident, $ty:ident, $n:literal) => {
        let (left, _) = $rest.split::<8, { 504 - 2 * $n }>();
        let mut left = left.factor::<$ty>();
        left.store::<8>(WarpGroup::new($block), 0, |_, _| <$ty>::default());
        let left = left.publish($block);
        let batch = $sums.begin($block).multiply_add($a.rows(0, 0), $b.rows(0, 0));
        let flight = batch.multiply_add_rows(left.rows(0), $b.rows(0, 0)).commit();
        let other = $others.begin($block).multiply($a.rows(64, 0), $b.rows(0, 0)).commit();
        let _ = (flight.wait(), other.wait());
    };
}

/// `F16` and `F16`, added to `f32`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn f16_f16_f32(block: Block) {
    products!(block, F16, F16, f32, 240);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::f16 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// `F16` and `F16`, added to `F16`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn f16_f16_f16(block: Block) {
    products!(block, F16, F16, F16, 64);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::f16 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// `Bf16` and `Bf16`, added to `f32`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn bf16_bf16_f32(block: Block) {
    products!(block, Bf16, Bf16, f32, 128);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::f16 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// `Tf32` and `Tf32`, added to `f32`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn tf32_tf32_f32(block: Block) {
    products!(block, Tf32, Tf32, f32, 64);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::tf32 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// `E4m3` and `E4m3`, added to `f32`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn e4m3_e4m3_f32(block: Block) {
    products!(block, E4m3, E4m3, f32, 64);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::f8f6f4 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// `E4m3` and `E4m3`, added to `F16`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn e4m3_e4m3_f16(block: Block) {
    products!(block, E4m3, E4m3, F16, 64);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::f8f6f4 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// `E4m3` and `E5m2`, added to `f32`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn e4m3_e5m2_f32(block: Block) {
    products!(block, E4m3, E5m2, f32, 64);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::f8f6f4 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// `E4m3` and `E5m2`, added to `F16`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn e4m3_e5m2_f16(block: Block) {
    products!(block, E4m3, E5m2, F16, 64);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::f8f6f4 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// `E5m2` and `E4m3`, added to `f32`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn e5m2_e4m3_f32(block: Block) {
    products!(block, E5m2, E4m3, f32, 64);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::f8f6f4 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// `E5m2` and `E4m3`, added to `F16`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn e5m2_e4m3_f16(block: Block) {
    products!(block, E5m2, E4m3, F16, 64);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::f8f6f4 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// `E5m2` and `E5m2`, added to `f32`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn e5m2_e5m2_f32(block: Block) {
    products!(block, E5m2, E5m2, f32, 64);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::f8f6f4 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// `E5m2` and `E5m2`, added to `F16`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn e5m2_e5m2_f16(block: Block) {
    products!(block, E5m2, E5m2, F16, 64);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::f8f6f4 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// `i8` and `i8`, added to `i32`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn i8_i8_i32(block: Block) {
    products!(block, i8, i8, i32, 32);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::i8 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// `i8` and `u8`, added to `i32`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn i8_u8_i32(block: Block) {
    products!(block, i8, u8, i32, 32);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::i8 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// `u8` and `i8`, added to `i32`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn u8_i8_i32(block: Block) {
    products!(block, u8, i8, i32, 32);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::i8 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// `u8` and `u8`, added to `i32`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn u8_u8_i32(block: Block) {
    products!(block, u8, u8, i32, 32);
}
// ptx-arch: sm_100a
// ptx-count: 3 tcgen05.mma.cta_group::1.kind::i8 [
// ptx-count: 1 setp.ne.b32 p, 0, 0; tcgen05.mma
// ptx-count: 2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx-not: .local

/// The widest product, and each swizzle and layout.
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn layouts(block: Block) {
    let a: SwizzledTiles<'_, Bf16, 16, 128, Swizzle64, 1> = swizzled_tiles!(block);
    let b: SwizzledTiles<'_, Bf16, 256, 16, Swizzle32, 1> = swizzled_tiles!(block);
    let c: SwizzledTiles<'_, Bf16, 16, 256, Unswizzled, 1> = swizzled_tiles!(block);
    let barriers = shared_array!(u64, 1);
    // SAFETY: never launched.
    let mut memory = unsafe { TensorMemory::<'_, 256>::allocate(block) };
    // SAFETY: as above.
    let a = unsafe { a.stage(0).view() };
    // SAFETY: as above.
    let b = unsafe { b.stage(0).view() };
    // SAFETY: as above.
    let c = unsafe { c.stage(0).view() };
    // SAFETY: as above.
    let done = unsafe { Mbarrier::new(barriers, 0) };
    // SAFETY: as above.
    let sums: Accumulator<'_, 128, 256> = unsafe { Accumulator::new(memory.columns(), done) };
    let batch = sums.begin(block);
    let batch = batch.multiply(a.columns(0, 0), b.rows(0, 0));
    let batch = batch.multiply_add(a.columns(0, 0), c.columns(0, 0));
    let _ = batch.commit().wait();
    memory.release(block);
}
// The instructions' descriptors: 128 rows, 256 columns, A transposed, then both.
// ptx-arch: sm_100a
// ptx: 138445968
// ptx: tcgen05.mma.cta_group::1.kind::f16 [
// ptx: 138511504
// ptx: tcgen05.mma.cta_group::1.kind::f16 [
// ptx-not: .local

//@ rows: TM-product
#[test]
fn products_are_one_instruction_each() {
    warploom_harness::ptx_file!("ptx_products.rs");
}
