//! Products of warp groups are one instruction each, and their sums stay in registers.

use warploom::device_std::shared::{Swizzle128, SwizzledTiles};
use warploom::device_std::wgmma::{Accumulator, WarpGroup};
use warploom::device_std::{FeatureSet, feature_set, mma, swizzled_tiles};
use warploom::prelude::*;

/// Products in a loop, with a batch under way, between accumulators that live on.
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn batches_overlap(block: Block, steps: u32, mut y: DisjointSlice<f32>) {
    let a: SwizzledTiles<'_, Bf16, 64, 64, Swizzle128, 1> = swizzled_tiles!(block);
    let b: SwizzledTiles<'_, Bf16, 256, 64, Swizzle128, 1> = swizzled_tiles!(block);
    // SAFETY: never launched.
    let a = unsafe { a.stage(0).view() };
    // SAFETY: as above.
    let b = unsafe { b.stage(0).view() };
    let group = WarpGroup::new(block);
    let mut flight = group.begin(Accumulator::<256, f32>::zero()).commit();
    for _ in 0..steps {
        let batch = flight.go_on();
        let batch = batch.multiply_add(a.rows(0, 0), b.rows(0, 0));
        let batch = batch.multiply_add(a.rows(0, 16), b.rows(0, 16));
        flight = batch.commit().wait_but::<1>();
    }
    let out = y.raw();
    flight.wait().for_each(group, |row, column, sum| {
        // SAFETY: never launched.
        unsafe { out.wrapping_add(row * 256 + column).write(sum) };
    });
}
// ptx-arch: sm_90a
// ptx: wgmma.fence.sync.aligned;
// ptx-count: 2 wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {
// ptx-count: 1 wgmma.wait_group.sync.aligned 1;
// ptx-count: 1 wgmma.wait_group.sync.aligned 0;
// ptx-not: .local

/// A of one product is what another has left in registers.
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn sums_are_multiplied_again(block: Block, mut y: DisjointSlice<f32>) {
    let b: SwizzledTiles<'_, F16, 64, 64, Swizzle128, 1> = swizzled_tiles!(block);
    // SAFETY: never launched.
    let b = unsafe { b.stage(0).view() };
    let group = WarpGroup::new(block);
    let batch = group.begin(Accumulator::<64, f32>::zero());
    let sums = batch.multiply(b.rows(0, 0), b.rows(0, 0)).commit().wait();
    let a: mma::A<mma::M16N8K16, F16> = sums.rows_of_16(1, F16::from_f32);
    let batch = group.begin(Accumulator::<64, f32>::zero());
    let sums = batch
        .multiply_add_rows(&a, b.columns(0, 16))
        .commit()
        .wait();
    let out = y.raw();
    sums.for_each(group, |row, column, sum| {
        // SAFETY: never launched.
        unsafe { out.wrapping_add(row * 64 + column).write(sum) };
    });
}
// ptx-arch: sm_90a
// ptx-count: 1 setp.ne.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {
// ptx-count: 1 setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {
// ptx-count: 1 p, 1, 1, 1; }
// ptx-not: .local

/// Elsewhere there is other code.
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn other_architectures_have_their_own_code(block: Block, mut y: DisjointSlice<f32>) {
    let mut sum = 1.0;
    if feature_set() == FeatureSet::Specific(90) {
        let group = WarpGroup::new(block);
        // SAFETY: never launched.
        unsafe { group.increase_registers::<240>() };
        let sums = group.begin(Accumulator::<8, f32>::zero()).commit().wait();
        sum = sums.get(0);
    }
    // SAFETY: never launched.
    unsafe { y.raw().write(sum) };
}
// ptx-arch: sm_75
// ptx-not: wgmma
// ptx-arch: sm_90a
// ptx-count: 1 setmaxnreg.inc.sync.aligned.u32 240;
// ptx-count: 1 wgmma.wait_group.sync.aligned 0;

//@ rows: WG-product, WG-roles
#[test]
fn products_of_groups_are_one_instruction_each() {
    warploom_harness::ptx_file!("ptx_groups.rs");
}
