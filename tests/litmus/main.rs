//! Litmus tests: what the memory model allows, what explorations show, and what GPUs showed, in one table.
//!
//! `shapes.rs` has the programs, `styles.rs` how their accesses are ordered. Each is explored to the end, in each placement of its threads. The outcome must be seen if and only if the memory model allows
//! it.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

mod barriers; // what they order
mod document; // the table
mod gpu; // many instances on a GPU
mod shapes; // the programs
mod styles; // orders and fences

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use warploom::device_std::atomic::scope;
use warploom::prelude::*;
use warploom::testing::{Exploration, Explored, Memory, Strategy};

use shapes::{Outcome, SHAPES, Shape, run};
use styles::{
    CoreFenced, CoreFencedSequential, CoreRelaxed, CoreReleaseAcquire, CoreSequential, Fenced,
    FencedSequential, NarrowFences, ORDERS, RelaxedOnly, ReleaseAcquire, Sequential, Style,
};

/// One instance. Each thread is a block, or all are in one block.
#[kernel]
fn play<S: Style>(block: Block, shape: u32, places: &[AtomicU32], seen: &[AtomicU32]) {
    let role = (block.index() + block.thread()) as u32;
    let read = run::<S>(shape, role, [&places[0], &places[1], &places[2]]);
    seen[role as usize].store(read, Relaxed);
}

/// The same in shared memory.
#[kernel]
fn play_shared<S: Style>(block: Block, shape: u32, places: &[AtomicU32], seen: &[AtomicU32]) {
    let shared = shared_array!(u32, 3);
    let role = block.thread() as u32;
    if role == 0 {
        (0..3).for_each(|i| shared.atomic(i).store(0, Relaxed));
    }
    block.sync();
    let own = [shared.atomic(0), shared.atomic(1), shared.atomic(2)];
    let read = run::<S>(shape, role, own);
    seen[role as usize].store(read, Relaxed);
    block.sync();
    if role == 0 {
        (0..3).for_each(|i| places[i].store(shared.atomic(i).load(Relaxed), Relaxed));
    }
}

/// Where the threads and the places are, and whose atomics they use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placement {
    /// Blocks, global memory, scope of the device.
    Blocks,
    /// Threads of a block, global memory, scope of the block.
    Threads,
    /// Threads of a block, shared memory, scope of the block.
    Shared,
    /// Blocks, global memory, Rust's own atomics.
    Core,
}

const PLACEMENTS: [Placement; 4] = [
    Placement::Blocks,
    Placement::Threads,
    Placement::Shared,
    Placement::Core,
];

/// Launches one instance.
fn launch<S: Style>(
    device: &Device,
    placement: Placement,
    (number, roles): (u32, u32),
) -> warploom::Result<Outcome> {
    let stream = device.stream()?;
    let (mut places, mut seen) = (device.zeroed::<u32>(3)?, device.zeroed::<u32>(4)?);
    let arguments = (places.as_atomic(), seen.as_atomic());
    match placement {
        Placement::Blocks | Placement::Core => {
            play::<S>::launch(&stream, (roles, 1), number, arguments.0, arguments.1)?;
        }
        Placement::Threads => {
            play::<S>::launch(&stream, (1, roles), number, arguments.0, arguments.1)?;
        }
        Placement::Shared => {
            play_shared::<S>::launch(&stream, (1, roles), number, arguments.0, arguments.1)?;
        }
    }
    let left = places.to_vec(&stream)?;
    let seen = seen.to_vec(&stream)?;
    let seen = (0..).zip(seen).map(|(role, read)| read << (4 * role)).sum();
    Ok(Outcome::new(seen, [left[0], left[1], left[2]]))
}

type PlayOnce = fn(&Device, Placement, (u32, u32)) -> warploom::Result<Outcome>;

/// The launch with the accesses of this number in `ORDERS`.
fn launcher(placement: Placement, order: usize) -> PlayOnce {
    use scope::{Block, Device};
    const OF_DEVICE: [PlayOnce; 5] = [
        launch::<RelaxedOnly<Device>>,
        launch::<ReleaseAcquire<Device>>,
        launch::<Sequential<Device>>,
        launch::<Fenced<Device>>,
        launch::<FencedSequential<Device>>,
    ];
    const OF_BLOCK: [PlayOnce; 5] = [
        launch::<RelaxedOnly<Block>>,
        launch::<ReleaseAcquire<Block>>,
        launch::<Sequential<Block>>,
        launch::<Fenced<Block>>,
        launch::<FencedSequential<Block>>,
    ];
    const OF_CORE: [PlayOnce; 5] = [
        launch::<CoreRelaxed>,
        launch::<CoreReleaseAcquire>,
        launch::<CoreSequential>,
        launch::<CoreFenced>,
        launch::<CoreFencedSequential>,
    ];
    match placement {
        Placement::Blocks => OF_DEVICE[order],
        Placement::Threads | Placement::Shared => OF_BLOCK[order],
        Placement::Core => OF_CORE[order],
    }
}

/// All outcomes of a shape, and what it took.
fn outcomes(
    exploration: Exploration,
    launch: PlayOnce,
    placement: Placement,
    number: usize,
) -> (BTreeSet<Outcome>, Explored) {
    let seen = RefCell::new(BTreeSet::new());
    let roles = SHAPES[number].roles;
    let explored = exploration.run(|device| {
        let outcome = launch(device, placement, (number as u32, roles))?;
        seen.borrow_mut().insert(outcome);
        Ok(())
    });
    match explored {
        Ok(explored) => (seen.into_inner(), explored),
        Err(failure) => panic!("{}: {failure}", SHAPES[number].name),
    }
}

fn exhaustive() -> Exploration {
    Exploration::new()
        .strategy(Strategy::Exhaustive)
        .executions(1_000_000)
}

/// Whether an exploration of all executions sees the outcome, and how many there are.
fn explore(placement: Placement, order: usize, number: usize) -> (bool, u64) {
    let launch = launcher(placement, order);
    let (seen, explored) = outcomes(exhaustive(), launch, placement, number);
    assert!(explored.complete, "{}", SHAPES[number].name);
    (seen.iter().any(SHAPES[number].is_it), explored.executions)
}

#[test]
fn the_outcomes_are_those_of_the_model() {
    for (number, shape) in SHAPES.iter().enumerate() {
        for placement in PLACEMENTS {
            for (order, name) in ORDERS.into_iter().enumerate() {
                let (seen, _) = explore(placement, order, number);
                let expected = shape.allowed[order];
                let Shape { name: shape, .. } = shape;
                assert_eq!(seen, expected, "{shape}, {name}, {placement:?}");
            }
        }
    }
}

#[test]
fn fences_of_the_block_order_nothing_between_blocks() {
    for (number, shape) in SHAPES.iter().enumerate() {
        let launch: PlayOnce = launch::<NarrowFences>;
        let (seen, _) = outcomes(exhaustive(), launch, Placement::Blocks, number);
        // A fence between the two keeps a store behind a load, whatever its scope.
        let expected = shape.allowed[0] && shape.name != "LB";
        assert_eq!(seen.iter().any(shape.is_it), expected, "{}", shape.name);
    }
}

#[test]
fn sequentially_consistent_memory_has_none_of_the_outcomes() {
    let exploration = exhaustive().memory(Memory::SequentiallyConsistent);
    for (number, shape) in SHAPES.iter().enumerate() {
        let launch = launcher(Placement::Blocks, 0);
        let (seen, explored) = outcomes(exploration, launch, Placement::Blocks, number);
        assert!(explored.complete);
        assert!(!seen.iter().any(shape.is_it), "{}", shape.name);
    }
}

#[test]
fn all_strategies_have_the_outcomes_of_relaxed_accesses() {
    for (number, shape) in SHAPES.iter().enumerate() {
        let launch = || launcher(Placement::Blocks, 0);
        let (all, _) = outcomes(exhaustive(), launch(), Placement::Blocks, number);
        for strategy in [Strategy::Random, Strategy::Priorities { depth: 3 }] {
            let exploration = Exploration::new().strategy(strategy).executions(2000);
            let (seen, _) = outcomes(exploration, launch(), Placement::Blocks, number);
            assert!(seen.is_subset(&all), "{}: {strategy:?}", shape.name);
            let expected = shape.allowed[0];
            assert_eq!(
                seen.iter().any(shape.is_it),
                expected,
                "{}: {strategy:?}",
                shape.name
            );
        }
    }
}
