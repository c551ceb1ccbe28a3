//! What each operation makes of values at the edges, by one thread: the result and what is left in memory.

use warploom::device_std::atomic::{
    AcqRel, Acquire, Atomic, Relaxed, Release, SeqCst, legacy, scope,
};
use warploom::prelude::*;
use warploom_harness::device_test::check_map;

const SHAPE: (u32, u32) = (3, 70);

macro_rules! integers {
    ($($group:ident: $ty:ident;)*) => {$(
        mod $group {
            use super::*;

            /// Before and after of ten operations on `a` and `v`.
            #[kernel]
            fn all(i: Index1D, x: &[[$ty; 2]], cells: &[Atomic<$ty>], mut y: DisjointSlice<[[$ty; 2]; 10]>) {
                let (Some([a, v]), Some(y)) = (x.get(i.get()).copied(), y.get_mut(i)) else { return };
                let cell = &cells[i.get()];
                let mut k = 0;
                let mut run = |operation: &dyn Fn() -> $ty| {
                    cell.store(a, Relaxed);
                    let before = operation();
                    y[k] = [before, cell.load(Relaxed)];
                    k += 1;
                };
                run(&|| cell.fetch_add(v, Relaxed));
                run(&|| cell.at::<scope::System>().fetch_sub(v, Acquire));
                run(&|| cell.fetch_and(v, Release));
                run(&|| cell.fetch_or(v, AcqRel));
                run(&|| cell.at::<scope::Block>().fetch_xor(v, SeqCst));
                run(&|| cell.at::<scope::Block>().fetch_min(v, Relaxed));
                run(&|| cell.fetch_max(v, SeqCst));
                run(&|| cell.swap(v, AcqRel));
                run(&|| cell.compare_exchange(a, v, SeqCst, Acquire).unwrap_or(77));
                run(&|| cell.compare_exchange(a ^ 1, v, Relaxed, Relaxed).map_or_else(|now| now, |_| 77));
            }

            //@ rows: AT-5, AT-6, AT-7, AT-8, AT-9, GAT-1, GAT-2, GAT-3, GAT-4, GAT-5, GAT-8, GAT-9, GAT-10, GAT-11, NA-3, NA-4, NA-5, NA-6, NA-7
            #[test]
            fn edge_values() {
                let edges = [$ty::MIN, $ty::MIN + 1, 0, 1, 2, $ty::MAX / 2, $ty::MAX / 2 + 1, $ty::MAX - 1, $ty::MAX, 0x55];
                let x: Vec<[$ty; 2]> = edges.iter().flat_map(|a| edges.map(|v| [*a, v])).collect();
                check_map(
                    &x,
                    |stream, x, y| {
                        let mut cells = stream.device().zeroed::<$ty>(x.len()).unwrap();
                        all::launch(stream, SHAPE, x, cells.as_atomics(), y)
                    },
                    |i| {
                        let [a, v] = x[i];
                        let changed = [
                            a.wrapping_add(v), a.wrapping_sub(v), a & v, a | v, a ^ v, a.min(v), a.max(v), v, v, a,
                        ];
                        changed.map(|after| [a, after])
                    },
                );
            }
        }
    )*};
}

integers! {
    of_u32: u32;
    of_i32: i32;
    of_u64: u64;
    of_i64: i64;
}

#[kernel]
fn counts(i: Index1D, x: &[[u32; 2]], cells: &[Atomic<u32>], mut y: DisjointSlice<[u32; 4]>) {
    let (Some([a, limit]), Some(y)) = (x.get(i.get()).copied(), y.get_mut(i)) else {
        return;
    };
    let cell = &cells[i.get()];
    cell.store(a, Relaxed);
    let up = cell.fetch_inc_wrapping(limit, Relaxed);
    let after_up = cell.swap(a, AcqRel);
    let down = legacy::atomic_dec_block(cell, limit);
    *y = [up, after_up, down, cell.load(Acquire)];
}

//@ rows: AT-3, AT-4, GAT-6, GAT-7, E-11
#[test]
fn counting_wraps_at_the_limit_at_zero_and_beyond() {
    let edges = [0, 1, 5, 6, 7, u32::MAX - 1, u32::MAX];
    let x: Vec<[u32; 2]> = edges.iter().flat_map(|a| edges.map(|v| [*a, v])).collect();
    check_map(
        &x,
        |stream, x, y| {
            let mut cells = stream.device().zeroed::<u32>(x.len()).unwrap();
            counts::launch(stream, SHAPE, x, cells.as_atomics(), y)
        },
        |i| {
            let [old, val] = x[i];
            let up = if old >= val { 0 } else { old + 1 };
            let down = if old == 0 || old > val { val } else { old - 1 };
            [old, up, old, down]
        },
    );
}

/// Bits before and after of an addition and a subtraction, and of an exchange.
#[kernel]
fn floats(i: Index1D, x: &[[f32; 2]], cells: &[Atomic<f32>], mut y: DisjointSlice<[u32; 6]>) {
    let (Some([a, v]), Some(y)) = (x.get(i.get()).copied(), y.get_mut(i)) else {
        return;
    };
    let cell = &cells[i.get()];
    cell.store(a, Release);
    let before = cell.fetch_add(v, Relaxed);
    let sum = cell.swap(a, Relaxed);
    let again = cell.fetch_sub(v, AcqRel);
    let difference = cell.load(SeqCst);
    // Compared by bits: equal for a NaN, different for the zeros.
    let (Ok(found) | Err(found)) = cell.compare_exchange(difference, v, AcqRel, Relaxed);
    *y = [before, sum, again, difference, found, cell.load(Relaxed)].map(f32::to_bits);
}

#[kernel]
fn doubles(i: Index1D, x: &[[f64; 2]], cells: &[Atomic<f64>], mut y: DisjointSlice<[u64; 6]>) {
    let (Some([a, v]), Some(y)) = (x.get(i.get()).copied(), y.get_mut(i)) else {
        return;
    };
    let cell = &cells[i.get()];
    cell.store(a, Release);
    let before = cell.fetch_add(v, SeqCst);
    let sum = cell.swap(a, Acquire);
    let again = cell.fetch_sub(v, Relaxed);
    let difference = cell.load(Acquire);
    let (Ok(found) | Err(found)) = cell.compare_exchange(difference, v, AcqRel, Relaxed);
    *y = [before, sum, again, difference, found, cell.load(Relaxed)].map(f64::to_bits);
}

/// Pairs without subnormal results, which a GPU may flush, and without NaN results, whose bits differ between processors.
const PAIRS: [[f64; 2]; 12] = [
    [0.0, -0.0],
    [-0.0, -0.0],
    [-0.0, 0.0],
    [1.5, 2.25],
    [1.0, -1.0],
    [16_777_216.0, 1.0],
    [16_777_218.0, 1.0],
    [f64::INFINITY, 1.0],
    [f64::NEG_INFINITY, 5.0],
    [3.0e38, 3.0e38],
    [-1.0e-20, 1.0e20],
    [0.1, 0.2],
];

//@ rows: AT-1, AT-2, AT-10, NA-1, NA-2, NA-8, GAT-1
#[test]
fn floats_round_to_nearest_and_keep_their_zeros() {
    let x = PAIRS.map(|p| p.map(|v| v as f32));
    check_map(
        &x,
        |stream, x, y| {
            let mut cells = stream.device().zeroed::<f32>(x.len()).unwrap();
            floats::launch(stream, SHAPE, x, cells.as_atomics(), y)
        },
        |i| {
            let [a, v] = x[i];
            [a, a + v, a, a - v, a - v, v].map(f32::to_bits)
        },
    );
    check_map(
        &PAIRS,
        |stream, x, y| {
            let mut cells = stream.device().zeroed::<f64>(x.len()).unwrap();
            doubles::launch(stream, SHAPE, x, cells.as_atomics(), y)
        },
        |i| {
            let [a, v] = PAIRS[i];
            [a, a + v, a, a - v, a - v, v].map(f64::to_bits)
        },
    );
}

/// A maximum made of compare-exchange, over cells that hold NaN: a comparison of values instead of bits would loop for ever.
/// Every thread writes its number into its warp's place, its block's and that of all, and into shared memory.
#[kernel]
fn contend(
    warp: Warp,
    block: Block,
    i: Index1D,
    of_warps: &[Atomic<u32>],
    of_blocks: &[Atomic<u32>],
    of_all: &[Atomic<u32>],
    in_shared: &[Atomic<u32>],
) {
    let slots = shared_array!(u32, 4);
    let own = 1 + i.get() as u32;
    let number = block.index() * 3 + warp.index() as usize;
    of_warps[number].store(own, Relaxed);
    of_blocks[block.index()].store(own, Relaxed);
    of_all[0].store(own, Relaxed);
    let slot = slots.atomic(warp.index() as usize);
    slot.store(own, core::sync::atomic::Ordering::Relaxed);
    block.sync();
    let left = slot.load(core::sync::atomic::Ordering::Relaxed);
    in_shared[number].store(left, Relaxed);
}

/// Which one is open; that it is one of those that were written is not.
//@ rows: GPM-14
#[test]
fn one_of_several_writes_remains() {
    warploom_harness::device_test::on_each_device(|device, stream| {
        let (blocks, threads) = (7u32, 70u32);
        let mut of_warps = device.zeroed::<u32>(21)?;
        let mut of_blocks = device.zeroed::<u32>(7)?;
        let mut of_all = device.zeroed::<u32>(1)?;
        let mut in_shared = device.zeroed::<u32>(21)?;
        contend::launch(
            stream,
            (blocks, threads),
            of_warps.as_atomics(),
            of_blocks.as_atomics(),
            of_all.as_atomics(),
            in_shared.as_atomics(),
        )?;
        let of_warp = |k: u32| {
            let first = k / 3 * threads + k % 3 * 32;
            first + 1..=(first + 32).min((k / 3 + 1) * threads)
        };
        for left in [of_warps.to_vec(stream)?, in_shared.to_vec(stream)?] {
            for (k, left) in (0..).zip(left) {
                assert!(of_warp(k).contains(&left), "warp {k}: {left}");
            }
        }
        for (block, left) in (0..).zip(of_blocks.to_vec(stream)?) {
            let written = block * threads + 1..=(block + 1) * threads;
            assert!(written.contains(&left), "block {block}: {left}");
        }
        let left = of_all.to_vec(stream)?[0];
        assert!((1..=blocks * threads).contains(&left), "{left}");
        Ok(())
    });
}

#[kernel]
fn maxima(i: Index1D, x: &[f32], cells: &[Atomic<f32>], mut y: DisjointSlice<u32>) {
    let Some(v) = x.get(i.get()).copied() else {
        return;
    };
    let done = cells[i.get() % 2].fetch_update(AcqRel, Acquire, |now| {
        (now.is_nan() || now < v).then_some(v)
    });
    if let Some(y) = y.get_mut(i) {
        *y = u32::from(done.is_ok() || done.is_err());
    }
}

//@ rows: AT-11, NA-9, GAT-8, E-21
#[test]
fn a_loop_around_an_exchange_ends_with_nan_too() {
    let x: Vec<f32> = (0..210).map(|i| (i * 37 % 211) as f32).collect();
    let largest = |rest: usize| x.iter().skip(rest).step_by(2).copied().fold(0.0, f32::max);
    let expected = [largest(0), largest(1)];
    warploom_harness::device_test::check(&expected, |device, stream| {
        let mut cells = device.upload(&[f32::NAN, f32::from_bits(0xffc0_1234)])?;
        let (x, mut y) = (device.upload(&x)?, device.zeroed::<u32>(210)?);
        maxima::launch(stream, SHAPE, &x, cells.as_atomics(), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [1; 210], "all threads came to the end");
        Ok(cells.to_vec(stream)?)
    });
}

/// Loads, stores and exchanges of small values; neighbours in the same word stay as they are.
#[kernel]
fn small(i: Index1D, bytes: &[Atomic<u8>], shorts: &[Atomic<i16>], mut y: DisjointSlice<[i32; 3]>) {
    let (Some(byte), Some(short), Some(y)) =
        (bytes.get(i.get()), shorts.get(i.get()), y.get_mut(i))
    else {
        return;
    };
    let own = i.get() as u8;
    byte.store(own ^ 0xa5, Release);
    short.store(-i16::from(own), Relaxed);
    let wrong = short
        .compare_exchange(7777, 0, AcqRel, Acquire)
        .unwrap_or(1);
    let right = short.compare_exchange(-i16::from(own), i16::MIN + i16::from(own), SeqCst, SeqCst);
    *y = [
        i32::from(byte.load(Acquire)),
        wrong_or(wrong),
        right.map_or(0, i32::from),
    ];
}

fn wrong_or(v: i16) -> i32 {
    i32::from(v)
}

//@ rows: NA-9, NA-10, NA-11, AT-11, E-16, E-22
#[test]
fn bytes_and_shorts_are_accessed_for_themselves() {
    let n = 210;
    let expected: Vec<[i32; 3]> = (0..n)
        .map(|i| [i32::from(i as u8 ^ 0xa5), 1, -i32::from(i as u8)])
        .collect();
    warploom_harness::device_test::check(&expected, |device, stream| {
        let mut bytes = device.zeroed::<u8>(n)?;
        let mut shorts = device.zeroed::<i16>(n)?;
        let mut y = device.zeroed::<[i32; 3]>(n)?;
        small::launch(
            stream,
            SHAPE,
            bytes.as_atomics(),
            shorts.as_atomics(),
            &mut y,
        )?;
        let shorts = shorts.to_vec(stream)?;
        let left = (0..n).map(|i| i16::MIN + i16::from(i as u8));
        assert!(shorts.into_iter().eq(left), "on {}", device.name());
        Ok(y.to_vec(stream)?)
    });
}
