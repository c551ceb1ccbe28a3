//! Programs of a model: threads with a list of accesses each, of which every one can be made at any time.

use std::collections::BTreeSet;

use warploom_emulator::check::{ControlledLaunch, MadeAccess, PendingAccess, SiteId};

use super::*;

/// An access of a model's thread: a cell, and whether it changes it.
type Access = (usize, bool);

/// Who precedes whom among dependent steps: block and number of the one and of the other.
type Class = Vec<(u64, u32, u64, u32)>;

type Classes = BTreeSet<Class>;

fn thread(number: usize) -> ThreadId {
    ThreadId {
        block: number as u64,
        thread: 0,
    }
}

/// Runs the program by the reduction's choices.
fn execute(program: &[&[Access]], reduction: &mut Reduction) -> Execution {
    let mut execution = Execution::default();
    execution.launches.push(ControlledLaunch {
        kernel: "model",
        grid: [program.len() as u32, 1, 1],
        block: [1; 3],
        is_together: true,
    });
    let mut at = vec![0; program.len()];
    loop {
        let threads = program.iter().zip(&at).enumerate();
        let pending: Vec<_> = threads
            .filter_map(|(number, (list, at))| {
                list.get(*at).map(|(cell, writes)| PendingAccess {
                    thread: thread(number),
                    address: 0x1000 + 4 * cell,
                    bytes: 4,
                    writes: *writes,
                    seq_cst: false,
                    site: SiteId(1),
                })
            })
            .collect();
        if pending.is_empty() {
            return execution;
        }
        let chosen = reduction.choose(Decision {
            launch: 0,
            steps: &execution.steps,
            pending: &pending,
        });
        let access = pending[chosen];
        let number = access.thread.block as usize;
        execution.steps.push(Step {
            launch: 0,
            access,
            of_thread: at[number] as u32,
            is_switch: false,
            older: 0,
            could_write: false,
            made: MadeAccess {
                is_store: access.writes,
                ..MadeAccess::default()
            },
        });
        at[number] += 1;
    }
}

/// Who precedes whom among dependent steps: two schedules with the same are equivalent.
fn class_of(execution: &Execution) -> Class {
    let steps = &execution.steps;
    let mut order = Vec::new();
    for (now, step) in steps.iter().enumerate() {
        for before in &steps[..now] {
            if are_dependent(
                &before.access,
                &step.access,
                before.made.is_store || step.made.is_store,
            ) {
                let id = |step: &Step| (step.access.thread.block, step.of_thread);
                let ((a, i), (b, j)) = (id(before), id(step));
                order.push((a, i, b, j));
            }
        }
    }
    order.sort_unstable();
    order
}

/// Every equivalence class, by trying all interleavings.
fn all_classes(program: &[&[Access]]) -> Classes {
    fn go(program: &[&[Access]], at: &mut Vec<usize>, steps: &mut Vec<Step>, found: &mut Classes) {
        let mut any = false;
        for number in 0..program.len() {
            let Some((cell, writes)) = program[number].get(at[number]).copied() else {
                continue;
            };
            any = true;
            steps.push(Step {
                launch: 0,
                access: PendingAccess {
                    thread: thread(number),
                    address: 0x1000 + 4 * cell,
                    bytes: 4,
                    writes,
                    seq_cst: false,
                    site: SiteId(1),
                },
                of_thread: at[number] as u32,
                is_switch: false,
                older: 0,
                could_write: false,
                made: MadeAccess {
                    is_store: writes,
                    ..MadeAccess::default()
                },
            });
            at[number] += 1;
            go(program, at, steps, found);
            at[number] -= 1;
            steps.pop();
        }
        if !any {
            let execution = Execution {
                launches: vec![],
                steps: steps.clone(),
            };
            found.insert(class_of(&execution));
        }
    }
    let mut found = BTreeSet::new();
    go(
        program,
        &mut vec![0; program.len()],
        &mut Vec::new(),
        &mut found,
    );
    found
}

/// Explores to the end: the classes that were seen, and in how many executions.
fn explore(program: &[&[Access]]) -> (Classes, usize) {
    let mut reduction = Reduction::default();
    let mut found = BTreeSet::new();
    for executions in 1.. {
        let execution = execute(program, &mut reduction);
        found.insert(class_of(&execution));
        match reduction.next(&execution) {
            Next::More => {}
            Next::Complete => return (found, executions),
            Next::NotDeterministic => panic!("the model is deterministic"),
        }
    }
    unreachable!("it is finite")
}

const READ_X: Access = (0, false);
const WRITE_X: Access = (0, true);
const READ_Y: Access = (1, false);
const WRITE_Y: Access = (1, true);

#[test]
fn independent_steps_have_one_schedule() {
    let program: [&[Access]; 3] = [&[WRITE_X, WRITE_X], &[WRITE_Y, READ_Y], &[(2, true)]];
    assert_eq!(explore(&program).1, 1);
    let readers: [&[Access]; 3] = [&[READ_X, READ_X], &[READ_X], &[READ_X]];
    assert_eq!(explore(&readers).1, 1);
}

#[test]
fn every_class_of_small_programs_is_explored() {
    let programs: [&[&[Access]]; 7] = [
        &[&[READ_X, WRITE_X], &[READ_X, WRITE_X]],
        &[&[WRITE_X, READ_Y], &[WRITE_Y, READ_X]],
        &[&[WRITE_X, WRITE_Y], &[READ_Y, READ_X]],
        &[&[WRITE_X], &[WRITE_X], &[WRITE_X]],
        &[&[WRITE_X], &[WRITE_Y], &[READ_X, READ_Y], &[READ_Y, READ_X]],
        &[&[READ_X, WRITE_Y, READ_X], &[READ_Y, WRITE_X]],
        &[&[READ_X, WRITE_X], &[READ_X, WRITE_X], &[READ_X, WRITE_X]],
    ];
    for program in programs {
        let (found, executions) = explore(program);
        let all = all_classes(program);
        assert_eq!(found, all, "{program:?}");
        assert!(
            executions <= 2 * all.len(),
            "{executions} for {} classes: {program:?}",
            all.len()
        );
    }
}

#[test]
fn every_class_of_random_programs_is_explored() {
    let mut numbers = super::super::random::Numbers::new(7);
    for _ in 0..300 {
        let threads = 2 + numbers.next() % 2;
        let lists: Vec<Vec<Access>> = (0..threads)
            .map(|_| {
                (0..1 + numbers.next() % 3)
                    .map(|_| {
                        (
                            (numbers.next() % 2) as usize,
                            numbers.next().is_multiple_of(2),
                        )
                    })
                    .collect()
            })
            .collect();
        let program: Vec<&[Access]> = lists.iter().map(|list| &**list).collect();
        assert_eq!(explore(&program).0, all_classes(&program), "{program:?}");
    }
}

#[test]
fn steps_before_and_after_a_meeting_are_ordered() {
    let mut reduction = Reduction::default();
    let pending = |number: usize| PendingAccess {
        thread: thread(number),
        address: 0x1000,
        bytes: 4,
        writes: true,
        seq_cst: false,
        site: SiteId(1),
    };
    let mut execution = Execution::default();
    // Each thread changes the cell alone, and both meet in between.
    for number in [0, 1] {
        let pending = [pending(number)];
        reduction.choose(Decision {
            launch: 0,
            steps: &execution.steps,
            pending: &pending,
        });
        execution.steps.push(Step {
            launch: 0,
            access: pending[0],
            of_thread: 0,
            is_switch: false,
            older: 0,
            could_write: false,
            made: MadeAccess {
                is_store: true,
                ..MadeAccess::default()
            },
        });
        reduction.met(&[thread(0), thread(1)]);
    }
    assert_eq!(reduction.next(&execution), Next::Complete);
}
