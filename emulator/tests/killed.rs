//! Lanes that are killed in the middle of kernels: thousands of launches in one process leave no hang, no leak and no worn pool.
//!
//! One test in this file: it counts what the process has.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the body of a kernel is one sequence of intrinsics with one reason"
)]

mod named;

use std::any::TypeId;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use named::named_barrier;
use warploom_emulator::check::{Mode, Options, Schedule};
use warploom_emulator::intrinsics::*;
use warploom_emulator::{Fault, Outcome, Shape, SharedKey, Together, run_with};

const FULL: u32 = u32::MAX;

struct Slot;
static SLOT: SharedKey = SharedKey::new(TypeId::of::<Slot>(), "Mbarrier");

/// Frees something of the heap when a lane ends, however it does.
struct Held<'a>(
    &'a AtomicU32,
    #[expect(dead_code, reason = "only to be freed")] Box<[u8; 64]>,
);

impl<'a> Held<'a> {
    fn new(count: &'a AtomicU32) -> Self {
        count.fetch_add(1, Relaxed);
        Self(count, Box::new([7; 64]))
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// What lanes of a kernel wait at, and which lane dies there: by a panic, or because its block gets stuck.
fn kernel(kind: usize, victim: u32, held: &AtomicU32) {
    let _held = Held::new(held);
    let thread = thread_idx_x();
    let dies = || {
        if thread == victim {
            resume_unwind(Box::new("killed"));
        }
    };
    // SAFETY: the emulator checks what a GPU does not; the barrier in memory is initialised.
    unsafe {
        match kind {
            0 => {
                block_barrier();
                dies();
                block_barrier();
            }
            1 => {
                dies();
                vote_any(FULL, true);
                barrier_count(3, true);
            }
            2 => {
                let value = shuffle_bfly(FULL, thread, 1, 31);
                dies();
                named_barrier(value % 2); // half of them at each
            }
            3 => {
                let at = shared_static(&SLOT, 8, 8).cast();
                if thread == 0 {
                    mbarrier_init(at, 48);
                }
                block_barrier();
                dies();
                let state = mbarrier_arrive(at);
                mbarrier_wait(at, state); // one arrival is missing
            }
            4 => {
                warp_sync(FULL);
                dies();
                barrier_sync_threads(1, 64); // 16 more than there are
            }
            5 => {
                cluster_arrive();
                dies();
                cluster_wait();
                grid_sync();
            }
            6 => {
                nanosleep(1);
                dies();
                if active_mask() != 0 {
                    named_barrier(5);
                }
            }
            _ => {
                match_any_u32(FULL, thread);
                redux_add(FULL, 1);
                dies();
                if thread % 32 < 8 {
                    warp_sync(0xffff); // eight lanes never come
                }
            }
        }
    }
}

const KINDS: usize = 8;

fn launch(round: u32, held: &AtomicU32) -> Outcome {
    let kind = round as usize % KINDS;
    let victim = round / 8 * 7 % 48;
    let together = Together {
        cluster: if kind == 5 { [2, 1, 1] } else { [1; 3] },
        cooperative: kind == 5,
    };
    let mut options = Options::default();
    options.schedule = match round / 8 % 3 {
        0 => Schedule::Forward,
        1 => Schedule::Reverse,
        _ => Schedule::Random(round.into()),
    };
    if round.is_multiple_of(5) {
        options.mode = Mode::Checked;
    }
    let shape = Shape {
        workers: Some(1 + usize::from(round.is_multiple_of(3))),
        ..Shape::new([2, 1, 1], [48, 1, 1])
    };
    run_with(shape, together, &options, &|| kernel(kind, victim, held))
}

/// Resident memory in pages, the number of mappings, and that of OS threads.
#[cfg(target_os = "linux")]
fn counts() -> (usize, usize, usize) {
    let read = |file| std::fs::read_to_string(file).unwrap_or_default();
    let resident = read("/proc/self/statm");
    let resident = resident
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse().ok());
    (
        resident.unwrap_or(0),
        read("/proc/self/maps").lines().count(),
        std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count),
    )
}

#[cfg(not(target_os = "linux"))]
fn counts() -> (usize, usize, usize) {
    (0, 0, 0)
}

/// How many launches: where each lane is a thread of the system they take far longer.
const LAUNCHES: u32 = if cfg!(any(miri, warploom_threads)) {
    1_000
} else {
    10_000
};

#[test]
fn many_launches_with_a_dead_lane_leave_nothing_behind() {
    let held = AtomicU32::new(0);
    let mut early = (0, 0, 0);
    for round in 0..LAUNCHES {
        let outcome = launch(round, &held);
        let panicked = matches!(outcome.fault, Some(Fault::Panic { .. }));
        assert!(panicked, "round {round}: {:?}", outcome.fault);
        assert_eq!(
            held.load(Relaxed),
            0,
            "round {round}: destructors that did not run"
        );
        if round == LAUNCHES / 10 {
            early = counts();
        }
    }
    let late = counts();
    assert!(
        late.0 < early.0 + 1000,
        "pages of memory: {early:?}, then {late:?}"
    );
    assert!(late.1 < early.1 + 100, "mappings: {early:?}, then {late:?}");
    assert!(late.2 < early.2 + 8, "OS threads: {early:?}, then {late:?}");

    // And what ran before does not disturb what runs now.
    let sum = AtomicU32::new(0);
    let shape = Shape::new([3, 1, 1], [83, 1, 1]);
    let outcome = run_with(shape, Together::default(), &Options::default(), &|| {
        block_barrier();
        sum.fetch_add(vote_ballot(FULL, true).count_ones(), Relaxed);
    });
    assert_eq!(outcome.fault, None);
    assert_eq!(sum.into_inner(), 3 * (2 * 32 * 32 + 19 * 19));
}
