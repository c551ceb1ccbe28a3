//! Runs in which each atomic access is chosen from outside.

use std::sync::{Arc, Mutex, PoisonError};

use warploom_emulator::check::{
    Code, Control, ControlledLaunch, Controller, MadeAccess, Mode, Options, PendingAccess, Report,
    ThreadId,
};
use warploom_emulator::{Outcome, Shape, Together, run_with};

use crate::support::*;

/// Chooses by a function, and keeps what it is told.
struct Choices<F> {
    choose: F,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    launches: Vec<ControlledLaunch>,
    /// The chosen accesses, with what each did.
    chosen: Vec<PendingAccess>,
    made: Vec<MadeAccess>,
    met: Vec<Vec<ThreadId>>,
}

impl<F: Fn(&Told, &[PendingAccess]) -> usize + Send + Sync> Controller for Choices<F> {
    fn begin(&self, launch: ControlledLaunch) {
        self.told().launches.push(launch);
    }

    fn choose(&self, pending: &[PendingAccess]) -> usize {
        let index = (self.choose)(&self.told(), pending);
        self.told().chosen.push(pending[index]);
        index
    }

    fn made(&self, access: MadeAccess) {
        self.told().made.push(access);
    }

    fn met(&self, threads: &[ThreadId]) {
        self.told().met.push(threads.to_vec());
    }

    fn replay(&self) -> String {
        "CHOICES=1".to_owned()
    }

    fn names_memory(&self) -> bool {
        true
    }
}

impl<F> Choices<F> {
    fn told(&self) -> std::sync::MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs with these choices; what was told, and what came of it.
fn run_by<F: Fn(&Told, &[PendingAccess]) -> usize + Send + Sync + 'static>(
    (blocks, threads): (u32, u32),
    together: Together,
    choose: F,
    program: impl Fn() + Sync,
) -> (Told, Outcome) {
    let choices = Arc::new(Choices {
        choose,
        told: Mutex::default(),
    });
    let mut options = Options::default();
    options.mode = Mode::Checked;
    options.control = Some(Control(Arc::clone(&choices) as Arc<dyn Controller>));
    let shape = Shape::new([blocks, 1, 1], [threads, 1, 1]);
    let outcome = run_with(shape, together, &options, &program);
    let told = std::mem::take(&mut *choices.told());
    (told, outcome)
}

/// The first thread that is pending.
fn first(_: &Told, _: &[PendingAccess]) -> usize {
    0
}

/// The thread that was not chosen last, if there is one.
fn alternate(told: &Told, pending: &[PendingAccess]) -> usize {
    let last = told.chosen.last().map(|access| access.thread);
    let other = pending
        .iter()
        .position(|access| Some(access.thread) != last);
    other.unwrap_or(0)
}

fn codes_of(outcome: &Outcome) -> Vec<Code> {
    codes(&outcome.reports)
}

fn increment(x: &Buffer<u32>) {
    let before = get(x.at(0), RELAXED | DEVICE);
    set(x.at(0), before + 1, RELAXED | DEVICE);
}

#[test]
fn accesses_of_blocks_interleave_as_they_are_chosen() {
    let x = Buffer::<u32>::new("x", 1);
    let (told, outcome) = run_by((2, 1), Together::default(), first, || increment(&x));
    assert_eq!((codes_of(&outcome), x.get(0)), (vec![], 2));
    assert_eq!(told.chosen.len(), 4);

    let x = Buffer::<u32>::new("x", 1);
    let (told, outcome) = run_by((2, 1), Together::default(), alternate, || increment(&x));
    assert_eq!(
        (codes_of(&outcome), x.get(0)),
        (vec![], 1),
        "an update is lost"
    );
    let values: Vec<_> = told
        .made
        .iter()
        .map(|made| (made.before, made.after))
        .collect();
    let expected = [(0, 0), (0, 0), (0, 1), (1, 1)];
    assert_eq!(
        values,
        expected.map(|(before, after)| (Some(before), Some(after)))
    );
    let changed: Vec<_> = told.made.iter().map(|made| made.changed).collect();
    assert_eq!(changed, [false, false, true, false]);
    let names = told.made.iter().filter_map(|made| made.memory.as_deref());
    assert_eq!(names.collect::<Vec<_>>(), ["x"; 4]);
    let blocks: Vec<_> = told
        .chosen
        .iter()
        .map(|access| access.thread.block)
        .collect();
    assert_eq!(blocks, [0, 1, 0, 1]);
}

#[test]
fn lanes_of_a_warp_interleave_too() {
    let x = Buffer::<u32>::new("x", 1);
    let (_, outcome) = run_by((1, 2), Together::default(), alternate, || increment(&x));
    assert_eq!((codes_of(&outcome), x.get(0)), (vec![], 1));
}

#[test]
fn a_thread_that_polls_waits_until_memory_changes() {
    let x = Buffer::<u32>::new("x", 2);
    // The first thread polls, and is always preferred.
    let (told, outcome) = run_by((2, 1), Together::default(), first, || {
        if block() == 0 {
            while get(x.at(0), ACQUIRE | DEVICE) == 0 {}
        } else {
            set(x.at(1), 1, RELAXED | DEVICE);
            set(x.at(0), 1, RELEASE | DEVICE);
        }
    });
    assert_eq!((outcome.fault, codes(&outcome.reports)), (None, vec![]));
    // Twice before it counts as polling, at most twice more after each of the two changes.
    assert!(told.chosen.len() <= 2 + 2 + 2 * 2, "{}", told.chosen.len());
}

#[test]
fn threads_that_poll_for_ever_are_reported() {
    let x = Buffer::<u32>::new("x", 1);
    let (_, outcome) = run_by((2, 1), Together::default(), alternate, || {
        while get(x.at(0), RELAXED | DEVICE) == 0 {}
    });
    assert!(outcome.fault.is_some());
    assert!(codes_of(&outcome).contains(&Code::SPIN_STUCK));
}

#[test]
fn a_loop_of_changes_does_not_count_as_polling() {
    let x = Buffer::<u32>::new("x", 1);
    let (told, outcome) = run_by((1, 2), Together::default(), first, || {
        for _ in 0..5 {
            add(x.at(0), 1, RELAXED | DEVICE);
        }
    });
    assert_eq!((codes_of(&outcome), x.get(0)), (vec![], 10));
    let threads: Vec<_> = told
        .chosen
        .iter()
        .map(|access| access.thread.thread)
        .collect();
    assert_eq!(threads, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
}

#[test]
fn a_place_that_is_reached_again_after_a_change_does_not_count_as_polling() {
    let x = Buffer::<u32>::new("x", 2);
    let (told, outcome) = run_by((1, 2), Together::default(), first, || {
        for _ in 0..4 {
            get(x.at(0), RELAXED | DEVICE);
            get(x.at(1), RELAXED | DEVICE);
            add(x.at(me()), 1, RELAXED | DEVICE);
        }
    });
    assert_eq!(codes_of(&outcome), []);
    let threads = told.chosen.iter().map(|access| access.thread.thread);
    assert_eq!(threads.collect::<Vec<_>>(), [[0; 12], [1; 12]].concat());
}

#[test]
fn threads_that_synchronise_are_told() {
    let x = Buffer::<u32>::new("x", 1);
    let (told, outcome) = run_by((2, 33), Together::default(), first, || {
        add(x.at(0), 1, RELAXED | DEVICE);
        barrier();
    });
    assert_eq!((codes_of(&outcome), x.get(0)), (vec![], 66));
    let all = |block| {
        (0..33)
            .map(|thread| ThreadId { block, thread })
            .collect::<Vec<_>>()
    };
    assert_eq!(told.met, [all(0), all(1)]);
}

#[test]
fn blocks_of_a_cooperative_grid_meet() {
    let x = Buffer::<u32>::new("x", 1);
    let grid = Together {
        cooperative: true,
        ..Together::default()
    };
    let (told, outcome) = run_by((2, 1), grid, alternate, || {
        add(x.at(0), 1, RELAXED | DEVICE);
        warploom_emulator::intrinsics::grid_sync();
        load(x.at(0));
    });
    assert_eq!(codes_of(&outcome), []);
    let both = [0, 1].map(|block| ThreadId { block, thread: 0 });
    assert!(told.met.contains(&both.to_vec()), "{:?}", told.met);
}

#[test]
fn a_data_race_is_found_in_any_order() {
    let races = |choose: fn(&Told, &[PendingAccess]) -> usize| {
        let x = Buffer::<u32>::new("x", 2);
        let (_, outcome) = run_by((2, 1), Together::default(), choose, || {
            if block() == 0 {
                store(x.at(1), 1);
                set(x.at(0), 1, RELAXED | DEVICE);
            } else if get(x.at(0), RELAXED | DEVICE) == 1 {
                load(x.at(1));
            }
        });
        codes_of(&outcome)
    };
    assert_eq!(races(first), [Code::MISSING_ORDER]);
    assert_eq!(
        races(|_, pending| pending.len() - 1),
        [],
        "the second thread comes first"
    );
}

#[test]
fn a_panicking_thread_is_pending_no_more() {
    let x = Buffer::<u32>::new("x", 1);
    let (_, outcome) = run_by((1, 2), Together::default(), alternate, || {
        struct AddsWhenDropped<'a>(&'a Buffer<u32>);
        impl Drop for AddsWhenDropped<'_> {
            fn drop(&mut self) {
                add(self.0.at(0), 1, RELAXED | DEVICE);
            }
        }
        let _adds = AddsWhenDropped(&x);
        assert!(add(x.at(0), 1, RELAXED | DEVICE) < 10_000_000 && me() == 1);
    });
    assert!(matches!(
        outcome.fault,
        Some(warploom_emulator::Fault::Panic { .. })
    ));
    assert_eq!(x.get(0), 4);
}

#[test]
fn a_grid_with_more_threads_runs_block_by_block() {
    let x = Buffer::<u32>::new("x", 1);
    let (told, outcome) = run_by((40, 64), Together::default(), first, || {
        add(x.at(0), 1, RELAXED | DEVICE);
    });
    assert_eq!((codes_of(&outcome), x.get(0)), (vec![], 40 * 64));
    assert_eq!(told.launches.len(), 1);
    assert!(!told.launches[0].is_together);
    let blocks: Vec<_> = told
        .chosen
        .iter()
        .map(|access| access.thread.block)
        .collect();
    assert!(blocks.is_sorted());
}

#[test]
fn native_code_is_not_controlled() {
    let x = Buffer::<u32>::new("x", 1);
    let choices = Arc::new(Choices {
        choose: first,
        told: Mutex::default(),
    });
    let mut options = Options::default();
    options.control = Some(Control(Arc::clone(&choices) as Arc<dyn Controller>));
    let outcome: Outcome = run_with(
        Shape::new([2, 1, 1], [2, 1, 1]),
        Together::default(),
        &options,
        &|| {
            add(x.at(0), 1, RELAXED | DEVICE);
        },
    );
    assert_eq!(outcome.reports, Vec::<Report>::new());
    assert!(choices.told().launches.is_empty());
}
