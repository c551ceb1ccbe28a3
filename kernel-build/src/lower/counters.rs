//! Counters of loops that LLVM has hidden, or has twice.
//!
//! `Range::next` adds one where `start < end`; LLVM makes `start + zext(start < end)` of it. Where the loop goes on only if the comparison is true,
//! that is one, but LLVM no longer sees how often the loop runs, and does not unroll it. A step of more than one hides behind a selection likewise.

use super::loops::{self, Loop};
use crate::llvm::{Builder, Op, TypeKind, Value};

/// Makes such counters plain; says whether there were any.
pub(crate) fn make_plain(function: Value<'_>) -> bool {
    let mut changed = false;
    for found in loops::find(function) {
        changed |= count_plainly(&found);
        changed |= join_those_ahead(&found);
    }
    changed
}

fn count_plainly(found: &Loop<'_>) -> bool {
    let Some(condition) = found.latch.condition() else {
        return false;
    };
    // Only where the way back is that of the true condition.
    let ways = found.latch.successors();
    if ways.first() != Some(&found.head) || ways.get(1) == Some(&found.head) {
        return false;
    }
    let mut changed = false;
    for phi in found.head.phis() {
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

/// `Range` keeps its next number beside the present one, and both go round: the next is made of the present one, so that one register and one
/// addition do.
fn join_those_ahead(found: &Loop<'_>) -> bool {
    let mut changed = false;
    for phi in found.head.phis() {
        let Some((ahead, step)) = ahead_of(phi, found) else {
            continue;
        };
        let TypeKind::Integer(bits @ (32 | 64)) = phi.ty().kind() else {
            continue;
        };
        let builder = Builder::before(found.head.first());
        ahead.replace_all_uses_with(builder.add(phi, builder.number(step, bits)));
        changed = true;
    }
    changed
}

/// The number of the same loop that is always by so much ahead of `phi`.
fn ahead_of<'ctx>(phi: Value<'ctx>, found: &Loop<'ctx>) -> Option<(Value<'ctx>, u64)> {
    let from = |phi: Value<'ctx>, block| {
        let incoming = phi.incoming();
        incoming.iter().find(|(_, b)| *b == block).map(|(v, _)| *v)
    };
    let first = from(phi, found.before)?.as_integer()?;
    let ahead = from(phi, found.latch)?;
    let is = |value: Value<'ctx>, op| value.block().is_some() && value.op() == op;
    if ahead == phi || !is(ahead, Op::Phi) || ahead.block() != Some(found.head) {
        return None;
    }
    let (start, next) = (
        from(ahead, found.before)?.as_integer()?,
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
