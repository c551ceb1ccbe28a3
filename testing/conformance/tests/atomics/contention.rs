//! Many threads of many blocks on few places: nothing is lost, and every thread got a value of its own.

use warploom::device_std::atomic::{AcqRel, Atomic, Relaxed, Scoped, fence, legacy, scope};
use warploom::prelude::*;
use warploom_harness::device_test::check;

const BLOCKS: u32 = 40;
const THREADS: u32 = 96;
const N: usize = (BLOCKS * THREADS) as usize;

macro_rules! integers {
    ($($group:ident: $ty:ident;)*) => {$(
        mod $group {
            use super::*;

            #[kernel]
            fn totals(i: Index1D, cells: &[Atomic<$ty>], mut tickets: DisjointSlice<$ty>) {
                let v = i.get() as $ty;
                let ticket = cells[0].fetch_add(1, Relaxed);
                cells[1].fetch_sub(v, Relaxed);
                cells[2].fetch_or(1 << (i.get() % 30), Relaxed);
                cells[3].fetch_and(!(1 << (i.get() % 30)), Relaxed);
                cells[4].fetch_xor(v, AcqRel);
                cells[5].fetch_min(v.wrapping_sub(1000), Relaxed);
                cells[6].fetch_max(v.wrapping_sub(1000), Relaxed);
                let taken = cells[7].swap(v, AcqRel);
                cells[8].fetch_add(taken, Relaxed);
                let _ = cells[9].fetch_update(AcqRel, Relaxed, |now| Some(now.wrapping_mul(2).wrapping_sub(now).wrapping_add(3)));
                if let Some(t) = tickets.get_mut(i) {
                    *t = ticket;
                }
            }

            //@ rows: AT-1, AT-2, AT-5, AT-6, AT-7, AT-8, AT-9, AT-10, AT-11, NA-1, NA-2, NA-3, NA-4, NA-5, NA-6, NA-7, NA-8, NA-9, GPM-15, E-15, E-21
            #[test]
            fn totals_are_exact() {
                let v = || (0..N).map(|i| i as $ty);
                let sum: $ty = v().fold(0, $ty::wrapping_add);
                let shifted = || v().map(|v| v.wrapping_sub(1000));
                let bits: $ty = (1 << 30) - 1;
                let expected = [
                    N as $ty, (0 as $ty).wrapping_sub(sum), bits, !bits, v().fold(0, |x, v| x ^ v),
                    shifted().min().unwrap(), shifted().max().unwrap(), 0, sum, 3 * N as $ty,
                ];
                check(&expected, |device, stream| {
                    let mut cells = device.upload(&[0, 0, 0, !0, 0, 5, 5, 0, 0, 0])?;
                    let mut tickets = device.zeroed::<$ty>(N)?;
                    totals::launch(stream, (BLOCKS, THREADS), cells.as_atomics(), &mut tickets)?;
                    let mut tickets = tickets.to_vec(stream)?;
                    tickets.sort_unstable();
                    assert!(tickets.into_iter().eq(v()), "each its own ticket on {}", device.name());
                    let mut cells = cells.to_vec(stream)?;
                    // What the last thread left there belongs to the sum.
                    cells[8] = cells[8].wrapping_add(std::mem::take(&mut cells[7]));
                    Ok(cells)
                });
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

/// The same in shared memory, at the scope of the block, with a total per block.
#[kernel]
fn shared(block: Block, mut y: DisjointSlice<[u64; 6], PerBlock>) {
    let words = shared_array!(u32, 3);
    let wide = shared_array!(u64, 2);
    let float = shared_array!(f32, 1);
    if block.thread() == 0 {
        for k in 0..3 {
            words.atomic(k).scoped::<scope::Block>().store(0, Relaxed);
        }
        for k in 0..2 {
            wide.atomic(k).scoped::<scope::Block>().store(0, Relaxed);
        }
        float.atomic(0).scoped::<scope::Block>().store(0.0, Relaxed);
    }
    block.sync();
    let own = block.thread() as u32;
    words
        .atomic(0)
        .scoped::<scope::Block>()
        .fetch_add(own, Relaxed);
    legacy::atomic_max_block(words.atomic(1).scoped::<scope::Device>(), own ^ 21);
    words
        .atomic(2)
        .scoped::<scope::Block>()
        .fetch_inc_wrapping(6, Relaxed);
    wide.atomic(0)
        .scoped::<scope::Block>()
        .fetch_add(u64::from(own) << 33, AcqRel);
    let last = wide.atomic(1).scoped::<scope::Block>();
    let _ = last.fetch_update(Relaxed, Relaxed, |now| Some(now + u64::from(own)));
    float
        .atomic(0)
        .scoped::<scope::Block>()
        .fetch_add(0.5, Relaxed);
    block.sync();
    let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) else {
        return;
    };
    *y = [
        u64::from(words.atomic(0).scoped::<scope::Block>().load(Relaxed)),
        u64::from(words.atomic(1).scoped::<scope::Block>().load(Relaxed)),
        u64::from(words.atomic(2).scoped::<scope::Block>().load(Relaxed)),
        wide.atomic(0).scoped::<scope::Block>().load(Relaxed),
        last.load(Relaxed),
        (float.atomic(0).scoped::<scope::Block>().load(Relaxed) * 2.0) as u64,
    ];
}

//@ rows: AT-1, AT-3, AT-9, AT-11, GAT-1, GAT-5, GAT-6, GAT-8
#[test]
fn totals_in_shared_memory_are_exact() {
    for threads in [70_u64, 96] {
        let sum = threads * (threads - 1) / 2;
        let largest = (0..threads).map(|i| i ^ 21).max().unwrap();
        let expected = [sum, largest, threads % 7, sum << 33, sum, threads];
        check(&[expected; 5], |device, stream| {
            let mut y = device.zeroed::<[u64; 6]>(5)?;
            shared::launch(stream, (5, threads as u32), &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

#[kernel]
fn vectors(
    i: Index1D,
    two: &[Atomic<[f32; 2]>],
    four: &[Atomic<[f32; 4]>],
    single: &[Atomic<f64>],
) {
    let own = (i.get() % 16) as f32;
    two[i.get() % 3].fetch_add([own, -own], Relaxed);
    four[i.get() % 2].fetch_sub([1.0, own, 0.25, -2.0], AcqRel);
    single[0].fetch_add(f64::from(own), Relaxed);
}

//@ rows: AT-1, NA-1
#[test]
fn vectors_are_added_lane_by_lane() {
    let mut two = [[0.0_f32; 2]; 3];
    let mut four = [[0.0_f32; 4]; 2];
    for i in 0..N {
        let own = (i % 16) as f32;
        let add = |to: &mut [f32], v: &[f32]| to.iter_mut().zip(v).for_each(|(t, v)| *t += v);
        add(&mut two[i % 3], &[own, -own]);
        add(&mut four[i % 2], &[-1.0, -own, -0.25, 2.0]);
    }
    let expected: Vec<f32> = [two.concat(), four.concat()].concat();
    check(&expected, |device, stream| {
        let (mut two, mut four) = (device.zeroed::<[f32; 2]>(3)?, device.zeroed::<[f32; 4]>(2)?);
        let mut single = device.zeroed::<f64>(1)?;
        vectors::launch(
            stream,
            (BLOCKS, THREADS),
            two.as_atomics(),
            four.as_atomics(),
            single.as_atomics(),
        )?;
        assert_eq!(
            single.to_vec(stream)?,
            [(N / 16 * 120) as f64],
            "on {}",
            device.name()
        );
        Ok([two.to_vec(stream)?.concat(), four.to_vec(stream)?.concat()].concat())
    });
}

/// Each block leaves a partial sum; the last one to finish adds them up and makes the counter ready for the next launch.
#[kernel]
fn last_block_reduces(
    i: Index1D,
    block: Block,
    x: &[u32],
    partial: &[Atomic<u32>],
    finished: &[Atomic<u32>],
    total: &[Atomic<u32>],
) {
    let cells = shared_array!(u32, 2);
    let (sum, last) = (
        cells.atomic(0).scoped::<scope::Block>(),
        cells.atomic(1).scoped::<scope::Block>(),
    );
    if block.thread() == 0 {
        sum.store(0, Relaxed);
    }
    block.sync();
    sum.fetch_add(x.get(i.get()).copied().unwrap_or(0), Relaxed);
    block.sync();
    if block.thread() == 0 {
        partial[block.index()].store(sum.load(Relaxed), Relaxed);
        warploom::device_std::atomic::threadfence();
        let before = finished[0].fetch_inc_wrapping(partial.len() as u32 - 1, Relaxed);
        fence(AcqRel, scope::Device);
        last.store(u32::from(before as usize + 1 == partial.len()), Relaxed);
    }
    block.sync();
    if last.load(Relaxed) == 1 {
        // All threads of the block, in parallel: the barrier hands on what thread 0 has acquired.
        for p in partial.iter().skip(block.thread()).step_by(block.threads()) {
            total[0].fetch_add(p.load(Relaxed), Relaxed);
        }
    }
}

//@ rows: SY-8, GSY-7, GVAR-18, NA-12, AT-3
#[test]
fn the_last_block_sees_what_the_others_wrote() {
    const LAUNCHES: u32 = 20;
    let x: Vec<u32> = (0..N as u32)
        .map(|i| i.wrapping_mul(0x9e37_79b9) >> 8)
        .collect();
    let sum = x.iter().fold(0, |s, v| v.wrapping_add(s));
    check(&[sum.wrapping_mul(LAUNCHES), 0], |device, stream| {
        let x = device.upload(&x)?;
        let mut partial = device.zeroed::<u32>(BLOCKS as usize)?;
        let (mut finished, mut total) = (device.zeroed::<u32>(1)?, device.zeroed::<u32>(1)?);
        for _ in 0..LAUNCHES {
            last_block_reduces::launch(
                stream,
                (BLOCKS, THREADS),
                &x,
                partial.as_atomics(),
                finished.as_atomics(),
                total.as_atomics(),
            )?;
        }
        Ok([total.to_vec(stream)?, finished.to_vec(stream)?].concat())
    });
}

#[kernel]
fn block_sums(i: Index1D, block: Block, x: &[u32], mut y: DisjointSlice<u32, PerBlock>) {
    let sum = shared_array!(u32, 1);
    if block.thread() == 0 {
        sum.atomic(0).scoped::<scope::Block>().store(0, Relaxed);
    }
    block.sync();
    let v = x.get(i.get()).copied().unwrap_or(0);
    sum.atomic(0).scoped::<scope::Block>().fetch_add(v, Relaxed);
    block.sync();
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = sum.atomic(0).scoped::<scope::Block>().load(Relaxed);
    }
}

//@ rows: GSY-10
#[test]
fn blocks_exchange_data_across_two_launches() {
    let x: Vec<u32> = (0..N as u32).map(|i| i * 7 % 1001).collect();
    check(&[x.iter().sum::<u32>()], |device, stream| {
        let x = device.upload(&x)?;
        let (mut partial, mut y) = (
            device.zeroed::<u32>(BLOCKS as usize)?,
            device.zeroed::<u32>(1)?,
        );
        block_sums::launch(stream, (BLOCKS, THREADS), &x, &mut partial)?;
        block_sums::launch(stream, (1, THREADS), &partial, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// Counters of which each block has one: at a scope that a launch without clusters has, too.
#[kernel]
fn of_a_cluster(
    block: Block,
    counts: &[Atomic<u32, scope::Cluster>],
    sums: &[Atomic<u64, scope::Cluster>],
) {
    counts[block.index()].fetch_inc_wrapping(49, Relaxed);
    fence(AcqRel, scope::Cluster);
    sums[block.index()].fetch_add(block.thread() as u64, AcqRel);
}

//@ rows: NA-1, NA-12
#[test]
fn counting_in_a_cluster() {
    let expected = [(u64::from(THREADS) % 50) << 32 | u64::from(THREADS * (THREADS - 1) / 2); 6];
    check(&expected, |device, stream| {
        if device.compute_capability() < (9, 0) {
            return Ok(expected.to_vec());
        }
        let (mut counts, mut sums) = (device.zeroed::<u32>(6)?, device.zeroed::<u64>(6)?);
        of_a_cluster::launch(stream, (6, THREADS), counts.as_atomics(), sums.as_atomics())?;
        let pairs = counts.to_vec(stream)?.into_iter().zip(sums.to_vec(stream)?);
        Ok(pairs
            .map(|(count, sum)| u64::from(count) << 32 | sum)
            .collect())
    });
}
