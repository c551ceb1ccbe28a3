//! Bulk copies: what threads do to the memory of one that is under way, or forget before it.

use warploom::device_std::{Mbarrier, TensorSource, TensorTarget, tma};
use warploom::prelude::*;
use warploom::{TensorMap, TensorMapMut};

use crate::case::{case, cases, count, launch};

/// Memory to which boxes may go.
#[derive(Clone, Copy, Plain)]
#[repr(C, align(128))]
struct Line([u32; 32]);

/// A box is read by all threads; only the one that began the copy has waited.
#[kernel(block(64))]
fn reads_before_the_box_is_there<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: TensorSource<u32, 1>,
    mut y: DisjointSlice<u32>,
) {
    let (tile, memory) = (shared_array!(Line, 2), shared_array!(u64, 1));
    let words: *mut u32 = tile.as_ptr().cast();
    // SAFETY: one thread initialises the barrier and begins the copy. The bug is the point.
    unsafe {
        let full = Mbarrier::new(memory, 0);
        if block.thread() == 0 {
            full.init(1);
            tma::fence_mbarrier_init();
        }
        block.sync();
        if block.thread() == 0 {
            let _ = full.arrive_expecting(256);
            x.load(words.cast(), [0], full); //~ WL0022 second
        }
        block.sync();
        if !BUG {
            full.wait_parity(0);
        }
        let word = words.add(block.thread()).read(); //~ WL0022 first
        full.wait_parity(0);
        if let Some(y) = y.get_mut(i) {
            *y = word;
        }
    }
}

/// A box has 256 bytes; the phase waits for those of half of it.
#[kernel(block(64))]
fn expects_half_of_the_box<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: TensorSource<u32, 1>,
    mut y: DisjointSlice<u32>,
) {
    let (tile, memory) = (shared_array!(Line, 2), shared_array!(u64, 1));
    let words: *mut u32 = tile.as_ptr().cast();
    // SAFETY: one thread initialises the barrier and begins the copy, all wait. The bug is the point.
    unsafe {
        let full = Mbarrier::new(memory, 0);
        if block.thread() == 0 {
            full.init(1);
            tma::fence_mbarrier_init();
        }
        block.sync();
        if block.thread() == 0 {
            let _ = full.arrive_expecting(if BUG { 128 } else { 256 });
            x.load(words.cast(), [0], full);
        }
        full.wait_parity(0); //~ WL0220
        if let Some(y) = y.get_mut(i) {
            *y = words.add(block.thread()).read();
        }
    }
}

/// What threads have written goes to global memory, behind a barrier but without a fence.
#[kernel(block(64))]
fn stores_without_a_proxy_fence<const BUG: bool>(block: Block, x: &[u32], y: TensorTarget<u32, 1>) {
    let tile = shared_array!(Line, 2);
    let (words, t): (*mut u32, _) = (tile.as_ptr().cast(), block.thread());
    // SAFETY: each thread writes a word of its own; one begins the copy and waits. The bug is the point.
    unsafe {
        words.add(t).write(x.get(t).copied().unwrap_or(0) + 1); //~ WL0024 second
        if !BUG {
            tma::fence_proxy_async();
        }
        block.sync();
        if t == 0 {
            y.store(words.cast(), [0]); //~ WL0024 first
            tma::commit_group();
            tma::wait_group::<0>();
        }
    }
}

/// Two boxes go out from one place; the second one is written while the first may be read.
#[kernel(block(64))]
fn writes_what_is_stored<const BUG: bool>(block: Block, x: &[u32], y: TensorTarget<u32, 1>) {
    let tile = shared_array!(Line, 2);
    let (words, t): (*mut u32, _) = (tile.as_ptr().cast(), block.thread());
    // SAFETY: each thread writes words of its own; one begins the copies and waits. The bug is the point.
    unsafe {
        for round in 0..2 {
            let word = x.get(64 * round + t).copied().unwrap_or(0);
            words.add(t).write(word); //~ WL0023 first
            tma::fence_proxy_async();
            block.sync();
            if t == 0 {
                y.store(words.cast(), [64 * round as i32]); //~ WL0023 second
                tma::commit_group();
                if !BUG {
                    tma::wait_group_read::<0>();
                }
            }
            block.sync();
        }
        if t == 0 {
            tma::wait_group::<0>();
        }
    }
}

/// The block ends behind the begin of the copy, without a wait that would keep its shared memory.
#[kernel(block(64))]
fn ends_before_its_store<const BUG: bool>(block: Block, x: &[u32], y: TensorTarget<u32, 1>) {
    let tile = shared_array!(Line, 2);
    let (words, t): (*mut u32, _) = (tile.as_ptr().cast(), block.thread());
    // SAFETY: each thread writes a word of its own; one begins the copy and waits. The bug is the point.
    unsafe {
        words.add(t).write(x.get(t).copied().unwrap_or(0) + 1);
        tma::fence_proxy_async();
        block.sync();
        if t == 0 {
            y.store(words.cast(), [0]); //~ WL0013
            tma::commit_group();
            if !BUG {
                tma::wait_group_read::<0>();
            }
        }
    }
}

/// A box goes to a place that is a multiple of 64 bytes alone.
#[kernel(block(64))]
fn a_box_between_lines<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: TensorSource<u32, 1>,
    mut y: DisjointSlice<u32>,
) {
    let (tile, memory) = (shared_array!(Line, 3), shared_array!(u64, 1));
    let words = tile
        .as_ptr()
        .cast::<u32>()
        .wrapping_add(if BUG { 16 } else { 32 });
    // SAFETY: one thread initialises the barrier and begins the copy, all wait. The bug is the point.
    unsafe {
        let full = Mbarrier::new(memory, 0);
        if block.thread() == 0 {
            full.init(1);
            tma::fence_mbarrier_init();
        }
        block.sync();
        if block.thread() == 0 {
            let _ = full.arrive_expecting(256);
            x.load(words.cast(), [0], full); //~ WL0004
        }
        full.wait_parity(0); //~? WL0220
        if let Some(y) = y.get_mut(i) {
            *y = words.add(block.thread()).read();
        }
    }
}

/// A box has 64 words, and the tile that it goes to 32.
#[kernel(block(64))]
fn a_box_larger_than_its_tile<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: TensorSource<u32, 1>,
    mut y: DisjointSlice<u32>,
) {
    let (small, memory) = (shared_array!(Line, 1), shared_array!(u64, 1));
    let large = shared_array!(Line, 2);
    let words: *mut u32 = if BUG {
        small.as_ptr().cast()
    } else {
        large.as_ptr().cast()
    };
    // SAFETY: one thread initialises the barrier and begins the copy, all wait. The bug is the point.
    unsafe {
        let full = Mbarrier::new(memory, 0);
        if block.thread() == 0 {
            full.init(1);
            tma::fence_mbarrier_init();
        }
        block.sync();
        if block.thread() == 0 {
            let _ = full.arrive_expecting(256);
            x.load(words.cast(), [0], full); //~ WL0002
        }
        full.wait_parity(0); //~? WL0220
        if let Some(y) = y.get_mut(i) {
            *y = words.add(block.thread() % 32).read(); //~? WL0020
        }
    }
}

macro_rules! loads {
    ($kernel:ident, |$i:ident| $expected:expr) => {
        case!($kernel, "", |run| {
            let (x, mut y) = (run.upload(&count::<u32>(64))?, run.zeroed(64)?);
            let map = TensorMap::builder(x.as_slice(), [64]).block([64]).build()?;
            launch!(run, $kernel, (1, 64), &map, &mut y);
            run.expect(&y, |$i| $expected)
        })
    };
}

macro_rules! stores {
    ($kernel:ident, $n:literal, |$i:ident| $expected:expr) => {
        case!($kernel, "", |run| {
            let (x, mut y) = (run.upload(&count::<u32>($n))?, run.zeroed($n)?);
            let mut map = TensorMapMut::builder(y.as_slice_mut(), [$n])
                .block([64])
                .build()?;
            launch!(run, $kernel, (1, 64), &x, &mut map);
            run.expect(&y, |$i| $expected)
        })
    };
}

cases!("bulk.rs":
    loads!(reads_before_the_box_is_there, |i| i as u32),
    loads!(expects_half_of_the_box, |i| i as u32).hangs(),
    stores!(stores_without_a_proxy_fence, 64, |i| i as u32 + 1),
    stores!(writes_what_is_stored, 128, |i| i as u32),
    stores!(ends_before_its_store, 64, |i| i as u32 + 1),
    loads!(a_box_between_lines, |i| i as u32),
    loads!(a_box_larger_than_its_tile, |i| i as u32 % 32),
);
