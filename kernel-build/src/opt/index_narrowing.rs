//! Index arithmetic is done in 32 bits if its values fit.
//!
//! Rust's indices are `usize`, and a GPU has registers of 32 bits: an addition of 64 bits is two instructions, a maximum three. The ranges of thread
//! and block indices that a launch guarantees, and masks and shifts, say where the upper half is always zero:
//!
//! ```text
//! max(zext a, zext b): i64                →  zext (max(a, b): i32)
//! zext (y << 5 | x) & 31      (x < 32)    →  zext x
//! zext (y << 5 | x) >> 5      (x < 32)    →  zext y
//! zext (y << 5 | x) - zext x              →  zext (y << 5)
//! ```
//! LLVM does the same only if the intermediate values have no other use. Functions with loops keep their arithmetic, but for divisions: strength reduction
//! moves the addresses of a loop from iteration to iteration, and what precedes the loop costs little. A division of 64 bits costs much everywhere.

use super::upper_bounds::{DEPTH, UpperBounds, top, without_zeros};
use super::{Changed, loops};
use crate::llvm::{Builder, Compare, LlvmError, Module, Op, Passes, TypeKind, Value};

/// Narrows the arithmetic of all functions without loops, and the divisions of the others. What is left of an expression may be narrow in turn.
pub(crate) fn narrow_all(module: &mut Module<'_>) -> Result<(), LlvmError> {
    const ITERATIONS: u32 = 3;
    for _ in 0..ITERATIONS {
        let mut changed = Changed::default();
        changed.each(module, narrow);
        if changed.is_empty() {
            break;
        }
        changed.run(module, Passes::tidy(), None)?;
    }
    Ok(())
}

/// Merges the address computations of all functions without loops.
pub(crate) fn merge_all_addresses(module: &mut Module<'_>) -> Result<(), LlvmError> {
    let mut changed = Changed::default();
    changed.each(module, merge_addresses);
    // Code generation would use what is left of the two additions.
    changed.run(module, Passes::drop_unused(), None)
}

/// Narrows the arithmetic of a function, or with loops only its divisions; returns whether there was any. LLVM removes what is left unused.
pub(super) fn narrow(function: Value<'_>) -> bool {
    let only_divisions = !is_straight(function);
    let bounds = UpperBounds::of(function);
    let mut changed = false;
    for instruction in function.instructions() {
        let bits = match instruction.ty().kind() {
            TypeKind::Integer(bits @ (1 | 32 | 64)) => bits,
            _ => continue,
        };
        let less = if only_divisions {
            bounds.narrow_division(instruction)
        } else if bits == 1 {
            let one = bounds.narrow_comparison(instruction);
            one.or_else(|| bounds.one_comparison(instruction))
        } else {
            let part = bounds.part(instruction);
            part.or_else(|| bounds.narrow_value(instruction))
        };
        if let Some(less) = less {
            let builder = Builder::before(instruction);
            instruction.replace_all_uses_with(extended(&builder, less, bits));
            changed = true;
        }
    }
    changed
}

/// Merges two additions to a base pointer into one, in functions without loops: LLVM splits them for the sake of loops. Must run last, or LLVM
/// splits them again.
pub(super) fn merge_addresses(function: Value<'_>) -> bool {
    if !is_straight(function) {
        return false;
    }
    let mut changed = false;
    for address in function.instructions() {
        let Some((inner, by)) = address.as_gep() else {
            continue;
        };
        if let Some((base, first)) = inner.as_gep()
            && inner.has_one_use()
            && inner.block() == address.block()
            && inner.element_type() == address.element_type()
            && first.as_integer().or(by.as_integer()).is_none()
        {
            let builder = Builder::before(address);
            let both = builder.add(first, by);
            let joined = builder.element(address, base, both);
            address.replace_all_uses_with(joined);
            changed = true;
        }
    }
    changed
}

fn is_straight(function: Value<'_>) -> bool {
    loops::in_cycles(function).is_empty()
}

impl<'ctx> UpperBounds<'ctx> {
    /// One of the parts that a value was combined from, if this instruction extracts it again.
    fn part(&self, value: Value<'ctx>) -> Option<Value<'ctx>> {
        let operands = value.operands();
        let operand = |i: usize| operands.get(i).copied();
        let (from, by) = (without_zeros(operand(0)?), operand(1)?);
        let [a, b] = sum(from)?;
        match value.op() {
            Op::And => {
                let mask = by
                    .as_integer()
                    .filter(|m| m.wrapping_add(1).is_power_of_two())?;
                let is_above = |v: Value<'_>| shifted(v).is_some_and(|(_, k)| (1 << k) > mask);
                let low = [(a, b), (b, a)]
                    .into_iter()
                    .find(|(high, _)| is_above(*high))?
                    .1;
                (self.upper_bound(low, DEPTH) <= mask).then_some(low)
            }
            Op::LShr => {
                let by = by.as_integer()?;
                let halves = [(a, b), (b, a)].into_iter();
                let mut halves = halves.filter_map(|(high, low)| Some((shifted(high)?, low)));
                let ((high, _), low) = halves.find(|((_, k), _)| *k == by)?;
                let fits = self.upper_bound(high, DEPTH) <= top(from) >> by
                    && self.upper_bound(low, DEPTH) >> by == 0;
                fits.then_some(high)
            }
            Op::Sub => {
                let less = without_zeros(by);
                let one = if without_zeros(b) == less {
                    a
                } else if without_zeros(a) == less {
                    b
                } else {
                    return None;
                };
                self.upper_bound(a, DEPTH)
                    .checked_add(self.upper_bound(b, DEPTH))
                    .filter(|all| *all <= top(from))?;
                Some(one)
            }
            _ => None,
        }
    }

    /// The same in 32 bits, if it is an operation of 64 whose operands and result have a zero upper half.
    fn narrow_value(&self, value: Value<'ctx>) -> Option<Value<'ctx>> {
        if value.ty().kind() != TypeKind::Integer(64)
            || self.upper_bound(value, DEPTH) > u64::from(u32::MAX)
        {
            return None;
        }
        if value.op() == Op::Freeze {
            // Of poison it makes some number: one of 32 bits too.
            let builder = Builder::before(value);
            let half = lower_half(&builder, value.operands()[0]);
            return Some(builder.freeze(half));
        }
        if let Some(narrow) = self.narrow_remainder(value) {
            return Some(narrow);
        }
        let args = if value.op() == Op::Call {
            value.args()
        } else {
            value.operands()
        };
        let [a, b] = args[..] else {
            return None;
        };
        // A constant that is added becomes part of an address.
        let constant = a.as_integer().or(b.as_integer()).is_some();
        let narrower = |v| self.is_narrow(v).then_some(v);
        let (a, b) = (narrower(a)?, narrower(b)?);
        let builder = Builder::before(value);
        let (a, b) = (lower_half(&builder, a), lower_half(&builder, b));
        match value.op() {
            Op::Add if constant => None,
            Op::Or if constant && value.is_disjoint() => None,
            Op::Shl | Op::LShr if b.as_integer().is_none_or(|by| by >= 32) => None,
            op @ (Op::Add | Op::Mul | Op::Shl) => Some(builder.without_wrapping(op, a, b)),
            op @ (Op::LShr | Op::And | Op::Or | Op::Xor | Op::UDiv | Op::URem) => {
                Some(builder.operation(op, a, b))
            }
            Op::Call => {
                let how = match value.callee().as_function()?.name().as_str() {
                    "llvm.umax.i64" => Compare::Ugt,
                    "llvm.umin.i64" => Compare::Ult,
                    _ => return None,
                };
                Some(builder.select(builder.compare(how, a, b), a, b))
            }
            _ => None,
        }
    }

    /// The same in 32 bits, if it is a division of 64, or stands between two.
    fn narrow_division(&self, value: Value<'ctx>) -> Option<Value<'ctx>> {
        let is_division = matches!(value.op(), Op::UDiv | Op::URem | Op::Freeze)
            || self.remainder(value).is_some();
        is_division.then(|| self.narrow_value(value)).flatten()
    }

    /// A remainder that fits and is written as a difference: its lower half depends on lower halves alone.
    fn narrow_remainder(&self, value: Value<'ctx>) -> Option<Value<'ctx>> {
        let remainder = self.remainder(value)?;
        // Where the quotient stays wide, so does the difference.
        let is_narrow = self.is_narrow(remainder.dividend) && self.is_narrow(remainder.divisor);
        let builder = is_narrow.then(|| Builder::before(value))?;
        let [a, b] = value.operands()[..] else {
            return None;
        };
        let (a, b) = (lower_half(&builder, a), lower_half(&builder, b));
        Some(builder.operation(value.op(), a, b))
    }

    /// The same comparison of lower halves, if the upper ones are zero.
    fn narrow_comparison(&self, value: Value<'ctx>) -> Option<Value<'ctx>> {
        let how = value.comparison()?;
        let [a, b] = value.operands()[..] else {
            return None;
        };
        if a.ty().kind() != TypeKind::Integer(64) || !self.is_narrow(a) || !self.is_narrow(b) {
            return None;
        }
        let builder = Builder::before(value);
        let (a, b) = (lower_half(&builder, a), lower_half(&builder, b));
        Some(builder.compare(how, a, b))
    }

    /// One comparison of the larger of two narrow numbers, if both are compared with the same wide one: LLVM would take the larger in 64 bits.
    fn one_comparison(&self, value: Value<'ctx>) -> Option<Value<'ctx>> {
        let operands = value.operands();
        let (a, b, how) = match (value.op(), &operands[..]) {
            (Op::And, [a, b]) => (a, b, Compare::Ult),
            (Op::Or, [a, b]) => (a, b, Compare::Uge),
            (Op::Select, [a, b, no]) if no.as_integer() == Some(0) => (a, b, Compare::Ult),
            (Op::Select, [a, yes, b]) if yes.as_integer() == Some(1) => (a, b, Compare::Uge),
            _ => return None,
        };
        let (first, len) = self.compared(*a, how)?;
        let (second, same) = self.compared(*b, how)?;
        if same != len || self.is_narrow(len) {
            return None;
        }
        let builder = Builder::before(value);
        // The second operand did not matter where the first had decided: it may be poison there.
        let second = builder.freeze(second);
        let (first, second) = (lower_half(&builder, first), lower_half(&builder, second));
        let above = builder.compare(Compare::Ugt, first, second);
        let larger = builder.widened(builder.select(above, first, second));
        Some(builder.compare(how, larger, len))
    }

    /// The narrow operand of this comparison and the other one.
    fn compared(&self, value: Value<'ctx>, how: Compare) -> Option<(Value<'ctx>, Value<'ctx>)> {
        let own = value.block().and_then(|_| value.comparison())?;
        let [a, b] = value.operands()[..] else {
            return None;
        };
        let (a, b, own) = if self.is_narrow(a) {
            (a, b, own)
        } else {
            (b, a, own.swapped())
        };
        let wide = a.ty().kind() == TypeKind::Integer(64);
        (wide && own == how && self.is_narrow(a) && a.as_integer().is_none()).then_some((a, b))
    }
}

/// The operands of an addition, or of what is one.
fn sum(value: Value<'_>) -> Option<[Value<'_>; 2]> {
    let is_sum = value.block().is_some()
        && (value.op() == Op::Add || value.op() == Op::Or && value.is_disjoint());
    is_sum.then(|| value.operands().try_into().ok()).flatten()
}

/// A number that was shifted to the left, and how far.
fn shifted(value: Value<'_>) -> Option<(Value<'_>, u64)> {
    value.block()?;
    let operands = value.operands();
    let number = operands.get(1)?.as_integer()?;
    match value.op() {
        Op::Shl if number < 32 => Some((operands[0], number)),
        Op::Mul if number.is_power_of_two() => Some((operands[0], number.trailing_zeros().into())),
        _ => None,
    }
}

fn lower_half<'ctx>(builder: &Builder<'ctx>, value: Value<'ctx>) -> Value<'ctx> {
    match value.as_integer() {
        Some(number) => builder.number(number, 32),
        None => builder.trunc32(value),
    }
}

fn extended<'ctx>(builder: &Builder<'ctx>, value: Value<'ctx>, bits: u32) -> Value<'ctx> {
    match value.ty().kind() {
        TypeKind::Integer(own) if own < bits => builder.extended(value, bits),
        _ => value,
    }
}

#[cfg(test)]
#[path = "index_narrowing_tests.rs"]
mod tests;
