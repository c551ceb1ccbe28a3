//! Shrinking: a function on which a pass is wrong is simplified as long as the pass stays wrong.

use super::compare::{Call, Compared, Mismatch, Pass, Suite, compare};
use super::function::{BlockId, Definition, Function, Terminator};

/// Maximum number of functions that are tried.
const ATTEMPTS: usize = 300;

/// The smallest function that was found to differ, and its calls.
pub(super) fn shrink(
    suite: &Suite,
    functions: &[Function],
    calls: &[Call],
    mismatch: &Mismatch,
    pass: Pass<'_>,
) -> (Function, Vec<Call>) {
    let mut function = functions[mismatch.function].clone();
    let own = calls.iter().filter(|c| c.function == mismatch.function);
    let mut calls: Vec<Call> = own.filter_map(|c| c.repeated(&function)).collect();
    let mut attempts = 0;
    loop {
        let before = attempts;
        let mut smaller = false;
        for candidate in 0..function.blocks.len() * 2 + function.values.len() {
            let Some(simpler) = function.simplified(candidate) else {
                continue;
            };
            attempts += 1;
            if attempts > ATTEMPTS {
                return (function, calls);
            }
            let again: Vec<Call> = calls.iter().filter_map(|c| c.repeated(&simpler)).collect();
            let one = std::slice::from_ref(&simpler);
            if compare(suite, one, &again, pass, &mut Compared::default()).is_err() {
                (function, calls, smaller) = (simpler, again, true);
            }
        }
        if !smaller || attempts == before {
            return (function, calls);
        }
    }
}

impl Function {
    /// A simpler function, by number: a branch that goes one way only, or a value that is constant.
    fn simplified(&self, candidate: usize) -> Option<Function> {
        let mut simpler = self.clone();
        let branches = self.blocks.len() * 2;
        if candidate < branches {
            let end = &mut simpler.blocks[candidate / 2].end;
            let to = match end {
                Terminator::CondBr(_, yes, no) => [*yes, *no][candidate % 2],
                Terminator::Switch(_, _, default) if candidate.is_multiple_of(2) => *default,
                _ => return None,
            };
            *end = Terminator::Br(to);
            simpler.prune_phis();
            return Some(simpler);
        }
        let id = candidate - branches;
        if !simpler.blocks.iter().any(|b| b.values.contains(&id)) {
            return None;
        }
        match simpler.values[id].definition {
            Definition::Parameter(_) | Definition::Length(_) | Definition::Constant(_) => None,
            _ => {
                simpler.values[id].definition = Definition::Constant(0);
                Some(simpler)
            }
        }
    }

    /// Removes the incoming values of edges that are gone.
    fn prune_phis(&mut self) {
        let successors: Vec<Vec<BlockId>> =
            self.blocks.iter().map(|b| b.end.successors()).collect();
        for (at, block) in self.blocks.iter().enumerate() {
            for id in &block.values {
                if let Definition::Phi(arms) = &mut self.values[*id].definition {
                    arms.retain(|(from, _)| successors[*from].contains(&at));
                    if arms.is_empty() {
                        self.values[*id].definition = Definition::Constant(0);
                    }
                }
            }
        }
    }
}

impl Terminator {
    fn successors(&self) -> Vec<BlockId> {
        match self {
            Terminator::Br(to) => vec![*to],
            Terminator::CondBr(_, yes, no) => vec![*yes, *no],
            Terminator::Switch(_, cases, default) => {
                let cases = cases.iter().map(|(_, to)| *to);
                cases.chain([*default]).collect()
            }
            Terminator::Ret(_) | Terminator::Panic(_) => Vec::new(),
        }
    }
}
