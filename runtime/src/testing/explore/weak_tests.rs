//! Loads of older values and stores before others under the reduction: what explorations have, against all interleavings with all stores that may be read and all places that may be taken.
//!
//! The memory is a small one of its own: views of threads, of stores that release, and of sequentially consistent fences.

use std::collections::BTreeSet;

use warploom_emulator::check::SiteId;

use super::super::random::Numbers;
use super::super::reduction::{Next, Reduction};
use super::*;

const CELLS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Relaxed,
    /// Acquires or releases.
    Ordered,
    /// The same behind a fence.
    SeqCst,
}
use How::{Ordered, Relaxed, SeqCst};

#[derive(Debug, Clone, Copy)]
enum Op {
    Load(usize, How),
    Store(usize, How),
    Add(usize),
    /// Replaces what was there before all stores, and nothing else.
    Replace(usize),
    /// Sequentially consistent.
    Fence,
}
use Op::{Add, Fence, Load, Replace, Store};

type Program = Vec<Vec<Op>>;
/// For each cell a place in the modification order.
type View = [u64; CELLS];
/// A thread and how many steps it had made: a step; `None`: what was there before.
type Id = Option<(usize, usize)>;
/// What each load read, and the stores of each cell in modification order.
type Outcome = (BTreeSet<(Id, Id)>, [Vec<Id>; CELLS]);

/// Between a store that was the last and the next one.
const STEP: u64 = 1 << 16;

#[derive(Clone, Copy)]
struct Stored {
    id: Id,
    access: Option<u64>,
    place: u64,
    is_change: bool,
    view: View,
}

#[derive(Clone)]
struct Machine {
    /// In modification order.
    cells: [Vec<Stored>; CELLS],
    views: Vec<View>,
    fences: View,
    at: Vec<usize>,
    accesses: u64,
    read: BTreeSet<(Id, Id)>,
}

impl Machine {
    fn new(threads: usize) -> Machine {
        let before = Stored {
            id: None,
            access: None,
            place: 0,
            is_change: false,
            view: [0; CELLS],
        };
        Machine {
            cells: [const { Vec::new() }; CELLS].map(|_: Vec<Stored>| vec![before]),
            views: vec![[0; CELLS]; threads],
            fences: [0; CELLS],
            at: vec![0; threads],
            accesses: 0,
            read: BTreeSet::new(),
        }
    }

    fn next(&self, program: &Program, thread: usize) -> Option<Op> {
        program[thread].get(self.at[thread]).copied()
    }

    /// The stores that the next step may read or come behind, as indices, the last first.
    fn choices(&self, program: &Program, thread: usize) -> Vec<usize> {
        let (cell, writes) = match self.next(program, thread) {
            Some(Load(cell, _)) => (cell, false),
            Some(Store(cell, _) | Add(cell) | Replace(cell)) => (cell, true),
            Some(Fence) | None => return vec![0],
        };
        let stores = &self.cells[cell];
        let is_open = |at: usize| stores.get(at + 1).is_none_or(|next| !next.is_change);
        let known = self.views[thread][cell];
        let choices = (0..stores.len()).rev();
        choices
            .filter(|at| stores[*at].place >= known && (!writes || is_open(*at)))
            .collect()
    }

    /// What comes before a sequentially consistent step.
    fn fence(&mut self, program: &Program, thread: usize) {
        if let Some(Load(_, SeqCst) | Store(_, SeqCst) | Fence) = self.next(program, thread) {
            join(&mut self.views[thread], &self.fences);
            join(&mut self.fences, &self.views[thread]);
        }
    }

    fn reads(&mut self, thread: usize, cell: usize, at: usize, acquires: bool) {
        let store = self.cells[cell][at];
        self.read
            .insert((Some((thread, self.at[thread])), store.id));
        let view = &mut self.views[thread];
        view[cell] = view[cell].max(store.place);
        if acquires {
            join(view, &store.view);
        }
    }

    /// The thread makes its next step, reading store number `at` or coming behind it; gives whether that is a store.
    fn step(&mut self, program: &Program, thread: usize, at: usize) -> bool {
        let op = self.next(program, thread);
        let is_store = match op {
            Some(Load(cell, order)) => {
                self.reads(thread, cell, at, order != Relaxed);
                false
            }
            Some(Store(cell, order)) => {
                self.writes(thread, (cell, at), order != Relaxed, false);
                true
            }
            Some(Add(cell) | Replace(cell)) => {
                self.reads(thread, cell, at, false);
                let changes = matches!(op, Some(Add(_))) || self.cells[cell][at].id.is_none();
                if changes {
                    self.writes(thread, (cell, at), false, true);
                }
                changes
            }
            Some(Fence) | None => false,
        };
        self.at[thread] += 1;
        self.accesses += 1;
        is_store
    }

    fn writes(
        &mut self,
        thread: usize,
        (cell, at): (usize, usize),
        releases: bool,
        is_change: bool,
    ) {
        let before = self.cells[cell][at];
        let next = self.cells[cell].get(at + 1);
        let place = next.map_or(before.place + STEP, |next| {
            before.place.midpoint(next.place)
        });
        self.views[thread][cell] = place;
        let mut view = if is_change { before.view } else { [0; CELLS] };
        if releases {
            join(&mut view, &self.views[thread]);
        }
        let stored = Stored {
            id: Some((thread, self.at[thread])),
            access: Some(self.accesses),
            place,
            is_change,
            view,
        };
        self.cells[cell].insert(at + 1, stored);
    }

    fn outcome(&self) -> Outcome {
        let cells = self.cells.clone();
        let ids = cells.map(|stores| stores.iter().map(|store| store.id).collect());
        (self.read.clone(), ids)
    }
}

fn join(view: &mut View, other: &View) {
    for (own, other) in view.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}

/// Every outcome, by trying all.
fn all(program: &Program) -> BTreeSet<Outcome> {
    fn go(program: &Program, machine: &Machine, found: &mut BTreeSet<Outcome>) {
        let mut any = false;
        for thread in 0..program.len() {
            let mut machine = machine.clone();
            machine.fence(program, thread);
            if machine.next(program, thread).is_none() {
                continue;
            }
            any = true;
            for at in machine.choices(program, thread) {
                let mut machine = machine.clone();
                machine.step(program, thread, at);
                go(program, &machine, found);
            }
        }
        if !any {
            found.insert(machine.outcome());
        }
    }
    let mut found = BTreeSet::new();
    go(program, &Machine::new(program.len()), &mut found);
    found
}

/// One execution.
fn execute(program: &Program, recorder: &Recorder) -> Outcome {
    recorder.begin(ControlledLaunch {
        kernel: "model",
        grid: [program.len() as u32, 1, 1],
        block: [1; 3],
        is_together: true,
    });
    let mut machine = Machine::new(program.len());
    loop {
        let threads = 0..program.len();
        let pending: Vec<_> = threads
            .filter_map(|thread| machine.next(program, thread).map(|op| pending(thread, op)))
            .collect();
        if pending.is_empty() {
            return machine.outcome();
        }
        let access = pending[recorder.choose(&pending)];
        let thread = access.thread.block as usize;
        machine.fence(program, thread);
        let choices = machine.choices(program, thread);
        let op = machine.next(program, thread);
        let mut chosen = 0;
        if let Some(Load(cell, _) | Store(cell, _) | Add(cell) | Replace(cell)) = op
            && choices.len() > 1
        {
            let stores = choices.iter().map(|at| ReadableStore {
                access: machine.cells[cell][*at].access,
                value: 0,
            });
            chosen = recorder.choose_store(&stores.collect::<Vec<_>>());
        }
        let is_store = machine.step(program, thread, choices[chosen]);
        recorder.made(MadeAccess {
            is_store,
            ..MadeAccess::default()
        });
    }
}

fn pending(thread: usize, op: Op) -> PendingAccess {
    let (cell, writes, seq_cst) = match op {
        Load(cell, order) => (Some(cell), false, order == SeqCst),
        Store(cell, order) => (Some(cell), true, order == SeqCst),
        Add(cell) | Replace(cell) => (Some(cell), true, false),
        Fence => (None, false, true),
    };
    PendingAccess {
        thread: ThreadId {
            block: thread as u64,
            thread: 0,
        },
        address: cell.map_or(0, |cell| 0x1000 + 4 * cell),
        bytes: cell.map_or(0, |_| 4),
        writes,
        seq_cst,
        site: SiteId(1),
    }
}

/// Explores to the end: the outcomes, and in how many executions.
fn explore(program: &Program) -> (BTreeSet<Outcome>, usize) {
    let reduction = Reduction::default();
    let mut found = BTreeSet::new();
    for executions in 1.. {
        let recorder = Recorder::new(Box::new(reduction.clone()), Memory::Weak, false);
        found.insert(execute(program, &recorder));
        match reduction.next(&recorder.take()) {
            Next::More => {}
            Next::Complete => return (found, executions),
            Next::NotDeterministic => panic!("the model is deterministic"),
        }
    }
    unreachable!("it is finite")
}

#[test]
fn every_outcome_of_small_programs_is_explored() {
    let programs: [Program; 12] = [
        // Store buffering, relaxed and with fences.
        vec![
            vec![Store(0, Relaxed), Load(1, Relaxed)],
            vec![Store(1, Relaxed), Load(0, Relaxed)],
        ],
        vec![
            vec![Store(0, Relaxed), Fence, Load(1, Relaxed)],
            vec![Store(1, Relaxed), Fence, Load(0, Relaxed)],
        ],
        // Messages, with and without order.
        vec![
            vec![Store(0, Relaxed), Store(1, Relaxed)],
            vec![Load(1, Relaxed), Load(0, Relaxed)],
        ],
        vec![
            vec![Store(0, Relaxed), Store(1, Ordered)],
            vec![Load(1, Ordered), Load(0, Relaxed)],
        ],
        // Independent reads of independent writes.
        vec![
            vec![Store(0, Relaxed)],
            vec![Store(1, Relaxed)],
            vec![Load(0, Ordered), Load(1, Ordered)],
            vec![Load(1, Ordered), Load(0, Ordered)],
        ],
        // The load comes after the fence, and knows by that alone that it comes after the first store.
        vec![
            vec![Store(0, Relaxed), Store(1, Relaxed)],
            vec![Store(1, Relaxed), Fence, Load(2, Relaxed)],
            vec![Store(2, Relaxed), Load(0, SeqCst)],
        ],
        // Stores before others that were made earlier: S, 2+2W, and S with a change.
        vec![
            vec![Store(0, Relaxed), Store(1, Relaxed)],
            vec![Load(1, Relaxed), Store(0, Relaxed)],
        ],
        vec![
            vec![Store(0, Relaxed), Store(1, Relaxed)],
            vec![Store(1, Relaxed), Store(0, Relaxed)],
        ],
        vec![
            vec![Store(0, Relaxed), Store(1, Ordered)],
            vec![Load(1, Relaxed), Add(0)],
        ],
        vec![
            vec![Store(0, Relaxed), Fence, Store(1, Relaxed)],
            vec![Store(1, Relaxed), Fence, Store(0, Relaxed)],
        ],
        // A load has to come before the store which then comes before the one that the load comes after.
        vec![
            vec![Store(0, Relaxed), Store(1, Relaxed)],
            vec![Load(1, Relaxed), Load(0, Relaxed)],
            vec![Store(0, Relaxed)],
        ],
        // Two writers and a reader of one cell.
        vec![
            vec![Store(0, Relaxed), Store(0, Relaxed)],
            vec![Add(0)],
            vec![Load(0, Relaxed), Load(0, Relaxed)],
        ],
    ];
    for program in programs {
        let (found, executions) = explore(&program);
        let all = all(&program);
        assert_eq!(found, all, "{program:?}");
        assert!(
            executions <= 2 * all.len(),
            "{executions} for {} outcomes: {program:?}",
            all.len()
        );
    }
}

#[test]
fn every_outcome_of_changes_that_may_fail_is_explored() {
    let programs: [Program; 2] = [
        // The second thread's replacement may read what was there before: then the third one's store has to come behind that.
        vec![
            vec![Replace(1), Add(1)],
            vec![Add(0), Replace(1)],
            vec![Store(1, Relaxed), Replace(0)],
        ],
        // Whether the first thread's replacement is a store depends on its choice.
        vec![
            vec![Load(1, Relaxed), Replace(0)],
            vec![Replace(0), Add(0), Replace(1)],
            vec![Store(1, Relaxed), Store(0, Relaxed)],
        ],
    ];
    for program in programs {
        assert_eq!(explore(&program).0, all(&program), "{program:?}");
    }
}

#[test]
fn a_load_that_could_have_come_earlier_reads_the_newest_store() {
    let program: Program = vec![vec![Store(0, Relaxed)], vec![Load(0, Relaxed)]];
    assert_eq!(explore(&program).1, 2, "before and after the store");
}

#[test]
fn a_store_that_could_have_come_earlier_comes_last() {
    let program: Program = vec![vec![Store(0, Relaxed)], vec![Store(0, Relaxed)]];
    assert_eq!(explore(&program).1, 2, "before and after the other");
}

#[test]
fn every_outcome_of_random_programs_is_explored() {
    let mut numbers = Numbers::new(11);
    for _ in 0..400 {
        let threads = 2 + numbers.next() % 2;
        let most = if threads == 2 { 4 } else { 3 };
        let program: Program = (0..threads)
            .map(|_| {
                (0..1 + numbers.next() % most)
                    .map(|_| {
                        let cell = (numbers.next() % 2) as usize;
                        let order = [Relaxed, Relaxed, Ordered, SeqCst];
                        let order = order[(numbers.next() % 4) as usize];
                        match numbers.next() % 16 {
                            0..6 => Load(cell, order),
                            6..12 => Store(cell, order),
                            12 => Add(cell),
                            13 => Replace(cell),
                            _ => Fence,
                        }
                    })
                    .collect()
            })
            .collect();
        assert_eq!(explore(&program).0, all(&program), "{program:?}");
    }
}
