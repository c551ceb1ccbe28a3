//! `core::sync::atomic` at every order that Rust accepts, on 8 to 64 bits.

use std::sync::atomic::{
    AtomicI32, AtomicI64, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence,
};

use warploom::prelude::*;
use warploom_harness::device_test::check;

/// Blocks and threads of all launches here: three warps in a block, the last one ragged.
const SHAPE: (u32, u32) = (7, 75);
const THREADS: usize = 7 * 75;

/// The same statement for all five orders of a change, with `$k` counting them.
macro_rules! at_every_order {
    (|$order:ident, $k:ident| $body:expr) => {
        at_every_order!(@ $order $k $body; Relaxed 0, Acquire 1, Release 2, AcqRel 3, SeqCst 4)
    };
    (@ $order:ident $k:ident $body:expr; $($name:ident $number:literal),*) => {
        at_every_order!(@each |$order, $k| $body; $($name $number),*)
    };
    (@each |$order:ident, $k:ident| $body:expr; $($name:ident $number:literal),*) => {
        $({ let ($order, $k): (Ordering, usize) = (Ordering::$name, $number); $body; })*
    };
}

/// The same statement for all orders that a load may have.
macro_rules! at_every_load {
    (|$order:ident| $body:expr) => {
        at_every_load!(@ |$order| $body; Relaxed Acquire SeqCst)
    };
    (@ |$order:ident| $body:expr; $($name:ident)*) => {
        $({ let $order = Ordering::$name; $body; })*
    };
}

macro_rules! atomic_tests {
    ($($name:ident: $atomic:ident, $ty:ty;)*) => {$(
        mod $name {
            use super::*;

            /// Five cells (one per order) for each of nine operations whose result does not depend on the order of threads.
            #[kernel]
            fn change(i: Index1D, cells: &[$atomic], mut y: DisjointSlice<[$ty; 5]>) {
                let v = i.get() as $ty;
                let bit: $ty = 1 << (i.get() % 31);
                let mut before = [0; 5];
                at_every_order!(|order, k| {
                    before[k] = cells[k].fetch_add(1, order);
                    cells[5 + k].fetch_sub(v, order);
                    cells[10 + k].fetch_and(!bit, order);
                    cells[15 + k].fetch_or(bit, order);
                    cells[20 + k].fetch_xor(v.wrapping_mul(77), order);
                    cells[25 + k].fetch_max(v ^ 5, order);
                    cells[30 + k].fetch_min(v ^ 5, order);
                    // What is taken out of the cell goes to the sum behind, so nothing is lost.
                    let taken = cells[35 + k].swap(v, order);
                    cells[40 + k].fetch_add(taken, order);
                });
                if let Some(y) = y.get_mut(i) {
                    *y = before;
                }
            }

            #[test]
            fn changes_at_every_order() {
                let v = || (0..THREADS).map(|i| i as $ty);
                let sum: $ty = v().sum();
                let bits: $ty = (0..31).fold(0, |bits, b| bits | 1 << b);
                let values = [
                    THREADS as $ty,
                    (0 as $ty).wrapping_sub(sum),
                    !bits,
                    bits,
                    v().fold(0, |x, v| x ^ v.wrapping_mul(77)),
                    v().map(|v| v ^ 5).max().unwrap(),
                    v().map(|v| v ^ 5).min().unwrap(),
                    0,
                    sum,
                ];
                check(&values.map(|v| [v; 5]).concat(), |device, stream| {
                    let mut cells: Vec<$ty> = vec![0; 45];
                    cells[10..15].fill(!0);
                    cells[30..35].fill(900);
                    let mut cells = device.upload(&cells)?;
                    let mut y = device.zeroed(THREADS)?;
                    change::launch(stream, SHAPE, cells.as_atomic(), &mut y)?;
                    let y = y.to_vec(stream)?;
                    for k in 0..5 {
                        // Every thread saw a count of its own.
                        let mut seen: Vec<$ty> = y.iter().map(|before| before[k]).collect();
                        seen.sort_unstable();
                        assert!(seen.into_iter().eq(v()), "order {k} on {}", device.name());
                    }
                    let mut cells = cells.to_vec(stream)?;
                    for k in 0..5 {
                        // What the last thread left in the cell belongs to the sum.
                        cells[40 + k] += std::mem::take(&mut cells[35 + k]);
                    }
                    Ok(cells)
                });
            }

            /// What depends on the order of operations, on a cell of the thread's own; all pairs of orders of an exchange.
            fn exchanges(cell: &$atomic) -> $ty {
                let mut sum: $ty = 0;
                at_every_order!(|order, k| sum = sum.wrapping_mul(3).wrapping_add(cell.fetch_nand(0x35 << k, order)));
                at_every_load!(|load| at_every_order!(|order, k| {
                    let now = cell.load(load);
                    let wrong = cell.compare_exchange(now ^ 1, 7, order, load);
                    let right = cell.compare_exchange(now, now.wrapping_add(k as $ty + 1), order, load);
                    let weak = cell.fetch_update(order, load, |v| (v != 3).then(|| v.rotate_left(1)));
                    for result in [wrong, right, weak] {
                        sum = sum.wrapping_mul(5) ^ result.map_or_else(|v| v.wrapping_mul(9), |v| v);
                    }
                }));
                cell.store(sum.wrapping_sub(cell.load(Ordering::Relaxed)), Ordering::Relaxed);
                cell.store(cell.load(Ordering::Acquire) ^ 21, Ordering::Release);
                cell.store(cell.load(Ordering::SeqCst).wrapping_mul(3), Ordering::SeqCst);
                sum
            }

            #[kernel]
            fn exchange(i: Index1D, cells: &[$atomic], mut y: DisjointSlice<$ty>) {
                if let Some(y) = y.get_mut(i) {
                    *y = exchanges(&cells[i.get()]);
                }
            }

            #[test]
            fn exchanges_loads_and_stores_at_every_order() {
                let start: Vec<$ty> = (0..THREADS).map(|i| (i as $ty).wrapping_mul(0x1234_5677)).collect();
                let cells: Vec<$atomic> = start.iter().map(|v| $atomic::new(*v)).collect();
                let mut expected: Vec<$ty> = cells.iter().map(exchanges).collect();
                expected.extend(cells.into_iter().map($atomic::into_inner));
                check(&expected, |device, stream| {
                    let mut cells = device.upload(&start)?;
                    let mut y = device.zeroed(THREADS)?;
                    exchange::launch(stream, SHAPE, cells.as_atomic(), &mut y)?;
                    Ok([y.to_vec(stream)?, cells.to_vec(stream)?].concat())
                });
            }
        }
    )*};
}

atomic_tests! {
    of_u32: AtomicU32, u32;
    of_i32: AtomicI32, i32;
    of_u64: AtomicU64, u64;
    of_i64: AtomicI64, i64;
}

/// Bytes and halves of one word, changed by different threads at the same time.
#[kernel]
fn parts(i: Index1D, words: &[AtomicU32]) {
    let Some(word) = words.get(i.get() / 8) else {
        return;
    };
    let at = word.as_ptr();
    // SAFETY: four bytes lie in a word.
    let byte = unsafe { at.cast::<u8>().add(i.get() % 4) };
    // SAFETY: all accesses to it are atomic.
    let byte = unsafe { AtomicU8::from_ptr(byte) };
    let next = words[16 + i.get() / 8].as_ptr();
    // SAFETY: two halves lie in a word.
    let half = unsafe { next.cast::<u16>().add(i.get() % 2) };
    // SAFETY: all accesses to it are atomic.
    let half = unsafe { AtomicU16::from_ptr(half) };
    at_every_order!(|order, k| {
        byte.fetch_add(k as u8 + 1, order);
        half.fetch_add(300 + k as u16, order);
    });
    byte.fetch_xor(0x80, Ordering::AcqRel); // by two threads: back again
    half.fetch_max(1000, Ordering::Relaxed);
    at_every_load!(|load| {
        let old = half.load(load);
        let _ = half.compare_exchange(old ^ 1, 0, Ordering::AcqRel, load);
        // No byte gets that far.
        let _ = byte.compare_exchange(byte.load(load) | 0x60, 0, Ordering::SeqCst, load);
    });
}

#[test]
fn parts_of_words() {
    // Eight threads on a word: two on each of its bytes, four on each half of the word behind. 16 words of both.
    let byte = 2 * 15;
    let half = 4 * (5 * 300 + 10);
    let mut expected = vec![u32::from_le_bytes([byte; 4]); 16];
    expected.extend([half << 16 | half; 16]);
    check(&expected, |device, stream| {
        let mut words = device.zeroed::<u32>(32)?;
        parts::launch(stream, Launch::new(4, 32), words.as_atomic())?;
        Ok(words.to_vec(stream)?)
    });
}

/// The last block to finish adds up what the others left, after they all said that they are done.
#[kernel]
fn sum_of_blocks(
    i: Index1D,
    block: Block,
    x: &[u32],
    partial: &[AtomicU32],
    done: &[AtomicU32],
    fenced: bool,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let sum = shared_array!(u32, 1);
    if block.thread() == 0 {
        sum.atomic(0).store(0, Ordering::Relaxed);
    }
    block.sync();
    sum.atomic(0)
        .fetch_add(x.get(i.get()).copied().unwrap_or(0), Ordering::Relaxed);
    block.sync();
    let Some(leader) = block.leader() else { return };
    partial[block.index()].store(sum.atomic(0).load(Ordering::Relaxed), Ordering::Relaxed);
    let before = if fenced {
        fence(Ordering::SeqCst);
        let before = done[0].fetch_add(1, Ordering::Relaxed);
        fence(Ordering::Acquire);
        before
    } else {
        done[0].fetch_add(1, Ordering::AcqRel)
    };
    if before as usize + 1 == partial.len()
        && let Some(y) = y.get_mut(leader)
    {
        *y = partial
            .iter()
            .map(|p| p.load(Ordering::Relaxed))
            .fold(0, u32::wrapping_add);
    }
}

#[test]
fn the_last_block_sees_what_the_others_wrote() {
    let x = crate::noise(40 * 99 - 5);
    let sum = x.iter().copied().fold(0, u32::wrapping_add);
    for fenced in [false, true] {
        check(&[sum], |device, stream| {
            let x = device.upload(&x)?;
            let (mut partial, mut done) = (device.zeroed::<u32>(40)?, device.zeroed::<u32>(1)?);
            let mut y = device.zeroed(40)?;
            sum_of_blocks::launch(
                stream,
                Launch::new(40, 99),
                &x,
                partial.as_atomic(),
                done.as_atomic(),
                fenced,
                &mut y,
            )?;
            // One block, whichever came last, has written.
            Ok(y.to_vec(stream)?.into_iter().filter(|v| *v != 0).collect())
        });
    }
}

#[kernel]
fn float_sums(i: Index1D, single: &[AtomicF32], double: &[AtomicF64]) {
    single[i.get() % 3].fetch_add(0.5);
    double[i.get() % 2].fetch_add(i.get() as f64);
    let _ = warploom::device_std::atomic_add(&double[2], 0.25);
}

#[test]
fn sums_of_floats() {
    let half = |rest: usize| (0..THREADS).filter(|i| i % 2 == rest).sum::<usize>() as f64;
    let expected = [87.5, 87.5, 87.5, half(0), half(1), THREADS as f64 / 4.0];
    check(&expected, |device, stream| {
        let mut single = device.zeroed::<f32>(3)?;
        let mut double = device.zeroed::<f64>(3)?;
        float_sums::launch(stream, SHAPE, single.as_atomic(), double.as_atomic())?;
        let single = single.to_vec(stream)?.into_iter().map(f64::from);
        Ok(single.chain(double.to_vec(stream)?).collect())
    });
}

/// Atomics that no other thread sees: in memory of the thread's own.
fn private(x: &[u32], i: usize) -> u64 {
    let (count, wide) = (AtomicU32::new(x[i]), AtomicU64::new(3));
    for v in &x[i / 2..i] {
        count.fetch_max(v >> 1, Ordering::SeqCst);
        wide.fetch_add(
            u64::from(count.swap(*v, Ordering::AcqRel)),
            Ordering::Relaxed,
        );
    }
    wide.into_inner() ^ u64::from(count.load(Ordering::Acquire))
}

#[test]
fn atomics_on_the_stack() {
    crate::agree(&crate::noise(301), private);
}
