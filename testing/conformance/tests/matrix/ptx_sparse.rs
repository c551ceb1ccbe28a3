//! One instruction for each sparse product.

use warploom::device_std::mma::{
    B, D, E4m3, E5m2, Element, M16N8K8, M16N8K16, M16N8K32, M16N8K64, M16N8K128, Registers, S4,
    Shape, SparseA, SparseElement, SparseMultiplyAdd, SparseMultiplyAddSaturating, SumElement,
    Tf32, U4,
};
use warploom::prelude::*;

macro_rules! products {
    ($($name:ident $kind:ident $method:ident;)*) => {$(
        /// One product of zeros.
        #[inline(always)]
        fn $name<S, TA, TB, TD>(warp: Warp<'_>)
        where
            S: $kind<TA, TB, TD>,
            TA: SparseElement,
            TB: Element,
            TD: SumElement,
        {
            let a = SparseA::<S, TA>::from_parts(Registers::zeroed(), 0x4444_4444);
            let b = B::<S, TB>::from_registers(Registers::zeroed());
            let _: D<<S as Shape>::Sums, TD> = warp.$method(a, b, D::zero());
        }
    )*};
}

products! {
    sparse SparseMultiplyAdd mma_sparse;
    saturating SparseMultiplyAddSaturating mma_sparse_saturating;
}

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn sparse_products_of_floats(warp: Warp) {
    sparse::<M16N8K16, F16, F16, F16>(warp);
    sparse::<M16N8K16, F16, F16, f32>(warp);
    sparse::<M16N8K16, Bf16, Bf16, f32>(warp);
    sparse::<M16N8K32, F16, F16, F16>(warp);
    sparse::<M16N8K32, F16, F16, f32>(warp);
    sparse::<M16N8K32, Bf16, Bf16, f32>(warp);
    sparse::<M16N8K8, Tf32, Tf32, f32>(warp);
    sparse::<M16N8K16, Tf32, Tf32, f32>(warp);
}
// ptx-arch: sm_80
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32
// ptx-count: 8 mma.sp
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn sparse_products_of_floats_of_8_bits(warp: Warp) {
    sparse::<M16N8K64, E4m3, E4m3, f32>(warp);
    sparse::<M16N8K64, E4m3, E5m2, f32>(warp);
    sparse::<M16N8K64, E5m2, E4m3, f32>(warp);
    sparse::<M16N8K64, E5m2, E5m2, f32>(warp);
}
// ptx-arch: sm_89
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e5m2.e4m3.f32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e5m2.e5m2.f32
// ptx-count: 4 mma.sp
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn sparse_products_of_bytes(warp: Warp) {
    sparse::<M16N8K32, i8, i8, i32>(warp);
    sparse::<M16N8K32, i8, u8, i32>(warp);
    sparse::<M16N8K32, u8, i8, i32>(warp);
    sparse::<M16N8K32, u8, u8, i32>(warp);
    sparse::<M16N8K64, i8, i8, i32>(warp);
    sparse::<M16N8K64, i8, u8, i32>(warp);
    sparse::<M16N8K64, u8, i8, i32>(warp);
    sparse::<M16N8K64, u8, u8, i32>(warp);
    saturating::<M16N8K32, i8, i8, i32>(warp);
    saturating::<M16N8K32, i8, u8, i32>(warp);
    saturating::<M16N8K32, u8, i8, i32>(warp);
    saturating::<M16N8K32, u8, u8, i32>(warp);
    saturating::<M16N8K64, i8, i8, i32>(warp);
    saturating::<M16N8K64, i8, u8, i32>(warp);
    saturating::<M16N8K64, u8, i8, i32>(warp);
    saturating::<M16N8K64, u8, u8, i32>(warp);
}
// ptx-arch: sm_80
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.u8.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.u8.s8.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.u8.u8.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.s8.s8.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.s8.u8.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.u8.s8.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.u8.u8.s32
// ptx-count: 16 mma.sp
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn sparse_products_of_nibbles(warp: Warp) {
    sparse::<M16N8K64, S4, S4, i32>(warp);
    sparse::<M16N8K64, S4, U4, i32>(warp);
    sparse::<M16N8K64, U4, S4, i32>(warp);
    sparse::<M16N8K64, U4, U4, i32>(warp);
    sparse::<M16N8K128, S4, S4, i32>(warp);
    sparse::<M16N8K128, S4, U4, i32>(warp);
    sparse::<M16N8K128, U4, S4, i32>(warp);
    sparse::<M16N8K128, U4, U4, i32>(warp);
    saturating::<M16N8K64, S4, S4, i32>(warp);
    saturating::<M16N8K64, S4, U4, i32>(warp);
    saturating::<M16N8K64, U4, S4, i32>(warp);
    saturating::<M16N8K64, U4, U4, i32>(warp);
    saturating::<M16N8K128, S4, S4, i32>(warp);
    saturating::<M16N8K128, S4, U4, i32>(warp);
    saturating::<M16N8K128, U4, S4, i32>(warp);
    saturating::<M16N8K128, U4, U4, i32>(warp);
}
// ptx-arch: sm_80
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.s32.s4.s4.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.s32.s4.u4.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.s32.u4.s4.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.s32.u4.u4.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.s4.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.u4.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.satfinite.s32.s4.s4.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.satfinite.s32.s4.u4.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.satfinite.s32.u4.s4.s32
// ptx-count: 1 mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.satfinite.s32.u4.u4.s32
// ptx-count: 16 mma.sp
// ptx-not: .local

#[test]
fn each_sparse_product_is_its_instruction() {
    warploom_harness::ptx_file!("ptx_sparse.rs");
}
