//! Barriers of the cluster and of the grid.

use super::*;
use warploom_emulator::intrinsics::*;

const COOPERATIVE: Together = Together {
    cluster: [1; 3],
    cooperative: true,
};

#[test]
fn a_block_that_left_the_grid_is_named() {
    let line = line!() + 4;
    let shape = Shape::new([3, 1, 1], [64, 1, 1]);
    let outcome = run_with(shape, COOPERATIVE, &Options::default(), &|| {
        if block_idx_x() != 1 {
            grid_sync();
        }
    });
    let report = one(outcome);
    assert_eq!(lines(&report), (Code::GRID_STUCK, vec![line, 0]));
    assert_eq!(
        report.title,
        "the barrier of the grid: 2 of 3 blocks wait, the others never come"
    );
    assert_eq!(report.sides[1].who.unwrap().block, [1, 0, 0]);
    expect(&notes(&report), "block [1, 0, 0]: 64 threads exited");
}

#[test]
fn a_cluster_that_waits_for_a_stuck_warp_is_explained_by_it() {
    let shape = Shape::new([2, 1, 1], [40, 1, 1]);
    let together = Together {
        cluster: [2, 1, 1],
        cooperative: false,
    };
    let outcome = run_with(shape, together, &Options::default(), &|| {
        if block_idx_x() == 1 && thread_idx_x() == 7 {
            vote_any(1 << 7 | 1, true);
        }
        // SAFETY: the emulator checks what a GPU does not.
        unsafe {
            cluster_arrive();
            cluster_wait();
        }
    });
    let report = one(outcome);
    assert_eq!(report.code, Code::LANE_MISSING);
    expect(
        &report.sides[1].did,
        "is named by the mask, and waits at the barrier of the cluster",
    );
}

#[test]
fn a_grid_and_a_cluster_that_wait_for_each_other_are_reported() {
    let together = Together {
        cluster: [2, 1, 1],
        cooperative: true,
    };
    let shape = Shape::new([2, 1, 1], [1, 1, 1]);
    let outcome = run_with(shape, together, &Options::default(), &|| {
        if block_idx_x() == 0 {
            grid_sync();
        } else {
            // SAFETY: as above.
            unsafe {
                cluster_arrive();
                cluster_wait();
            }
        }
    });
    assert_eq!(one(outcome).code, Code::GRID_STUCK);
}
