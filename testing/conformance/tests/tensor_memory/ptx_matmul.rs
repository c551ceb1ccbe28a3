//! The product of a tile is one sequence of instructions: allocation, copies, products, loads, release.
//!
//! The kernel is `warploom_conformance::tensor_memory_matmul::tile_product`, repeated here with fewer stages, so that its PTX is under it.

use warploom::device_std::shared::{Swizzle128, SwizzledTiles};
use warploom::device_std::tcgen05::{Accumulator, Shape32x32b, TensorMemory};
use warploom::device_std::wgmma::WarpGroup;
use warploom::device_std::{Mbarrier, intrinsics, shared_array, swizzled_tiles};
use warploom::prelude::*;

/// One step of K.
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn one_step(
    block: Block,
    a: TensorSource<Bf16, 2>,
    b: TensorSource<Bf16, 2>,
    mut y: DisjointSlice<f32>,
) {
    let to_a: SwizzledTiles<'_, Bf16, 128, 64, Swizzle128, 1> = swizzled_tiles!(block);
    let to_b: SwizzledTiles<'_, Bf16, 64, 64, Swizzle128, 1> = swizzled_tiles!(block);
    let barriers = shared_array!(u64, 2);
    // SAFETY: never launched.
    let mut memory = unsafe { TensorMemory::<'_, 64>::allocate(block) };
    memory.relinquish();
    // SAFETY: as above.
    let full = unsafe { Mbarrier::new(barriers, 0) };
    // SAFETY: as above.
    let done = unsafe { Mbarrier::new(barriers, 1) };
    if block.thread() == 0 {
        // SAFETY: as above.
        unsafe { full.init(1) };
        // SAFETY: as above.
        unsafe { done.init(1) };
        intrinsics::fence_mbarrier_init();
        // SAFETY: as above.
        let _ = unsafe { full.arrive_expecting((128 + 64) * 128) };
        // SAFETY: as above.
        unsafe { a.load(to_a.stage(0).panel(0), [0, 0], full) };
        // SAFETY: as above.
        unsafe { b.load(to_b.stage(0).panel(0), [0, 0], full) };
    }
    block.sync();
    // SAFETY: as above.
    unsafe { full.wait_parity(0) };
    // SAFETY: as above.
    let a = unsafe { to_a.stage(0).view() };
    // SAFETY: as above.
    let b = unsafe { to_b.stage(0).view() };
    // SAFETY: as above.
    let sums: Accumulator<'_, 128, 64> = unsafe { Accumulator::new(memory.columns(), done) };
    let batch = sums.begin(block).multiply(a.rows(0, 0), b.rows(0, 0));
    let sums = batch
        .multiply_add(a.rows(0, 16), b.rows(0, 16))
        .commit()
        .wait();
    let group = WarpGroup::new(block);
    let own = sums.load::<Shape32x32b, 64>(group, 0, 0).wait();
    let out = y.raw();
    own.for_each(|row, column, sum| {
        // SAFETY: as above.
        unsafe { out.wrapping_add(row * 64 + column).write(sum) };
    });
    memory.release(block);
}
// ptx-arch: sm_100a
// ptx: tcgen05.alloc.cta_group::1.sync.aligned.b32
// ptx: tcgen05.fence::before_thread_sync;
// ptx: tcgen05.fence::after_thread_sync;
// ptx: tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
// ptx: fence.mbarrier_init.release.cluster;
// ptx: setp.ne.b32 p, 0, 0; tcgen05.mma.cta_group::1.kind::f16
// ptx: setp.ne.b32 p, 1, 0; tcgen05.mma.cta_group::1.kind::f16
// ptx: tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64
// ptx: tcgen05.fence::after_thread_sync;
// ptx: tcgen05.ld.sync.aligned.32x32b.x64.b32 {
// ptx: tcgen05.wait::ld.sync.aligned;
// ptx: tcgen05.dealloc.cta_group::1.sync.aligned.b32
// ptx-count: 2 tcgen05.mma
// ptx-count: 2 cp.async.bulk.tensor.2d.shared::cluster.global
// ptx-not: .local

//@ rows: TM-product
#[test]
fn a_tile_is_a_sequence_of_instructions() {
    warploom_harness::ptx_file!("ptx_matmul.rs");
}
