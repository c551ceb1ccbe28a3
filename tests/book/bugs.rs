//! Finding bugs: what the checking emulator says of three mistakes.

use std::process::Command;

use warploom::StreamError;
use warploom::model::{Emulator, Mode, Schedule};
use warploom::prelude::*;

use crate::transcript::shows;

// ANCHOR: checking
/// A device that checks every access, in debug and in release builds, and runs threads in one order.
fn checking() -> Device {
    Emulator::new()
        .mode(Mode::Checked)
        .schedule(Schedule::Forward)
        .device()
}
// ANCHOR_END: checking

// ANCHOR: race
/// Reverses each block's 64 elements. A barrier is missing: a thread may read before the other has written.
#[kernel(block(64))]
fn reverse(i: Index1D, block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 64);
    let own = block.thread();
    // SAFETY: within the array; each thread writes one slot of its own.
    unsafe { tile.set(own, x[i.get()]) };
    // SAFETY: wrong on purpose: no barrier separates this from the writes.
    let other = unsafe { tile.get(63 - own) };
    if let Some(y) = y.get_mut(i) {
        *y = other;
    }
}
// ANCHOR_END: race

// ANCHOR: race_test
#[test]
fn the_race_is_found() -> warploom::Result<()> {
    let device = checking();
    let stream = device.stream()?;
    let x = device.upload(&(0..128).collect::<Vec<u32>>())?;
    let mut y = device.zeroed::<u32>(128)?;
    reverse::launch(&stream, Launch::new(2, 64), &x, &mut y)?;
    let Err(StreamError::Check(found)) = stream.synchronize() else {
        panic!("no race was found");
    };
    assert_eq!(found.findings()[0].code.to_string(), "WL0101");
    shows!("race", &found.to_string());
    Ok(())
}
// ANCHOR_END: race_test

// ANCHOR: deadlock
/// A barrier in a branch: the first warp waits at `sync`, the second goes on to the barrier of the tile.
#[kernel(block(64))]
fn parted(i: Index1D, block: Block, mut tile: SharedTile<u32, 64>, mut y: DisjointSlice<u32>) {
    tile.set_own(0, i.get() as u32);
    if block.thread() < 32 {
        block.sync();
    }
    let tile = tile.publish(&block);
    if let Some(y) = y.get_mut(i) {
        *y = tile[63 - block.thread()];
    }
}
// ANCHOR_END: deadlock

#[test]
fn the_deadlock_is_proved() -> warploom::Result<()> {
    let device = checking();
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(64)?;
    parted::launch(&stream, Launch::new(1, 64), &mut y)?;
    let Err(StreamError::Deadlock(deadlock)) = stream.synchronize() else {
        panic!("two warps that wait at different barriers are no deadlock");
    };
    shows!("deadlock", &deadlock.to_string());
    Ok(())
}

// ANCHOR: uninitialised
/// Adds all of a buffer that its launch filled in part only.
#[kernel(block(32))]
fn sums(warp: Warp, x: &[u32], mut y: DisjointSlice<u32, PerWarp>) {
    let sum = warp.reduce_sum(x[warp.lane() as usize]);
    if let Some(place) = warp.leader().and_then(|leader| y.get_mut(leader)) {
        *place = sum;
    }
}
// ANCHOR_END: uninitialised

/// In a process of its own: launches of other tests that are not checked, as in release builds, would make the emulator forget which bytes
/// have no value.
#[test]
fn memory_that_was_not_written_is_found() -> warploom::Result<()> {
    const ALONE: &str = "BOOK_TEST_RUNS_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let this = std::env::current_exe().unwrap();
        let mut child = Command::new(this);
        child.args(["--exact", "bugs::memory_that_was_not_written_is_found"]);
        let output = child.env(ALONE, "1").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        return Ok(());
    }
    let device = checking();
    let stream = device.stream()?;
    let mut x = device.alloc_uninit::<u32>(32)?;
    x.copy_from(0, &[1; 20], &stream)?;
    let mut y = device.zeroed::<u32>(1)?;
    sums::launch(&stream, Launch::new(1, 32), &x, &mut y)?;
    let Err(StreamError::Check(found)) = stream.synchronize() else {
        panic!("the read of 12 unwritten elements was not found");
    };
    shows!("uninitialised", &found.to_string());
    Ok(())
}
