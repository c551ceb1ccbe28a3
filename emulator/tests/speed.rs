//! Prints what a thread and a barrier cost. Asserts results only, never time.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests stand outside of #[test] functions"
)]

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use warploom_emulator::intrinsics::*;
use warploom_emulator::{Shape, run};

fn on_one_worker(blocks: u32, threads: u32) -> Shape {
    Shape {
        workers: Some(1),
        ..Shape::new([blocks, 1, 1], [threads, 1, 1])
    }
}

/// Runs it five times; prints the best time per thread and `steps`.
fn time(what: &str, shape: Shape, steps: u32, program: &(dyn Fn() + Sync)) {
    let n = f64::from(shape.grid[0]) * f64::from(shape.block[0]) * f64::from(steps);
    let best = (0..5)
        .map(|_| {
            let start = Instant::now();
            run(shape, program).unwrap();
            start.elapsed().as_secs_f64() / n * 1e9
        })
        .fold(f64::INFINITY, f64::min);
    println!("{what}: {best:.2} ns");
}

#[test]
fn cost_of_threads_and_barriers() {
    let blocks = if cfg!(debug_assertions) { 16 } else { 2048 };
    let shape = on_one_worker(blocks, 256);
    let n = (blocks * 256) as usize;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let y: Vec<AtomicU32> = (0..n).map(|_| AtomicU32::new(0)).collect();
    let index = || block_idx_x() as usize * block_dim_x() as usize + thread_idx_x() as usize;

    time("empty thread", shape, 1, &|| {});
    time("saxpy thread", shape, 1, &|| {
        let i = index();
        if let (Some(x), Some(y)) = (x.get(i), y.get(i)) {
            y.store((2.0 * x).to_bits(), Ordering::Relaxed);
        }
    });
    assert_eq!(
        f32::from_bits(y[n - 1].load(Ordering::Relaxed)),
        2.0 * x[n - 1]
    );
    time("barrier (10 per thread)", shape, 10, &|| {
        for _ in 0..10 {
            block_barrier();
        }
    });
    for threads in [2, 32, 1024] {
        let name = format!("barrier in a block of {threads}");
        time(
            &name,
            on_one_worker(blocks * 256 / threads, threads),
            10,
            &|| {
                for _ in 0..10 {
                    block_barrier();
                }
            },
        );
    }
    time("shuffle (5 per thread)", shape, 5, &|| {
        let mut v = lane_id();
        for delta in [16, 8, 4, 2, 1] {
            v += shuffle_bfly(u32::MAX, v, delta, 31);
        }
        assert_eq!(v, 496);
    });
    time(
        "block of one thread",
        on_one_worker(blocks * 64, 1),
        1,
        &|| {},
    );
    let small = on_one_worker(1, 256);
    time("run of one block, per run", small, 1, &|| {});
}
