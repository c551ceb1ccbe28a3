//! Counters of loops that LLVM has hidden.
//!
//! `Range::next` adds one where `start < end`; LLVM makes `start + zext(start < end)` of it. Where the loop goes on only if the comparison is true,
//! that is one, but LLVM no longer sees how often the loop runs, and does not unroll it.

use super::loops;
use crate::llvm::{Builder, Op, TypeKind, Value};

/// Makes such counters plain; says whether there were any.
pub(crate) fn make_plain(function: Value<'_>) -> bool {
    let mut changed = false;
    for found in loops::find(function) {
        let Some(condition) = found.latch.condition() else {
            continue;
        };
        // Only where the way back is that of the true condition.
        if found.latch.successors().first() != Some(&found.head)
            || found.latch.successors().get(1) == Some(&found.head)
        {
            continue;
        }
        for phi in found.head.phis() {
            for (index, (next, from)) in (0..).zip(phi.incoming()) {
                if from == found.latch
                    && let Some(number) = counted(next, condition)
                    && let TypeKind::Integer(bits @ (32 | 64)) = phi.ty().kind()
                {
                    let builder = Builder::before(found.latch.terminator());
                    phi.set_operand(index, builder.add(number, builder.number(1, bits)));
                    changed = true;
                }
            }
        }
    }
    changed
}

/// `number` of `number + zext(condition)`.
fn counted<'ctx>(next: Value<'ctx>, condition: Value<'ctx>) -> Option<Value<'ctx>> {
    let is = |value: Value<'ctx>, op| value.block().is_some() && value.op() == op;
    if !is(next, Op::Add) {
        return None;
    }
    let (a, b) = (next.operands()[0], next.operands()[1]);
    let is_condition = |value: Value<'ctx>| is(value, Op::ZExt) && value.operands()[0] == condition;
    match (is_condition(a), is_condition(b)) {
        (false, true) => Some(a),
        (true, false) => Some(b),
        _ => None,
    }
}
