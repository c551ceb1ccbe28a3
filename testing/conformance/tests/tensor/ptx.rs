//! One instruction for each copy.

use warploom::device_std::{Mbarrier, TensorSource, TensorTarget, tma};
use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn loads(x: TensorSource<f32, 3>, to: &[u8]) {
    let (tile, memory) = (shared_array!(u128, 8), shared_array!(u64, 1));
    // SAFETY: never launched.
    let barrier = unsafe { Mbarrier::new(memory, 0) };
    tma::fence_mbarrier_init();
    x.prefetch_map();
    // SAFETY: as above.
    let _ = unsafe { barrier.arrive_expecting(128) };
    // SAFETY: as above.
    unsafe { barrier.expect(128) };
    // SAFETY: as above.
    unsafe { x.load(tile.as_ptr().cast(), [1, 2, 3], barrier) };
    // SAFETY: as above.
    unsafe { x.load_multicast(tile.as_ptr().cast(), [1, 2, 3], barrier, 3) };
    // SAFETY: as above.
    unsafe { tma::copy_to_shared(tile.as_ptr().cast(), to.as_ptr(), 64, barrier) };
    // SAFETY: as above.
    unsafe { x.prefetch([4, 5, 6]) };
}
// ptx-count: 1 fence.mbarrier_init.release.cluster;
// ptx-count: 1 prefetch.tensormap [
// ptx-count: 1 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64
// ptx-count: 1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64
// ptx-count: 1 cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [
// ptx-count: 1 cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [
// ptx-count: 1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [
// ptx-count: 1 cp.async.bulk.prefetch.tensor.3d.L2.global.tile [
// ptx-not: panic

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn stores(y: TensorTarget<u32, 2>, mut z: DisjointSlice<u8>) {
    let tile = shared_array!(u128, 8);
    tma::fence_proxy_async();
    // SAFETY: never launched.
    unsafe { y.store(tile.as_ptr().cast(), [1, 2]) };
    // SAFETY: as above.
    unsafe { y.reduce_add(tile.as_ptr().cast(), [3, 4]) };
    // SAFETY: as above.
    unsafe { tma::copy_to_global(z.raw(), tile.as_ptr().cast(), 64) };
    // SAFETY: as above.
    unsafe { tma::commit_group() };
    // SAFETY: as above.
    unsafe { tma::wait_group_read::<1>() };
    // SAFETY: as above.
    unsafe { tma::wait_group::<0>() };
}
// ptx-count: 1 fence.proxy.async;
// ptx-count: 1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [
// ptx-count: 1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [
// ptx-count: 1 cp.async.bulk.global.shared::cta.bulk_group [
// ptx-count: 1 cp.async.bulk.commit_group;
// ptx-count: 1 cp.async.bulk.wait_group.read 1;
// ptx-count: 1 cp.async.bulk.wait_group 0;
// ptx-not: panic

//@ rows: TMA-load, TMA-store, TMA-reduce, TMA-multicast, TMA-bulk
#[test]
fn copies_are_one_instruction_each() {
    warploom_harness::ptx_file!("ptx.rs");
}
