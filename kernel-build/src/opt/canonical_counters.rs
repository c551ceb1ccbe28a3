//! Loop counters in the form that LLVM's trip count analysis understands.
//!
//! `Range::next` adds one where `start < end`; LLVM makes `start + zext(start < end)` of it. If the latch branches back on that very condition the sum
//! is `start + 1`, but LLVM no longer knows the trip count and does not unroll the loop. A step of more than one ends up in a `select` likewise.
//! Loops over slices compare pointers ([`pointer_counters`]) or what is left of the slice ([`remaining_length`]). `a..=b` is tested in front of each
//! iteration and behind it, though only the first test can find it empty: that one gets the first value of the counter, and leaves the loop.

use super::back_edge::BackEdge;
use super::loops::{self, Loop};
use super::{pointer_counters, remaining_length};
use crate::llvm::{Builder, Op, TypeKind, Value};

/// Rewrites such counters of a function; returns whether there were any.
pub(crate) fn canonicalise(function: Value<'_>) -> bool {
    let mut changed = false;
    for found in loops::find(function) {
        changed |= canonicalise_steps(&found);
        changed |= merge_next_values(&found);
        changed |= simplify_on_back_edge(&found);
        changed |= test_first_value(&found);
        changed |= pointer_counters::merge_next_pointers(&found);
        changed |= pointer_counters::count_elements(&found);
        changed |= remaining_length::count_steps(&found);
    }
    changed
}

fn canonicalise_steps(found: &Loop<'_>) -> bool {
    let Some(condition) = found.latch.condition() else {
        return false;
    };
    // Only if the back edge is taken when the condition is true.
    let ways = found.latch.successors();
    if ways.first() != Some(&found.header) || ways.get(1) == Some(&found.header) {
        return false;
    }
    let mut changed = false;
    for phi in found.header.phis() {
        for (index, (next, from)) in (0..).zip(phi.incoming()) {
            if from != found.latch {
                continue;
            }
            let builder = Builder::before(found.latch.terminator());
            if let Some((number, step)) = counted(next, condition, &builder) {
                phi.set_operand(index, builder.add(number, step));
                changed = true;
            }
        }
    }
    changed
}

/// `RangeInclusive` stays where it is when it is over; where the back edge is taken it is not.
fn simplify_on_back_edge(found: &Loop<'_>) -> bool {
    let Some(back) = BackEdge::of(found) else {
        return false;
    };
    let mut changed = false;
    for phi in found.header.phis() {
        for (index, (next, from)) in (0..).zip(phi.incoming()) {
            let simplified = back.simplified(next).filter(|_| from == found.latch);
            if let Some(value) = simplified {
                phi.set_operand(index, value);
                changed = true;
            }
        }
    }
    back.simplify_condition() || changed
}

/// A test at the loop's head that no iteration but the first can fail becomes one of the counter's first value.
fn test_first_value(found: &Loop<'_>) -> bool {
    let changed = first_value_test(found);
    if let Some(test) = changed {
        found.header.set_condition(test);
    }
    changed.is_some()
}

/// The test of the first value, made in the preheader.
fn first_value_test<'ctx>(found: &Loop<'ctx>) -> Option<Value<'ctx>> {
    let condition = found.header.condition()?;
    let ways = found.header.successors();
    let goes_on: Vec<bool> = ways.iter().map(|b| found.blocks.contains(b)).collect();
    let predicate = match goes_on[..] {
        [true, false] => condition.predicate()?,
        [false, true] => condition.predicate()?.inverse(),
        _ => return None,
    };
    let [a, b] = condition.operands()[..] else {
        return None;
    };
    let (counter, end, predicate) = if found.is_invariant(a) {
        (b, a, predicate.swapped())
    } else {
        (a, b, predicate)
    };
    if found.header == found.latch
        || !found.is_invariant(end)
        || !found.header.phis().contains(&counter)
    {
        return None;
    }
    let first = pointer_counters::incoming(counter, found.preheader)?;
    let next = pointer_counters::incoming(counter, found.latch)?;
    let always = BackEdge::of(found)?.is_next_at_most(predicate, [counter, next, end]);
    let before = Builder::before(found.preheader.terminator());
    always.then(|| before.copy(condition, |o| if o == counter { first } else { o }))
}

/// `Range` keeps the next value and the present one, each in a phi: the next one is computed from the present one instead, which saves a register.
fn merge_next_values(found: &Loop<'_>) -> bool {
    let mut changed = false;
    for phi in found.header.phis() {
        let Some((ahead, step)) = next_value_of(phi, found) else {
            continue;
        };
        let TypeKind::Integer(bits @ (32 | 64)) = phi.ty().kind() else {
            continue;
        };
        let builder = Builder::before(found.header.first());
        ahead.replace_all_uses_with(builder.add(phi, builder.number(step, bits)));
        changed = true;
    }
    changed
}

/// The phi of the same header that is always ahead of `phi` by a constant, and that constant.
fn next_value_of<'ctx>(phi: Value<'ctx>, found: &Loop<'ctx>) -> Option<(Value<'ctx>, u64)> {
    let from = |phi: Value<'ctx>, block| {
        let incoming = phi.incoming();
        incoming.iter().find(|(_, b)| *b == block).map(|(v, _)| *v)
    };
    let first = from(phi, found.preheader)?.as_integer()?;
    let ahead = from(phi, found.latch)?;
    let is = |value: Value<'ctx>, op| value.block().is_some() && value.op() == op;
    if ahead == phi || !is(ahead, Op::Phi) || ahead.block() != Some(found.header) {
        return None;
    }
    let (start, next) = (
        from(ahead, found.preheader)?.as_integer()?,
        from(ahead, found.latch)?,
    );
    let step = start.checked_sub(first).filter(|step| *step != 0)?;
    let grows = is(next, Op::Add)
        && next.operands()[0] == ahead
        && next.operands()[1].as_integer() == Some(step);
    grows.then_some((ahead, step))
}

/// `number` and `step` of `number + zext(condition)`, where the step is one, or of `number + (condition ? step : 0)`.
fn counted<'ctx>(
    next: Value<'ctx>,
    condition: Value<'ctx>,
    builder: &Builder<'ctx>,
) -> Option<(Value<'ctx>, Value<'ctx>)> {
    let is = |value: Value<'ctx>, op| value.block().is_some() && value.op() == op;
    let TypeKind::Integer(bits @ (32 | 64)) = next.ty().kind() else {
        return None;
    };
    if !is(next, Op::Add) {
        return None;
    }
    let step = |value: Value<'ctx>| {
        let operands = value.operands();
        if is(value, Op::ZExt) && operands[0] == condition {
            return Some(builder.number(1, bits));
        }
        let is_zero = |value: Value<'ctx>| value.as_integer() == Some(0);
        (is(value, Op::Select) && operands[0] == condition && is_zero(operands[2]))
            .then(|| operands[1])
    };
    let (a, b) = (next.operands()[0], next.operands()[1]);
    match (step(a), step(b)) {
        (None, Some(step)) => Some((a, step)),
        (Some(step), None) => Some((b, step)),
        _ => None,
    }
}
