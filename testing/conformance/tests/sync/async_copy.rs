//! Copies into shared memory that go on beside the threads.

use warploom::device_std::{AsyncTiles, Mbarrier, intrinsics};
use warploom::model::{Emulator, Mode};
use warploom::prelude::*;
use warploom_harness::device_test::check;

/// Each block sums its part of `x`, chunk after chunk, with `STAGES` stages of which all but one are under way; thread `t` weights
/// element `i` by `(i + t) % 7`, so every thread has to see every element.
#[inline(always)]
fn weighted<'a, const STAGES: usize>(
    block: &Block<'_>,
    mut tiles: AsyncTiles<'a, u32, 48, STAGES>,
    x: &'a [u32],
) -> u32 {
    let mut ahead = x.chunks(48);
    for chunk in ahead.by_ref().take(STAGES - 1) {
        tiles.copy(block, chunk);
    }
    let (mut sum, mut start) = (0u32, 0);
    while start < x.len() {
        if let Some(chunk) = ahead.next() {
            tiles.copy(block, chunk);
        }
        let Some(stage) = tiles.wait(block) else {
            break;
        };
        for i in 0..(x.len() - start).min(48) {
            let weight = ((start + i + block.thread()) % 7) as u32;
            sum = sum.wrapping_add(stage.get(i).wrapping_mul(weight));
        }
        stage.release(block);
        start += 48;
    }
    sum
}

fn part<'a>(block: &Block<'_>, x: &'a [u32], each: u32) -> &'a [u32] {
    let start = block.index() * each as usize;
    x.get(start..start + each as usize).unwrap_or(&[])
}

/// Plain copies in the image for sm_75.
#[kernel]
fn stages_anywhere(block: Block, i: Index1D, x: &[u32], each: u32, mut y: DisjointSlice<u32>) {
    let memory = shared_array!([u32; 48], 3);
    let sum = weighted(&block, AsyncTiles::new(memory), part(&block, x, each));
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

macro_rules! with_stages {
    ($($name:ident $stages:literal;)*) => {$(
        /// The instruction at the start needs sm_80, so the whole kernel gets an image in which copies are asynchronous.
        #[kernel]
        fn $name(block: Block, i: Index1D, x: &[u32], each: u32, mut y: DisjointSlice<u32>) {
            // SAFETY: no copy is under way.
            unsafe { intrinsics::copy_async_wait_all() };
            let memory = shared_array!([u32; 48], $stages);
            let sum = weighted(&block, AsyncTiles::new(memory), part(&block, x, each));
            if let Some(y) = y.get_mut(i) {
                *y = sum;
            }
        }
    )*};
}
with_stages!(one_stage 1; two_stages 2; four_stages 4; eight_stages 8;);

fn expected(x: &[u32], each: usize, block: usize) -> Vec<u32> {
    let blocks = x.len() / each;
    (0..blocks * block)
        .map(|i| {
            let (part, t) = (&x[i / block * each..][..each], i % block);
            (0..each).fold(0u32, |sum, k| {
                sum.wrapping_add(part[k].wrapping_mul(((k + t) % 7) as u32))
            })
        })
        .collect()
}

//@ rows: ASYNC-copy
#[test]
fn stages_arrive_whole_and_in_order() {
    // A multiple of the stage; a last stage that is not full; parts that start at an odd word, so 16 bytes cannot move at once.
    for each in [480u32, 500, 333, 5] {
        for block in [96u32, 70] {
            let x: Vec<u32> = (0..3 * each)
                .map(|i| i.wrapping_mul(0x9E37_79B9) >> 7)
                .collect();
            let expected = expected(&x, each as usize, block as usize);
            macro_rules! run {
                ($($kernel:ident)*) => {$(
                    check(&expected, |device, stream| {
                        let mut y = device.zeroed(expected.len())?;
                        $kernel::launch(stream, (3, block), &device.upload(&x)?, each, &mut y)?;
                        Ok(y.to_vec(stream)?)
                    });
                )*};
            }
            run!(stages_anywhere one_stage two_stages four_stages eight_stages);
        }
    }
}

/// A source that is not in global memory: copied at once.
#[kernel]
fn from_the_stack(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    // SAFETY: no copy is under way.
    unsafe { intrinsics::copy_async_wait_all() };
    let memory = shared_array!([u32; 16], 1);
    let mut own = [0; 16];
    for (k, v) in own.iter_mut().enumerate() {
        *v = (block.index() * 100 + k * k) as u32;
    }
    let own = std::hint::black_box(own);
    let mut tiles = AsyncTiles::new(memory);
    tiles.copy(&block, &own);
    let seen = match tiles.wait(&block) {
        Some(stage) => stage.get(15 - block.thread() % 16),
        None => 0,
    };
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: ASYNC-copy
#[test]
fn a_source_on_the_stack_is_copied_too() {
    let expected: Vec<u32> = (0..2 * 70)
        .map(|i| {
            let k = 15 - i % 70 % 16;
            i / 70 * 100 + k * k
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        from_the_stack::launch(stream, (2, 70), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// Copies of 4, 8 and 16 bytes, groups of them, and an arrival that waits for them.
#[kernel]
fn raw_copies(block: Block, i: Index1D, x: &[u64], mut y: DisjointSlice<[u64; 2]>) {
    let memory = shared_array!(u64, 129);
    let t = block.thread();
    let n = block.threads();
    let mut seen = [0; 2];
    if x.len() >= 2 * n {
        // SAFETY: the memory has room for a barrier at this index.
        let barrier = unsafe { Mbarrier::new(memory, 128) };
        if t == 0 {
            // SAFETY: initialised by one thread, before the barrier of the block.
            unsafe { barrier.init(n as u32) };
        }
        block.sync();
        // SAFETY: each thread has two slots of its own.
        let to = unsafe { memory.as_ptr().add(2 * t) }.cast::<u8>();
        // SAFETY: the source has two elements for each thread.
        let from = unsafe { x.as_ptr().add(2 * t) }.cast::<u8>();
        match t % 3 {
            // SAFETY: 16 bytes to the thread's own slots, both sides aligned to 16.
            0 => unsafe { intrinsics::copy_async_16(to, from) },
            1 => {
                for k in [0, 8] {
                    // SAFETY: within the 16 bytes, aligned to 8.
                    unsafe { intrinsics::copy_async_8(to.wrapping_add(k), from.wrapping_add(k)) };
                }
            }
            _ => {
                for k in [0, 4, 8, 12] {
                    // SAFETY: within the 16 bytes, aligned to 4.
                    unsafe { intrinsics::copy_async_4(to.wrapping_add(k), from.wrapping_add(k)) };
                }
            }
        }
        // SAFETY: initialised; each thread arrives once, by its copies.
        unsafe { barrier.arrive_after_copies() };
        // SAFETY: the first phase, for which this thread has arrived.
        unsafe { barrier.wait_parity(0) };
        let other = n - 1 - t;
        // SAFETY: slots are read when the phase of their copies has ended.
        let slot = |k| unsafe { memory.get(k) };
        seen = [slot(2 * other), slot(2 * other + 1)];
    }
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: ASYNC-copy, ASYNC-mbarrier
#[test]
fn an_arrival_waits_for_the_copies_before_it() {
    let x: Vec<u64> = (0..128u64)
        .map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15))
        .collect();
    let expected: Vec<[u64; 2]> = (0..2 * 64)
        .map(|i| {
            let other = 63 - i % 64;
            [x[2 * other], x[2 * other + 1]]
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        raw_copies::launch(stream, (2, 64), &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn one_copy_too_many(block: Block, x: &[u32]) {
    let memory = shared_array!([u32; 16], 2);
    let mut tiles = AsyncTiles::new(memory);
    for _ in 0..3 {
        tiles.copy(&block, x);
    }
}

#[test]
fn a_copy_into_a_stage_that_is_in_use_is_refused() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let x = device.upload(&[1; 16]).unwrap();
    one_copy_too_many::launch(&stream, (1, 32), &x).unwrap();
    let text = stream.synchronize().unwrap_err().to_string();
    assert!(text.contains("all stages were begun"), "{text}");
}

/// On the emulator a copy takes place when it is waited for: a read before that sees the old bytes.
#[kernel]
fn too_early(block: Block, x: &[u32], mut y: DisjointSlice<u32, PerBlock>) {
    let memory = shared_array!([u32; 4], 1);
    let mut tiles = AsyncTiles::new(memory);
    tiles.copy(&block, x);
    // SAFETY: only the emulator runs this, one thread at a time.
    let old = unsafe { memory.get(0) }[0];
    tiles.wait(&block);
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = old;
    }
}

#[test]
fn the_emulator_copies_when_it_is_waited_for() {
    let device = Emulator::new().mode(Mode::Fast).device();
    let stream = device.stream().unwrap();
    let x = device.upload(&[1u32, 2, 3, 4]).unwrap();
    let mut y = device.zeroed::<u32>(1).unwrap();
    too_early::launch(&stream, (1, 1), &x, &mut y).unwrap();
    assert_eq!(y.to_vec(&stream).unwrap(), [0xA5A5_A5A5]);
}

#[test]
fn a_read_before_the_wait_is_found() {
    let device = Emulator::new().mode(Mode::Checked).device();
    let stream = device.stream().unwrap();
    let x = device.upload(&[1u32, 2, 3, 4]).unwrap();
    let mut y = device.zeroed::<u32>(1).unwrap();
    too_early::launch(&stream, (1, 1), &x, &mut y).unwrap();
    let text = stream.synchronize().unwrap_err().to_string();
    assert!(text.contains("error[WL0022]"), "{text}");
}
