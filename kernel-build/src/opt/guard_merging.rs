//! Guard merging: checks of a loop that one condition in the preheader decides are skipped together, before the loads between them.
//!
//! A loop with a barrier must not be versioned: threads of a warp could run different versions. Its checks stay where they are, each with an exit, and
//! ptxas moves no load across one:
//!
//! ```text
//! loop {                                           loop {
//!     if !fits && i >= a.len() { panic }               if !fits {
//!     x = a[i]                                             if i >= a.len() { panic }
//!     if !fits && j >= b.len() { panic }                   if j >= b.len() { panic }
//!     y = b[j]                                         }
//!     …                                                x = a[i]; y = b[j]                both in flight
//!     barrier                                          …
//! ```
//! Between such checks there is no store and no call: the first check that fails is the same, and so is its message.

use super::gather_batching::is_speculatable;
use crate::hash::{HashMap, HashSet};
use crate::llvm::{Block, Builder, Op, TypeKind, Value};

/// With fewer checks, the branch that replaces them and the condition in the preheader cost as much as they do.
const LEAST: usize = 4;

/// The runs of consecutive checks that can be merged, of blocks that end with a check each, in the function's order.
pub(super) fn runs<'ctx>(function: Value<'ctx>, checks: &[Block<'ctx>]) -> Vec<Run<'ctx>> {
    let edges = edges_to(function);
    let mut runs: Vec<Run<'ctx>> = Vec::new();
    for first in checks.iter().filter_map(|block| Check::of(*block)) {
        if runs.iter().any(|run| run.blocks().any(|b| b == first.at)) {
            continue;
        }
        let mut run = Run {
            checks: vec![first],
            between: vec![],
            early: HashSet::default(),
        };
        while run.extend(&edges, checks).is_some() {}
        runs.push(run);
    }
    runs.retain(|run| run.checks.len() >= LEAST && run.between.len() > run.early.len());
    runs
}

/// The number of edges to each block of a function.
pub(super) fn edges_to(function: Value<'_>) -> HashMap<Block<'_>, usize> {
    let mut edges = HashMap::default();
    for to in Block::all(function).into_iter().flat_map(Block::successors) {
        *edges.entry(to).or_default() += 1;
    }
    edges
}

/// A branch with one successor that panics.
pub(super) struct Check<'ctx> {
    pub(super) at: Block<'ctx>,
    pub(super) next: Block<'ctx>,
    pub(super) panic: Block<'ctx>,
}

impl<'ctx> Check<'ctx> {
    pub(super) fn of(at: Block<'ctx>) -> Option<Check<'ctx>> {
        at.condition()?;
        match at.successors()[..] {
            [next, panic] | [panic, next] if panic.is_unreachable() && !next.is_unreachable() => {
                Some(Check { at, next, panic })
            }
            _ => None,
        }
    }

    /// The values that its condition and its panic take.
    pub(super) fn needed_values(&self) -> Vec<Value<'ctx>> {
        let mut values: Vec<Value<'ctx>> = self.at.condition().into_iter().collect();
        for instruction in self.panic.instructions() {
            if instruction.op() == Op::Phi {
                let from = instruction.incoming().into_iter();
                values.extend(from.filter(|(_, b)| *b == self.at).map(|(v, _)| v));
            } else {
                values.extend(instruction.operands());
            }
        }
        values
    }

    /// Whether its panic may read memory that the thread has written: with a load, or where a call gets a pointer, an instruction or PTX.
    pub(super) fn panic_reads(&self) -> bool {
        self.panic.instructions().into_iter().any(|i| match i.op() {
            Op::Call => {
                let callee = i.callee().as_function();
                let of_module = callee.is_some_and(|f| !f.name().starts_with("llvm."));
                let is_pointer = |o: &Value<'ctx>| {
                    matches!(o.ty().kind(), TypeKind::Pointer(_)) && !o.is_constant()
                };
                !of_module || i.operands().iter().any(is_pointer)
            }
            Op::Store | Op::Unreachable => false,
            _ => !is_speculatable(i),
        })
    }

    /// Which of these instructions its condition and its panic depend on; `None` if one of those cannot be hoisted above all of them.
    fn needs(&self, among: &[Value<'ctx>]) -> Option<HashSet<Value<'ctx>>> {
        let mut todo = self.needed_values();
        let mut needed = HashSet::default();
        while let Some(value) = todo.pop() {
            if among.contains(&value) && needed.insert(value) {
                let early = is_speculatable(value) && value.op() != Op::Call;
                todo.extend(early.then(|| value.operands())?);
            }
        }
        Some(needed)
    }
}

/// Consecutive checks.
pub(super) struct Run<'ctx> {
    checks: Vec<Check<'ctx>>,
    /// The instructions between the first and the last of them, in order.
    between: Vec<Value<'ctx>>,
    /// Those of them that the checks depend on.
    early: HashSet<Value<'ctx>>,
}

impl<'ctx> Run<'ctx> {
    pub(super) fn blocks(&self) -> impl Iterator<Item = Block<'ctx>> {
        self.checks.iter().map(|check| check.at)
    }

    /// Appends the check that follows the last one, if it is one of these and can be merged with it.
    fn extend(&mut self, edges: &HashMap<Block<'ctx>, usize>, of: &[Block<'ctx>]) -> Option<()> {
        let last = self.checks.last()?;
        let check = Check::of(last.next).filter(|check| of.contains(&check.at))?;
        let alone = |b: Block<'ctx>| edges.get(&b) == Some(&1) && b.phis().is_empty();
        let end = check.at.terminator();
        let mut between = self.between.clone();
        between.extend(check.at.instructions().into_iter().filter(|i| *i != end));
        let reads = between.iter().copied().all(can_move_behind_check);
        let follows = reads && alone(check.at) && alone(check.next);
        let early = check.needs(&between).filter(|_| follows)?;
        self.between = between;
        self.early.extend(early);
        self.checks.push(check);
        Some(())
    }

    /// Branches around all of them if `fits`. Invalidates what is known of the loops of the function.
    pub(super) fn merge(&self, function: Value<'ctx>, fits: Value<'ctx>) {
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
            to.move_here(*instruction);
        }
        early.cond_br(fits, last.next, first.at);
    }
}

/// Whether an instruction can be moved behind a check that follows it.
fn can_move_behind_check(instruction: Value<'_>) -> bool {
    match instruction.op() {
        Op::Load => !instruction.is_volatile() && instruction.ordering() == 0,
        Op::Phi | Op::Branch => false,
        _ => is_speculatable(instruction),
    }
}

#[cfg(test)]
#[path = "guard_merging_tests.rs"]
mod tests;
