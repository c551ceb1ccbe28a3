//! One instruction for each product, load and store; registers all the way.

use warploom::device_std::mma::{
    A, AndCount, B, B1, D, E4m3, E5m2, Element, M8N8K4, M16N8, M16N8K4, M16N8K8, M16N8K16,
    M16N8K32, M16N8K64, M16N8K128, M16N8K256, MultiplyAdd, MultiplyAddSaturating, Registers, S4,
    Shape, SumElement, Tf32, U4, XorCount,
};
use warploom::device_std::shared_array;
use warploom::prelude::*;

macro_rules! products {
    ($($name:ident $kind:ident $method:ident;)*) => {$(
        /// One product of zeros.
        #[inline(always)]
        fn $name<S, TA, TB, TD>(warp: Warp<'_>)
        where
            S: $kind<TA, TB, TD>,
            TA: Element,
            TB: Element,
            TD: SumElement,
        {
            let a = A::<S, TA>::from_registers(Registers::zeroed());
            let b = B::<S, TB>::from_registers(Registers::zeroed());
            let _: D<<S as Shape>::Sums, TD> = warp.$method(a, b, D::zero());
        }
    )*};
}

products! {
    plain MultiplyAdd mma;
    saturating MultiplyAddSaturating mma_saturating;
    and AndCount mma_and;
    xor XorCount mma_xor;
}

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn products_of_f16(warp: Warp) {
    plain::<M16N8K16, F16, F16, F16>(warp);
    plain::<M16N8K16, F16, F16, f32>(warp);
}
// ptx-arch: sm_80
// ptx-count: 1 mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16
// ptx-count: 1 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// ptx-count: 2 mma.sync
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn small_products_of_f16(warp: Warp) {
    plain::<M16N8K8, F16, F16, F16>(warp);
    plain::<M16N8K8, F16, F16, f32>(warp);
}
// ptx-arch: sm_75
// ptx-count: 1 mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16
// ptx-count: 1 mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
// ptx-count: 2 mma.sync
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn products_of_bf16_and_tf32(warp: Warp) {
    plain::<M16N8K8, Bf16, Bf16, f32>(warp);
    plain::<M16N8K16, Bf16, Bf16, f32>(warp);
    plain::<M16N8K4, Tf32, Tf32, f32>(warp);
    plain::<M16N8K8, Tf32, Tf32, f32>(warp);
}
// ptx-arch: sm_80
// ptx-count: 1 mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32
// ptx-count: 1 mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// ptx-count: 1 mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32
// ptx-count: 1 mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// ptx-count: 4 mma.sync
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn products_of_8_bit_floats(warp: Warp) {
    plain::<M16N8K32, E4m3, E4m3, f32>(warp);
    plain::<M16N8K32, E4m3, E5m2, f32>(warp);
    plain::<M16N8K32, E5m2, E4m3, f32>(warp);
    plain::<M16N8K32, E5m2, E5m2, f32>(warp);
}
// ptx-arch: sm_89
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32
// ptx-count: 4 mma.sync
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn products_of_f64(warp: Warp) {
    plain::<M8N8K4, f64, f64, f64>(warp);
}
// ptx-arch: sm_80
// ptx-count: 1 mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// ptx-count: 1 mma.sync
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn larger_products_of_f64(warp: Warp) {
    plain::<M16N8K4, f64, f64, f64>(warp);
    plain::<M16N8K8, f64, f64, f64>(warp);
    plain::<M16N8K16, f64, f64, f64>(warp);
}
// ptx-arch: sm_90
// ptx-count: 1 mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64
// ptx-count: 1 mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64
// ptx-count: 1 mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64
// ptx-count: 3 mma.sync
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn products_of_bytes(warp: Warp) {
    plain::<M16N8K16, i8, i8, i32>(warp);
    plain::<M16N8K16, i8, u8, i32>(warp);
    plain::<M16N8K16, u8, i8, i32>(warp);
    plain::<M16N8K16, u8, u8, i32>(warp);
    plain::<M16N8K32, i8, i8, i32>(warp);
    plain::<M16N8K32, i8, u8, i32>(warp);
    plain::<M16N8K32, u8, i8, i32>(warp);
    plain::<M16N8K32, u8, u8, i32>(warp);
    saturating::<M16N8K16, i8, i8, i32>(warp);
    saturating::<M16N8K16, i8, u8, i32>(warp);
    saturating::<M16N8K16, u8, i8, i32>(warp);
    saturating::<M16N8K16, u8, u8, i32>(warp);
    saturating::<M16N8K32, i8, i8, i32>(warp);
    saturating::<M16N8K32, i8, u8, i32>(warp);
    saturating::<M16N8K32, u8, i8, i32>(warp);
    saturating::<M16N8K32, u8, u8, i32>(warp);
}
// ptx-arch: sm_80
// ptx-count: 1 mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32
// ptx-count: 1 mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32
// ptx-count: 1 mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32
// ptx-count: 1 mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32
// ptx-count: 1 mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32
// ptx-count: 1 mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32
// ptx-count: 1 mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32
// ptx-count: 1 mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.u8.s32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32
// ptx-count: 16 mma.sync
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn products_of_nibbles(warp: Warp) {
    plain::<M16N8K32, S4, S4, i32>(warp);
    plain::<M16N8K32, S4, U4, i32>(warp);
    plain::<M16N8K32, U4, S4, i32>(warp);
    plain::<M16N8K32, U4, U4, i32>(warp);
    plain::<M16N8K64, S4, S4, i32>(warp);
    plain::<M16N8K64, S4, U4, i32>(warp);
    plain::<M16N8K64, U4, S4, i32>(warp);
    plain::<M16N8K64, U4, U4, i32>(warp);
    saturating::<M16N8K32, S4, S4, i32>(warp);
    saturating::<M16N8K32, S4, U4, i32>(warp);
    saturating::<M16N8K32, U4, S4, i32>(warp);
    saturating::<M16N8K32, U4, U4, i32>(warp);
    saturating::<M16N8K64, S4, S4, i32>(warp);
    saturating::<M16N8K64, S4, U4, i32>(warp);
    saturating::<M16N8K64, U4, S4, i32>(warp);
    saturating::<M16N8K64, U4, U4, i32>(warp);
}
// ptx-arch: sm_80
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32
// ptx-count: 1 mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32
// ptx-count: 1 mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32
// ptx-count: 1 mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32
// ptx-count: 1 mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.s4.s32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.u4.s32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.s4.s32
// ptx-count: 1 mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.u4.s32
// ptx-count: 1 mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32
// ptx-count: 1 mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32
// ptx-count: 1 mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.s4.s32
// ptx-count: 1 mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.u4.s32
// ptx-count: 16 mma.sync
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn products_of_bits(warp: Warp) {
    and::<M16N8K128, B1, B1, i32>(warp);
    and::<M16N8K256, B1, B1, i32>(warp);
    xor::<M16N8K128, B1, B1, i32>(warp);
    xor::<M16N8K256, B1, B1, i32>(warp);
}
// ptx-arch: sm_80
// ptx-count: 1 mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc
// ptx-count: 1 mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc
// ptx-count: 1 mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc
// ptx-count: 1 mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc
// ptx-count: 4 mma.sync
// ptx-not: .local

/// Neither the product nor the sums leave the registers between the steps of a loop.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn loop_of_products(
    warp: Warp,
    a: &[F16],
    b: &[F16],
    steps: usize,
    i: Index1D,
    mut y: DisjointSlice<[f32; 4]>,
) {
    let mut d = D::<M16N8, f32>::zero();
    for step in 0..steps {
        let a = A::<M16N8K16, F16>::from_rows(warp, &a[16 * step..], 1024);
        let b = B::<M16N8K16, F16>::from_columns(warp, &b[16 * step..], 1024);
        d = warp.mma(a, b, d);
    }
    if let Some(y) = y.get_mut(i) {
        *y = d.registers();
    }
}
// ptx-arch: sm_80
// ptx: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn loads(
    block: Block,
    warp: Warp,
    mut tile: SharedTile<F16, 1024>,
    mut bytes: SharedTile<i8, 2048>,
    i: Index1D,
    mut y: DisjointSlice<u32>,
) {
    tile.fill(|slot| F16::from_bits(slot as u16));
    bytes.fill(|slot| slot as i8);
    let (tile, bytes) = (tile.publish(&block), bytes.publish(&block));
    let a4 = A::<M16N8K16, F16>::ldmatrix_rows(warp, &tile, 0, 16).registers();
    let a4_trans = A::<M16N8K16, F16>::ldmatrix_columns(warp, &tile, 256, 16).registers();
    let b2 = B::<M16N8K16, F16>::ldmatrix_columns(warp, &tile, 512, 16).registers();
    let b2_trans = B::<M16N8K16, F16>::ldmatrix_rows(warp, &tile, 768, 8).registers();
    let b1 = B::<M16N8K16, i8>::ldmatrix_columns(warp, &bytes, 0, 16).registers();
    let b1_trans = B::<M16N8K8, F16>::ldmatrix_rows(warp, &tile, 0, 8).registers();
    let all =
        [a4, a4_trans].concat_xor() ^ [b2, b2_trans].concat_xor() ^ [b1, b1_trans].concat_xor();
    if let Some(y) = y.get_mut(i) {
        *y = all;
    }
}
// ptx-count: 1 ldmatrix.sync.aligned.m8n8.x4.shared.b16
// ptx-count: 1 ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// ptx-count: 1 ldmatrix.sync.aligned.m8n8.x2.shared.b16
// ptx-count: 1 ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16
// ptx-count: 1 ldmatrix.sync.aligned.m8n8.x1.shared.b16
// ptx-count: 1 ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16
// ptx-not: cvta.shared
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn stores(block: Block, warp: Warp, i: Index1D, mut y: DisjointSlice<F16>) {
    let tile = shared_array!(F16, 256);
    let d = D::<M16N8, F16>::from_fn(warp, |row, column| {
        F16::from_bits((row * 8 + column) as u16)
    });
    // SAFETY: the block has one warp.
    unsafe { d.stmatrix_rows(warp, tile, 0, 8) };
    // SAFETY: as above.
    unsafe { d.stmatrix_columns(warp, tile, 128, 16) };
    block.sync();
    if let Some(y) = y.get_mut(i) {
        // SAFETY: behind the barrier nothing is written.
        *y = unsafe { tile.get(i.get() % 256) };
    }
}
// ptx-arch: sm_90
// ptx-count: 1 stmatrix.sync.aligned.m8n8.x2.shared.b16
// ptx-count: 1 stmatrix.sync.aligned.m8n8.x2.trans.shared.b16
// ptx-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn moves(warp: Warp, i: Index1D, mut y: DisjointSlice<u32>) {
    let d = D::<M16N8, F16>::from_fn(warp, |row, column| {
        F16::from_bits((row * 8 + column) as u16)
    });
    let b = d.to_b(warp).registers();
    let a = d.to_a(d).registers();
    if let Some(y) = y.get_mut(i) {
        *y = [b, b].concat_xor() ^ [a, a].concat_xor() ^ b[0];
    }
}
// ptx-count: 2 movmatrix.sync.aligned.m8n8.trans.b16
// ptx-not: .local

trait ConcatXor {
    fn concat_xor(self) -> u32;
}

impl<const N: usize> ConcatXor for [[u32; N]; 2] {
    #[inline(always)]
    fn concat_xor(self) -> u32 {
        self.into_iter().flatten().fold(0, |all, word| all ^ word)
    }
}

#[test]
fn each_function_is_its_instruction() {
    warploom_harness::ptx_file!("ptx.rs");
}
