//! Device functions that take their group as an argument.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use warploom::device_std::groups::Group;
use warploom::prelude::*;
use warploom_harness::device_test::check;

/// The sum over a group, in its rank 0, through memory of its own: a tree with a barrier at each level.
#[inline(never)]
fn sum<G: Group>(group: &G, scratch: SharedArray<'_, u32, 128>, first: u32, mut value: u32) -> u32 {
    let rank = group.rank();
    let mut half = group.size() / 2;
    while half > 0 {
        scratch
            .atomic((first + rank) as usize)
            .store(value, Relaxed);
        group.sync();
        if rank < half {
            value =
                value.wrapping_add(scratch.atomic((first + rank + half) as usize).load(Relaxed));
        }
        group.sync();
        half /= 2;
    }
    value
}

#[kernel]
fn sums(block: Block, i: Index1D, x: &[u32], total: &[AtomicU32], mut y: DisjointSlice<[u32; 2]>) {
    let scratch = shared_array!(u32, 128);
    let v = x[i.get() % x.len()];
    let of_block = sum(&block, scratch, 0, v);
    if block.rank() == 0
        && let Some(total) = total.first()
    {
        total.fetch_add(of_block, Relaxed); // one atomic for each block
    }
    let tile = block.tile::<16>();
    let of_tile = sum(&tile, scratch, block.rank() / 16 * 16, v);
    if let Some(y) = y.get_mut(i) {
        *y = [
            if block.rank() == 0 { of_block } else { 0 },
            if tile.rank() == 0 { of_tile } else { 0 },
        ];
    }
}

//@ rows: E3-22, E3-23, E3-24, E3-27, CG-block, CG-tile
#[test]
fn one_function_for_all_groups() {
    for block in [128usize, 64] {
        let x: Vec<u32> = (0..5 * block as u32).map(crate::model::noise).collect();
        let sum_of = |part: &[u32]| part.iter().copied().fold(0, u32::wrapping_add);
        let mut expected: Vec<[u32; 2]> = (0..x.len())
            .map(|i| {
                [
                    if i % block == 0 {
                        sum_of(&x[i..i + block])
                    } else {
                        0
                    },
                    if i % 16 == 0 {
                        sum_of(&x[i..i + 16])
                    } else {
                        0
                    },
                ]
            })
            .collect();
        expected.push([sum_of(&x), 0]);
        check(&expected, |device, stream| {
            let mut y = device.zeroed(x.len())?;
            let mut total = device.zeroed::<u32>(1)?;
            sums::launch(
                stream,
                (5, block as u32),
                &device.upload(&x)?,
                total.as_atomic(),
                &mut y,
            )?;
            let mut found = y.to_vec(stream)?;
            found.push([total.to_vec(stream)?[0], 0]);
            Ok(found)
        });
    }
}

/// The first of the pair: half of the block enters a function with a barrier of the block.
#[kernel]
fn half_of_the_block(block: Block) {
    let scratch = shared_array!(u32, 128);
    if block.thread() < 64 {
        sum(&block, scratch, 0, 1);
    }
    block.sync_count(true);
}

//@ rows: E3-24
#[test]
fn half_a_block_at_a_barrier_is_reported() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    half_of_the_block::launch(&stream, (1, 128)).unwrap();
    let text = stream.synchronize().unwrap_err().to_string();
    for part in [
        "64 threads (first: (0, 0, 0)) wait at barrier 0,",
        "64 threads (first: (64, 0, 0)) wait at barrier 0 with `barrier_count`,",
    ] {
        assert!(
            text.contains(part),
            "{text}\nwhere this was expected:\n{part}"
        );
    }
}

/// The second: the group is the half, so the function meets those that enter.
#[kernel]
fn half_as_groups(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let scratch = shared_array!(u32, 128);
    let tile = block.tile::<32>();
    let mut found = 0;
    if block.thread() < 64 {
        found = sum(&tile, scratch, block.rank() / 32 * 32, block.rank());
    }
    block.sync();
    if let Some(y) = y.get_mut(i) {
        *y = if tile.rank() == 0 { found } else { 0 };
    }
}

//@ rows: E3-24
#[test]
fn a_group_of_those_that_enter_completes() {
    let expected: Vec<u32> = (0..2 * 128u32)
        .map(|i| match i % 128 {
            0 => 496,
            32 => 496 + 1024,
            _ => 0,
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        half_as_groups::launch(stream, (2, 128), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
