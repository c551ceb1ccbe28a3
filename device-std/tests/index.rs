//! Every thread has its own index; together they leave no gap.
mod launch;
use launch::{Output, each_thread, launch};
use std::sync::atomic::{AtomicU64, Ordering};
use warploom_device_std::*;

/// Witnesses, as the code around a kernel makes them.
macro_rules! witness {
    ($ty:ident) => {
        // SAFETY: made once in each thread of a launch of the right dimensions, used in that thread.
        unsafe { $ty::from_launch() }
    };
}

#[test]
fn index_1d_counts_over_blocks_without_gaps() {
    for (grid, block) in [(1, 1), (3, 33), (7, 96), (2, 1000)] {
        let seen = each_thread(grid, block, |_| witness!(Index1D).get());
        assert!(
            seen.iter().enumerate().all(|(at, i)| at == *i),
            "{grid} blocks of {block}"
        );
        let count = each_thread(grid, block, |_| witness!(Index1D).count());
        assert_eq!(count[0], (grid * block) as usize);
    }
}

#[test]
fn index_2d_and_3d_reach_each_point_once() {
    let hits = Vec::from_iter((0..12 * 10 * 6).map(|_| AtomicU64::new(0)));
    let result = launch((4, 2, 3), (3, 5, 2), || {
        let i = witness!(Index3D);
        hits[(i.z() * 10 + i.y()) * 12 + i.x()].fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(result, Ok(()));
    assert!(hits.iter().all(|hit| hit.load(Ordering::Relaxed) == 1));

    let m = Output::new(0u32, 13 * 7);
    let result = launch((5, 3), (3, 3), || {
        if let Some(m) = m.matrix::<Linear>(13).get_mut(witness!(Index2D)) {
            *m += 1;
        }
    });
    assert_eq!((result, m.read()), (Ok(()), vec![1; 13 * 7]));
}

#[test]
fn block_and_warp_numbers_run_with_x_fastest() {
    let hits = Vec::from_iter((0..2 * 3 * 2).map(|_| AtomicU64::new(0)));
    let result = launch((2, 3, 2), (5, 3, 3), || {
        let (block, grid, t) = (witness!(Block), witness!(Grid), thread_idx());
        assert_eq!(block.thread() as u32, t.x + 5 * (t.y + 3 * t.z));
        assert_eq!(
            (block.threads(), grid.blocks(), grid.threads()),
            (45, 12, 540)
        );
        assert_eq!(
            (lane(), warp_id()),
            (block.thread() as u32 % 32, block.thread() as u32 / 32)
        );
        if let Some(leader) = block.leader() {
            hits[leader.block()].fetch_add(1, Ordering::Relaxed);
        }
    });
    assert_eq!(result, Ok(()));
    assert!(hits.iter().all(|hit| hit.load(Ordering::Relaxed) == 1));
}

//@ rows: P-21
#[test]
fn dim3_comes_from_numbers_and_tuples() {
    assert_eq!(Dim3::from(7), Dim3 { x: 7, y: 1, z: 1 });
    assert_eq!(Dim3::from((7, 2)), Dim3 { x: 7, y: 2, z: 1 });
    assert_eq!(
        Dim3::from((u32::MAX, 2, 2)).count(),
        4 * u64::from(u32::MAX)
    );
}
