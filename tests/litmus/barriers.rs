//! Barriers of all kinds: what was stored before is read behind it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use warploom::DeviceSlice;
use warploom::device_std::{CooperativeGrid, Mbarrier, NamedBarrier};
use warploom::prelude::*;

use crate::exhaustive;

#[kernel]
fn of_a_block(block: Block, words: &[AtomicU32]) {
    if block.thread() == 0 {
        words[0].store(1, Relaxed);
    }
    block.sync();
    if block.thread() == 1 {
        words[1].store(words[0].load(Relaxed), Relaxed);
    }
}

#[kernel]
fn of_a_warp(block: Block, warp: Warp, words: &[AtomicU32]) {
    if block.thread() == 0 {
        words[0].store(1, Relaxed);
    }
    warp.sync();
    if block.thread() == 1 {
        words[1].store(words[0].load(Relaxed), Relaxed);
    }
}

#[kernel]
fn with_a_count(block: Block, words: &[AtomicU32]) {
    // SAFETY: the kernel has no shared tile, and this barrier is used here alone.
    let barrier = unsafe { NamedBarrier::<3>::new(&block) };
    if block.thread() < 32 {
        if block.thread() == 0 {
            words[0].store(1, Relaxed);
        }
        barrier.arrive(64);
    } else {
        barrier.sync(64);
        if block.thread() == 32 {
            words[1].store(words[0].load(Relaxed), Relaxed);
        }
    }
}

#[kernel]
fn in_memory(block: Block, words: &[AtomicU32]) {
    let memory = shared_array!(u64, 1);
    // SAFETY: the element is this barrier's alone.
    let barrier = unsafe { Mbarrier::new(memory, 0) };
    if block.thread() == 0 {
        // SAFETY: one thread initialises it, before the others use it.
        unsafe { barrier.init(2) };
    }
    block.sync();
    if block.thread() == 0 {
        words[0].store(1, Relaxed);
    }
    // SAFETY: initialised before the block's barrier.
    let arrival = unsafe { barrier.arrive() };
    // SAFETY: the arrival of the current phase.
    unsafe { barrier.wait(arrival) };
    if block.thread() == 1 {
        words[1].store(words[0].load(Relaxed), Relaxed);
    }
}

#[kernel(cluster(2, 1, 1))]
fn of_a_cluster(block: Block, mut cluster: Cluster, words: &[AtomicU32]) {
    if block.index() == 0 {
        words[0].store(1, Relaxed);
    }
    cluster.sync();
    if block.index() == 1 {
        words[1].store(words[0].load(Relaxed), Relaxed);
    }
}

#[kernel(cooperative)]
fn of_the_grid(block: Block, grid: CooperativeGrid, words: &[AtomicU32]) {
    if block.index() == 0 {
        words[0].store(1, Relaxed);
    }
    grid.sync();
    if block.index() == 1 {
        words[1].store(words[0].load(Relaxed), Relaxed);
    }
}

/// A shuffle orders no memory.
#[kernel]
fn of_a_shuffle(block: Block, warp: Warp, words: &[AtomicU32]) {
    if block.thread() == 0 {
        words[0].store(1, Relaxed);
    }
    let _ = warp.shuffle_idx(0u32, 0);
    if block.thread() == 1 {
        words[1].store(words[0].load(Relaxed), Relaxed);
    }
}

/// Launches on words that are 0.
type OnWords = fn(&Stream, Launch, DeviceSlice<'_, AtomicU32>) -> warploom::Result<()>;

/// What was read behind the barrier in any execution.
#[track_caller]
fn values(launch: OnWords, shape: Launch) -> BTreeSet<u32> {
    let seen = RefCell::new(BTreeSet::new());
    let explored = exhaustive().run(|device| {
        let stream = device.stream()?;
        let mut words = device.zeroed::<u32>(2)?;
        launch(&stream, shape, words.as_atomic())?;
        seen.borrow_mut().insert(words.to_vec(&stream)?[1]);
        Ok(())
    });
    assert!(explored.unwrap().complete);
    seen.into_inner()
}

macro_rules! launches {
    ($name:ident) => {
        |stream, shape, words| $name::launch(stream, shape, words).map_err(Into::into)
    };
}

#[test]
fn stores_before_a_barrier_are_read_behind_it() {
    let cases: [(&str, OnWords, Launch); 6] = [
        ("block", launches!(of_a_block), Launch::new(1, 2)),
        ("warp", launches!(of_a_warp), Launch::new(1, 2)),
        ("count", launches!(with_a_count), Launch::new(1, 64)),
        ("memory", launches!(in_memory), Launch::new(1, 2)),
        (
            "cluster",
            launches!(of_a_cluster),
            Launch::new(2, 1).cluster(2),
        ),
        ("grid", launches!(of_the_grid), Launch::new(2, 1)),
    ];
    for (name, launch, shape) in cases {
        assert_eq!(values(launch, shape), BTreeSet::from([1]), "{name}");
    }
}

#[test]
fn a_shuffle_orders_no_stores() {
    let values = values(launches!(of_a_shuffle), Launch::new(1, 2));
    assert_eq!(values, BTreeSet::from([0, 1]));
}
