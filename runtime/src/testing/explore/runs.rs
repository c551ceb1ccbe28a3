//! Executions of a body until one fails, and the smallest schedule that fails as it did.

use std::sync::Arc;

use warploom_emulator::check::{Control, Controller};

use super::error::ExplorationError;
use super::execution::{Choose, Execution, Recorder};
use super::failure::{self, Failed};
use super::random::{Numbers, Priorities, RandomWalk};
use super::reduction::{Next, Reduction};
use super::report::ScheduleFailure;
use super::strategy::{Explored, Memory, Strategy};
use super::switches::{Count, Replay, Switches};
use crate::device::Device;
use crate::error::Result;
use crate::model::Emulator;

/// Executions that look for a smaller failing schedule.
const MOST_SHRINKING: u64 = 500;

/// What runs.
pub(super) struct Runs<'a> {
    pub(super) emulator: Emulator,
    pub(super) memory: Memory,
    pub(super) body: &'a dyn Fn(&Device) -> Result<()>,
}

impl Runs<'_> {
    fn execute(&self, choose: Box<dyn Choose>, names_memory: bool) -> (Execution, Option<Failed>) {
        let recorder = Arc::new(Recorder::new(choose, self.memory, names_memory));
        let control = Control(Arc::clone(&recorder) as Arc<dyn Controller>);
        let device = self.emulator.controlled(control);
        let failed = failure::run(&device, self.body);
        (recorder.take(), failed)
    }

    pub(super) fn explore(
        &self,
        strategy: Strategy,
        executions: u64,
        seed: u64,
    ) -> Result<Explored, ExplorationError> {
        let mut explored = Explored {
            executions: 0,
            complete: false,
            most_steps: 0,
        };
        let exhaustive = match strategy {
            Strategy::Automatic => executions.div_ceil(2),
            Strategy::Exhaustive => executions,
            Strategy::Priorities { .. } | Strategy::Random => 0,
        };
        let all = strategy == Strategy::Exhaustive;
        self.exhaust(exhaustive, all, &mut explored)?;
        let mut seeds = Numbers::new(seed);
        while !all && !explored.complete && explored.executions < executions {
            let seed = seeds.next();
            let choose: Box<dyn Choose> = match (strategy, explored.executions % 4) {
                (Strategy::Random, _) | (Strategy::Automatic, 0) => Box::new(RandomWalk::new(seed)),
                (Strategy::Priorities { depth }, _) => {
                    Box::new(Priorities::new(seed, depth, explored.most_steps))
                }
                (_, depth) => {
                    Box::new(Priorities::new(seed, depth as u32 + 1, explored.most_steps))
                }
            };
            self.step(choose, &mut explored)?;
        }
        Ok(explored)
    }

    /// Explores all schedules, or so many executions; a body that is not deterministic is an error if they are to be `all`.
    fn exhaust(
        &self,
        executions: u64,
        all: bool,
        explored: &mut Explored,
    ) -> Result<(), ExplorationError> {
        let reduction = Reduction::default();
        while explored.executions < executions {
            let execution = self.step(Box::new(reduction.clone()), explored)?;
            match reduction.next(&execution) {
                Next::More => {}
                Next::Complete => {
                    explored.complete = true;
                    break;
                }
                Next::NotDeterministic if all => {
                    let execution = explored.executions;
                    return Err(ExplorationError::NotDeterministic { execution });
                }
                // Only chance is left.
                Next::NotDeterministic => break,
            }
        }
        Ok(())
    }

    /// One execution.
    fn step(
        &self,
        choose: Box<dyn Choose>,
        explored: &mut Explored,
    ) -> Result<Execution, ExplorationError> {
        let (execution, failed) = self.execute(choose, false);
        explored.executions += 1;
        explored.most_steps = explored.most_steps.max(execution.steps.len());
        match failed {
            None => Ok(execution),
            Some(failed) => {
                let failure = self.shrink(execution, failed, explored.executions);
                Err(ExplorationError::Schedule(failure))
            }
        }
    }

    pub(super) fn replay(&self, switches: Switches) -> Result<Explored, ExplorationError> {
        let (execution, failed) = self.execute(Box::new(Replay(switches)), true);
        match failed {
            Some(failed) => Err(ExplorationError::Schedule(Box::new(ScheduleFailure::new(
                &failed,
                &execution,
                1,
                Count::of(&execution),
            )))),
            None => Ok(Explored {
                executions: 1,
                complete: false,
                most_steps: execution.steps.len(),
            }),
        }
    }

    /// Leaves switches and accesses of older stores out as long as the body fails in the same way, first many at a time, then one by one.
    fn shrink(&self, execution: Execution, failed: Failed, number: u64) -> Box<ScheduleFailure> {
        let before = Count::of(&execution);
        let mut best = Switches::of(&execution);
        let mut runs = 0;
        let mut length = best.0.len().div_ceil(2);
        while length > 0 && runs < MOST_SHRINKING {
            let mut at = 0;
            let mut is_smaller = false;
            while at < best.0.len() && runs < MOST_SHRINKING {
                let end = (at + length).min(best.0.len());
                let (tried, other) = self.execute(Box::new(Replay(best.without(at..end))), false);
                runs += 1;
                let fewer = Switches::of(&tried);
                let fails = other.is_some_and(|other| other.kind == failed.kind);
                if fails && fewer.0.len() < best.0.len() {
                    best = fewer;
                    is_smaller = true;
                } else {
                    at = end;
                }
            }
            if length == 1 && !is_smaller {
                break;
            }
            length = (length / 2).max(1);
        }
        // Again, with the names of memory.
        let (named, again) = self.execute(Box::new(Replay(best)), true);
        let failure = match again {
            Some(again) if again.kind == failed.kind => {
                ScheduleFailure::new(&again, &named, number, before)
            }
            _ => ScheduleFailure::new(&failed, &execution, number, before),
        };
        Box::new(failure)
    }
}
