//! Tiles: all widths, in whole and ragged warps, with lanes that returned.

use warploom::device_std::groups::{Group, WarpGroup};
use warploom::prelude::*;
use warploom_harness::device_test::check;

use crate::model::{QUESTIONS, View, noise};

/// What a thread of `group` sees; the order is that of `View::answers`. Values of ranks that may not be there are asked for by all and
/// forgotten by `known`.
#[inline(always)]
pub(crate) fn ask(group: &impl WarpGroup, v: u32) -> [u32; QUESTIONS] {
    let rank = group.rank();
    [
        rank,
        group.size(),
        // warploom: allow(WL0214, reason = "the test forgets what lanes without a partner get")
        group.shuffle_idx(v, 5),
        // warploom: allow(WL0214, reason = "the test forgets what lanes without a partner get")
        group.shuffle_up(v, 2),
        // warploom: allow(WL0214, reason = "the test forgets what lanes without a partner get")
        group.shuffle_down(v, 2),
        // warploom: allow(WL0214, reason = "the test forgets what lanes without a partner get")
        group.shuffle_xor(v, 3),
        // warploom: allow(WL0214, reason = "the test forgets what lanes without a partner get")
        group.shuffle_idx(v, rank * 5 + 1),
        group.ballot(v % 3 == 1).bits(),
        u32::from(group.any(v % 19 == 1)),
        u32::from(group.all(v % 17 != 1)),
        group.match_any(v % 3).bits(),
        u32::from(group.match_all(v % 3).is_some()),
        group.reduce_sum(v),
        group.reduce_min(v),
        group.reduce_max(v as i32) as u32,
        group.reduce_and(v),
        group.reduce_or(v),
        group.reduce_xor(v),
        group.inclusive_scan(v, u32::wrapping_add),
        group.exclusive_scan(v, 77, u32::wrapping_add),
    ]
}

/// Threads whose value leaves less than `leave` by 7 return first.
#[kernel]
fn tiles<const N: u32>(
    block: Block,
    warp: Warp,
    i: Index1D,
    leave: u32,
    x: &[u32],
    mut y: DisjointSlice<[u32; QUESTIONS]>,
) {
    let v = x[i.get() % x.len()];
    if v % 7 < leave {
        return;
    }
    let tile = block.tile::<N>();
    let mut seen = ask(&tile, v);
    if warp.tile::<N>().rank() != tile.rank() || tile.index_in_block() != block.thread() as u32 / N
    {
        seen[0] = 1000;
    }
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

/// Answers 2 to 6 are values of other ranks: known only if all are there.
pub(crate) fn forget(answers: &mut [u32; QUESTIONS]) {
    answers[2..7].fill(0);
}

fn exhaustive<const N: u32>(
    launch: impl Fn(
        &Stream,
        (u32, u32),
        u32,
        &DeviceBuffer<u32>,
        &mut DeviceBuffer<[u32; QUESTIONS]>,
    ) -> Result<(), warploom::LaunchError>,
) {
    let n = N as usize;
    for (block, leave) in [(96usize, 0), (70, 0), (64, 3), (45, 1), (7, 0)] {
        let x: Vec<u32> = (0..3 * block as u32).map(noise).collect();
        let stays = |v: u32| v % 7 >= leave;
        let whole = leave == 0 && block.is_multiple_of(n);
        let expected: Vec<[u32; QUESTIONS]> = (0..x.len())
            .map(|i| {
                let (start, t) = (i / block * block, i % block);
                let member = |rank: usize| {
                    let k = t / n * n + rank;
                    (k < block && stays(x[start + k])).then(|| x[start + k])
                };
                if !stays(x[i]) {
                    return [0; QUESTIONS];
                }
                let members: Vec<Option<u32>> = (0..n).map(member).collect();
                let mut answers = View {
                    members: &members,
                    rank: t % n,
                }
                .answers();
                if !whole {
                    forget(&mut answers);
                }
                answers
            })
            .collect();
        check(&expected, |device, stream| {
            let mut y = device.zeroed(x.len())?;
            launch(
                stream,
                (3, block as u32),
                leave,
                &device.upload(&x)?,
                &mut y,
            )?;
            let mut found = y.to_vec(stream)?;
            if !whole {
                found.iter_mut().for_each(forget);
            }
            Ok(found)
        });
    }
}

macro_rules! widths {
    ($($name:ident $n:literal;)*) => {$(
        //@ rows: CG-tile, E3-23
        #[test]
        fn $name() {
            exhaustive::<$n>(|stream, shape, leave, x, y| tiles::<$n>::launch(stream, shape, leave, x, y));
        }
    )*};
}
widths!(ones 1; pairs 2; fours 4; eights 8; sixteens 16; whole_warps 32;);

/// The tiles of one warp go different ways, and a different number of rounds.
#[kernel]
fn apart(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let tile = block.tile::<8>();
    let mut v = i.get() as u32;
    if tile.index_in_warp().is_multiple_of(2) {
        for _ in 0..tile.index_in_block() {
            v = tile.shuffle_idx(v, tile.rank() + 1);
        }
    } else {
        v = tile.reduce_sum(v);
        tile.sync();
        let pair = tile.tile::<2>();
        v += pair.reduce_max(pair.rank() + tile.rank());
    }
    if let Some(y) = y.get_mut(i) {
        *y = v;
    }
}

//@ rows: CG-tile
#[test]
fn tiles_of_a_warp_do_not_wait_for_each_other() {
    let expected: Vec<u32> = (0..2 * 96u32)
        .map(|i| {
            let (first, tile) = (i / 8 * 8, i % 96 / 8);
            let rank = i % 8;
            if tile % 4 % 2 == 0 {
                first + (rank + tile) % 8
            } else {
                (first..first + 8).sum::<u32>() + 1 + (rank | 1)
            }
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        apart::launch(stream, (2, 96), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// `sync` orders the memory of a tile.
#[kernel]
fn exchange(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    use std::sync::atomic::Ordering::Relaxed;
    let slots = shared_array!(u32, 96);
    let (t, tile) = (block.thread(), block.tile::<4>());
    slots.atomic(t).store(i.get() as u32, Relaxed);
    for _ in 0..=tile.index_in_block() {
        tile.sync();
        let next = slots.atomic(t / 4 * 4 + (t + 1) % 4).load(Relaxed);
        tile.sync();
        slots.atomic(t).store(next, Relaxed);
    }
    if let Some(y) = y.get_mut(i) {
        *y = slots.atomic(t).load(Relaxed);
    }
}

//@ rows: CG-tile, E3-23
#[test]
fn a_tile_exchanges_through_shared_memory() {
    let expected: Vec<u32> = (0..2 * 96u32)
        .map(|i| i / 4 * 4 + (i % 4 + i % 96 / 4 + 1) % 4)
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        exchange::launch(stream, (2, 96), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
