//! Checks of a loop that are decided before it are passed together, before anything is read between them.
//!
//! A loop in which threads meet at a barrier must not become two, one with checks and one without: threads of a warp could be in different ones.
//! Its checks stay where they are, each with a way out, and ptxas moves no load across one:
//!
//! ```text
//! loop {                                           loop {
//!     if !fits && i >= a.len() { panic }               if !fits {
//!     x = a[i]                                             if i >= a.len() { panic }
//!     if !fits && j >= b.len() { panic }                   if j >= b.len() { panic }
//!     y = b[j]                                         }
//!     …                                                x = a[i]; y = b[j]                under way together
//!     barrier                                          …
//! ```
//! Between such checks nothing is written, nor is anything called: the first that fails is the same, and what it says.

use super::late_checks::is_harmless;
use crate::llvm::{Block, Builder, Op, Value};
use std::collections::{HashMap, HashSet};

/// With fewer checks the one branch that takes their place, and what it costs to say how they come out, is as much as they are.
const LEAST: usize = 4;

/// The rows of checks that can be passed together, of blocks that end with a check each, in the function's order.
pub(super) fn rows<'ctx>(function: Value<'ctx>, checks: &[Block<'ctx>]) -> Vec<Row<'ctx>> {
    let ways = ways_to(function);
    let mut rows: Vec<Row<'ctx>> = Vec::new();
    for first in checks.iter().filter_map(|block| Check::of(*block)) {
        if rows.iter().any(|row| row.blocks().any(|b| b == first.at)) {
            continue;
        }
        let mut row = Row {
            checks: vec![first],
            between: vec![],
            early: HashSet::new(),
        };
        while row.goes_on(&ways, checks).is_some() {}
        rows.push(row);
    }
    rows.retain(|row| row.checks.len() >= LEAST && row.between.len() > row.early.len());
    rows
}

/// How many ways lead to each block of a function.
fn ways_to(function: Value<'_>) -> HashMap<Block<'_>, usize> {
    let mut ways = HashMap::new();
    for to in Block::all(function).into_iter().flat_map(Block::successors) {
        *ways.entry(to).or_default() += 1;
    }
    ways
}

/// A branch that goes on to a block, or to a panic.
struct Check<'ctx> {
    at: Block<'ctx>,
    next: Block<'ctx>,
    panic: Block<'ctx>,
}

impl<'ctx> Check<'ctx> {
    fn of(at: Block<'ctx>) -> Option<Check<'ctx>> {
        at.condition()?;
        match at.successors()[..] {
            [next, panic] | [panic, next] if panic.is_end() && !next.is_end() => {
                Some(Check { at, next, panic })
            }
            _ => None,
        }
    }

    /// What it needs to be made, and to panic, of what these instructions compute; `None` if that cannot be computed before all of them.
    fn needs(&self, among: &[Value<'ctx>]) -> Option<HashSet<Value<'ctx>>> {
        let mut todo: Vec<Value<'ctx>> = self.at.condition().into_iter().collect();
        for instruction in self.panic.instructions() {
            if instruction.op() == Op::Phi {
                let from = instruction.incoming().into_iter();
                todo.extend(from.filter(|(_, b)| *b == self.at).map(|(v, _)| v));
            } else {
                todo.extend(instruction.operands());
            }
        }
        let mut needed = HashSet::new();
        while let Some(value) = todo.pop() {
            if among.contains(&value) && needed.insert(value) {
                let early = is_harmless(value) && value.op() != Op::Call;
                todo.extend(early.then(|| value.operands())?);
            }
        }
        Some(needed)
    }
}

/// Checks that follow one another.
pub(super) struct Row<'ctx> {
    checks: Vec<Check<'ctx>>,
    /// All that is computed between the first and the last of them, in order.
    between: Vec<Value<'ctx>>,
    /// What of that the checks need.
    early: HashSet<Value<'ctx>>,
}

impl<'ctx> Row<'ctx> {
    pub(super) fn blocks(&self) -> impl Iterator<Item = Block<'ctx>> {
        self.checks.iter().map(|check| check.at)
    }

    /// Takes the check behind the last one in, if that is one of these and can be passed together with it.
    fn goes_on(&mut self, ways: &HashMap<Block<'ctx>, usize>, of: &[Block<'ctx>]) -> Option<()> {
        let last = self.checks.last()?;
        let check = Check::of(last.next).filter(|check| of.contains(&check.at))?;
        let alone = |b: Block<'ctx>| ways.get(&b) == Some(&1) && b.phis().is_empty();
        let end = check.at.terminator();
        let mut between = self.between.clone();
        between.extend(check.at.instructions().into_iter().filter(|i| *i != end));
        let reads = between.iter().copied().all(only_reads);
        let follows = reads && alone(check.at) && alone(check.next);
        let early = check.needs(&between).filter(|_| follows)?;
        self.between = between;
        self.early.extend(early);
        self.checks.push(check);
        Some(())
    }

    /// Passes them all over where `fits`. The loops of the function are to be found anew.
    pub(super) fn join(&self, function: Value<'ctx>, fits: Value<'ctx>) {
        let (Some(first), Some(last)) = (self.checks.first(), self.checks.last()) else {
            return;
        };
        let front = first.at.split_off_front(&Block::all(function));
        let (early, late) = (Builder::at_end(front), Builder::before(last.next.first()));
        for instruction in &self.between {
            let to = if self.early.contains(instruction) {
                &early
            } else {
                &late
            };
            to.take(*instruction);
        }
        early.branch(fits, last.next, first.at);
    }
}

/// Whether an instruction may as well be behind a check that follows it.
fn only_reads(instruction: Value<'_>) -> bool {
    match instruction.op() {
        Op::Load => !instruction.is_volatile() && instruction.ordering() == 0,
        Op::Phi | Op::Branch => false,
        _ => is_harmless(instruction),
    }
}

#[cfg(test)]
#[path = "joined_checks_tests.rs"]
mod tests;
