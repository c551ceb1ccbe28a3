//! Atomics in a thread's own memory: PTX defines none there.

use std::hint::black_box;
use std::sync::atomic::{
    AtomicBool, AtomicI8, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, compiler_fence,
};
use warploom::device_std::atomic::{self, Atomic, Scoped, scope};
use warploom::prelude::*;
use warploom_harness::device_test::check;

use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

/// What a function sees that is not inlined: an address.
#[inline(never)]
fn bump(a: &AtomicU32, by: u32) -> u32 {
    a.fetch_add(by, SeqCst)
}

trait Counter {
    fn count(&self, by: u32) -> u32;
}

impl Counter for AtomicU32 {
    fn count(&self, by: u32) -> u32 {
        self.fetch_add(by, AcqRel)
    }
}

impl Counter for AtomicU64 {
    fn count(&self, by: u32) -> u32 {
        self.fetch_add(u64::from(by), SeqCst) as u32
    }
}

#[inline(never)]
fn down(a: &AtomicU32, n: u32) {
    let own = AtomicU32::new(n);
    if n > 0 {
        down(&own, n - 1);
    }
    a.fetch_add(own.load(Relaxed), Relaxed);
}

/// Each value comes of operations on local variables alone; the same on the host.
fn values(t: u32) -> [u32; 12] {
    let a = AtomicU32::new(t);
    a.fetch_add(3, SeqCst);
    bump(&a, 5);
    let (b, c, d) = (
        AtomicU8::new(t as u8),
        AtomicU16::new(t as u16),
        AtomicI8::new(-3),
    );
    let (b, c, d) = (black_box(&b), black_box(&c), black_box(&d));
    b.fetch_add(250, Relaxed);
    b.fetch_nand(0x0f, SeqCst);
    c.fetch_max(40, AcqRel);
    let exchanged = c.compare_exchange(40, 7, Relaxed, Acquire);
    d.fetch_min(t as i8, Release);
    let wide = AtomicU64::new(1 << 40);
    black_box(&wide).fetch_sub(u64::from(t), SeqCst);
    compiler_fence(SeqCst);
    let flag = AtomicBool::new(t.is_multiple_of(3));
    let was = black_box(&flag).swap(true, AcqRel);
    let many = [const { AtomicU32::new(0) }; 5];
    for k in 0..20 {
        many[black_box(t + k) as usize % 5].fetch_add(k, Relaxed);
    }
    let (small, large) = (AtomicU32::new(1), AtomicU64::new(2));
    let counters: [&dyn Counter; 2] = [&small, &large];
    let counted = counters[t as usize % 2].count(4) + counters[0].count(1);
    let deep = AtomicU32::new(0);
    down(&deep, t % 5);
    let mut plain = t;
    let cell: &Atomic<u32> = Atomic::from_mut(&mut plain);
    black_box(cell).fetch_inc_wrapping(20, atomic::Relaxed);
    let block = AtomicU32::new(t);
    black_box(&block)
        .scoped::<scope::Block>()
        .fetch_xor(5, atomic::AcqRel);
    let float = Atomic::<f32>::new(t as f32);
    black_box(&float).fetch_add(0.5, atomic::Relaxed);
    [
        a.load(Acquire),
        u32::from(b.load(Relaxed)),
        u32::from(c.load(SeqCst)) + u32::from(exchanged.unwrap_or_else(|found| found)),
        u32::from(d.load(Relaxed) as u8),
        (wide.load(Relaxed) >> 7) as u32,
        u32::from(was) + 2 * u32::from(flag.load(Relaxed)),
        many.iter().map(|n| n.load(Relaxed)).sum(),
        counted,
        deep.load(Relaxed),
        plain,
        block.load(Relaxed),
        float.load(atomic::Relaxed).to_bits(),
    ]
}

#[kernel]
fn own(i: Index1D, mut y: DisjointSlice<[u32; 12]>) {
    if let Some(y) = y.get_mut(i) {
        *y = values(i.get() as u32);
    }
}

//@ rows: AT-1, AT-2, AT-3, AT-9
#[test]
fn atomics_of_the_threads_own() {
    let expected: Vec<[u32; 12]> = (0..200).map(values).collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        own::launch(stream, (4, 64), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// One operation, of which some threads' memory is their own, some threads' shared, and some threads' global.
#[kernel]
fn anywhere(i: Index1D, block: Block, all: &[AtomicU32], mut y: DisjointSlice<u32>) {
    let shared = shared_array!(u32, 1);
    if block.thread() == 0 {
        shared.atomic(0).store(0, Relaxed);
    }
    block.sync();
    let own = AtomicU32::new(0);
    let place = match i.get() % 4 {
        0 => &all[0],
        1 => shared.atomic(0),
        _ => &own,
    };
    place.fetch_add(1, Relaxed);
    bump(place, 2);
    block.sync();
    if let Some(y) = y.get_mut(i) {
        *y = match i.get() % 4 {
            0 => 0,
            1 => shared.atomic(0).load(Relaxed),
            _ => own.load(Relaxed),
        };
    }
}

//@ rows: AT-1
#[test]
fn one_operation_on_memory_of_all_kinds() {
    let expected: Vec<u32> = (0..256)
        .map(|i| match i % 4 {
            0 => 0,
            1 => 16 * 3,
            _ => 3,
        })
        .chain([64 * 3])
        .collect();
    check(&expected, |device, stream| {
        let (mut all, mut y) = (device.zeroed(1)?, device.zeroed(256)?);
        anywhere::launch(stream, (4, 64), all.as_atomic(), &mut y)?;
        Ok([y.to_vec(stream)?, all.to_vec(stream)?].concat())
    });
}
