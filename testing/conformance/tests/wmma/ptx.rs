//! One instruction for each load, product and store; fragments stay in registers.
//!
//! `products.rs` has the other combinations, whose instructions the build of the tests assembles.

use warploom::device_std::wmma::{
    Accumulator, B1, ColMajor, Fragment, M8N8K4, M8N8K32, M8N8K128, M8N32K16, M16N16K8, M16N16K16,
    M32N8K16, MatrixA, MatrixB, RowMajor, S4, Tf32, U4,
};
use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn f16_sums(
    warp: Warp,
    a: &[F16],
    b: &[F16],
    c: &[f32],
    stride: u32,
    mut d: DisjointSlice2D<f32, WarpPatches<16, 16>>,
) {
    let stride = stride as usize;
    if let Some(mut patch) = d.get_mut(warp) {
        let a = Fragment::<MatrixA, M16N16K16, F16, ColMajor>::load(warp, a, stride);
        let b = Fragment::<MatrixB, M16N16K16, F16, RowMajor>::load(warp, b, stride);
        let c = Fragment::<Accumulator, M16N16K16, f32>::load(warp, c, stride, RowMajor);
        let d: Fragment<Accumulator, M16N16K16, f32> = c.mma(warp, &a, &b);
        d.store(warp, &mut patch, (0, 0), RowMajor);
    }
}
// ptx: wmma.load.a.sync.aligned.col.m16n16k16.f16 {
// ptx: wmma.load.b.sync.aligned.row.m16n16k16.f16 {
// ptx: wmma.load.c.sync.aligned.row.m16n16k16.f32 {
// ptx: wmma.mma.sync.aligned.col.row.m16n16k16.f32.f32 {
// ptx: wmma.store.d.sync.aligned.row.m16n16k16.f32 [
// ptx-count: 1 wmma.mma
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn f16_halves(
    warp: Warp,
    a: &[F16],
    b: &[F16],
    c: &[F16],
    stride: u32,
    mut d: DisjointSlice2D<F16, WarpPatches<32, 8>>,
) {
    let stride = stride as usize;
    if let Some(mut patch) = d.get_mut(warp) {
        let a = Fragment::<MatrixA, M32N8K16, F16, RowMajor>::load(warp, a, stride);
        let b = Fragment::<MatrixB, M32N8K16, F16, RowMajor>::load(warp, b, stride);
        let c = Fragment::<Accumulator, M32N8K16, F16>::load(warp, c, stride, RowMajor);
        let d: Fragment<Accumulator, M32N8K16, F16> = c.mma(warp, &a, &b);
        d.store(warp, &mut patch, (0, 0), RowMajor);
    }
}
// ptx: wmma.load.a.sync.aligned.row.m32n8k16.f16 {
// ptx: wmma.load.b.sync.aligned.row.m32n8k16.f16 {
// ptx: wmma.load.c.sync.aligned.row.m32n8k16.f16 {
// ptx: wmma.mma.sync.aligned.row.row.m32n8k16.f16.f16 {
// ptx: wmma.store.d.sync.aligned.row.m32n8k16.f16 [
// ptx-count: 1 wmma.mma
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn f16_mixed(
    warp: Warp,
    a: &[F16],
    b: &[F16],
    c: &[F16],
    stride: u32,
    mut d: DisjointSlice2D<f32, WarpPatches<8, 32>>,
) {
    let stride = stride as usize;
    if let Some(mut patch) = d.get_mut(warp) {
        let a = Fragment::<MatrixA, M8N32K16, F16, ColMajor>::load(warp, a, stride);
        let b = Fragment::<MatrixB, M8N32K16, F16, ColMajor>::load(warp, b, stride);
        let c = Fragment::<Accumulator, M8N32K16, F16>::load(warp, c, stride, RowMajor);
        let d: Fragment<Accumulator, M8N32K16, f32> = c.mma_to(warp, &a, &b);
        d.store(warp, &mut patch, (0, 0), RowMajor);
    }
}
// ptx: wmma.load.a.sync.aligned.col.m8n32k16.f16 {
// ptx: wmma.load.b.sync.aligned.col.m8n32k16.f16 {
// ptx: wmma.load.c.sync.aligned.row.m8n32k16.f16 {
// ptx: wmma.mma.sync.aligned.col.col.m8n32k16.f32.f16 {
// ptx: wmma.store.d.sync.aligned.row.m8n32k16.f32 [
// ptx-count: 1 wmma.mma
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn bf16_sums(
    warp: Warp,
    a: &[Bf16],
    b: &[Bf16],
    c: &[f32],
    stride: u32,
    mut d: DisjointSlice2D<f32, WarpPatches<16, 16>>,
) {
    let stride = stride as usize;
    if let Some(mut patch) = d.get_mut(warp) {
        let a = Fragment::<MatrixA, M16N16K16, Bf16, RowMajor>::load(warp, a, stride);
        let b = Fragment::<MatrixB, M16N16K16, Bf16, ColMajor>::load(warp, b, stride);
        let c = Fragment::<Accumulator, M16N16K16, f32>::load(warp, c, stride, RowMajor);
        let d: Fragment<Accumulator, M16N16K16, f32> = c.mma(warp, &a, &b);
        d.store(warp, &mut patch, (0, 0), RowMajor);
    }
}
// ptx: wmma.load.a.sync.aligned.row.m16n16k16.bf16 {
// ptx: wmma.load.b.sync.aligned.col.m16n16k16.bf16 {
// ptx: wmma.load.c.sync.aligned.row.m16n16k16.f32 {
// ptx: wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 {
// ptx: wmma.store.d.sync.aligned.row.m16n16k16.f32 [
// ptx-count: 1 wmma.mma
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn tf32_sums(
    warp: Warp,
    a: &[Tf32],
    b: &[Tf32],
    c: &[f32],
    stride: u32,
    mut d: DisjointSlice2D<f32, WarpPatches<16, 16>>,
) {
    let stride = stride as usize;
    if let Some(mut patch) = d.get_mut(warp) {
        let a = Fragment::<MatrixA, M16N16K8, Tf32, RowMajor>::load(warp, a, stride);
        let b = Fragment::<MatrixB, M16N16K8, Tf32, ColMajor>::load(warp, b, stride);
        let c = Fragment::<Accumulator, M16N16K8, f32>::load(warp, c, stride, RowMajor);
        let d: Fragment<Accumulator, M16N16K8, f32> = c.mma(warp, &a, &b);
        d.store(warp, &mut patch, (0, 0), RowMajor);
    }
}
// ptx: wmma.load.a.sync.aligned.row.m16n16k8.tf32 {
// ptx: wmma.load.b.sync.aligned.col.m16n16k8.tf32 {
// ptx: wmma.load.c.sync.aligned.row.m16n16k8.f32 {
// ptx: wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {
// ptx: wmma.store.d.sync.aligned.row.m16n16k8.f32 [
// ptx-count: 1 wmma.mma
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn f64_sums(
    warp: Warp,
    a: &[f64],
    b: &[f64],
    c: &[f64],
    stride: u32,
    mut d: DisjointSlice2D<f64, WarpPatches<8, 8>>,
) {
    let stride = stride as usize;
    if let Some(mut patch) = d.get_mut(warp) {
        let a = Fragment::<MatrixA, M8N8K4, f64, RowMajor>::load(warp, a, stride);
        let b = Fragment::<MatrixB, M8N8K4, f64, ColMajor>::load(warp, b, stride);
        let c = Fragment::<Accumulator, M8N8K4, f64>::load(warp, c, stride, RowMajor);
        let d: Fragment<Accumulator, M8N8K4, f64> = c.mma(warp, &a, &b);
        d.store(warp, &mut patch, (0, 0), RowMajor);
    }
}
// ptx: wmma.load.a.sync.aligned.row.m8n8k4.f64 {
// ptx: wmma.load.b.sync.aligned.col.m8n8k4.f64 {
// ptx: wmma.load.c.sync.aligned.row.m8n8k4.f64 {
// ptx: wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {
// ptx: wmma.store.d.sync.aligned.row.m8n8k4.f64 [
// ptx-count: 1 wmma.mma
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn i8_sums(
    warp: Warp,
    a: &[i8],
    b: &[i8],
    c: &[i32],
    stride: u32,
    mut d: DisjointSlice2D<i32, WarpPatches<16, 16>>,
) {
    let stride = stride as usize;
    if let Some(mut patch) = d.get_mut(warp) {
        let a = Fragment::<MatrixA, M16N16K16, i8, RowMajor>::load(warp, a, stride);
        let b = Fragment::<MatrixB, M16N16K16, i8, ColMajor>::load(warp, b, stride);
        let c = Fragment::<Accumulator, M16N16K16, i32>::load(warp, c, stride, RowMajor);
        let d: Fragment<Accumulator, M16N16K16, i32> = c.mma(warp, &a, &b);
        d.store(warp, &mut patch, (0, 0), RowMajor);
    }
}
// ptx: wmma.load.a.sync.aligned.row.m16n16k16.s8 {
// ptx: wmma.load.b.sync.aligned.col.m16n16k16.s8 {
// ptx: wmma.load.c.sync.aligned.row.m16n16k16.s32 {
// ptx: wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {
// ptx: wmma.store.d.sync.aligned.row.m16n16k16.s32 [
// ptx-count: 1 wmma.mma
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn u8_saturating(
    warp: Warp,
    a: &[u8],
    b: &[u8],
    c: &[i32],
    stride: u32,
    mut d: DisjointSlice2D<i32, WarpPatches<8, 32>>,
) {
    let stride = stride as usize;
    if let Some(mut patch) = d.get_mut(warp) {
        let a = Fragment::<MatrixA, M8N32K16, u8, RowMajor>::load(warp, a, stride);
        let b = Fragment::<MatrixB, M8N32K16, u8, ColMajor>::load(warp, b, stride);
        let c = Fragment::<Accumulator, M8N32K16, i32>::load(warp, c, stride, RowMajor);
        let d: Fragment<Accumulator, M8N32K16, i32> = c.mma_saturating(warp, &a, &b);
        d.store(warp, &mut patch, (0, 0), RowMajor);
    }
}
// ptx: wmma.load.a.sync.aligned.row.m8n32k16.u8 {
// ptx: wmma.load.b.sync.aligned.col.m8n32k16.u8 {
// ptx: wmma.load.c.sync.aligned.row.m8n32k16.s32 {
// ptx: wmma.mma.sync.aligned.row.col.m8n32k16.s32.u8.u8.s32.satfinite {
// ptx: wmma.store.d.sync.aligned.row.m8n32k16.s32 [
// ptx-count: 1 wmma.mma
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn s4_sums(
    warp: Warp,
    a: &[u32],
    b: &[u32],
    c: &[i32],
    stride: u32,
    mut d: DisjointSlice2D<i32, WarpPatches<8, 8>>,
) {
    let stride = stride as usize;
    if let Some(mut patch) = d.get_mut(warp) {
        let a = Fragment::<MatrixA, M8N8K32, S4, RowMajor>::load(warp, a, stride);
        let b = Fragment::<MatrixB, M8N8K32, S4, ColMajor>::load(warp, b, stride);
        let c = Fragment::<Accumulator, M8N8K32, i32>::load(warp, c, stride, RowMajor);
        let d: Fragment<Accumulator, M8N8K32, i32> = c.mma(warp, &a, &b);
        d.store(warp, &mut patch, (0, 0), RowMajor);
    }
}
// ptx: wmma.load.a.sync.aligned.row.m8n8k32.s4 {
// ptx: wmma.load.b.sync.aligned.col.m8n8k32.s4 {
// ptx: wmma.load.c.sync.aligned.row.m8n8k32.s32 {
// ptx: wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {
// ptx: wmma.store.d.sync.aligned.row.m8n8k32.s32 [
// ptx-count: 1 wmma.mma
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn u4_saturating(
    warp: Warp,
    a: &[u32],
    b: &[u32],
    c: &[i32],
    stride: u32,
    mut d: DisjointSlice2D<i32, WarpPatches<8, 8>>,
) {
    let stride = stride as usize;
    if let Some(mut patch) = d.get_mut(warp) {
        let a = Fragment::<MatrixA, M8N8K32, U4, RowMajor>::load(warp, a, stride);
        let b = Fragment::<MatrixB, M8N8K32, U4, ColMajor>::load(warp, b, stride);
        let c = Fragment::<Accumulator, M8N8K32, i32>::load(warp, c, stride, RowMajor);
        let d: Fragment<Accumulator, M8N8K32, i32> = c.mma_saturating(warp, &a, &b);
        d.store(warp, &mut patch, (0, 0), RowMajor);
    }
}
// ptx: wmma.load.a.sync.aligned.row.m8n8k32.u4 {
// ptx: wmma.load.b.sync.aligned.col.m8n8k32.u4 {
// ptx: wmma.load.c.sync.aligned.row.m8n8k32.s32 {
// ptx: wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32.satfinite {
// ptx: wmma.store.d.sync.aligned.row.m8n8k32.s32 [
// ptx-count: 1 wmma.mma
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn bits_that_differ(
    warp: Warp,
    a: &[u32],
    b: &[u32],
    c: &[i32],
    stride: u32,
    mut d: DisjointSlice2D<i32, WarpPatches<8, 8>>,
) {
    let stride = stride as usize;
    if let Some(mut patch) = d.get_mut(warp) {
        let a = Fragment::<MatrixA, M8N8K128, B1, RowMajor>::load(warp, a, stride);
        let b = Fragment::<MatrixB, M8N8K128, B1, ColMajor>::load(warp, b, stride);
        let c = Fragment::<Accumulator, M8N8K128, i32>::load(warp, c, stride, RowMajor);
        let d: Fragment<Accumulator, M8N8K128, i32> = c.mma_xor(warp, &a, &b);
        d.store(warp, &mut patch, (0, 0), RowMajor);
    }
}
// ptx: wmma.load.a.sync.aligned.row.m8n8k128.b1 {
// ptx: wmma.load.b.sync.aligned.col.m8n8k128.b1 {
// ptx: wmma.load.c.sync.aligned.row.m8n8k128.s32 {
// ptx: wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {
// ptx: wmma.store.d.sync.aligned.row.m8n8k128.s32 [
// ptx-count: 1 wmma.mma
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn bits_of_both(
    warp: Warp,
    a: &[u32],
    b: &[u32],
    c: &[i32],
    stride: u32,
    mut d: DisjointSlice2D<i32, WarpPatches<8, 8>>,
) {
    let stride = stride as usize;
    if let Some(mut patch) = d.get_mut(warp) {
        let a = Fragment::<MatrixA, M8N8K128, B1, RowMajor>::load(warp, a, stride);
        let b = Fragment::<MatrixB, M8N8K128, B1, ColMajor>::load(warp, b, stride);
        let c = Fragment::<Accumulator, M8N8K128, i32>::load(warp, c, stride, RowMajor);
        let d: Fragment<Accumulator, M8N8K128, i32> = c.mma_and(warp, &a, &b);
        d.store(warp, &mut patch, (0, 0), RowMajor);
    }
}
// ptx: wmma.load.a.sync.aligned.row.m8n8k128.b1 {
// ptx: wmma.load.b.sync.aligned.col.m8n8k128.b1 {
// ptx: wmma.load.c.sync.aligned.row.m8n8k128.s32 {
// ptx: wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {
// ptx: wmma.store.d.sync.aligned.row.m8n8k128.s32 [
// ptx-count: 1 wmma.mma
// ptx-not: .local

/// Sums of a loop stay in registers, scaled as well.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn four_sums(
    warp: Warp,
    a: &[F16],
    b: &[F16],
    k: u32,
    alpha: f32,
    mut d: DisjointSlice2D<f32, WarpPatches<32, 32>>,
) {
    let k = k as usize;
    let mut sums = [[Fragment::<Accumulator, M16N16K16, f32>::filled(0.0); 2]; 2];
    for at in (0..k).step_by(16) {
        let a = [0, 16].map(|row| {
            Fragment::<MatrixA, M16N16K16, F16, RowMajor>::load(warp, &a[row * k + at..], k)
        });
        let b = [0, 16].map(|column| {
            Fragment::<MatrixB, M16N16K16, F16, ColMajor>::load(warp, &b[column * k + at..], k)
        });
        for row in 0..2 {
            for column in 0..2 {
                sums[row][column] = sums[row][column].mma(warp, &a[row], &b[column]);
            }
        }
    }
    if let Some(mut patch) = d.get_mut(warp) {
        for (row, sums) in sums.iter().enumerate() {
            for (column, sums) in sums.iter().enumerate() {
                let scaled = sums.map(|x| alpha * x);
                scaled.store(warp, &mut patch, (row * 16, column * 16), RowMajor);
            }
        }
    }
}
// ptx-count: 4 wmma.load
// ptx-count: 4 wmma.mma
// ptx-count: 4 wmma.store
// ptx-not: .local

/// `cvt` is an instruction of sm_80; before, the bits are rounded by integers.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn rounded(i: Index1D, x: &[f32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = Tf32::from_f32(x[i.get()]).to_bits();
    }
}
// ptx-arch: sm_75
// ptx-not: cvt.rna
// ptx-arch: sm_80
// ptx: cvt.rna.tf32.f32

//@ rows: WX-1, WX-2, WX-3, WX-4, WX-5, WX-6, WX-7, WX-8, E-17
#[test]
fn each_operation_is_its_instruction() {
    warploom_harness::ptx_file!("ptx.rs");
}
