//! Moves between tensor memory and registers: every shape, as often as it can be repeated. The release waits for loads, too.

use warploom::device_std::tcgen05::{
    Accumulator, Shape16x64b, Shape16x128b, Shape16x256b, Shape32x32b, TensorMemory,
};
use warploom::device_std::wgmma::WarpGroup;
use warploom::device_std::{Mbarrier, shared_array};
use warploom::prelude::*;

/// Allocates a matrix of 128 rows and 256 columns, and releases it behind `$body`.
macro_rules! for_sums {
    ($block:ident, $y:ident, |$sums:ident, $group:ident, $out:ident| $body:block) => {
        let barriers = shared_array!(u64, 1);
        // SAFETY: never launched.
        let mut memory = unsafe { TensorMemory::<'_, 256>::allocate($block) };
        // SAFETY: as above.
        let done = unsafe { Mbarrier::new(barriers, 0) };
        let columns = memory.columns();
        // SAFETY: as above.
        let sums: Accumulator<'_, 128, 256> = unsafe { Accumulator::new(columns, done) };
        #[allow(unused_mut, reason = "some of the bodies store")]
        let mut $sums = sums;
        let $group = WarpGroup::new($block);
        let $out = $y.raw();
        $body
        memory.release($block);
    };
}

/// Loads each of `$times` repetitions of a shape.
macro_rules! loads {
    ($sums:ident, $group:ident, $out:ident, $shape:ident: $($times:literal)*) => {$(
        let own = $sums.load::<$shape, $times>($group, 0, 0).wait();
        own.for_each(|row, column, sum| {
            // SAFETY: never launched.
            unsafe { $out.wrapping_add(row * 256 + column).write_volatile(sum) };
        });
    )*};
}

/// Stores each of `$times` repetitions of a shape.
macro_rules! stores {
    ($sums:ident, $group:ident, $out:ident, $shape:ident: $($times:literal)*) => {$(
        $sums.store::<$shape, $times>($group, 0, 0, |row, column| {
            // SAFETY: never launched.
            unsafe { $out.wrapping_add(row * 256 + column).read_volatile() }
        });
    )*};
}

/// `32x32b`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn loads_32x32b(block: Block, mut y: DisjointSlice<f32>) {
    for_sums!(block, y, |sums, group, out| {
        loads!(sums, group, out, Shape32x32b: 1 2 4 8 16 32 64 128);
    });
}
// ptx-arch: sm_100a
// ptx-count: 1 tcgen05.ld.sync.aligned.32x32b.x1.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.32x32b.x2.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.32x32b.x4.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.32x32b.x8.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.32x32b.x16.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.32x32b.x32.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.32x32b.x64.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.32x32b.x128.b32 {
// ptx-count: 9 tcgen05.wait::ld.sync.aligned;
// ptx-not: .local

/// `32x32b`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn stores_32x32b(block: Block, mut y: DisjointSlice<f32>) {
    for_sums!(block, y, |sums, group, out| {
        stores!(sums, group, out, Shape32x32b: 1 2 4 8 16 32 64 128);
    });
}
// ptx-arch: sm_100a
// ptx-count: 1 tcgen05.st.sync.aligned.32x32b.x1.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.32x32b.x2.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.32x32b.x4.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.32x32b.x8.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.32x32b.x16.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.32x32b.x32.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.32x32b.x64.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.32x32b.x128.b32 [
// ptx-count: 8 tcgen05.wait::st.sync.aligned;
// ptx-not: .local

/// `16x64b`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn loads_16x64b(block: Block, mut y: DisjointSlice<f32>) {
    for_sums!(block, y, |sums, group, out| {
        loads!(sums, group, out, Shape16x64b: 1 2 4 8 16 32 64 128);
    });
}
// ptx-arch: sm_100a
// ptx-count: 1 tcgen05.ld.sync.aligned.16x64b.x1.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x64b.x2.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x64b.x4.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x64b.x8.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x64b.x16.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x64b.x32.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x64b.x64.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x64b.x128.b32 {
// ptx-count: 9 tcgen05.wait::ld.sync.aligned;
// ptx-not: .local

/// `16x64b`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn stores_16x64b(block: Block, mut y: DisjointSlice<f32>) {
    for_sums!(block, y, |sums, group, out| {
        stores!(sums, group, out, Shape16x64b: 1 2 4 8 16 32 64 128);
    });
}
// ptx-arch: sm_100a
// ptx-count: 1 tcgen05.st.sync.aligned.16x64b.x1.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x64b.x2.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x64b.x4.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x64b.x8.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x64b.x16.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x64b.x32.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x64b.x64.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x64b.x128.b32 [
// ptx-count: 8 tcgen05.wait::st.sync.aligned;
// ptx-not: .local

/// `16x128b`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn loads_16x128b(block: Block, mut y: DisjointSlice<f32>) {
    for_sums!(block, y, |sums, group, out| {
        loads!(sums, group, out, Shape16x128b: 1 2 4 8 16 32 64);
    });
}
// ptx-arch: sm_100a
// ptx-count: 1 tcgen05.ld.sync.aligned.16x128b.x1.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x128b.x2.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x128b.x4.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x128b.x8.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x128b.x16.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x128b.x32.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x128b.x64.b32 {
// ptx-count: 8 tcgen05.wait::ld.sync.aligned;
// ptx-not: .local

/// `16x128b`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn stores_16x128b(block: Block, mut y: DisjointSlice<f32>) {
    for_sums!(block, y, |sums, group, out| {
        stores!(sums, group, out, Shape16x128b: 1 2 4 8 16 32 64);
    });
}
// ptx-arch: sm_100a
// ptx-count: 1 tcgen05.st.sync.aligned.16x128b.x1.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x128b.x2.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x128b.x4.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x128b.x8.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x128b.x16.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x128b.x32.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x128b.x64.b32 [
// ptx-count: 7 tcgen05.wait::st.sync.aligned;
// ptx-not: .local

/// `16x256b`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn loads_16x256b(block: Block, mut y: DisjointSlice<f32>) {
    for_sums!(block, y, |sums, group, out| {
        loads!(sums, group, out, Shape16x256b: 1 2 4 8 16 32);
    });
}
// ptx-arch: sm_100a
// ptx-count: 1 tcgen05.ld.sync.aligned.16x256b.x1.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x256b.x2.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x256b.x4.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x256b.x8.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x256b.x16.b32 {
// ptx-count: 1 tcgen05.ld.sync.aligned.16x256b.x32.b32 {
// ptx-count: 7 tcgen05.wait::ld.sync.aligned;
// ptx-not: .local

/// `16x256b`
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn stores_16x256b(block: Block, mut y: DisjointSlice<f32>) {
    for_sums!(block, y, |sums, group, out| {
        stores!(sums, group, out, Shape16x256b: 1 2 4 8 16 32);
    });
}
// ptx-arch: sm_100a
// ptx-count: 1 tcgen05.st.sync.aligned.16x256b.x1.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x256b.x2.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x256b.x4.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x256b.x8.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x256b.x16.b32 [
// ptx-count: 1 tcgen05.st.sync.aligned.16x256b.x32.b32 [
// ptx-count: 6 tcgen05.wait::st.sync.aligned;
// ptx-not: .local

/// Several loads are under way at once.
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn loads_overlap(block: Block, mut y: DisjointSlice<f32>) {
    for_sums!(block, y, |sums, group, out| {
        let first = sums.load::<Shape32x32b, 4>(group, 0, 0);
        let second = sums.load::<Shape32x32b, 8>(group, 0, 4);
        let (first, second) = (first.wait(), second.wait());
        // SAFETY: never launched.
        unsafe { out.write(first.get(3) + second.get(7)) };
    });
}
// ptx-arch: sm_100a
// ptx: tcgen05.ld.sync.aligned.32x32b.x4.b32 {
// ptx: tcgen05.ld.sync.aligned.32x32b.x8.b32 {
// ptx: tcgen05.wait::ld.sync.aligned;
// ptx: tcgen05.wait::ld.sync.aligned;
// ptx: add.rn.f32
// ptx-not: .local

//@ rows: TM-moves
#[test]
fn moves_are_one_instruction_each() {
    warploom_harness::ptx_file!("ptx_moves.rs");
}
