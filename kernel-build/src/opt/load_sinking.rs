//! Load sinking: loads that stand before a bounds check are made behind it, so that they do not wait for one another.
//!
//! ptxas moves no load across a branch to a panic. Where each of several elements has a check of its own, each load would wait until the one before it has
//! arrived, although no check needs an element:
//!
//! ```text
//! if i >= a.len() { panic }                        if i >= a.len() { panic }
//! x = a[i]                                         if j >= b.len() { panic }
//! if j >= b.len() { panic }                        x = a[i]
//! y = b[j]                                         y = b[j]                     both in flight
//! ```
//! Nothing is executed that was not executed before, and a thread that panics makes fewer loads. What the check or its panic depends on stays where it is, and
//! so does every load that a store or a call behind it could change. Stores to shared memory go along, unless the panic may read them: a thread that panics
//! leaves its element unwritten, as a panic before the store does.

use super::gather_batching::is_speculatable;
use super::guard_merging::Check;
use crate::hash::{HashMap, HashSet};
use crate::llvm::{Block, Module, Op, TypeKind, Value};

/// Loads that may be in flight together: with more, addresses would take the registers that elements need.
const MOST_LOADS: usize = 32;

/// The address space of shared memory.
const SHARED: TypeKind = TypeKind::Pointer(3);

/// Sinks the loads of a module below the checks that follow them.
pub(crate) fn sink_all(module: &Module<'_>) {
    for function in super::defined(module) {
        sink(function);
    }
}

/// Sinks the loads of a function; returns whether there were any.
pub(crate) fn sink(function: Value<'_>) -> bool {
    let edges = super::guard_merging::edges_to(function);
    let blocks = Block::all(function).into_iter();
    let checks: HashMap<Block<'_>, Check<'_>> = blocks
        .filter_map(|at| Some((at, Check::of(at)?)))
        .filter(|(_, c)| edges.get(&c.next) == Some(&1) && c.next.phis().is_empty())
        .collect();
    sink_below_checks(&checks)
}

/// Sinks the loads before these checks, by their blocks; returns whether there were any. What follows a check is reached through it alone.
pub(super) fn sink_below_checks(checks: &HashMap<Block<'_>, Check<'_>>) -> bool {
    let behind: HashSet<Block<'_>> = checks.values().map(|check| check.next).collect();
    let mut changed = false;
    // From the first check of a run to the last: what was sunk below one is sunk below the next.
    for first in checks.keys().filter(|at| !behind.contains(at)) {
        let mut next = checks.get(first);
        while let Some(check) = next {
            changed |= sink_below(check);
            next = checks.get(&check.next);
        }
    }
    changed
}

/// Moves loads, and what depends on them, from the block of a check to the block behind it.
fn sink_below(check: &Check<'_>) -> bool {
    let sunk = Sinkable::of(check).in_order();
    let loads = sunk.iter().filter(|i| i.op() == Op::Load).count();
    if loads == 0 || loads > MOST_LOADS {
        return false;
    }
    let first = check.next.first();
    for instruction in sunk {
        instruction.move_before(first);
    }
    true
}

/// The instructions of a check's block, and which of them stay above it.
struct Sinkable<'ctx> {
    at: Block<'ctx>,
    /// Without the branch.
    instructions: Vec<Value<'ctx>>,
    stay: HashSet<Value<'ctx>>,
}

impl<'ctx> Sinkable<'ctx> {
    fn of(check: &Check<'ctx>) -> Sinkable<'ctx> {
        let end = check.at.terminator();
        let all = check.at.instructions().into_iter();
        let instructions: Vec<Value<'ctx>> = all.filter(|i| *i != end).collect();
        let mut from_loads = HashSet::default();
        for instruction in &instructions {
            let depends = || {
                instruction
                    .operands()
                    .iter()
                    .any(|o| from_loads.contains(o))
            };
            if instruction.op() == Op::Load || depends() {
                from_loads.insert(*instruction);
            }
        }
        let panic_reads = check.panic_reads();
        // Arithmetic without loads would be computed later for nothing.
        let may_sink = |i: &Value<'ctx>| {
            from_loads.contains(i)
                && (is_plain_load(*i) || is_arithmetic(*i) || is_shared_store(*i) && !panic_reads)
        };
        let fixed = instructions.iter().copied().filter(|i| !may_sink(i));
        let mut found = Sinkable {
            at: check.at,
            stay: HashSet::default(),
            instructions: instructions.clone(),
        };
        found.keep(fixed.chain(check.needed_values()).collect());
        found.keep_order();
        found
    }

    /// These stay, and what they depend on.
    fn keep(&mut self, mut todo: Vec<Value<'ctx>>) {
        while let Some(value) = todo.pop() {
            if value.block() == Some(self.at) && self.stay.insert(value) {
                todo.extend(value.operands());
            }
        }
    }

    /// Keeps each access that would be moved across one that stays, and with which it may have memory in common.
    fn keep_order(&mut self) {
        let (mut reads, mut writes) = (false, false);
        // Backwards: what a kept access depends on stands before it.
        for instruction in self.instructions.clone().into_iter().rev() {
            if is_arithmetic(instruction) {
                continue;
            }
            if writes || reads && is_shared_store(instruction) {
                self.keep(vec![instruction]);
            }
            if self.stay.contains(&instruction) {
                let plain = is_plain_load(instruction);
                reads |= plain;
                // Volatile and atomic loads are not reordered either.
                writes |= !plain;
            }
        }
    }

    fn in_order(&self) -> Vec<Value<'ctx>> {
        let all = self.instructions.iter().copied();
        all.filter(|i| !self.stay.contains(i)).collect()
    }
}

pub(super) fn is_plain_load(instruction: Value<'_>) -> bool {
    instruction.op() == Op::Load && !instruction.is_volatile() && instruction.ordering() == 0
}

pub(super) fn is_shared_store(instruction: Value<'_>) -> bool {
    instruction.op() == Op::Store
        && !instruction.is_volatile()
        && instruction.ordering() == 0
        && instruction.operands()[1].ty().kind() == SHARED
}

pub(super) fn is_arithmetic(instruction: Value<'_>) -> bool {
    !matches!(instruction.op(), Op::Phi | Op::Branch) && is_speculatable(instruction)
}

#[cfg(test)]
#[path = "load_sinking_tests.rs"]
mod tests;
