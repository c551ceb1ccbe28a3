//! All memories in one kernel.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom::prelude::*;
use warploom_harness::device_test::on_each_kind_of_device;

constant_static! {
    static FACTORS: [u32; 5] = [2, 3, 5, 7, 11];
}

device_static! {
    static STARTED: AtomicU32 = AtomicU32::new(0);
}

/// `x` and `y` are global, `FACTORS` constant, `STARTED` global too, `tile` shared, `own` local: its indices are known at run time only.
#[kernel]
fn all_memories(i: Index1D, block: Block, x: &[u32], mut y: DisjointSlice<[u32; 3]>) {
    STARTED.fetch_add(1, Relaxed);
    let tile = shared_array!(u32, 96);
    let mut own = [0u32; 7];
    let v = x.get(i.get()).copied().unwrap_or(0);
    for k in 0..9 {
        own[(v as usize + 3 * k) % 7] += FACTORS[(v as usize + k) % 5];
    }
    let t = block.thread();
    tile.atomic(t).store(own[v as usize % 7], Relaxed);
    block.sync();
    let across = tile.atomic(block.threads() - 1 - t).load(Relaxed);
    if let Some(y) = y.get_mut(i) {
        *y = [own[v as usize % 7], across, own[(v as usize + 1) % 7]];
    }
}

//@ rows: GPM-8
#[test]
fn one_kernel_uses_all_memories() {
    let n = 4 * 70 + 33; // the fifth block has threads without an element
    let x: Vec<u32> = (0..n as u32).map(|i| i * 37 % 101).collect();
    let factors = [2u32, 3, 5, 7, 11];
    let own = |i: usize| {
        let v = x.get(i).copied().unwrap_or(0) as usize;
        let mut own = [0u32; 7];
        for k in 0..9 {
            own[(v + 3 * k) % 7] += factors[(v + k) % 5];
        }
        [own[v % 7], own[(v + 1) % 7]]
    };
    let expected: Vec<[u32; 3]> = (0..n)
        .map(|i| [own(i)[0], own(i / 70 * 70 + 69 - i % 70)[0], own(i)[1]])
        .collect();
    on_each_kind_of_device(|device, stream| {
        let started = device.symbol(&STARTED)?;
        let before = started.read(stream)?;
        let mut y = device.zeroed(n)?;
        all_memories::launch(stream, (5, 70), &device.upload(&x)?, &mut y)?;
        assert_eq!(y.to_vec(stream)?, expected, "on {}", device.name());
        assert_eq!(started.read(stream)? - before, 350);
        Ok(())
    });
}
