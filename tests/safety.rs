//! Attacks on the safety model of docs/safety.md through whole launches. Those that end in a deadlock run on the emulator alone.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use warploom::prelude::*;
use warploom::{LaunchError, StreamError};
use warploom_harness::device_test::{check, on_each_device};

#[kernel]
fn count(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y += 1;
    }
}

#[kernel]
fn count_2d(i: Index2D, mut y: DisjointSlice2D<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y += 1;
    }
}

/// A flat index in a launch with rows would be the same in several threads: two writers of one element.
#[test]
fn a_flat_index_refuses_a_launch_with_rows() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed::<u32>(64)?;
        let shapes = [
            (Launch::new((2, 2), 32), "grid.y = 2"),
            (Launch::new((2, 1, 3), 32), "grid.z = 3"),
            (Launch::new(2, (16, 2)), "block.y = 2"),
            (Launch::new(2, (4, 1, 8)), "block.z = 8"),
            (Launch::covering_2d(8, 8), "block.y = 16"),
        ];
        for (shape, what) in shapes {
            let error = count::launch(stream, shape, &mut y).unwrap_err();
            assert!(
                matches!(error, LaunchError::TooManyDimensions { dims: 1, .. }),
                "{error}"
            );
            assert!(error.to_string().contains(what), "{error}");
        }
        let rows = y.view_2d_mut(8)?;
        let error = count_2d::launch(stream, Launch::new((1, 1, 2), (8, 8)), rows).unwrap_err();
        assert!(
            matches!(error, LaunchError::TooManyDimensions { dims: 2, .. }),
            "{error}"
        );
        // Nothing ran.
        assert_eq!(y.to_vec(stream)?, [0; 64]);
        Ok(())
    });
}

/// Two outputs of different widths under one index: were the width the caller's to choose, elements would have two writers.
#[kernel]
fn two_widths(i: Index2D, mut a: DisjointSlice2D<u32>, mut b: DisjointSlice2D<u32>) {
    let mark = (100 * i.y() + i.x()) as u32;
    if let Some(y) = a.get_mut(i) {
        *y += 10_000 + mark;
    }
    if let Some(y) = b.get_mut(i) {
        *y += 10_000 + mark;
    }
}

#[test]
fn an_index_has_no_width_of_its_own() {
    let marks =
        |width: usize| (0..60).map(move |k| (10_000 + 100 * (k / width) + k % width) as u32);
    let expected: Vec<u32> = marks(5).chain(marks(12)).collect();
    check(&expected, |device, stream| {
        let (mut a, mut b) = (device.zeroed::<u32>(60)?, device.zeroed::<u32>(60)?);
        two_widths::launch(
            stream,
            Launch::new((2, 3), (7, 5)),
            a.view_2d_mut(5)?,
            b.view_2d_mut(12)?,
        )?;
        Ok([a.to_vec(stream)?, b.to_vec(stream)?].concat())
    });
}

/// Reads one atomic three times while another thread changes it in between: each read must be made.
#[kernel]
fn read_while_others_write(
    block: Block,
    cells: &[AtomicU64],
    mut seen: DisjointSlice<[u64; 3], PerBlock>,
) {
    let cell = &cells[block.index()];
    let mut read = [0; 3];
    for (k, read) in read.iter_mut().enumerate() {
        if block.thread() == 0 {
            *read = cell.load(Relaxed);
        }
        block.sync();
        if block.thread() == 40 {
            let _ = cell.compare_exchange(7 + k as u64, 8 + k as u64, Relaxed, Relaxed);
        }
        block.sync();
    }
    if let Some(leader) = block.leader()
        && let Some(seen) = seen.get_mut(leader)
    {
        *seen = read;
    }
}

#[test]
fn slices_of_atomics_are_not_read_only() {
    check(&[[7, 8, 9]; 5], |device, stream| {
        let mut cells = device.upload(&[7u64; 5])?;
        let mut seen = device.zeroed(5)?;
        read_while_others_write::launch(stream, (5, 70), cells.as_atomic(), &mut seen)?;
        assert_eq!(cells.to_vec(stream)?, [10; 5]);
        Ok(seen.to_vec(stream)?)
    });
}

/// Adds by compare-and-swap, from a plain slice that no code may change meanwhile.
#[kernel]
fn add_by_exchange(i: Index1D, x: &[u32], sum: &[AtomicU32]) {
    let cell = &sum[i.get() % sum.len()];
    let mut now = cell.load(Relaxed);
    while let Err(other) =
        cell.compare_exchange_weak(now, now + x[i.get() % x.len()], Relaxed, Relaxed)
    {
        now = other;
    }
}

#[test]
fn no_exchange_is_lost() {
    // Threads 0, 2, 4 … to 698 add x[i % 7] to the first cell, the others to the second.
    let x = [1, 10, 100, 1000, 3, 5, 9];
    let sum = |rest| {
        (0..700)
            .filter(|i| i % 2 == rest)
            .map(|i| x[i % 7])
            .sum::<u32>()
    };
    check(&[sum(0), sum(1)], |device, stream| {
        let mut cells = device.zeroed::<u32>(2)?;
        add_by_exchange::launch(stream, (10, 70), &device.upload(&x)?, cells.as_atomic())?;
        Ok(cells.to_vec(stream)?)
    });
}

/// Two handles of one array, and pointers from both: what one writes, the other reads.
#[kernel]
fn two_handles(block: Block, mut y: DisjointSlice<u32, PerBlock>) {
    let first = shared_array!(u32, 8);
    let second = first;
    let t = block.thread();
    if t < 8 {
        first.atomic(t).store(t as u32, Relaxed);
    }
    block.sync();
    if t < 8 {
        second.atomic(7 - t).fetch_add(10 * t as u32, Relaxed);
        first.atomic(t).fetch_add(1, Relaxed);
    }
    block.sync();
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        let (a, b) = (first.as_ptr(), second.as_ptr());
        // SAFETY: within the array.
        let (read, write) = (unsafe { a.add(2) }, unsafe { b.add(2) });
        // SAFETY: all writes of other threads lie before the barrier.
        let before = unsafe { *read };
        // SAFETY: this thread alone writes the element.
        unsafe { *write = before + 5 };
        // SAFETY: as above.
        *y = before * 1000 + unsafe { *read };
    }
}

#[test]
fn handles_of_one_shared_array_are_no_exclusive_references() {
    // Element 2: 2, then 10 * 5 and 1 more, then 5 more.
    check(&[53_058; 3], |device, stream| {
        let mut y = device.zeroed(3)?;
        two_handles::launch(stream, (3, 45), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn chunk_counts(i: Index1D, mut y: DisjointSlice<u32, Chunks<3>>) {
    for y in y.get_mut(i).into_iter().flatten() {
        *y += 1;
    }
}

#[kernel]
fn stride_counts(i: Index1D, mut y: DisjointSlice<u32, GridStride>) {
    let all: [Option<(usize, &mut u32)>; 40] = {
        let mut elements = y.iter_mut(i);
        std::array::from_fn(|_| elements.next())
    };
    // All at once: no two are the same.
    for (_, y) in all.into_iter().flatten() {
        *y += 1;
    }
}

#[kernel]
fn leader_counts(block: Block, mut y: DisjointSlice<u32, PerBlock>) {
    if let Some(leader) = block.leader() {
        for _ in 0..2 {
            if let Some(y) = y.get_mut(leader) {
                *y += 1;
            }
        }
    }
}

#[kernel]
fn warp_leader_counts(warp: Warp, mut y: DisjointSlice<u32, PerWarp>) {
    if let Some(leader) = warp.leader() {
        for _ in 0..3 {
            if let Some(y) = y.get_mut(leader) {
                *y += 1;
            }
        }
    }
}

#[test]
fn every_space_deals_out_each_element_once() {
    for (grid, block) in [(1, 32), (5, 61), (20, 100)] {
        let threads = (grid * block) as usize;
        let (shape, n) = (Launch::new(grid, block), 999);
        let dealt = |most: usize| (0..n).map(move |i| u32::from(i < most));
        let expected: Vec<u32> = dealt(threads)
            .chain(dealt((3 * threads).min(n / 3 * 3)))
            .chain(dealt(40 * threads))
            .chain(dealt(grid as usize).map(|v| 2 * v))
            .chain(dealt((grid * block.div_ceil(32)) as usize).map(|v| 3 * v))
            .collect();
        check(&expected, |device, stream| {
            let mut outputs = [
                device.zeroed(n)?,
                device.zeroed(n)?,
                device.zeroed(n)?,
                device.zeroed(n)?,
                device.zeroed(n)?,
            ];
            count::launch(stream, shape, &mut outputs[0])?;
            chunk_counts::launch(stream, shape, &mut outputs[1])?;
            stride_counts::launch(stream, shape, &mut outputs[2])?;
            leader_counts::launch(stream, shape, &mut outputs[3])?;
            warp_leader_counts::launch(stream, shape, &mut outputs[4])?;
            let outputs: Result<Vec<_>, _> = outputs.iter().map(|y| y.to_vec(stream)).collect();
            Ok(outputs?.concat())
        });
    }
}

/// Writes and reads in turn, so that a write of the next round would show in a read of this one.
#[kernel]
fn phases(block: Block, mut tile: SharedTile<u64, 300>, rounds: u64, wrong: &[AtomicU32]) {
    for round in 0..rounds {
        tile.fill(|slot| round << 32 | slot as u64);
        let view = tile.publish(&block);
        let seen = view
            .iter()
            .zip(0u64..)
            .filter(|(v, slot)| **v != (round << 32 | slot));
        wrong[block.index()].fetch_add(seen.count() as u32, Relaxed);
        tile = view.reclaim(&block);
    }
}

#[test]
fn no_thread_reads_while_another_writes() {
    for block in [1, 45, 96, 512] {
        check(&[0; 6], |device, stream| {
            let mut wrong = device.zeroed::<u32>(6)?;
            phases::launch(stream, (6, block), 7, wrong.as_atomic())?;
            Ok(wrong.to_vec(stream)?)
        });
    }
}

/// Some threads return before the first barrier, some between the two; the others meet without them.
#[kernel]
fn leave_early(i: Index1D, block: Block, mut tile: SharedTile<u32, 96>, mut y: DisjointSlice<u32>) {
    let t = block.thread();
    tile.set_own(0, t as u32 + 1);
    if t % 5 == 1 {
        return;
    }
    let view = tile.publish(&block);
    // The neighbour of those that stay: a thread that stays as well.
    let sum = view[t] + view[t / 5 * 5];
    if t % 5 == 2 {
        return;
    }
    let mut tile = view.reclaim(&block);
    tile.set_own(0, sum);
    let view = tile.publish(&block);
    if let Some(y) = y.get_mut(i) {
        *y = view[t / 5 * 5] + view[t];
    }
}

#[test]
fn threads_that_return_early_count_as_arrived() {
    let expected: Vec<u32> = (0..4 * 85)
        .map(|i| {
            let t = i % 85;
            let sum = |t: u32| t + 1 + t / 5 * 5 + 1;
            if matches!(t % 5, 1 | 2) {
                0
            } else {
                sum(t / 5 * 5) + sum(t)
            }
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(4 * 85)?;
        leave_early::launch(stream, (4, 85), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn other_barrier(block: Block, tile: SharedTile<u32, 64>, other: SharedTile<u32, 64>, how: u32) {
    let at_fault = block.thread() == 3 && block.index() == 1;
    match how {
        0 if at_fault => block.sync(),
        1 if at_fault => drop(other.publish(&block)),
        2 if at_fault => {
            drop(tile);
            block.sync();
        }
        _ => drop(tile.publish(&block)), // here the others wait
    }
}

/// The line in [`other_barrier`] that the report must name.
const MISMATCH: u32 = line!() - 5;

/// A thread that waits elsewhere must never release the others. A GPU would wait for ever.
#[test]
fn a_mismatched_barrier_hangs_and_never_releases() -> warploom::Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    for how in 0..3 {
        other_barrier::launch(&stream, (2, 48), how)?;
        let error = stream.synchronize().unwrap_err();
        assert!(matches!(error, StreamError::Deadlock(_)), "{how}: {error}");
        let text = error.to_string();
        let expected = "kernel `other_barrier` never ends: block (1, 0, 0) is stuck: ";
        assert!(text.starts_with(expected), "{text}");
        let waits = format!(
            "47 threads (first: (0, 0, 0)) wait at barrier 1, {}:{MISMATCH}:",
            file!()
        );
        assert!(
            text.contains(&waits),
            "{text}\nwhere this was expected:\n{waits}"
        );
        // The device goes on.
        let mut y = device.zeroed::<u32>(5)?;
        count::launch(&stream, Launch::covering(5), &mut y)?;
        assert_eq!(y.to_vec(&stream)?, [1; 5]);
    }
    Ok(())
}
