//! Hints change no value, whatever the type.

use warploom::device_std::memory::{
    self, CacheAll, CacheGlobal, LastUse, ReadOnly, Streaming, Volatile, WriteBack, WriteThrough,
    load, store,
};
use warploom::prelude::*;
use warploom_harness::device_test::{check, check_map};

macro_rules! types {
    ($($group:ident: $ty:ty, |$i:ident| $value:expr;)*) => {$(
        mod $group {
            use super::*;

            /// Each element by another hint, so that all are used.
            #[kernel]
            fn move_hinted(i: Index1D, x: &[$ty], mut y: DisjointSlice<$ty>) {
                let (Some(x), Some(y)) = (x.get(i.get()), y.get_mut(i)) else { return };
                memory::prefetch_l2(x);
                memory::prefetch_l1(x);
                let p: *const $ty = x;
                // SAFETY: elements of buffers are aligned to their size; `x` is only read in this kernel, `y` is this thread's.
                unsafe {
                    let value = match i.get() % 7 {
                        0 => load(p, CacheAll),
                        1 => load(p, CacheGlobal),
                        2 => load(p, Streaming),
                        3 => load(p, LastUse),
                        4 => load(p, Volatile),
                        5 => load(p, ReadOnly),
                        _ => memory::ldg(x),
                    };
                    match i.get() % 4 {
                        0 => store(y, value, WriteBack),
                        1 => store(y, value, CacheGlobal),
                        2 => store(y, value, Streaming),
                        _ => store(y, value, WriteThrough),
                    }
                }
            }

            //@ rows: LS-1, LS-2, LS-3, LS-4, LS-5, LS-6, LS-7, LS-8, LS-9, LS-10, MEM-prefetch
            #[test]
            fn hints_change_no_value() {
                let x: Vec<$ty> = (0..211_u32).map(|$i| $value).collect();
                check_map(&x, |stream, x, y| move_hinted::launch(stream, (4, 70), x, y), |i| x[i]);
            }
        }
    )*};
}

types! {
    of_u8: u8, |i| i as u8;
    of_i8: i8, |i| i as i8;
    of_u16: u16, |i| (i * 311) as u16;
    of_i16: i16, |i| (i * 311) as i16;
    of_u32: u32, |i| i.wrapping_mul(0x9e37_79b9);
    of_i32: i32, |i| i.wrapping_mul(0x9e37_79b9) as i32;
    of_u64: u64, |i| u64::from(i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    of_i64: i64, |i| i64::from(i) - 100;
    of_f32: f32, |i| i as f32 * 0.37;
    of_f64: f64, |i| f64::from(i) * -0.37;
    of_u8x2: [u8; 2], |i| [i as u8, !i as u8];
    of_i8x4: [i8; 4], |i| [i as i8, 1, !i as i8, -5];
    of_u16x2: [u16; 2], |i| [i as u16, !i as u16];
    of_i16x4: [i16; 4], |i| [i as i16, 1, !i as i16, -5];
    of_i32x2: [i32; 2], |i| [i as i32, !i as i32];
    of_u32x4: [u32; 4], |i| [i, !i, i * 3, 9];
    of_f32x2: [f32; 2], |i| [i as f32, 0.5];
    of_f32x4: [f32; 4], |i| [i as f32, 0.5, -1.0, i as f32 * 2.0];
    of_u64x2: [u64; 2], |i| [u64::from(i) << 40, 3];
    of_i64x4: [i64; 4], |i| [i64::from(i) << 40, 3, -7, -i64::from(i)];
    of_f64x2: [f64; 2], |i| [f64::from(i), 0.25];
    of_f64x4: [f64; 4], |i| [f64::from(i), 0.25, -f64::from(i), 8.0];
}

/// Hints are taken in shared memory, too: there they mean nothing.
#[kernel]
fn through_shared(i: Index1D, block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 128);
    // SAFETY: a block has at most as many threads as the tile has elements.
    let own = unsafe { tile.as_ptr().add(block.thread()) };
    // SAFETY: each thread has an element of its own.
    unsafe { store(own, x.get(i.get()).copied().unwrap_or(0), Streaming) };
    block.sync();
    // SAFETY: as above.
    let other = unsafe { tile.as_ptr().add(block.threads() - 1 - block.thread()) };
    // SAFETY: written before the barrier.
    let value = unsafe { load(other, LastUse) };
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

//@ rows: LS-4, LS-5, LS-9, E-1
#[test]
fn hints_in_shared_memory() {
    let x: Vec<u32> = (0..280).map(|i| i * 7 + 1).collect();
    check_map(
        &x,
        |stream, x, y| through_shared::launch(stream, (4, 70), x, y),
        |i| x[i / 70 * 70 + 69 - i % 70],
    );
}

/// One helper for pointers of any space.
#[inline(never)]
fn sum(p: *const f32, n: usize) -> f32 {
    (0..n)
        .map(|i| {
            // SAFETY: callers pass `n` elements.
            let element = unsafe { p.add(i) };
            // SAFETY: no thread writes them meanwhile.
            unsafe { element.read() }
        })
        .sum()
}

#[kernel]
fn of_two_spaces(block: Block, x: &[f32], mut y: DisjointSlice<[f32; 2], PerBlock>) {
    let tile = shared_array!(f32, 96);
    // SAFETY: each thread its own element; a barrier before the reads.
    unsafe { tile.set(block.thread(), x[block.thread()] * 2.0) };
    block.sync();
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = [sum(x.as_ptr(), 96), sum(tile.as_ptr(), 96)];
    }
}

//@ rows: GVAR-14
#[test]
fn a_helper_takes_pointers_of_any_space() {
    let x: Vec<f32> = (0..96).map(|i| i as f32).collect();
    check(&[[4560.0, 9120.0]; 3], |device, stream| {
        let (x, mut y) = (device.upload(&x)?, device.zeroed::<[f32; 2]>(3)?);
        of_two_spaces::launch(stream, (3, 96), &x, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// Threads of a warp hand values on through memory, which each really writes and reads. Lanes are not synchronous: barriers order them.
#[kernel]
fn volatile_exchange(i: Index1D, warp: Warp, x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 96);
    let at = thread_idx().x as usize;
    let mut value = x.get(i.get()).copied().unwrap_or(0);
    for _ in 0..5 {
        // SAFETY: within the array.
        let own = unsafe { tile.as_ptr().add(at) };
        // SAFETY: within the array.
        let other = unsafe { tile.as_ptr().add(at ^ 1) };
        // SAFETY: the barriers of the warp lie between the accesses of different lanes.
        unsafe { own.write_volatile(value) };
        warp.sync();
        // SAFETY: as above.
        value = unsafe { other.read_volatile() } + 1;
        warp.sync();
    }
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

//@ rows: MEM-volatile, GVAR-17, GSY-9
#[test]
fn volatile_accesses_and_a_barrier_hand_values_on() {
    let x: Vec<u32> = (0..192).collect();
    check_map(
        &x,
        |stream, x, y| volatile_exchange::launch(stream, (2, 96), x, y),
        |i| x[i ^ 1] + 5,
    );
}
