//! Counters of loops that end where less than a step is left: `skip(a).step_by(b)` of a slice, `chunks_exact(n)`.
//!
//! ```text
//! loop { x = *p; p += s; if (end - p) / 4 < s { break } }        n = (end - p - s) / 4 / s + 1, once
//!                                                                loop { x = *p; p += s; k += 1; if k == n { break } }
//! ```
//! What is left shrinks by the very number that it is compared with, so it never wraps around before the loop ends, and the quotient is exact. The loop has a
//! trip count then: it is unrolled, its loads do not wait for one another, and checks of other indices in it can be hoisted.
//!
//! A step that is known at launch only takes a division, which is worth it for a loop that LLVM will unroll.

use super::add_recurrence::{AddRecurrence, LoopInvariant};
use super::loops::Loop;
use super::pointer_counters::{bytes, count_up_to, incoming};
use crate::llvm::{Builder, Compare, Op, TypeKind, Value};

/// The largest loop, in instructions, for which a division is made: it is unrolled (`-unroll-partial-threshold`).
const SMALL: usize = 40;

/// Longer chains of addresses are not followed.
const DEPTH: u32 = 8;

/// Larger steps are negative ones.
const MOST: u64 = 1 << 31;

/// Lets the latch compare a number of iterations instead of what is left; returns whether it compared that.
pub(super) fn count_steps(found: &Loop<'_>) -> bool {
    let Some(end) = LengthEnd::of(found) else {
        return false;
    };
    let before = Builder::before(found.preheader.terminator());
    let iterations = end.iterations(found, &before);
    count_up_to(found, iterations, end.over);
    true
}

/// The loop goes on while `left >= limit`, or, if `above`, while `left > limit`.
struct LengthEnd<'ctx> {
    left: Value<'ctx>,
    limit: Value<'ctx>,
    above: bool,
    step: Step<'ctx>,
    /// How the latch's condition compares the counter with the number of iterations.
    over: Compare,
}

/// By how much a number shrinks, or an address grows, in each iteration: `times * by + more`, or `more` if there is no `by`.
#[derive(Clone, Copy)]
struct Step<'ctx> {
    by: Option<Value<'ctx>>,
    times: u64,
    more: u64,
}

impl<'ctx> LengthEnd<'ctx> {
    fn of(found: &Loop<'ctx>) -> Option<LengthEnd<'ctx>> {
        let condition = found.latch.condition()?;
        let goes_on = match found.latch.successors()[..] {
            // A check does not count: a loop that panics at its end leaves it elsewhere.
            [a, b] if a == found.header && b != a && !b.is_unreachable() => true,
            [a, b] if b == found.header && b != a && !a.is_unreachable() => false,
            _ => return None,
        };
        let over = if goes_on { Compare::Ne } else { Compare::Eq };
        let (comparison, null) = without_null_test(condition, goes_on)?;
        let mut how = comparison.comparison()?;
        if !goes_on {
            how = how.inverse();
        }
        let [mut left, mut limit] = comparison.operands()[..] else {
            return None;
        };
        if found.is_invariant(left) {
            (left, limit) = (limit, left);
            how = how.swapped();
        }
        let above = match how {
            Compare::Ugt => true,
            Compare::Uge => false,
            _ => return None,
        };
        if left.ty().kind() != TypeKind::Integer(64) || !found.is_invariant(limit) {
            return None;
        }
        let step = shrinks_by(left, found)?;
        let end = LengthEnd {
            left,
            limit,
            above,
            step,
            over,
        };
        let counts = end.ends_before_wrapping() && is_known_first(left, found, DEPTH);
        let pays = step.by.is_none() || is_small(found);
        let never_null = null.is_none_or(|address| end.excludes_null(address));
        (counts && pays && never_null).then_some(end)
    }

    /// Whether the loop goes on only if a whole step is left, or fails where it does not.
    fn ends_before_wrapping(&self) -> bool {
        match (self.step.by, self.least()) {
            (None, Some(least)) => {
                let exact = least == self.step.more;
                let fails = || is_poison_below_zero(self.left) && least != 0;
                (1..MOST).contains(&self.step.more) && (exact || least < self.step.more && fails())
            }
            (Some(by), None) if self.step.times == 1 => match self.step.more {
                0 if self.above => is_sum(self.limit, by, u64::MAX) || is_sum(by, self.limit, 1),
                0 => self.limit == by,
                1 if self.above => self.limit == by,
                1 => is_sum(self.limit, by, 1),
                _ => false,
            },
            _ => false,
        }
    }

    /// What must be left at least for the loop to go on, if that is a constant.
    fn least(&self) -> Option<u64> {
        let limit = self.limit.as_integer()?;
        limit.checked_add(u64::from(self.above))
    }

    /// Whether the loop ends, by what is left, wherever this address is null: it lies a step behind one from which a step is left to the end, so it is larger.
    fn excludes_null(&self, address: Value<'ctx>) -> bool {
        let (length, shift) = shifted(self.left);
        let Some((base, by, element)) = address.as_element() else {
            return false;
        };
        let is_step = match self.step.by {
            Some(_) if self.above => is_sum(self.limit, by, u64::MAX) || is_sum(by, self.limit, 1),
            Some(_) => self.limit == by,
            None => false,
        };
        let counted = length.operands();
        let from = counted.get(1).copied().filter(|v| is(*v, Op::PtrToInt));
        let from = from.map(|v| behind(v.operands()[0]));
        is_step
            && length.is_poison_below_zero()
            && bytes(element) == Some(1 << shift)
            && from == Some(behind(base))
            && in_global_memory(base)
    }

    /// Builds the number of iterations, in the preheader.
    fn iterations(&self, found: &Loop<'ctx>, before: &Builder<'ctx>) -> Value<'ctx> {
        let number = |n| before.number(n, 64);
        let first = first(self.left, found, before);
        if let (None, Some(least)) = (self.step.by, self.least()) {
            let step = number(self.step.more);
            let whole = before.divide(first, step);
            let count = before.add(whole, number(1));
            if least == self.step.more {
                return count;
            }
            // With a rest that is neither a step nor too little the original loop goes on, and fails.
            let rest = before.sub(first, before.mul(whole, step));
            let ends = before.compare(Compare::Ult, rest, number(least));
            return before.select(ends, count, number(0));
        }
        let limit = before.freeze(self.limit);
        let step = match self.above {
            true => before.add(limit, number(1)),
            false => limit,
        };
        let stands = before.compare(Compare::Eq, step, number(0));
        let divisor = before.select(stands, number(1), step);
        let count = before.add(before.divide(first, divisor), number(1));
        // More than the largest number is never left; at least nothing is left in each of 2^64 iterations.
        let without_step = number(u64::from(self.above));
        before.select(stands, without_step, count)
    }
}

/// The comparison that decides whether a loop goes on, and the address that must not be null besides: `Option<&T>` is null where it is `None`.
fn without_null_test<'ctx>(
    condition: Value<'ctx>,
    goes_on: bool,
) -> Option<(Value<'ctx>, Option<Value<'ctx>>)> {
    if condition.comparison().is_some() {
        return Some((condition, None));
    }
    let (joined, test) = match goes_on {
        true => (Op::And, Compare::Ne),
        false => (Op::Or, Compare::Eq),
    };
    if !is(condition, joined) {
        return None;
    }
    let [a, b] = condition.operands()[..] else {
        return None;
    };
    let tested = |c: Value<'ctx>| {
        let compared = c.comparison().filter(|how| *how == test)?;
        debug_assert!(compared == test);
        match c.operands()[..] {
            [address, null] if null.is_null_pointer() => Some(address),
            _ => None,
        }
    };
    match (tested(a), tested(b)) {
        (None, Some(address)) => Some((a, Some(address))),
        (Some(address), None) => Some((b, Some(address))),
        _ => None,
    }
}

/// By how much a number shrinks in each iteration.
fn shrinks_by<'ctx>(left: Value<'ctx>, found: &Loop<'ctx>) -> Option<Step<'ctx>> {
    let (length, shift) = shifted(left);
    let step = match (is(length, Op::Sub), length.block()) {
        (true, _) => {
            let (end, from) = (length.operands()[0], length.operands()[1]);
            if found.is_invariant(end) {
                grows_by(from, found)?
            } else {
                taken(end, found).filter(|(next, _)| *next == length)?.1
            }
        }
        (false, Some(_)) => taken(length, found)?.1,
        _ => return None,
    };
    let unit = 1 << shift;
    let fits = step.times % unit == 0 && step.more % unit == 0;
    fits.then_some(Step {
        times: step.times / unit,
        more: step.more / unit,
        ..step
    })
}

/// Of a phi from which each iteration takes something: its next value, and what is taken.
fn taken<'ctx>(phi: Value<'ctx>, found: &Loop<'ctx>) -> Option<(Value<'ctx>, Step<'ctx>)> {
    if !found.header.phis().contains(&phi) {
        return None;
    }
    let next = incoming(phi, found.latch)?;
    let [of, by] = next.block().map(|_| next.operands())?[..] else {
        return None;
    };
    if of != phi || !found.is_invariant(by) {
        return None;
    }
    let step = match (next.op(), by.as_integer()) {
        (Op::Sub, Some(more)) => constant(more),
        (Op::Sub, None) => scaled(by, 1),
        (Op::Add, Some(more)) => constant(more.wrapping_neg()),
        _ => return None,
    };
    Some((next, step))
}

/// By how much an address, as a number, or a number grows in each iteration.
fn grows_by<'ctx>(value: Value<'ctx>, found: &Loop<'ctx>) -> Option<Step<'ctx>> {
    if !is(value, Op::PtrToInt) {
        return recurrence(value, found, 1);
    }
    let mut address = value.operands()[0];
    for _ in 0..DEPTH {
        if found.header.phis().contains(&address) {
            return advance(address, found);
        }
        if is(address, Op::AddrSpaceCast) {
            address = address.operands()[0];
            continue;
        }
        let (base, by, element) = address.as_element()?;
        if found.is_invariant(base) {
            return recurrence(by, found, bytes(element)?);
        }
        if !found.is_invariant(by) {
            return None;
        }
        address = base;
    }
    None
}

/// The step of an add recurrence of 64 bits, times a number of bytes.
fn recurrence<'ctx>(value: Value<'ctx>, found: &Loop<'ctx>, times: u64) -> Option<Step<'ctx>> {
    let recurrence = AddRecurrence::of(value, found)?;
    if recurrence.bits != 64 || !recurrence.narrow.is_empty() {
        return None;
    }
    match recurrence.step {
        LoopInvariant::Number(n) => Some(constant(n.checked_mul(times)?)),
        LoopInvariant::Value(by) => Some(scaled(by, times)),
        _ => None,
    }
}

/// The distance from a pointer of the header to its value in the next iteration.
fn advance<'ctx>(pointer: Value<'ctx>, found: &Loop<'ctx>) -> Option<Step<'ctx>> {
    let mut next = incoming(pointer, found.latch)?;
    let mut step = constant(0);
    for _ in 0..DEPTH {
        if next == pointer {
            return Some(step.normal());
        }
        if is(next, Op::AddrSpaceCast) {
            next = next.operands()[0];
            continue;
        }
        let (base, by, element) = next.as_element()?;
        let size = bytes(element)?;
        match by.as_integer() {
            Some(n) => step.more = n.checked_mul(size)?.checked_add(step.more)?,
            None if step.by.is_none() && found.is_invariant(by) => {
                (step.by, step.times) = (Some(by), size);
            }
            None => return None,
        }
        next = base;
    }
    None
}

impl Step<'_> {
    /// `4 * (s - 1) + 4` is `4 * s`.
    fn normal(self) -> Self {
        let lesser = self.by.filter(|by| is(*by, Op::Add));
        match lesser.map(Value::operands).as_deref() {
            Some([by, one]) if one.as_integer() == Some(u64::MAX) && self.times == self.more => {
                Step {
                    by: Some(*by),
                    more: 0,
                    ..self
                }
            }
            _ => self,
        }
    }
}

fn constant<'ctx>(more: u64) -> Step<'ctx> {
    let (by, times) = (None, 0);
    Step { by, times, more }
}

fn scaled(by: Value<'_>, times: u64) -> Step<'_> {
    let (by, more) = (Some(by), 0);
    Step { by, times, more }
}

fn is(value: Value<'_>, op: Op) -> bool {
    value.block().is_some() && value.op() == op
}

/// Whether `value` is `number + by`.
fn is_sum<'ctx>(value: Value<'ctx>, number: Value<'ctx>, by: u64) -> bool {
    is(value, Op::Add)
        && value.operands()[0] == number
        && value.operands()[1].as_integer() == Some(by)
}

/// A number before it was shifted right by a constant, and that constant.
fn shifted(number: Value<'_>) -> (Value<'_>, u64) {
    let by = is(number, Op::LShr).then(|| number.operands()[1].as_integer());
    match by.flatten() {
        Some(by) if by < 32 => (number.operands()[0], by),
        _ => (number, 0),
    }
}

/// Whether what is left is poison where it is less than nothing.
fn is_poison_below_zero(left: Value<'_>) -> bool {
    shifted(left).0.is_poison_below_zero()
}

/// The pointer that an address is cast from, or lies behind by a constant, in one object.
fn behind(address: Value<'_>) -> Value<'_> {
    let mut address = address;
    for _ in 0..DEPTH {
        if is(address, Op::AddrSpaceCast) && in_global_memory(address) {
            address = address.operands()[0];
        } else if let Some((base, by, _)) = address.as_element()
            && address.is_inbounds()
            && by.as_integer().is_some_and(|n| n < MOST)
        {
            address = base;
        } else {
            break;
        }
    }
    address
}

/// Whether a pointer is a generic one or one into global memory, which are equal as numbers.
fn in_global_memory(pointer: Value<'_>) -> bool {
    matches!(pointer.ty().kind(), TypeKind::Pointer(0 | 1))
}

/// Whether a loop has no others in it, and is small enough for LLVM to unroll.
fn is_small(found: &Loop<'_>) -> bool {
    let size: usize = found.blocks.iter().map(|b| b.instructions().len()).sum();
    let own = found.every_iteration.len() + found.some_iterations.len();
    own == found.blocks.len() && size <= SMALL && !found.has_convergent_op()
}

/// Whether the value of the first iteration can be computed before the loop.
fn is_known_first<'ctx>(value: Value<'ctx>, found: &Loop<'ctx>, depth: u32) -> bool {
    if found.is_invariant(value) || found.header.phis().contains(&value) {
        return true;
    }
    let computes = match value.op() {
        Op::PtrToInt | Op::AddrSpaceCast => true,
        _ => value.is_arithmetic(),
    };
    let mut operands = value.operands().into_iter();
    computes && depth > 0 && operands.all(|o| is_known_first(o, found, depth - 1))
}

/// The value of the first iteration, built before the loop.
fn first<'ctx>(value: Value<'ctx>, found: &Loop<'ctx>, before: &Builder<'ctx>) -> Value<'ctx> {
    if found.is_invariant(value) {
        return value;
    }
    if value.op() == Op::Phi {
        return incoming(value, found.preheader).unwrap_or(value);
    }
    // All of them before the copy that takes them.
    let operands = value.operands().into_iter();
    let operands: Vec<Value<'ctx>> = operands.map(|o| first(o, found, before)).collect();
    let mut operands = operands.into_iter();
    let copy = before.copy(value, |old| operands.next().unwrap_or(old));
    copy.drop_poison_flags();
    copy
}

#[cfg(test)]
#[path = "remaining_length_tests.rs"]
mod tests;
