//! Loops over small arrays by value, without local memory.
//!
//! `for byte in word.to_le_bytes()` tests twice per iteration whether there is another element: in `next`, and in the loop, on the result of `next`.
//! The counter is merged between the tests, so LLVM does not know the trip count: the loop stays rolled, and the array, indexed by a variable, in
//! local memory.
//!
//! ```text
//! next:  i = phi [0, start], [merged, body]              next:  i = phi [0, start], [up, body]
//!        end = i == 4                                           end = i == 4
//!        if end { goto test } else { goto some }                if end { goto test } else { goto some }
//! some:  load array[i]; up = i + 1                       some:  load array[i]
//! test:  merged = phi [4, next], [up, some]              test:
//!        if end { goto done } else { goto body }                if end { goto done } else { goto body }
//! body:  …; goto next                                    body:  …; up = i + 1; goto next
//! ```
//! Where the back edge is taken `end` is false, so `merged` is `up`: the counter becomes an add recurrence, and control flow stays as it is.
//!
//! Where arrays are left then, jumps are threaded, which makes one test of the two, and [nests](loop_merging) that are one loop are merged, but not in
//! functions with `.aligned` operations: of those `jump_threading` has chosen the regions where that is safe.
//!
//! Loops that index arrays which are still left become [straight code](whole_unrolling), also where that is longer than LLVM allows itself.
//!
//! Each of this is done if LLVM then gets an array out of local memory, and not otherwise.

pub(super) mod loop_merging; // nests of loops that are one
mod whole_unrolling; // loops that index arrays

use super::loops::{self, Loop};
use super::{Changed, defined, has_aligned_op};
use crate::hash::HashMap;
use crate::llvm::{Block, Builder, LlvmError, Machine, Module, Op, Passes, Value};

/// Bytes of local variables, of each function that has any.
type Sizes = HashMap<String, u64>;

/// Longer chains of arithmetic are not copied.
const DEPTH: u32 = 4;

/// Resolves counters, then threads jumps, of functions that need less local memory then. Must run after optimisation.
pub(crate) fn promote(module: &mut Module<'_>, machine: &Machine<'_>) -> Result<(), LlvmError> {
    let arrays = sizes(module);
    attempt(module, arrays, |module, mut functions| {
        functions.0.retain(|f| resolve_counters(*f));
        functions.optimise(module, Some(machine))
    })?;
    let mut chosen = sizes(module);
    let aligned = |name: &str| module.function(name).is_none_or(has_aligned_op);
    chosen.retain(|name, _| !aligned(name));
    attempt(module, chosen, |module, functions| {
        functions.run(module, Passes::thread_jumps(), None)?;
        functions.again(module, loop_merging::merge);
        functions.run(module, Passes::rotate_loops(), None)?;
        functions.optimise(module, Some(machine))
    })?;
    let mut chosen = sizes(module);
    chosen.retain(|name, _| {
        module
            .function(name)
            .is_some_and(|f| whole_unrolling::is_of_use(module, f))
    });
    attempt(module, chosen, |module, functions| {
        for function in &functions.0 {
            whole_unrolling::request(module, *function);
        }
        functions.run(module, Passes::unroll_completely(), Some(machine))?;
        functions.optimise(module, Some(machine))
    })
}

/// Changes those of the chosen functions that need less local memory then.
fn attempt(
    module: &mut Module<'_>,
    mut chosen: Sizes,
    change: impl for<'ctx> Fn(&mut Module<'ctx>, Changed<'ctx>) -> Result<(), LlvmError>,
) -> Result<(), LlvmError> {
    while !chosen.is_empty() {
        let mut attempt = module.duplicate();
        let mut functions = defined(&attempt);
        functions.retain(|f| chosen.contains_key(&f.name()));
        change(&mut attempt, Changed(functions.into_iter().collect()))?;
        let left = sizes(&attempt);
        let tried = chosen.len();
        chosen.retain(|name, before| left.get(name).is_none_or(|after| after < before));
        if chosen.len() == tried {
            *module = attempt;
            break;
        }
    }
    Ok(())
}

/// Makes the value that a merged counter has where the back edge is taken the counter's next value; returns whether there was such a counter.
pub(super) fn resolve_counters(function: Value<'_>) -> bool {
    if !loops::is_reducible(function) {
        return false;
    }
    let mut changed = false;
    for found in loops::find(function) {
        let facts = facts(&found);
        for phi in found.header.phis() {
            for (index, (next, from)) in (0..).zip(phi.incoming()) {
                let merged = from == found.latch && next.block() != Some(found.header);
                let value = resolve(next, &found, &facts).filter(|_| merged);
                if let Some(value) = value.filter(|v| is_computable(*v, &found, DEPTH)) {
                    let builder = Builder::before(found.latch.terminator());
                    phi.set_operand(index, computed(value, &found, &builder));
                    changed = true;
                }
            }
        }
    }
    changed
}

/// The conditions of the exits that every iteration passes, with their values where the back edge is taken.
fn facts<'ctx>(found: &Loop<'ctx>) -> Vec<(Value<'ctx>, bool)> {
    let facts = found.every_iteration.iter().filter_map(|block| {
        let condition = block.condition().filter(|c| is_fixed(*c, found))?;
        match block.successors()[..] {
            [yes, no] if found.blocks.contains(&yes) != found.blocks.contains(&no) => {
                Some((condition, found.blocks.contains(&yes)))
            }
            _ => None,
        }
    });
    facts.collect()
}

/// Whether a value is computed at most once per iteration, and is available in the latch.
fn is_fixed<'ctx>(value: Value<'ctx>, found: &Loop<'ctx>) -> bool {
    let block = value.block();
    found.is_invariant(value) || block.is_some_and(|b| found.every_iteration.contains(&b))
}

/// The value that a phi has where the back edge is taken, if only one remains possible then.
fn resolve<'ctx>(
    phi: Value<'ctx>,
    found: &Loop<'ctx>,
    facts: &[(Value<'ctx>, bool)],
) -> Option<Value<'ctx>> {
    let block = phi.block().filter(|_| phi.op() == Op::Phi)?;
    let is_possible = |from: Block<'ctx>| {
        let (Some(condition), [yes, no]) = (from.condition(), &from.successors()[..]) else {
            return true;
        };
        let implied = facts.iter().find_map(|f| implied(condition, *f, found));
        yes == no || implied.is_none_or(|value| value == (*yes == block))
    };
    let mut values = phi.incoming();
    values.retain(|(_, from)| is_possible(*from));
    let (value, _) = values.pop()?;
    let is_only = values.is_empty() && found.every_iteration.contains(&block);
    is_only.then_some(value)
}

/// What a condition is if a fact holds: the same condition, its negation, or a comparison of the same values.
fn implied<'ctx>(
    condition: Value<'ctx>,
    (fact, holds): (Value<'ctx>, bool),
    found: &Loop<'ctx>,
) -> Option<bool> {
    if condition == fact {
        return Some(holds);
    }
    let is_not = |a: Value<'ctx>, b: Value<'ctx>| {
        a.block().is_some()
            && a.op() == Op::Xor
            && a.operands()[0] == b
            && a.operands()[1].as_integer() == Some(1)
    };
    if is_not(condition, fact) || is_not(fact, condition) && is_fixed(condition, found) {
        return Some(!holds);
    }
    let (a, b) = (condition.comparison()?, fact.comparison()?);
    let operands = condition.operands();
    if operands != fact.operands() || !operands.iter().all(|o| is_fixed(*o, found)) {
        return None;
    }
    match a {
        _ if a == b => Some(holds),
        _ if a == b.inverse() => Some(!holds),
        _ => None,
    }
}

/// Whether the latch can compute a value.
fn is_computable<'ctx>(value: Value<'ctx>, found: &Loop<'ctx>, depth: u32) -> bool {
    if is_fixed(value, found) {
        return true;
    }
    let operands = value.operands();
    let copied = matches!(value.op(), Op::Add | Op::Sub | Op::ZExt | Op::GetElementPtr);
    copied && depth > 0 && operands.iter().all(|o| is_computable(*o, found, depth - 1))
}

/// The same value in the latch. The copies promise what the instructions promise (no wrap-around): where the back edge is taken, those were executed.
fn computed<'ctx>(value: Value<'ctx>, found: &Loop<'ctx>, builder: &Builder<'ctx>) -> Value<'ctx> {
    if is_fixed(value, found) {
        return value;
    }
    let operands = value.operands().into_iter();
    let operands: Vec<Value<'ctx>> = operands.map(|o| computed(o, found, builder)).collect();
    let mut operands = operands.into_iter();
    builder.copy(value, |old| operands.next().unwrap_or(old))
}

fn sizes(module: &Module<'_>) -> Sizes {
    let mut sizes = Sizes::default();
    for function in module.functions() {
        let variables = function.instructions().into_iter();
        let bytes: u64 = variables
            .filter_map(Value::local_type)
            .map(|ty| module.store_size(ty))
            .sum();
        if bytes > 0 {
            sizes.insert(function.name(), bytes);
        }
    }
    sizes
}

#[cfg(test)]
#[path = "local_arrays_tests.rs"]
mod tests;
