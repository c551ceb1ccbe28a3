//! Prints what a checked access costs. Asserts results only, never time.

use std::sync::LazyLock;
use std::time::Instant;

use warploom_emulator::check::{Mode, Options};
use warploom_emulator::intrinsics::{self, shuffle_bfly};
use warploom_emulator::{Shape, Together, run_with};

use crate::support::*;

/// Nanoseconds that this OS thread has had a processor, where the system tells, else the time of day.
fn now() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = told.and_then(|text| text.split(' ').next()?.parse().ok());
    ran.unwrap_or_else(|| START.elapsed().as_secs_f64() * 1e9)
}

/// Runs it in both modes, and with lints; prints the best of five, per access.
fn time(what: &str, (blocks, threads): (u32, u32), accesses: u32, program: &(dyn Fn() + Sync)) {
    let blocks = if cfg!(debug_assertions) { 2 } else { blocks };
    let shape = Shape {
        workers: Some(1),
        ..Shape::new([blocks, 1, 1], [threads, 1, 1])
    };
    let modes = [
        (Mode::Fast, false),
        (Mode::Checked, false),
        (Mode::Checked, true),
    ];
    let best = modes.map(|(mode, lints)| {
        let mut options = Options::default();
        (options.mode, options.lints) = (mode, lints);
        let times = (0..5).map(|_| {
            let start = now();
            let outcome = run_with(shape, Together::default(), &options, program);
            assert_eq!(outcome.fault, None);
            assert!(lints || outcome.reports.is_empty());
            now() - start
        });
        times.fold(f64::INFINITY, f64::min) / f64::from(blocks * threads * accesses)
    });
    let [fast, checked, lints] = best;
    println!("{what}: {fast:.2} ns, checked {checked:.2} ns, with lints {lints:.2} ns");
}

#[test]
fn cost_of_accesses() {
    let n = 256 * 512;
    let x = Buffer::<u32>::new("x", n);
    let y = Buffer::<u32>::new("y", n);
    let index = || block() * 256 + me();
    let many = (512, 256);
    time("hooks outside of checked runs", many, 1, &|| {});
    time("y[i] = x[i], per access", many, 2, &|| {
        store4(y.at(index()), load4(x.at(index()), 1), 2);
    });
    time(
        "16 reads of one shared word by all, per access",
        many,
        16,
        &|| {
            let shared = tile(0);
            if me() == 0 {
                store4(shared, 1, 3);
            }
            intrinsics::block_barrier();
            (0..16).for_each(|_| assert_eq!(load4(shared, 4), 1));
        },
    );
    time(
        "16 reads of a global word by all, per access",
        many,
        16,
        &|| {
            (0..16).for_each(|i| assert_eq!(load4(x.at(i), 5), 0));
        },
    );
    time(
        "tree of sums in shared memory, per thread and step",
        many,
        8,
        &|| {
            let shared = tile(0);
            store4(shared.wrapping_add(me()), 1, 6);
            for step in [128, 64, 32, 16, 8, 4, 2, 1] {
                intrinsics::block_barrier();
                if me() < step {
                    let mine = shared.wrapping_add(me());
                    let sum = load4(mine, 7) + load4(shared.wrapping_add(me() + step), 8);
                    store4(mine, sum, 9);
                }
            }
        },
    );
    time("product of tiles of 16 x 16, per read", many, 32, &|| {
        let (row, column) = (me() / 16, me() % 16);
        store4(tile(me()), 1, 13);
        store4(tile(256 + me()), 1, 14);
        intrinsics::block_barrier();
        let product =
            (0..16).map(|k| load4(tile(row * 16 + k), 15) * load4(tile(256 + k * 16 + column), 16));
        assert_eq!(product.sum::<u32>(), 16);
    });
    time("shuffles, per shuffle", many, 5, &|| {
        let mut v = 1;
        for delta in [16, 8, 4, 2, 1] {
            v += shuffle_bfly(u32::MAX, v, delta, 31);
        }
        assert_eq!(v, 32);
    });
}

#[test]
fn cost_of_atomics() {
    let y = Buffer::<u32>::new("y", 256);
    let many = (512, 256);
    time("histogram in shared memory, per change", many, 16, &|| {
        let bins = tile(0);
        store4(bins.wrapping_add(me()), 0, 10);
        intrinsics::block_barrier();
        for i in 0..16 {
            add4(bins.wrapping_add((me() * 7 + i * 31) % 256), 11, BLOCK);
        }
    });
    time("the same with Rust's own atomics", many, 16, &|| {
        let bins = tile(0);
        store4(bins.wrapping_add(me()), 0, 17);
        intrinsics::block_barrier();
        for i in 0..16 {
            count4(bins.wrapping_add((me() * 7 + i * 31) % 256), 18);
        }
    });
    for paired in [false, true] {
        let what = if paired {
            "which may come before it"
        } else {
            "behind it"
        };
        let what = format!("relaxed load and store {what}, of shared words of its own, per access");
        time(&what, many, 32, &|| {
            let (from, to) = (tile(me()), tile(256 + me()));
            store4(from, 1, 20);
            store4(to, 1, 21);
            (0..16).for_each(|i| load_and_store4(from, to, i, 22, paired));
        });
    }
    let x = Buffer::<u32>::new("x", 16 * 512 * 256);
    time(
        "16 words of its own read by each thread, per read",
        many,
        16,
        &|| {
            let i = block() * 256 + me();
            (0..16).for_each(|k| assert_eq!(load4(x.at(i + k * 512 * 256), 19), 0));
        },
    );
    time("histogram in global memory, per change", many, 16, &|| {
        for i in 0..16 {
            add4(y.at((me() * 7 + i * 31) % 256), 12, DEVICE);
        }
    });
}
