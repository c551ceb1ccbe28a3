//! The sums of what accesses cost.

use super::*;
use crate::access_costs::{AccessCosts, GlobalCost, SharedCost};

/// What two warps cost, each lane of which makes these accesses.
fn costs(accesses: impl Fn(u64, u32) -> Vec<Access>) -> AccessCosts {
    run(2, 32, 1, |block, _, t| accesses(block, t)).access_costs()
}

#[test]
fn loads_and_stores_are_summed_by_memory() {
    let found = costs(|block, t| {
        let at = |stride: u64| read(block, t, GLOBAL + 4 * stride * u64::from(t));
        vec![
            at_line(1, at(1)),
            at_line(2, at(2)),
            at_line(3, write(at(8))),
            at_line(4, shared(at(4))),
            at_line(5, shared(write(at(1)))),
        ]
    });
    let global = |instructions, sectors, ideal_sectors| GlobalCost {
        instructions,
        sectors,
        ideal_sectors,
    };
    let shared = |instructions, passes, ideal_passes| SharedCost {
        instructions,
        passes,
        ideal_passes,
    };
    let expected = AccessCosts {
        global_loads: global(4, 24, 16),
        global_stores: global(2, 64, 8),
        shared_loads: shared(2, 8, 2),
        shared_stores: shared(2, 2, 2),
    };
    assert_eq!(found, expected);
}

#[test]
fn a_structure_is_several_instructions() {
    let found = costs(|block, t| {
        let of = read(block, t, GLOBAL + 12 * u64::from(t));
        vec![Access { bytes: 12, ..of }]
    });
    let GlobalCost {
        instructions,
        sectors,
        ..
    } = found.global_loads;
    assert_eq!((instructions, sectors), (2 * 3, 2 * 3 * 12));
}

#[test]
fn atomics_are_not_among_loads_and_stores() {
    let found = costs(|block, t| {
        let of = read(block, t, GLOBAL);
        let kinds = [AccessClass::Atomic, AccessClass::Volatile];
        let lines = (1..).zip(kinds);
        let accesses = lines.map(|(line, kind)| at_line(line, Access { kind, ..of }));
        accesses.collect()
    });
    assert_eq!(found, AccessCosts::default());
}

/// The addresses of so many are not kept.
#[test]
fn instructions_of_long_loops_are_all_counted() {
    let found = costs(|block, t| vec![read(block, t, GLOBAL + 4 * u64::from(t)); 1000]);
    let GlobalCost {
        instructions,
        sectors,
        ..
    } = found.global_loads;
    assert_eq!((instructions, sectors), (2 * 1000, 2 * 4000));
}
