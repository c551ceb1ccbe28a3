//! Blocks that are there together: clusters and cooperative grids.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the body of a kernel is one sequence of intrinsics with one reason"
)]

mod named;

use std::any::TypeId;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use named::named_barrier;
use warploom_emulator::intrinsics::{self as raw, *};
use warploom_emulator::{Fault, Shape, SharedKey, Together, WaitPoint, run, run_together};

fn clusters(cluster: [u32; 3]) -> Together {
    Together {
        cluster,
        cooperative: false,
    }
}

const COOPERATIVE: Together = Together {
    cluster: [1; 3],
    cooperative: true,
};

fn cluster_arrive() {
    // SAFETY: the emulator checks what a GPU does not.
    unsafe { raw::cluster_arrive() }
}

#[track_caller]
fn cluster_wait() {
    // SAFETY: as above.
    unsafe { raw::cluster_wait() }
}

fn block_idx() -> [u32; 3] {
    [block_idx_x(), block_idx_y(), block_idx_z()]
}

#[test]
fn each_block_runs_once_whatever_the_clusters() {
    for cluster in [[1, 1, 1], [2, 1, 1], [1, 3, 1], [2, 3, 2], [4, 1, 4]] {
        let grid = [4, 3, 4];
        let counts: Vec<AtomicU32> = (0..48).map(|_| AtomicU32::new(0)).collect();
        let ranks = AtomicU64::new(0);
        run_together(Shape::new(grid, [35, 1, 1]), clusters(cluster), &|| {
            let [x, y, z] = block_idx();
            counts[((z * 3 + y) * 4 + x) as usize].fetch_add(1, Relaxed);
            let inside = [
                cluster_block_idx_x(),
                cluster_block_idx_y(),
                cluster_block_idx_z(),
            ];
            let place = [cluster_idx_x(), cluster_idx_y(), cluster_idx_z()];
            let dim = [cluster_dim_x(), cluster_dim_y(), cluster_dim_z()];
            assert_eq!(dim, cluster);
            let all = [clusters_x(), clusters_y(), clusters_z()];
            for axis in 0..3 {
                assert!(inside[axis] < dim[axis]);
                assert_eq!(place[axis] * dim[axis] + inside[axis], block_idx()[axis]);
                assert_eq!(all[axis] * dim[axis], grid[axis]);
            }
            let rank = (inside[2] * dim[1] + inside[1]) * dim[0] + inside[0];
            assert_eq!(cluster_block_rank(), rank);
            assert_eq!(cluster_blocks(), dim.iter().product::<u32>());
            ranks.fetch_add(rank.into(), Relaxed);
        })
        .unwrap();
        assert!(counts.iter().all(|count| count.load(Relaxed) == 35));
        let blocks = u64::from(cluster.iter().product::<u32>());
        assert_eq!(ranks.into_inner(), 35 * 48 * (blocks - 1) / 2);
    }
}

fn clusters_x() -> u32 {
    warploom_emulator::intrinsics::clusters()
}

#[test]
fn a_cluster_waits_for_all_its_blocks() {
    let arrived: Vec<AtomicU32> = (0..3).map(|_| AtomicU32::new(0)).collect();
    run_together(
        Shape::new([12, 1, 1], [70, 1, 1]),
        clusters([4, 1, 1]),
        &|| {
            for round in 1..=20 {
                let count = &arrived[cluster_idx_x() as usize];
                count.fetch_add(1, Relaxed);
                cluster_arrive();
                cluster_wait();
                assert_eq!(count.load(Relaxed), round * 280);
                cluster_arrive();
                cluster_wait();
            }
        },
    )
    .unwrap();
}

#[test]
fn arrivals_and_waits_may_lie_apart() {
    let value = AtomicU32::new(0);
    run_together(
        Shape::new([2, 1, 1], [40, 1, 1]),
        clusters([2, 1, 1]),
        &|| {
            for round in 0..5 {
                let writes = cluster_block_rank() == 1 && thread_idx_x() == 39;
                if writes {
                    value.store(round, Relaxed);
                }
                cluster_arrive();
                block_barrier(); // in between the block may meet
                cluster_wait();
                assert_eq!(value.load(Relaxed), round);
                cluster_arrive();
                cluster_wait();
            }
        },
    )
    .unwrap();
}

#[test]
fn threads_that_left_are_not_waited_for() {
    // The whole block 1, and half of the others; some of them after they arrived.
    run_together(
        Shape::new([3, 1, 1], [64, 1, 1]),
        clusters([3, 1, 1]),
        &|| {
            if block_idx_x() == 1 {
                return;
            }
            cluster_arrive();
            if thread_idx_x() % 2 == 1 {
                return;
            }
            cluster_wait();
            cluster_arrive();
            cluster_wait();
        },
    )
    .unwrap();
}

#[test]
fn a_cluster_barrier_is_used_in_turn() {
    let twice = run_together(
        Shape::new([2, 1, 1], [1, 1, 1]),
        clusters([2, 1, 1]),
        &|| {
            cluster_arrive();
            cluster_arrive();
        },
    );
    let text = twice.unwrap_err().to_string();
    assert!(text.contains("`cluster_arrive` twice"), "{text}");
    let none = run_together(
        Shape::new([2, 1, 1], [1, 1, 1]),
        clusters([2, 1, 1]),
        &|| {
            cluster_wait();
        },
    );
    let text = none.unwrap_err().to_string();
    assert!(text.contains("without `cluster_arrive` before"), "{text}");
}

#[test]
fn a_block_alone_is_a_cluster() {
    run(Shape::new([5, 1, 1], [33, 1, 1]), &|| {
        assert_eq!((cluster_blocks(), cluster_block_rank()), (1, 0));
        assert_eq!((clusters_x(), cluster_idx_x()), (5, block_idx_x()));
        cluster_arrive();
        cluster_wait();
    })
    .unwrap();
}

#[test]
fn a_stuck_cluster_says_who_waits_where() {
    let shape = Shape::new([4, 1, 1], [40, 1, 1]);
    let fault = run_together(shape, clusters([2, 1, 1]), &|| {
        if block_idx_x() == 3 {
            named_barrier(5);
            if thread_idx_x() == 7 {
                vote_any(1 << 7 | 1, true);
            }
        }
        cluster_arrive();
        cluster_wait();
    })
    .unwrap_err();
    let text = fault.to_string();
    let Fault::Deadlock { block, waits } = fault else {
        panic!("{text}")
    };
    assert_eq!(block, [2, 0, 0]);
    let seen: Vec<_> = waits
        .iter()
        .map(|w| (w.block[0], w.point, w.threads))
        .collect();
    assert_eq!(seen.len(), 3, "{text}");
    assert_eq!(seen[0], (2, WaitPoint::Cluster, 40));
    assert!(matches!(
        seen[1],
        (
            3,
            WaitPoint::Warp {
                operation: "vote_any",
                ..
            },
            1
        )
    ));
    assert_eq!(seen[2], (3, WaitPoint::Cluster, 39));
    assert!(text.starts_with("block (2, 0, 0) is stuck: 40 threads (first: (0, 0, 0)) wait at the barrier of the cluster, "));
    assert!(
        text.contains(
            ". block (3, 0, 0) is stuck: 1 thread (first: (7, 0, 0)) waits at `vote_any`"
        ),
        "{text}"
    );
}

#[test]
fn a_panic_leaves_the_others_of_the_cluster_running() {
    let after = AtomicU32::new(0);
    let fault = run_together(
        Shape::new([4, 1, 1], [32, 1, 1]),
        clusters([4, 1, 1]),
        &|| {
            assert!(block_idx_x() != 2, "block two");
            cluster_arrive();
            cluster_wait();
            after.fetch_add(1, Relaxed);
        },
    );
    let Err(Fault::Panic {
        block,
        thread,
        count,
        ..
    }) = fault
    else {
        panic!("{fault:?}")
    };
    assert_eq!((block, thread, count), ([2, 0, 0], [0; 3], 32));
    assert_eq!(after.into_inner(), 96);
}

struct First;
struct Second;

#[test]
fn shared_memory_of_another_block_is_at_the_same_place() {
    static FIRST: SharedKey = SharedKey::new(TypeId::of::<First>(), "u32");
    static SECOND: SharedKey = SharedKey::new(TypeId::of::<Second>(), "u32");
    run_together(
        Shape::new([8, 1, 1], [32, 1, 1]),
        clusters([4, 1, 1]),
        &|| {
            let rank = cluster_block_rank();
            // SAFETY: 32 words, each written by one thread before the barrier and read after it; none leaves before all have read.
            unsafe {
                // The blocks ask in different orders, and the layout is one.
                let [first, second] = if rank.is_multiple_of(2) {
                    let first = shared_static(&FIRST, 128, 4);
                    [first, shared_static(&SECOND, 128, 4)]
                } else {
                    let second = shared_static(&SECOND, 128, 4);
                    [shared_static(&FIRST, 128, 4), second]
                }
                .map(|start| start.cast::<u32>().add(thread_idx_x() as usize));
                first.write(100 * block_idx_x());
                second.write(7);
                cluster_arrive();
                cluster_wait();
                for other in 0..4 {
                    let there = map_shared(first.cast(), other);
                    assert_eq!(shared_rank(there), other);
                    let block = block_idx_x() / 4 * 4 + other;
                    assert_eq!(there.cast::<u32>().read(), 100 * block);
                    assert_eq!(map_shared(there, rank), first.cast());
                }
                cluster_arrive();
                cluster_wait();
            }
        },
    )
    .unwrap();
}

#[test]
fn only_shared_memory_of_the_cluster_is_mapped() {
    let outside = run_together(
        Shape::new([2, 1, 1], [1, 1, 1]),
        clusters([2, 1, 1]),
        &|| {
            let mut local = 0u8;
            // SAFETY: the emulator checks it.
            unsafe { map_shared(&raw mut local, 1) };
        },
    );
    assert!(
        outside
            .unwrap_err()
            .to_string()
            .contains("not in shared memory")
    );
    let shape = Shape {
        dynamic_shared_bytes: 64,
        ..Shape::new([2, 1, 1], [1, 1, 1])
    };
    let rank = run_together(shape, clusters([2, 1, 1]), &|| {
        // SAFETY: only the address is used.
        unsafe { map_shared(dynamic_shared(), 2) };
    });
    assert!(
        rank.unwrap_err()
            .to_string()
            .contains("no block of this rank")
    );
}

#[test]
fn a_grid_meets_many_times() {
    for (grid, block) in [
        ([5, 1, 1], [96, 1, 1]),
        ([3, 2, 2], [7, 3, 2]),
        ([40, 1, 1], [33, 1, 1]),
    ] {
        let shape = Shape::new(grid, block);
        let threads = grid.iter().chain(&block).product::<u32>();
        let count = AtomicU32::new(0);
        run_together(shape, COOPERATIVE, &|| {
            let mine = Cell::new(0);
            for _ in 0..50 {
                count.fetch_add(1, Relaxed);
                grid_sync();
                mine.set(mine.get() + threads);
                assert_eq!(count.load(Relaxed), mine.get());
                grid_sync();
            }
        })
        .unwrap();
    }
}

#[test]
fn a_cooperative_grid_may_have_clusters() {
    let together = Together {
        cluster: [2, 1, 1],
        cooperative: true,
    };
    let count = AtomicU32::new(0);
    run_together(Shape::new([6, 1, 1], [32, 1, 1]), together, &|| {
        count.fetch_add(1, Relaxed);
        cluster_arrive();
        cluster_wait();
        grid_sync();
        assert_eq!(count.load(Relaxed), 192);
        assert_eq!(cluster_idx_x(), block_idx_x() / 2);
    })
    .unwrap();
}

#[test]
fn a_grid_waits_for_blocks_and_not_for_threads_that_left() {
    run_together(Shape::new([3, 1, 1], [64, 1, 1]), COOPERATIVE, &|| {
        if thread_idx_x() % 32 < 5 {
            return;
        }
        grid_sync();
        grid_sync();
    })
    .unwrap();
    let fault = run_together(Shape::new([3, 1, 1], [64, 1, 1]), COOPERATIVE, &|| {
        if block_idx_x() != 1 {
            grid_sync();
        }
    });
    let Err(Fault::Deadlock { block, waits }) = fault else {
        panic!("{fault:?}")
    };
    assert_eq!(block, [0; 3]);
    let seen: Vec<_> = waits
        .iter()
        .map(|w| (w.block[0], w.point, w.threads))
        .collect();
    assert_eq!(seen, [(0, WaitPoint::Grid, 64), (2, WaitPoint::Grid, 64)]);
}

#[test]
fn long_reports_are_cut() {
    let fault = run_together(Shape::new([20, 1, 1], [1, 1, 1]), COOPERATIVE, &|| {
        if block_idx_x() != 0 {
            grid_sync();
        }
    });
    let text = fault.unwrap_err().to_string();
    assert!(text.ends_with(". 11 more blocks are stuck"), "{text}");
}

#[test]
#[cfg_attr(
    any(miri, warploom_threads),
    ignore = "its stacks are threads, of which there are fewer"
)]
fn more_waiting_threads_than_there_are_stacks_are_a_fault() {
    let shape = Shape::new([60, 1, 1], [512, 1, 1]);
    run_together(shape, COOPERATIVE, &|| {}).unwrap(); // no thread waits
    let fault = run_together(shape, COOPERATIVE, &grid_sync);
    let Err(Fault::OutOfStacks {
        block,
        thread,
        cause,
    }) = fault
    else {
        panic!("{fault:?}")
    };
    assert_eq!((block, thread), ([48, 0, 0], [0; 3]));
    assert_eq!(cause, "24576 threads wait already");
}

#[test]
fn a_grid_barrier_needs_a_cooperative_launch() {
    let text = run(Shape::new([2, 1, 1], [1, 1, 1]), &|| grid_sync())
        .unwrap_err()
        .to_string();
    assert!(text.contains("not cooperative"), "{text}");
}

#[test]
fn lanes_that_converge_do_so_when_the_whole_set_is_idle() {
    run_together(Shape::new([2, 1, 1], [64, 1, 1]), COOPERATIVE, &|| {
        if thread_idx_x().is_multiple_of(2) {
            grid_sync();
            assert_eq!(active_mask(), 0x5555_5555);
        } else {
            grid_sync();
            assert_eq!(active_mask(), 0xaaaa_aaaa);
        }
    })
    .unwrap();
}

#[test]
fn sets_that_cannot_be_are_refused() {
    let refused = |grid, block, together| {
        run_together(Shape::new(grid, block), together, &|| panic!("ran"))
            .unwrap_err()
            .to_string()
    };
    let text = refused([7, 1, 1], [32, 1, 1], clusters([2, 1, 1]));
    assert_eq!(
        text,
        "cannot run a kernel with grid.x = 7 in clusters of 2: the grid is a whole number of clusters; use a multiple of 2"
    );
    let text = refused([64, 1, 1], [32, 1, 1], clusters([32, 1, 1]));
    assert!(text.contains("blocks per cluster = 32"), "{text}");
    let text = refused([64, 1, 1], [32, 1, 1], clusters([0, 1, 1]));
    assert!(text.contains("blocks per cluster = 0"), "{text}");
    let text = refused([265, 1, 1], [1024, 1, 1], COOPERATIVE);
    assert_eq!(
        text,
        "cannot run a cooperative grid of 265 blocks: at most 264 of this size are there at a time; use fewer blocks, and let each do more"
    );
}
