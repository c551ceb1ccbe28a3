//! Loads of older values under the reduction: what explorations have, against all interleavings with all stores that may be read.
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
    /// Sequentially consistent.
    Fence,
}
use Op::{Add, Fence, Load, Store};

type Program = Vec<Vec<Op>>;
type View = [usize; CELLS];
/// A thread and how many steps it had made: a step; `None`: what was there before.
type Id = Option<(usize, usize)>;
/// What each load read, and the stores of each cell in order.
type Outcome = (BTreeSet<(Id, Id)>, [Vec<Id>; CELLS]);

#[derive(Clone, Copy)]
struct Stored {
    id: Id,
    access: Option<u64>,
    view: View,
}

#[derive(Clone)]
struct Machine {
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

    /// How many stores a load may read.
    fn readable(&self, thread: usize, cell: usize) -> usize {
        self.cells[cell].len() - self.views[thread][cell]
    }

    /// What comes before a sequentially consistent step.
    fn fence(&mut self, program: &Program, thread: usize) {
        if let Some(Load(_, SeqCst) | Store(_, SeqCst) | Fence) = self.next(program, thread) {
            join(&mut self.views[thread], &self.fences);
            join(&mut self.fences, &self.views[thread]);
        }
    }

    fn reads(&mut self, thread: usize, cell: usize, (older, acquires): (usize, bool)) {
        let number = self.cells[cell].len() - 1 - older;
        let store = self.cells[cell][number];
        self.read
            .insert((Some((thread, self.at[thread])), store.id));
        let view = &mut self.views[thread];
        view[cell] = view[cell].max(number);
        if acquires {
            join(view, &store.view);
        }
    }

    /// The thread makes its next step; a load reads the store than which so many are newer.
    fn step(&mut self, program: &Program, thread: usize, older: usize) {
        let op = self.next(program, thread);
        match op {
            Some(Load(cell, order)) => self.reads(thread, cell, (older, order != Relaxed)),
            Some(Store(cell, order)) => {
                self.writes(thread, cell, order != Relaxed, [0; CELLS]);
            }
            Some(Add(cell)) => {
                self.reads(thread, cell, (0, false));
                let before = self.cells[cell]
                    .last()
                    .map_or([0; CELLS], |store| store.view);
                self.writes(thread, cell, false, before);
            }
            Some(Fence) | None => {}
        }
        self.at[thread] += 1;
        self.accesses += 1;
    }

    fn writes(&mut self, thread: usize, cell: usize, releases: bool, mut view: View) {
        self.views[thread][cell] = self.cells[cell].len();
        if releases {
            join(&mut view, &self.views[thread]);
        }
        self.cells[cell].push(Stored {
            id: Some((thread, self.at[thread])),
            access: Some(self.accesses),
            view,
        });
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
            let choices = match machine.next(program, thread) {
                None => continue,
                Some(Load(cell, _)) => machine.readable(thread, cell),
                Some(_) => 1,
            };
            any = true;
            for older in 0..choices {
                let mut machine = machine.clone();
                machine.step(program, thread, older);
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
        let mut older = 0;
        machine.fence(program, thread);
        if let Some(Load(cell, _)) = machine.next(program, thread) {
            let stores = machine.cells[cell].iter().rev();
            let stores: Vec<_> = stores
                .take(machine.readable(thread, cell))
                .map(|store| ReadableStore {
                    access: store.access,
                    value: 0,
                })
                .collect();
            if stores.len() > 1 {
                older = recorder.choose_store(&stores);
            }
        }
        machine.step(program, thread, older);
        recorder.made(MadeAccess {
            is_store: access.writes,
            ..MadeAccess::default()
        });
    }
}

fn pending(thread: usize, op: Op) -> PendingAccess {
    let (cell, writes, seq_cst) = match op {
        Load(cell, order) => (Some(cell), false, order == SeqCst),
        Store(cell, order) => (Some(cell), true, order == SeqCst),
        Add(cell) => (Some(cell), true, false),
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
    let programs: [Program; 7] = [
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
fn a_load_that_could_have_come_earlier_reads_the_newest_store() {
    let program: Program = vec![vec![Store(0, Relaxed)], vec![Load(0, Relaxed)]];
    assert_eq!(explore(&program).1, 2, "before and after the store");
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
                        match numbers.next() % 8 {
                            0..3 => Load(cell, order),
                            3..6 => Store(cell, order),
                            6 => Add(cell),
                            _ => Fence,
                        }
                    })
                    .collect()
            })
            .collect();
        assert_eq!(explore(&program).0, all(&program), "{program:?}");
    }
}
