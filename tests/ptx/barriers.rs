//! A barrier stays one instruction: nothing copies it into the branches before or behind it.

use warploom::prelude::*;

#[kernel]
fn asked_twice(block: Block, i: Index1D, a: bool, mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 256);
    if a {
        tile.atomic(0)
            .store(1, std::sync::atomic::Ordering::Relaxed);
    }
    block.sync();
    if a && let Some(y) = y.get_mut(i) {
        *y = tile.atomic(0).load(std::sync::atomic::Ordering::Relaxed);
    }
}
// ptx-count: 1 bar.sync

#[kernel]
fn two_in_a_row(block: Block, a: bool, b: &[std::sync::atomic::AtomicU32]) {
    let Some(b) = b.first() else { return };
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    let both = if a { b.load(relaxed) > 3 } else { false };
    block.sync();
    if both {
        b.store(1, relaxed);
    }
    block.sync();
    if !both {
        b.store(2, relaxed);
    }
}
// ptx-count: 2 bar.sync

#[test]
fn barriers_are_not_copied() {
    warploom_harness::ptx_file!("barriers.rs");
}
