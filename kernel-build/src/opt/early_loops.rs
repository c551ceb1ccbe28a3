//! Which loops are treated before LLVM's O3, and which after it.
//!
//! O3 knows most loops, unrolls them well, and moves their addresses to where they are cheapest: passes in front of it would only disturb that. But where it does
//! not see a trip count, or copies checks that could be hoisted, later passes find less than they could have. So O3 is tried on a copy of the module first.

use super::add_recurrence::AddRecurrence;
use super::guard_merging::Check;
use super::loops::Loop;
use super::{
    Changed, bounds_check_hoisting, canonical_counters, defined, jump_threading, loops, optimise,
    within_limits,
};
use crate::llvm::{Block, LlvmError, Machine, Module, Op, Passes, Value};
use crate::lower::symbols::free_register_reads;
use std::collections::{HashMap, HashSet};

/// What loop passes leave in a function.
#[derive(Clone, Copy, Default)]
struct Rest {
    /// Loops without a known trip count.
    unknown: usize,
    /// Checks that are not hoisted.
    checks: usize,
}

/// Checks that O3 has copied into an unrolled loop: so many for one.
const COPIED: usize = 4;

/// The names of the functions of a module whose loops are better treated before O3.
#[derive(Default)]
pub(crate) struct EarlyLoops(HashSet<String>);

impl EarlyLoops {
    pub(crate) fn find(
        module: &Module<'_>,
        machine: &Machine<'_>,
    ) -> Result<EarlyLoops, LlvmError> {
        let mut threaded = module.duplicate();
        simplify(&mut threaded, machine)?;
        let functions = Changed::with_loops(&threaded);
        if functions.is_empty() {
            return Ok(EarlyLoops::default());
        }
        jump_threading::thread(&mut threaded, &functions)?;
        functions.again(&threaded, canonical_counters::canonicalise);
        functions.hoist_invariants(&mut threaded, machine)?;
        let before = rest(&threaded);
        let mut optimised = module.duplicate();
        optimise(&mut optimised, Some(machine))?;
        let left = rest(&optimised);

        let none = Rest::default();
        let of = |all: &HashMap<String, Rest>, name: &str| all.get(name).copied().unwrap_or(none);
        // Functions that are not inlined, as those of panics, are no reason.
        let is_kernel = |name: &str| module.function(name).is_some_and(Value::is_kernel);
        let is_early = |name: &&String| {
            let (before, left) = (of(&before, name), of(&left, name));
            let copied = left.checks > 0 && left.checks >= COPIED * before.checks;
            is_kernel(name) && (left.unknown > before.unknown || copied)
        };
        let mut early: HashSet<String> = before.keys().filter(is_early).cloned().collect();
        // The first iterations of a loop may differ from the others, and O3 takes them out of it: the trip count is known behind O3 only.
        let peeled = defined(&threaded).into_iter().filter(|f| {
            let name = f.name();
            is_kernel(&name) && !early.contains(&name) && of(&left, &name).unknown > 0
        });
        let peeled = Changed(peeled.collect());
        let names: Vec<String> = peeled.0.iter().map(|f| f.name()).collect();
        peeled.optimise(&mut threaded, Some(machine))?;
        let after = rest(&threaded);
        early.extend(
            names
                .into_iter()
                .filter(|name| of(&left, name).unknown > of(&after, name).unknown),
        );
        Ok(EarlyLoops(early))
    }

    /// Whether a kernel has some.
    pub(crate) fn contains(&self, kernel: &str) -> bool {
        self.0.contains(kernel)
    }

    /// Inlines, and keeps values in registers: the form in which loops are still those of the source. A module without such loops stays as it is.
    pub(crate) fn simplify(
        &self,
        module: &mut Module<'_>,
        machine: &Machine<'_>,
    ) -> Result<(), LlvmError> {
        let has_some = |f: &Value<'_>| self.contains(&f.name());
        if !defined(module).iter().any(has_some) {
            return Ok(());
        }
        simplify(module, machine)
    }

    /// Those of them that have loops.
    pub(crate) fn functions<'ctx>(&self, module: &Module<'ctx>) -> Changed<'ctx> {
        let mut all = Changed::with_loops(module);
        all.0.retain(|f| self.contains(&f.name()));
        all
    }
}

/// Reads of registers do not keep jumps from being threaded here; elsewhere they stay where they are, which takes fewer registers.
fn simplify(module: &mut Module<'_>, machine: &Machine<'_>) -> Result<(), LlvmError> {
    defined(module).into_iter().for_each(free_register_reads);
    within_limits(module, |module| {
        module.run(Passes::inline_and_simplify(), Some(machine))
    })
}

/// By the names of the functions of a copy, on which the loop passes are tried too.
fn rest(module: &Module<'_>) -> HashMap<String, Rest> {
    let of = |function: Value<'_>| {
        canonical_counters::canonicalise(function);
        bounds_check_hoisting::hoist(function);
        let found = loops::find(function);
        let blocks = Block::all(function).into_iter();
        // A hoisted one asks the condition of the preheader first.
        let is_left = |b: &Block<'_>| {
            let condition = Check::of(*b).and_then(|_| b.condition());
            condition.is_some_and(|c| c.block().is_some() && c.op() == Op::ICmp)
        };
        let rest = Rest {
            unknown: found.iter().filter(|l| !is_counted(l)).count(),
            checks: blocks.filter(is_left).count(),
        };
        (function.name(), rest)
    };
    defined(module).into_iter().map(of).collect()
}

/// Whether the latch compares a counter: O3 leaves other steps than one where it has unrolled a loop.
fn is_counted(found: &Loop<'_>) -> bool {
    let Some(condition) = found.latch.condition() else {
        return false;
    };
    let ends = found.latch.successors().into_iter();
    let panics = ends.filter(|b| b.is_unreachable()).count() > 0;
    condition.comparison().is_some() && !panics && {
        let (a, b) = (condition.operands()[0], condition.operands()[1]);
        let (counter, end) = if found.is_invariant(a) {
            (b, a)
        } else {
            (a, b)
        };
        found.is_invariant(end) && AddRecurrence::of(counter, found).is_some()
    }
}
