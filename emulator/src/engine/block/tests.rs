use std::panic::Location;

use super::*;
use crate::engine::warp::Mode;
use crate::fault::WaitPoint;
use crate::options::Schedule;
use crate::shape::Shape;

#[track_caller]
fn here() -> Site {
    Site::of_call(Location::caller())
}

/// A block whose threads have all started.
fn started(n_threads: u32) -> Block {
    let mut block = Block::new(n_threads, PickBy::Schedule(Schedule::Forward), None);
    while block.start_fresh().is_some() {}
    block
}

fn ready(block: &mut Block) -> Vec<u32> {
    std::iter::from_fn(|| block.next_ready()).collect()
}

fn vote(block: &mut Block, thread: u32, mask: u32, value: u32) -> Arrival {
    let operands = Operands {
        value,
        ..Operands::default()
    };
    block.arrive_at_warp_op(thread, WarpOp::Ballot, mask, operands, here())
}

#[test]
fn threads_start_once_and_in_order() {
    let mut block = Block::new(70, PickBy::Schedule(Schedule::Forward), None);
    let all: Vec<_> = std::iter::from_fn(|| block.start_fresh()).collect();
    assert_eq!(all, (0..70).collect::<Vec<_>>());
    assert!(!block.has_fresh());
    block.reset(0);
    assert_eq!(block.start_fresh(), Some(0));
    block.skip_fresh();
    assert_eq!((block.start_fresh(), block.n_live()), (None, 1));
}

#[test]
fn the_last_to_arrive_releases_a_barrier_and_goes_on() {
    let mut block = started(70);
    for thread in 0..69 {
        assert_eq!(block.arrive_at_barrier(thread, 4, here()), Arrival::Waits);
    }
    assert_eq!(block.next_ready(), None);
    assert_eq!(block.arrive_at_barrier(69, 4, here()), Arrival::GoesOn(0));
    assert_eq!(ready(&mut block), (0..69).collect::<Vec<_>>());
}

#[test]
fn barriers_with_different_ids_are_apart() {
    let mut block = started(3);
    block.arrive_at_barrier(0, 0, here());
    block.arrive_at_barrier(1, 1, here());
    assert_eq!(block.arrive_at_barrier(2, 0, here()), Arrival::Waits);
    assert_eq!(block.next_ready(), None);
}

#[test]
fn an_exit_releases_who_waited_only_for_it() {
    let mut block = started(40);
    for thread in 0..39 {
        block.arrive_at_barrier(thread, 0, here());
    }
    block.exit(39);
    assert_eq!(ready(&mut block), (0..39).collect::<Vec<_>>());
    for thread in 0..39 {
        block.exit(thread);
    }
    assert_eq!(block.n_live(), 0);
}

#[test]
fn a_fresh_thread_is_waited_for() {
    let mut block = Block::new(2, PickBy::Schedule(Schedule::Forward), None);
    assert_eq!(block.start_fresh(), Some(0));
    assert_eq!(block.arrive_at_barrier(0, 0, here()), Arrival::Waits);
    assert_eq!(block.start_fresh(), Some(1));
    block.exit(1);
    assert_eq!(ready(&mut block), [0]);
}

#[test]
fn ready_lanes_of_the_served_warp_come_first() {
    let mut block = started(96);
    for thread in 0..95 {
        block.arrive_at_barrier(thread, 0, here());
    }
    block.arrive_at_barrier(95, 0, here());
    assert_eq!(block.next_ready(), Some(0));
    vote(&mut block, 0, 0b11, 1);
    assert_eq!(block.next_ready(), Some(1));
    assert_eq!(vote(&mut block, 1, 0b11, 1), Arrival::GoesOn(0b11));
    assert_eq!(
        block.next_ready(),
        Some(0),
        "before lane 2 and the other warps"
    );
    assert_eq!(block.result(0), 0b11);
}

#[test]
fn a_vote_waits_for_the_live_lanes_of_its_mask_only() {
    let mut block = started(35);
    block.exit(33);
    assert_eq!(vote(&mut block, 32, u32::MAX, 1), Arrival::Waits);
    assert_eq!(vote(&mut block, 34, u32::MAX, 1), Arrival::GoesOn(0b101));
    assert_eq!(ready(&mut block), [32]);
    assert_eq!(block.result(32), 0b101);
}

#[test]
fn an_exit_completes_several_operations_of_a_warp() {
    let mut block = started(32);
    for (thread, mask) in [
        (0, 0x8000_0003),
        (1, 0x8000_0003),
        (2, 0x8000_000c),
        (3, 0x8000_000c),
    ] {
        assert_eq!(vote(&mut block, thread, mask, thread % 2), Arrival::Waits);
    }
    block.exit(31);
    assert_eq!(ready(&mut block), [0, 1, 2, 3]);
    assert_eq!((block.result(0), block.result(3)), (0b10, 0b1000));
}

#[test]
fn operations_of_one_mask_meet_by_kind() {
    let mut block = started(2);
    let shuffle = WarpOp::Shuffle(Mode::Up);
    block.arrive_at_warp_op(0, shuffle, 3, Operands::default(), here());
    let operands = Operands::default();
    let arrival = block.arrive_at_warp_op(1, WarpOp::Shuffle(Mode::Down), 3, operands, here());
    assert_eq!(arrival, Arrival::Waits);
    let shape = Shape::new([1, 1, 1], [2, 1, 1]).check().unwrap();
    assert_eq!(block.waits(&shape).len(), 2);
}

#[test]
fn active_masks_are_answered_by_site_when_nothing_else_can_run() {
    let mut block = started(40);
    let (one, two) = (here(), here());
    for (thread, site) in [(0, one), (1, two), (2, one), (33, one)] {
        let operands = Operands::default();
        let arrival = block.arrive_at_warp_op(thread, WarpOp::ActiveMask, 0, operands, site);
        assert_eq!(arrival, Arrival::Waits);
    }
    assert!(block.converge());
    assert_eq!(ready(&mut block), [0, 1, 2, 33]);
    assert_eq!(
        [0, 1, 2, 33].map(|thread| block.result(thread)),
        [5, 2, 5, 2]
    );
    assert!(!block.converge());
}

#[test]
fn waits_are_listed_by_their_first_thread() {
    let mut block = started(70);
    for thread in 5..70 {
        block.arrive_at_barrier(thread, 9, here());
    }
    for thread in 1..5 {
        vote(&mut block, thread, 0xff, 0);
    }
    let line = line!() + 1;
    vote(&mut block, 0, 0x1, 0);
    block.arrive_at_barrier(0, 2, here());
    let shape = Shape::new([1, 1, 1], [7, 10, 1]).check().unwrap();
    let waits = block.waits(&shape);
    let found: Vec<_> = waits
        .iter()
        .map(|wait| (wait.threads, wait.first))
        .collect();
    assert_eq!(found, [(1, [0, 0, 0]), (4, [1, 0, 0]), (65, [5, 0, 0])]);
    assert_eq!(
        (waits[0].point, waits[0].line),
        (WaitPoint::Barrier { id: 2 }, line + 1)
    );
    block.reset(0);
    assert_eq!(block.waits(&shape), []);
}
