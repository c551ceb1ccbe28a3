//! Loops that count bits become one instruction.
//!
//! `x & (x - 1)` clears the lowest bit of `x`: a loop that does so until nothing is left has as many iterations as `x` has bits. A GPU counts them in one
//! instruction:
//!
//! ```text
//! while x != 0 {                                   count += x.count_ones()
//!     x &= x - 1;
//!     count += 1;
//! }
//! ```
//! LLVM does the same for targets that say they count bits fast; NVPTX does not say so. The loop is left with one iteration, which LLVM removes.

use super::loops::{self, Loop};
use super::{Changed, defined};
use crate::llvm::{Block, Builder, Compare, Module, Op, TypeKind, Value};

/// Replaces the loops of a module, and notes the functions that it changes.
pub(crate) fn replace_all<'ctx>(module: &mut Module<'ctx>, changed: &mut Changed<'ctx>) {
    for function in defined(module) {
        for found in loops::find(function) {
            if let Some(counting) = Counting::of(&found)
                && counting.leaves_nothing_else(function, &found)
            {
                counting.replace(module, function, &found);
                changed.0.insert(function);
            }
        }
    }
}

/// What a loop that counts bits consists of.
struct Counting<'ctx> {
    /// The number whose bits are counted.
    bits: Value<'ctx>,
    /// What is left of it, zero in the end.
    left: Value<'ctx>,
    /// Sums that grow by the same in each iteration.
    counters: Vec<Counter<'ctx>>,
}

struct Counter<'ctx> {
    first: Value<'ctx>,
    next: Value<'ctx>,
    step: Value<'ctx>,
}

impl<'ctx> Counting<'ctx> {
    /// A loop of one block that does nothing else.
    fn of(found: &Loop<'ctx>) -> Option<Counting<'ctx>> {
        if found.blocks.len() != 1 {
            return None;
        }
        let condition = found.latch.condition()?;
        let stays = found.latch.successors().first() == Some(&found.header);
        let how = if stays { Compare::Ne } else { Compare::Eq };
        let [left, zero] = operands(condition)?;
        if condition.comparison()? != how || zero.as_integer() != Some(0) {
            return None;
        }
        let (mut bits, mut counters) = (None, Vec::new());
        let mut expected = vec![condition, left, found.latch.terminator()];
        for phi in found.header.phis() {
            let first = incoming(phi, |from| from != found.latch)?;
            let next = incoming(phi, |from| from == found.latch)?;
            let [a, b] = operands(next)?;
            expected.extend([phi, next]);
            if next == left {
                let less = if a == phi { b } else { a };
                let is_less = less.op() == Op::Add
                    && operands(less)?[0] == phi
                    && operands(less)?[1].as_integer() == Some(top(phi)?);
                if next.op() != Op::And || ![a, b].contains(&phi) || !is_less {
                    return None;
                }
                expected.push(less);
                bits = Some(first);
            } else {
                let step = if a == phi { b } else { a };
                let grows = next.op() == Op::Add && [a, b].contains(&phi);
                if !grows || !found.is_invariant(step) {
                    return None;
                }
                top(phi)?;
                counters.push(Counter { first, next, step });
            }
        }
        let all = found.header.instructions();
        let nothing_else = all.iter().all(|i| expected.contains(i));
        nothing_else.then_some(Counting {
            bits: bits?,
            left,
            counters,
        })
    }

    /// Whether nothing of the loop is used behind it but the last values of its sums and what is left.
    fn leaves_nothing_else(&self, function: Value<'ctx>, found: &Loop<'ctx>) -> bool {
        let is_known =
            |v: &Value<'ctx>| *v == self.left || self.counters.iter().any(|c| c.next == *v);
        let inside = |v: &Value<'ctx>| v.block() == Some(found.header);
        let outside = function.instructions().into_iter().filter(|i| !inside(i));
        outside
            .flat_map(Value::operands)
            .all(|used| !inside(&used) || is_known(&used))
    }

    fn replace(&self, module: &mut Module<'ctx>, function: Value<'ctx>, found: &Loop<'ctx>) {
        let ty = self.bits.ty();
        let Some(count) = module.intrinsic_of("llvm.ctpop", ty) else {
            return;
        };
        let end = found.preheader.terminator();
        let count = module.call_before(end, count, &[self.bits]);
        let before = Builder::before(end);
        // The first iteration does not ask whether there is a bit.
        let one = number(&before, 1, count);
        let rounds = before.umax(count, one);
        let mut lasts = vec![(self.left, number(&before, 0, count))];
        for counter in &self.counters {
            let rounds = same_width(&before, rounds, counter.first);
            let grown = before.mul(rounds, counter.step);
            lasts.push((counter.next, before.add(counter.first, grown)));
        }
        for user in function.instructions() {
            if user.block() != Some(found.header) {
                user.replace_operands(&lasts);
            }
        }
        let stays = found.latch.successors().first() == Some(&found.header);
        found.latch.set_condition(before.boolean(!stays));
    }
}

fn operands(value: Value<'_>) -> Option<[Value<'_>; 2]> {
    value.block()?;
    value.operands().try_into().ok()
}

fn incoming<'ctx>(phi: Value<'ctx>, is_from: impl Fn(Block<'ctx>) -> bool) -> Option<Value<'ctx>> {
    let all = phi.incoming().into_iter();
    all.filter(|(_, from)| is_from(*from))
        .map(|(value, _)| value)
        .next()
}

/// The largest number of a type of 32 or 64 bits.
fn top(value: Value<'_>) -> Option<u64> {
    match value.ty().kind() {
        TypeKind::Integer(32) => Some(u32::MAX.into()),
        TypeKind::Integer(64) => Some(u64::MAX),
        _ => None,
    }
}

/// A number as wide as another.
fn number<'ctx>(builder: &Builder<'ctx>, value: u64, like: Value<'ctx>) -> Value<'ctx> {
    let bits = if top(like) == Some(u64::MAX) { 64 } else { 32 };
    builder.number(value, bits)
}

/// A small number, as wide as another.
fn same_width<'ctx>(builder: &Builder<'ctx>, small: Value<'ctx>, like: Value<'ctx>) -> Value<'ctx> {
    match (top(small), top(like)) {
        (own, other) if own == other => small,
        (Some(u64::MAX), _) => builder.trunc32(small),
        _ => builder.widened(small),
    }
}
