//! Bounds check hoisting by loop versioning.
//!
//! A check in each iteration keeps LLVM from unrolling a loop, and ptxas from hoisting loads. If the index is an add recurrence, one condition in the
//! preheader decides whether any check of it can fail:
//!
//! ```text
//! for k in 0..n { sum += a[row + k] }         fits = row + (n - 1) < a.len(), and nothing wraps around
//!                                             in the loop: if fits || row + k < a.len() …
//! ```
//! LLVM then unswitches the loop on `fits`: one version without checks and, for launches that do not fit, the original one, which panics where it did
//! before, with the same index, after the same stores. Nothing is assumed: `fits` is computed, and where it is false nothing has changed. A loop with
//! convergent operations is not duplicated; [`guard_merging`] lets it skip its checks together.

mod computed_trip_count;

use super::add_recurrence::{AddRecurrence, LoopInvariant};
use super::guard_merging;
use super::loops::{self, Loop};
use super::trip_count::TripCount;
use crate::llvm::{Block, Builder, Compare, Op, TypeKind, Value};
use computed_trip_count::ComputedTripCount;

/// Adds such conditions to the loops of a function; returns whether there were any.
pub(crate) fn hoist(function: Value<'_>) -> bool {
    let mut changed = false;
    for found in loops::find(function) {
        let stays = found.has_convergent_op() || found.is_kept();
        changed |= !stays && hoist_from_loop(&found);
    }
    changed
}

/// Lets loops with convergent operations skip checks that are decided in their preheaders; returns whether there were any.
pub(crate) fn merge_guards(function: Value<'_>) -> bool {
    let mut changed = false;
    while merge_guards_of_a_loop(function) {
        changed = true;
    }
    changed
}

/// Lets a loop with convergent operations skip checks that are decided in its preheader; returns whether there was one.
fn merge_guards_of_a_loop(function: Value<'_>) -> bool {
    for found in loops::find(function) {
        let Some(trip_count) = TripCount::of(&found).filter(|_| found.has_convergent_op()) else {
            continue;
        };
        for blocks in [&found.every_iteration, &found.some_iterations] {
            let mut checks = checks(&found, &trip_count, blocks);
            let of: Vec<_> = checks.iter().map(|check| check.at).collect();
            let runs = guard_merging::runs(function, &of);
            checks.retain(|check| runs.iter().any(|run| run.blocks().any(|b| b == check.at)));
            let before = Builder::before(found.preheader.terminator());
            if let Some(fits) = fits(&trip_count, &checks, None, &before) {
                for run in &runs {
                    run.merge(function, fits);
                }
                return true;
            }
        }
    }
    false
}

/// A branch of a loop that panics unless `index` is below `len`, or, if `inclusive`, at most `len`.
struct Check<'ctx> {
    at: Block<'ctx>,
    index: AddRecurrence<'ctx>,
    /// The index of the first iteration, if it is none of the recurrence.
    first: Option<LoopInvariant<'ctx>>,
    len: LoopInvariant<'ctx>,
    len_bits: u32,
    /// Whether `index == len` passes too, as for the end of a range.
    inclusive: bool,
    /// Whether the check passes if the condition is false.
    when_false: bool,
}

fn hoist_from_loop(found: &Loop<'_>) -> bool {
    let Some(trip_count) = TripCount::of(found) else {
        return false;
    };
    // A check that some iterations skip may be one that would fail in those, at a border for example: it gets a condition of its own.
    let always = hoist_from_blocks(found, &trip_count, &found.every_iteration);
    let sometimes = hoist_from_blocks(found, &trip_count, &found.some_iterations);
    always || sometimes
}

fn hoist_from_blocks<'ctx>(
    found: &Loop<'ctx>,
    trip_count: &TripCount<'ctx>,
    blocks: &[Block<'ctx>],
) -> bool {
    let checks = checks(found, trip_count, blocks);
    if checks.is_empty() {
        return false;
    }
    let before = Builder::before(found.preheader.terminator());
    // The trip count can be computed in the preheader too.
    let computed = ComputedTripCount::of(found, trip_count, &checks, &before);
    let Some(fits) = fits(trip_count, &checks, computed.as_ref(), &before) else {
        return false;
    };
    if let Some(computed) = computed {
        computed.count(found, fits);
    }
    for check in checks {
        let Some(condition) = check.at.condition() else {
            continue;
        };
        let here = Builder::before(check.at.terminator());
        // A branch that panics when its condition is true is never taken if all fits.
        check.at.set_condition(if check.when_false {
            let misfits = before.compare(Compare::Eq, fits, before.boolean(false));
            here.select(misfits, condition, here.boolean(false))
        } else {
            here.select(fits, here.boolean(true), condition)
        });
    }
    true
}

/// The checks in these blocks that can be decided in the preheader.
fn checks<'ctx>(
    found: &Loop<'ctx>,
    trip_count: &TripCount<'ctx>,
    blocks: &[Block<'ctx>],
) -> Vec<Check<'ctx>> {
    let checks = blocks.iter().filter_map(|block| Check::of(*block, found));
    checks
        .filter(|c| trip_count.bounds(&c.index) || trip_count.bounds_shrinking(&c.index))
        .collect()
}

/// Builds the condition that none of these checks fails, in the preheader; `None` if there are none.
fn fits<'ctx>(
    trip_count: &TripCount<'ctx>,
    checks: &[Check<'ctx>],
    computed: Option<&ComputedTripCount<'ctx>>,
    before: &Builder<'ctx>,
) -> Option<Value<'ctx>> {
    if checks.is_empty() {
        return None;
    }
    let mut all: Vec<_> = computed.iter().flat_map(|c| c.valid.clone()).collect();
    for check in checks {
        if let Some(first) = &check.first {
            let (how, len) = check.limit(before);
            all.push(before.compare(how, first.build(before, 64), len));
        }
    }
    let (held, others): (Vec<_>, Vec<_>) = checks
        .iter()
        .partition(|check| trip_count.exit_bounds(&check.index));
    for check in held {
        all.extend(trip_count.exit_bound_conditions(&check.index, check.limit(before), before));
    }
    if !others.is_empty() {
        // An index that is ahead of the counter needs the exact last iteration: being below the end says too little.
        let exact = others
            .iter()
            .any(|check| !trip_count.counter_is_next_of(&check.index));
        let limits = trip_count.limits(before, exact);
        for check in others {
            all.extend(limits.conditions(&check.index, check.limit(before), before));
        }
        all.extend(limits.valid);
    }
    all.into_iter().reduce(|a, b| before.and(a, b))
}

impl<'ctx> Check<'ctx> {
    fn of(at: Block<'ctx>, found: &Loop<'ctx>) -> Option<Check<'ctx>> {
        let condition = at.condition()?;
        let [when_true, when_false] = at.successors()[..] else {
            return None;
        };
        let ends = |b: Block<'ctx>| !found.blocks.contains(&b) && b.is_unreachable();
        let panics_when_false = match (ends(when_true), ends(when_false)) {
            (false, true) => true,
            (true, false) => false,
            _ => return None,
        };
        let mut how = condition.comparison()?;
        if !panics_when_false {
            how = how.inverse();
        }
        let (mut index, mut len) = (condition.operands()[0], condition.operands()[1]);
        if found.is_invariant(index) {
            (index, len) = (len, index);
            how = how.swapped();
        }
        let inclusive = match how {
            Compare::Ult => false,
            Compare::Ule => true,
            _ => return None,
        };
        if !found.is_invariant(len) {
            return None;
        }
        let (index, first) = match AddRecurrence::of(index, found) {
            Some(index) => (index, None),
            None => of_iteration_before(index, found)?,
        };
        Some(Check {
            at,
            len_bits: width(len)?,
            len: LoopInvariant::of(len),
            first: first.map(|first| first.widened(index.bits)),
            index: index.widened(),
            inclusive,
            when_false: !panics_when_false,
        })
    }

    /// The comparison that the index must pass, and its right-hand side.
    fn limit(&self, before: &Builder<'ctx>) -> (Compare, Value<'ctx>) {
        let how = if self.inclusive {
            Compare::Ule
        } else {
            Compare::Ult
        };
        let len = self.len.clone().widened(self.len_bits);
        (how, len.build(before, 64))
    }
}

/// For an index that is the value of a recurrence in the iteration before (`previous = i`): that recurrence, and the index of the first iteration.
fn of_iteration_before<'ctx>(
    index: Value<'ctx>,
    found: &Loop<'ctx>,
) -> Option<(AddRecurrence<'ctx>, Option<LoopInvariant<'ctx>>)> {
    if index.block() != Some(found.header) || index.op() != Op::Phi {
        return None;
    }
    let incoming = index.incoming();
    let from = |block| incoming.iter().find(|(_, b)| *b == block).map(|(v, _)| *v);
    let (first, next) = (from(found.preheader)?, from(found.latch)?);
    let recurrence = AddRecurrence::of(next, found).filter(|_| !found.is_invariant(next))?;
    Some((recurrence, Some(LoopInvariant::of(first))))
}

fn width(value: Value<'_>) -> Option<u32> {
    match value.ty().kind() {
        TypeKind::Integer(bits @ (32 | 64)) => Some(bits),
        _ => None,
    }
}

#[cfg(test)]
#[path = "bounds_check_hoisting_tests.rs"]
mod tests;
