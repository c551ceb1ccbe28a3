//! Blocks that are there together: clusters and cooperative grids.

use warploom_emulator::Together;
use warploom_emulator::check::Code;
use warploom_emulator::intrinsics;

use crate::support::*;

const GRID: Together = Together {
    cluster: [1; 3],
    cooperative: true,
};
const PAIRS: Together = Together {
    cluster: [2, 1, 1],
    cooperative: false,
};

fn cluster_sync() {
    // SAFETY: checked by the emulator.
    unsafe {
        intrinsics::cluster_arrive();
        intrinsics::cluster_wait();
    }
}

#[test]
fn the_barrier_of_the_grid_orders_blocks() {
    let x = Buffer::<u32>::new("x", 120);
    let found = check_together(3, 40, GRID, || {
        let i = block() * 40 + me();
        for _ in 0..3 {
            store(x.at(i), 1);
            intrinsics::grid_sync();
            load(x.at(119 - i));
            intrinsics::grid_sync();
        }
    });
    assert_eq!(found, []);
}

#[test]
fn blocks_of_a_cooperative_grid_race_without_its_barrier() {
    let x = Buffer::<u32>::new("x", 120);
    let found = check_together(3, 40, GRID, || {
        let i = block() * 40 + me();
        store(x.at(i), 1);
        intrinsics::grid_sync();
        store(x.at(i), 2);
        barrier();
        load(x.at((i + 40) % 120));
    });
    only(&found, Code::GRID_RACE);
}

#[test]
fn the_barrier_of_the_cluster_orders_its_blocks_only() {
    let x = Buffer::<u32>::new("x", 4);
    let kernel = |distance: usize| {
        let x = &x;
        move || {
            if me() == 0 {
                store(x.at(block()), 1);
            }
            cluster_sync();
            if me() == 33 {
                load(x.at(block() ^ distance));
            }
        }
    };
    assert_eq!(check_together(4, 40, PAIRS, kernel(1)), []);
    only(&check_together(4, 40, PAIRS, kernel(2)), Code::GRID_RACE);
}

#[test]
fn shared_memory_of_another_block_races_too() {
    let kernel = |sync: bool| {
        move || {
            store(tile(me()), 1);
            if sync {
                cluster_sync();
            }
            // SAFETY: the cluster has two blocks.
            let other = unsafe {
                let rank = intrinsics::cluster_block_rank();
                intrinsics::map_shared(tile(me()).cast(), 1 - rank)
            };
            load(other.cast::<u32>());
            cluster_sync();
        }
    };
    assert_eq!(check_together(4, 40, PAIRS, kernel(true)), []);
    let found = check_together(4, 40, PAIRS, kernel(false));
    assert!(codes(&found).contains(&Code::SHARED_RACE), "{found:#?}");
}

/// Element `index` of the tile of the other block of a pair.
fn other_tile(index: usize) -> *mut u32 {
    // SAFETY: the cluster has two blocks.
    unsafe {
        let rank = intrinsics::cluster_block_rank();
        intrinsics::map_shared(tile(index).cast(), 1 - rank).cast()
    }
}

#[test]
fn shared_memory_ends_with_its_block() {
    let kernel = |waits: bool, write: bool| {
        check_together(4, 40, PAIRS, move || {
            store(tile(me()), 1);
            cluster_sync();
            if write {
                store(other_tile(me()), 2);
            } else {
                load(other_tile(me()));
            }
            if waits {
                cluster_sync();
            }
        })
    };
    for write in [false, true] {
        assert_eq!(kernel(true, write), []);
        let found = kernel(false, write);
        let (lines, _) = only(&found, Code::SHARED_EXITED);
        assert_eq!(lines.len(), 1);
        assert!(
            found[0].sides[0].did.contains("of block ("),
            "{:?}",
            found[0].sides[0]
        );
    }
}

#[test]
fn a_barrier_that_a_block_did_not_reach_does_not_keep_its_memory() {
    let kernel = |first_leaves: u32| {
        let found = check_together(2, 32, PAIRS, move || {
            store(tile(me()), 1);
            cluster_sync();
            if intrinsics::cluster_block_rank() == first_leaves {
                return;
            }
            load(other_tile(me()));
            cluster_sync();
        });
        only(&found, Code::SHARED_EXITED);
    };
    kernel(0);
    kernel(1);
}

#[test]
fn an_atomic_may_keep_a_block_until_others_are_done() {
    let kernel = |order: u32| {
        check_together(2, 32, PAIRS, move || {
            store(tile(me()), 0);
            cluster_sync();
            if intrinsics::cluster_block_rank() == 0 {
                load(other_tile(1 + me() % 4));
                add(other_tile(0), 1, order | 1);
            } else if me() == 0 {
                while get(tile(0), order & ACQUIRE | 1) != 32 {
                    here();
                    intrinsics::spin_wait(0);
                }
            }
        })
    };
    assert_eq!(kernel(ACQ_REL), []);
    let found = kernel(RELAXED);
    assert_eq!(codes(&found), [Code::SHARED_EXITED], "{found:#?}");
}

#[test]
fn an_atomic_of_the_cluster_reaches_its_blocks_only() {
    let x = Buffer::<u32>::new("x", 4);
    let kernel = |group: usize| {
        let x = &x;
        move || {
            add(x.at(block() / group), 1, RELAXED | 1);
        }
    };
    assert_eq!(check_together(4, 40, PAIRS, kernel(2)), []);
    only(&check_together(4, 40, PAIRS, kernel(4)), Code::NARROW_SCOPE);
}

#[test]
fn the_grid_learns_what_one_lane_has_acquired() {
    let buffers = || (Buffer::<u32>::new("data", 1), Buffer::<u32>::new("flag", 1));
    let found = check_fresh_together(3, 33, GRID, buffers, |(data, flag)| {
        if block() == 0 && me() == 0 {
            store(data.at(0), 1);
            set(flag.at(0), 1, RELEASE | DEVICE);
        } else if block() == 1 && me() == 32 {
            while get(flag.at(0), ACQUIRE | DEVICE) == 0 {
                intrinsics::spin_wait(0);
            }
        }
        intrinsics::grid_sync();
        load(data.at(0));
    });
    assert_eq!(found, []);
}
