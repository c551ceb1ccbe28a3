//! How often each digit occurs, for all passes at once: each key is read one time.
//!
//! Each block counts in shared memory, then adds its counts to those of all. The block that adds last turns these into sums over smaller digits: where in the
//! output the keys with each digit begin.

use std::array::from_fn;
use std::sync::atomic::Ordering;

use warploom::device_std::atomic::{AcqRel, Relaxed, Scoped, scope};
use warploom::device_std::hint::unroll_all;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;

use super::key::{RadixBits, RadixKey};
use super::rank::{DIGIT_BITS, DIGITS, Order};

/// Threads of a block.
pub(super) const THREADS: usize = 256;
/// Keys of a thread at once.
pub(super) const ITEMS: usize = 16;
/// Blocks at most: eight for each of 132 multiprocessors.
pub(super) const BLOCKS: usize = 8 * 132;
/// Passes of the largest keys.
const MOST_PASSES: usize = (u128::BITS / DIGIT_BITS) as usize;

/// What is counted, and where in the state.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
pub(super) struct Counted {
    /// By which bits is sorted.
    pub(super) order: Order,
    /// The counter of blocks that are done.
    pub(super) done: usize,
    /// The counts of the first pass.
    pub(super) counts: usize,
    /// From the counts of one pass to those of the next.
    pub(super) stride: usize,
}

/// Counts the digits of `keys`; see the head of the file.
#[kernel(block(256), dependent_launch)]
pub(super) fn radix_histogram<K: RadixKey>(
    block: Block,
    keys: &[K],
    counted: Counted,
    state: &[Atomic<u32>],
) {
    launch_dependents();
    const {
        assert!(K::Bits::BITS <= u128::BITS);
        assert!(DIGITS == THREADS);
    }
    let bins = shared_array!(u32, MOST_PASSES * DIGITS);
    let last = shared_array!(u32, 1);
    let thread = block.thread();
    let passes = counted.order.passes();
    for pass in 0..passes as usize {
        bins.atomic(pass * DIGITS + thread)
            .store(0, Ordering::Relaxed);
    }
    block.sync();
    let count = |pass: u32, key: K| {
        let digit = counted.order.digit(pass).of(key);
        let bin = bins.atomic(pass as usize * DIGITS + digit as usize);
        bin.scoped::<scope::Block>().fetch_add(1, Relaxed);
    };
    let tile = THREADS * ITEMS;
    let mut first = block.index() * tile;
    while first < keys.len() {
        if keys.len() - first >= tile {
            let part = &keys[first..][..tile];
            let own: [K; ITEMS] = from_fn(|k| part[thread + k * THREADS]);
            for pass in 0..passes {
                unroll_all::<ITEMS>(|k| count(pass, own[k]));
            }
        } else {
            let mut i = first + thread;
            while i < keys.len() {
                let key = keys[i];
                for pass in 0..passes {
                    count(pass, key);
                }
                i += THREADS;
            }
        }
        first += grid_dim().x as usize * tile;
    }
    block.sync();
    for pass in 0..passes as usize {
        let count = bins.atomic(pass * DIGITS + thread).load(Ordering::Relaxed);
        if count > 0 {
            let sum = &state[counted.counts + pass * counted.stride + thread];
            sum.fetch_add(count, Relaxed);
        }
    }
    // The barriers make the counts of a block those of its leader; its addition releases them, and the last one acquires all.
    block.sync();
    if thread == 0 {
        let before = state[counted.done].fetch_add(1, AcqRel);
        last.atomic(0)
            .store(u32::from(before + 1 == grid_dim().x), Ordering::Relaxed);
    }
    block.sync();
    if last.atomic(0).load(Ordering::Relaxed) == 0 {
        return;
    }
    for pass in 0..passes as usize {
        let sum = &state[counted.counts + pass * counted.stride + thread];
        let smaller = block.exclusive_scan(sum.load(Relaxed), 0, |a, b| a + b);
        sum.store(smaller, Relaxed);
    }
}
