//! Cooperative grids: all blocks are there at the same time, and wait for each other.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use warploom::LaunchError;
use warploom::device_std::CooperativeGrid;
use warploom::prelude::*;
use warploom_harness::device_test::{devices, on_each_device};

/// A sum in two phases and one launch, over and over: what one round leaves is the next one's input.
#[kernel(cooperative)]
fn sums(
    grid: CooperativeGrid,
    block: Block,
    rounds: u32,
    x: &[AtomicU32],
    parts: &[AtomicU32],
    y: &[AtomicU32],
) {
    for result in &y[..rounds as usize] {
        // Phase 1: a sum for each block.
        let mut sum = 0u32;
        let mut i = grid.thread();
        while i < x.len() {
            sum = sum.wrapping_add(x[i].load(Relaxed).rotate_left(i as u32 % 32));
            i += grid.threads();
        }
        parts[block.index()].fetch_add(sum, Relaxed);
        grid.sync();
        // Phase 2: one thread adds them up.
        if grid.thread() == 0 {
            let mut total = 0u32;
            for part in &parts[..grid.blocks()] {
                total = total.wrapping_add(part.load(Relaxed));
                part.store(0, Relaxed);
            }
            result.store(total, Relaxed);
        }
        grid.sync();
        let total = result.load(Relaxed);
        let mut i = grid.thread();
        while i < x.len() {
            x[i].store(x[i].load(Relaxed).wrapping_mul(total | 1), Relaxed);
            i += grid.threads();
        }
        grid.sync();
    }
}

fn expected_sums(rounds: usize, mut x: Vec<u32>) -> Vec<u32> {
    let mut totals = Vec::new();
    for _ in 0..rounds {
        let turned = (0u32..).zip(&x).map(|(i, x)| x.rotate_left(i % 32));
        let total = turned.fold(0u32, u32::wrapping_add);
        totals.push(total);
        x.iter_mut().for_each(|x| *x = x.wrapping_mul(total | 1));
    }
    totals
}

//@ rows: CG-grid
#[test]
fn a_reduction_in_one_launch() {
    on_each_device(|device, stream| {
        let x: Vec<u32> = (0..1013u32).map(|i| i * 77 + 5).collect();
        for (blocks, threads) in [(1, 32), (2, 96), (7, 70), (24, 64), (5, 256)] {
            let mut values = device.upload(&x)?;
            let mut parts = device.zeroed::<u32>(blocks as usize)?;
            let mut y = device.zeroed::<u32>(20)?;
            let (values, parts) = (values.as_atomic(), parts.as_atomic());
            sums::launch(stream, (blocks, threads), 20, values, parts, y.as_atomic())?;
            assert_eq!(
                y.to_vec(stream)?,
                expected_sums(20, x.clone()),
                "on {}",
                device.name()
            );
        }
        Ok(())
    });
}

//@ rows: CG-grid
#[test]
fn several_grids_may_be_under_way() {
    on_each_device(|device, _| {
        let streams = [device.stream()?, device.stream()?, device.stream()?];
        let mut under_way = Vec::new();
        for round in 0..6u32 {
            for (stream, which) in streams.iter().zip(0u32..) {
                let x: Vec<u32> = (0..200).map(|i| i * 3 + which * 1000 + round).collect();
                let (mut values, mut parts) = (device.upload(&x)?, device.zeroed::<u32>(8)?);
                let mut y = device.zeroed::<u32>(30)?;
                let shape = Launch::new(8 - which, 40 + 8 * round);
                sums::launch(
                    stream,
                    shape,
                    30,
                    values.as_atomic(),
                    parts.as_atomic(),
                    y.as_atomic(),
                )?;
                under_way.push((stream, x, values, parts, y));
            }
        }
        for (stream, x, _values, _parts, y) in under_way {
            assert_eq!(
                y.to_vec(stream)?,
                expected_sums(30, x),
                "on {}",
                device.name()
            );
        }
        Ok(())
    });
}

/// Blocks of several dimensions; each thread counts what it sees out of place.
#[kernel(cooperative, dim(3))]
fn meet(grid: CooperativeGrid, rounds: u32, count: &[AtomicU64], wrong: &[AtomicU32]) {
    for round in 1..=u64::from(rounds) {
        count[0].fetch_add(1, Relaxed);
        grid.sync();
        if count[0].load(Relaxed) != round * grid.threads() as u64 {
            wrong[0].fetch_add(1, Relaxed);
        }
        grid.sync();
    }
}

//@ rows: CG-grid
#[test]
fn no_thread_passes_before_all_have_arrived() {
    on_each_device(|device, stream| {
        for (grid, block) in [
            ((3, 2, 2), (5, 7, 2)),
            ((1, 1, 10), (33, 1, 1)),
            ((16, 1, 1), (16, 4, 1)),
        ] {
            let (mut count, mut wrong) = (device.zeroed::<u64>(1)?, device.zeroed::<u32>(1)?);
            let shape = Launch::new(grid, block);
            meet::launch(stream, shape, 100, count.as_atomic(), wrong.as_atomic())?;
            assert_eq!(wrong.to_vec(stream)?, [0], "on {}", device.name());
        }
        Ok(())
    });
}

/// Of each block some threads go home early, the first one among them.
#[kernel(cooperative)]
fn leavers(grid: CooperativeGrid, block: Block, count: &[AtomicU32]) {
    if block.thread() % 32 < 7 {
        return;
    }
    for _ in 0..5 {
        count[0].fetch_add(1, Relaxed);
        grid.sync();
    }
}

//@ rows: CG-grid
#[test]
fn threads_that_left_are_not_waited_for() {
    on_each_device(|device, stream| {
        let mut count = device.zeroed::<u32>(1)?;
        leavers::launch(stream, (6, 64), count.as_atomic())?;
        assert_eq!(count.to_vec(stream)?, [5 * 6 * 50]);
        Ok(())
    });
}

#[kernel(cooperative)]
fn resident(grid: CooperativeGrid, count: &[AtomicU32]) {
    count[0].fetch_add(1, Relaxed);
    grid.sync();
    if grid.thread() == 0 {
        let all = count[0].load(Relaxed);
        count[1].store(all, Relaxed);
    }
}

//@ rows: CG-grid, KC-3
#[test]
fn a_grid_that_has_no_room_is_refused() {
    on_each_device(|device, stream| {
        let mut count = device.zeroed::<u32>(2)?;
        // So much shared memory that a multiprocessor has room for few blocks.
        let shared = device.limits().shared_bytes_opt_in / 2 + 4096;
        let shape = |blocks| Launch::new(blocks, 32).dynamic_shared(shared);
        let error = resident::launch(stream, shape(1_000_000), count.as_atomic()).unwrap_err();
        let text = error.to_string();
        let LaunchError::GridTooLarge {
            given: 1_000_000,
            limit,
            ..
        } = error
        else {
            panic!("{text}")
        };
        let expected = format!(
            "cannot launch `resident` cooperatively with 1000000 blocks: {} has places for {limit} of them at a time; use fewer blocks, and let each do more",
            device.name()
        );
        assert_eq!(text, expected);
        assert_eq!(limit, u64::from(device.limits().multiprocessors));
        assert_eq!(count.to_vec(stream)?, [0, 0]);
        // The largest that is left.
        let blocks = limit as u32;
        resident::launch(stream, shape(blocks), count.as_atomic())?;
        assert_eq!(count.to_vec(stream)?, [32 * blocks, 32 * blocks]);
        Ok(())
    });
}

/// Block 1 never comes to the second meeting.
#[kernel(cooperative)]
fn broken(grid: CooperativeGrid, block: Block, count: &[AtomicU32]) {
    grid.sync();
    assert!(block.index() != 1, "block one is gone");
    grid.sync();
    count[0].fetch_add(1, Relaxed);
}

//@ rows: CG-grid
#[test]
fn a_panic_ends_the_wait_for_a_block_that_is_gone() {
    for device in devices() {
        let stream = device.stream().unwrap();
        let mut count = device.zeroed::<u32>(1).unwrap();
        broken::launch(&stream, (4, 48), count.as_atomic()).unwrap();
        let text = stream.synchronize().unwrap_err().to_string();
        assert!(
            text.contains("block one is gone"),
            "on {}: {text}",
            device.name()
        );
        assert_eq!(count.to_vec(&stream).unwrap(), [0]);
        // The device and the stream's barrier are as before.
        leavers::launch(&stream, (6, 64), count.as_atomic()).unwrap();
        assert_eq!(count.to_vec(&stream).unwrap(), [5 * 6 * 50]);
    }
}
