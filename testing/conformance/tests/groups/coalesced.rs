//! Groups of the lanes that took a branch together.
//!
//! On a GPU the lanes of a branch may come as several groups: so the model takes the lanes that the group says it has, and what has to
//! hold is that each lane is in the group that its members see, and that they are lanes of this branch.

use std::sync::atomic::Ordering::Relaxed;

use warploom::device_std::groups::{Group, WarpGroup};
use warploom::model::Schedule;
use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

use crate::model::{QUESTIONS, View, noise};
use crate::tile::ask;

#[kernel]
fn in_branches(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<[u32; QUESTIONS]>,
    mut lanes: DisjointSlice<u32>,
) {
    let v = x[i.get() % x.len()];
    let mut here = 0;
    let seen = if v % 5 < 2 {
        let group = warp.coalesced();
        here = group.lanes().bits();
        ask(&group, v)
    } else if v % 5 == 4 {
        let group = warp.coalesced();
        here = group.lanes().bits();
        ask(&group, v ^ 1)
    } else {
        [0; QUESTIONS]
    };
    if let (Some(y), Some(lanes)) = (y.get_mut(i), lanes.get_mut(i)) {
        *y = seen;
        *lanes = here;
    }
}

//@ rows: CG-coalesced, P-45
#[test]
fn a_group_is_what_its_lanes_say() {
    for block in [96usize, 70] {
        let x: Vec<u32> = (0..4 * block as u32).map(noise).collect();
        on_each_device(|device, stream| {
            let (mut y, mut lanes) = (device.zeroed(x.len())?, device.zeroed(x.len())?);
            in_branches::launch(
                stream,
                (4, block as u32),
                &device.upload(&x)?,
                &mut y,
                &mut lanes,
            )?;
            let (found, lanes) = (y.to_vec(stream)?, lanes.to_vec(stream)?);
            let branch = |i: usize| match x[i] % 5 {
                0 | 1 => 1,
                4 => 2,
                _ => 0,
            };
            for i in 0..x.len() {
                let (first, lane) = (i / block * block + i % block / 32 * 32, i % block % 32);
                if branch(i) == 0 {
                    assert_eq!((found[i], lanes[i]), ([0; QUESTIONS], 0), "thread {i}");
                    continue;
                }
                assert_eq!(lanes[i] >> lane & 1, 1, "thread {i} is in its own group");
                let members: Vec<usize> = (0..32)
                    .filter(|l| lanes[i] >> l & 1 == 1)
                    .map(|l| first + l)
                    .collect();
                for member in &members {
                    assert!(
                        *member < (i / block + 1) * block,
                        "thread {i}: a lane that is not there"
                    );
                    assert_eq!(branch(*member), branch(i), "thread {i} and {member}");
                    assert_eq!(lanes[*member], lanes[i], "thread {i} and {member}");
                }
                if !device.is_gpu() && !matches!(device.schedule(), Some(Schedule::Random(_))) {
                    let took = (0..32)
                        .filter(|l| {
                            i % block / 32 * 32 + l < block && branch(first + l) == branch(i)
                        })
                        .count();
                    assert_eq!(
                        members.len(),
                        took,
                        "the emulator's groups are whole, but for random orders: thread {i}"
                    );
                }
                let value = |k: &usize| Some(if branch(*k) == 2 { x[*k] ^ 1 } else { x[*k] });
                let values: Vec<Option<u32>> = members.iter().map(value).collect();
                let rank = members.iter().position(|k| *k == i).unwrap();
                let view = View {
                    members: &values,
                    rank,
                };
                assert_eq!(found[i], view.answers(), "thread {i} of {members:?}");
            }
            Ok(())
        });
    }
}

/// One atomic for all lanes that are there: each gets a place of its own.
#[kernel]
fn reserve(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    counter: &[std::sync::atomic::AtomicU32],
    mut y: DisjointSlice<u32>,
) {
    let Some(counter) = counter.first() else {
        return;
    };
    let mut place = u32::MAX;
    if x[i.get() % x.len()].is_multiple_of(3) {
        let here = warp.coalesced();
        let start = if here.is_first() {
            counter.fetch_add(here.size(), Relaxed)
        } else {
            0
        };
        place = here.shuffle_idx(start, 0) + here.rank();
    }
    if let Some(y) = y.get_mut(i) {
        *y = place;
    }
}

//@ rows: CG-coalesced
#[test]
fn one_atomic_for_all_lanes_of_a_branch() {
    let x: Vec<u32> = (0..5 * 96).map(noise).collect();
    on_each_device(|device, stream| {
        let mut counter = device.zeroed::<u32>(1)?;
        let mut y = device.zeroed(x.len())?;
        reserve::launch(
            stream,
            (5, 96),
            &device.upload(&x)?,
            counter.as_atomic(),
            &mut y,
        )?;
        let mut places: Vec<u32> = y.to_vec(stream)?;
        for (v, place) in x.iter().zip(&places) {
            assert_eq!(v % 3 == 0, *place != u32::MAX);
        }
        places.retain(|place| *place != u32::MAX);
        places.sort_unstable();
        assert!(places.iter().copied().eq(0..places.len() as u32));
        assert_eq!(counter.to_vec(stream)?, [places.len() as u32]);
        Ok(())
    });
}

/// A group keeps its lanes when they go different ways, and meets again.
#[kernel]
fn keeps_its_lanes(warp: Warp, i: Index1D, mut y: DisjointSlice<[u32; 2]>) {
    let mut seen = [0; 2];
    if !i.get().is_multiple_of(3) {
        let group = warp.coalesced();
        let before = group.size();
        let v = if group.rank().is_multiple_of(2) {
            10
        } else {
            3
        };
        seen = [
            group.reduce_sum(1u32).wrapping_sub(before),
            group.reduce_max(v) + group.reduce_min(v),
        ];
    }
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: CG-coalesced
#[test]
fn all_lanes_of_a_group_take_part_later() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed(2 * 64)?;
        keeps_its_lanes::launch(stream, (2, 64), &mut y)?;
        for (i, [missing, both]) in y.to_vec(stream)?.into_iter().enumerate() {
            let expected = if i % 64 % 3 == 0 && i < 64 || i % 3 == 0 {
                0
            } else {
                13
            };
            assert_eq!(missing, 0, "thread {i}");
            // A group of one lane, which a GPU may make, has 10 twice.
            assert!(
                both == expected || device.is_gpu() && both == 20,
                "thread {i}: {both}"
            );
        }
        Ok(())
    });
}
